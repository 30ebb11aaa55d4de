package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type storedIn struct {
	Account wholeAddress `json:"account,omitempty" brief:"" description:"default: active account"`
	From    when         `json:"from,omitempty" description:"ISO 8601"`
	To      when         `json:"to,omitempty" brief:"" description:"not included"`
	Limit   rowLimit     `json:"limit" default:"100" brief:"" description:"max rows"`
	Detail  detailLevel  `json:"detail" default:"summary" brief:"" description:"how much"`
}

// storedCounts holds the counts in the flat form that existing clients read.
type storedCounts struct {
	Transactions int        `json:"transactionCount" description:"stored rows of the time range"`
	Succeeded    int        `json:"successCount" description:"of those, succeeded"`
	Failed       int        `json:"failureCount" description:"of those, failed"`
	Unknown      int        `json:"unknownCount" description:"of those, status unknown"`
	Earliest     *time.Time `json:"earliest,omitempty" description:"time of the first one, UTC"`
	Latest       *time.Time `json:"latest,omitempty" description:"time of the last one, UTC"`
}

// storedCoverage states how much of a time range the stored scans cover.
type storedCoverage struct {
	Status     activity.Coverage `json:"status" description:"complete, partial or no_stored_scans"`
	Incomplete int               `json:"incompleteScanRowCount" description:"rows from an incomplete or unverified scan"`
}

type storedOut struct {
	Network      string                     `json:"network" description:"network of this server"`
	Scope        accountScope               `json:"accountScope" description:"account of the transactions"`
	Known        bool                       `json:"accountKnown" description:"false if no wallet connected the account here, so nothing is stored"`
	Semantics    evidence.ActivitySemantics `json:"quantitySemantics" description:"meaning and limits of the quantities"`
	Requested    activity.Requested         `json:"requestedAccount" description:"facts about the account that the listed rows prove"`
	Summary      storedCounts               `json:"summary" description:"counts of all stored rows of the time range"`
	Analysis     activity.Analysis          `json:"analysis" description:"counts and sums of the listed rows"`
	Available    activity.Availability      `json:"transactionDetailAvailability" description:"listed rows with and without details"`
	Net          []string                   `json:"netChanges" description:"sum of the counted rows for each coin, gas included"`
	Fees         feesPaid                   `json:"feesPaid" description:"costs that the account paid for the counted rows"`
	Transactions []storedRow                `json:"transactions" description:"listed rows, newest first; without other parties"`
	Unlisted     int                        `json:"unlistedRowCount,omitempty" description:"rows counted but not listed; detail full lists them"`
	Coverage     storedCoverage             `json:"coverage" description:"part of the time range that stored scans prove"`
	Source       evidence.Source            `json:"source" description:"where the rows came from"`
	Boundary     string                     `json:"boundary" description:"limits of the rows"`
}

// readSummarizeSuiAccountActivity summarizes the stored results of earlier scans, without a request
// to a provider.
func readSummarizeSuiAccountActivity(d activityReader, a accounts, network string) tool.Tool {
	rows := evidence.Use{
		Can:    evidence.Claims{evidence.StoredActivity, evidence.AccountCoinFlows, evidence.ActivityAnalysis},
		Cannot: evidence.NotActivity().And(evidence.Claims{evidence.NoActivity}),
		Answer: []string{"accountScope.account", "netChanges", "feesPaid", "requestedAccount.coinFlows",
			"transactions[].requestedAccountEffect", "transactions[].what",
			"summary.transactionCount", "analysis.overview", "analysis.protocols", "analysis.limitations",
			"transactionDetailAvailability", "transactions[].compact",
			"transactions[].details"},
		Precondition: []string{"coverage.status"},
		Rules: []string{"boundary", "quantitySemantics.displayConversionRequires",
			"requestedAccount.balanceChangeCompleteness",
			"transactions[].lastScanIncompleteReason", "unlistedRowCount", "coverage.incompleteScanRowCount"},
		Diagnostic: []string{"source"},
		Next: evidence.Ask(toolScan, "What is not stored yet must be scanned.").With("accountScope.account").
			Reading("requestedAccountTransactionFacts", "windowComplete"),
	}
	bare := rows
	bare.Answer = []string{"accountScope.account", "requestedAccount.coinFlows", "transactions[].requestedAccountEffect",
		"summary.transactionCount",
		"analysis.overview", "analysis.limitations", "transactionDetailAvailability"}
	empty := rows
	empty.Can = evidence.Claims{evidence.StoredActivity}
	empty.Answer = []string{"accountScope.account", "accountKnown", "summary.transactionCount"}
	return tool.Declare(tool.Spec[storedIn, storedOut]{
		Name:      toolStoredActivity,
		Title:     "Summarize Sui account activity",
		Summary:   "Summarizes an account's past transactions stored on this computer.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.ReadsLocal,
		Errors:    []fault.Code{fault.ActiveAccountNotSet},
		Cases: []tool.Case[storedOut]{
			{Name: caseEmptyAct, When: func(o storedOut) bool { return len(o.Transactions) == 0 }, Use: empty},
			{Name: caseRows, When: func(o storedOut) bool { return o.Available.All }, Use: rows},
			{Name: caseBare, Use: bare},
		},
		Examples: append([]tool.Example{
			{Name: "nothing stored", Given: givenNothing, In: someAccount, Case: caseEmptyAct},
			{Name: "what was scanned", Given: givenScanned, In: `{}`, Case: caseRows},
			{Name: "what was scanned, in full", Given: givenScanned, In: `{"detail":"full"}`, Case: caseRows},
			{Name: "what was scanned without details", Given: givenScannedBare, In: `{"limit":5}`, Case: caseBare},
		}, spanExamples()...),
		Run: func(c tool.Call, in storedIn) (storedOut, error) {
			scope, span, err := storedSpan(c, a, in.Account, in.From, in.To)
			if err != nil {
				return storedOut{}, err
			}
			s, err := d.Summarize(c.Context(), span, int(in.Limit))
			return storedOut{
				Network: network, Scope: scope, Known: s.Known, Semantics: evidence.RawActivity(), Requested: s.Requested,
				Summary: storedCounts{s.Stored.Count, s.Stored.Succeeded, s.Stored.Failed, s.Stored.Unknown,
					shownTime(s.Stored.Earliest), shownTime(s.Stored.Latest)},
				Analysis: s.Analysis, Available: s.Available, Net: flowTexts(s.Requested.Flows), Fees: showFees(s.Requested.Fees),
				Transactions: storedRows(s.Rows, in.Detail), Unlisted: unlisted(len(s.Rows), in.Detail),
				Coverage: storedCoverage{s.Coverage, s.Stored.Incomplete}, Source: storedSource(), Boundary: storedBoundary,
			}, err
		},
	})
}

// storedRow is a stored transaction. With full detail it has the fields of activity.StoredRow.
type storedRow struct {
	Digest     sui.Digest        `json:"digest" description:"transaction digest"`
	What       string            `json:"what" description:"effect on the account, in words"`
	Status     sui.PastStatus    `json:"status" description:"success, failure or unknown"`
	At         *time.Time        `json:"timestamp,omitempty" description:"the chain's time, UTC"`
	Effect     shownEffect       `json:"requestedAccountEffect" description:"effect on the account"`
	Incomplete string            `json:"lastScanIncompleteReason,omitempty" description:"why the scan that brought it proves no coverage"`
	Lookup     activity.Lookup   `json:"detailLookup" description:"where details are"`
	Role       activity.Role     `json:"role,omitempty" description:"how the account took part"`
	Sender     *sui.Address      `json:"sender,omitempty" description:"who sent it"`
	Checkpoint *uint64           `json:"checkpoint,omitempty,string" description:"its checkpoint"`
	Details    *activity.Detail  `json:"details,omitempty" description:"what was stored of it"`
	Compact    *activity.Compact `json:"compact,omitempty" description:"the same in short"`
}

// unlisted returns how many of the rows are counted but not listed.
func unlisted(rows int, detail detailLevel) int {
	if detail == detailFull {
		return 0
	}
	return max(rows-listedRows, 0)
}

func storedRows(rows []activity.StoredRow, detail detailLevel) []storedRow {
	out := []storedRow{}
	for _, r := range rows[:len(rows)-unlisted(len(rows), detail)] {
		var c *activity.Context
		if r.Compact != nil {
			c = &r.Compact.Context
		}
		row := storedRow{Digest: r.Digest, What: whatOf(r.Status, r.Effect, c, nil, nobody), Status: r.Status, At: r.At,
			Effect:     showEffect(r.Effect, detail),
			Incomplete: r.Incomplete, Lookup: r.Lookup}
		if detail == detailFull {
			row.Role, row.Sender, row.Checkpoint, row.Details, row.Compact = r.Role, r.Sender, r.Checkpoint, r.Detail, r.Compact
		}
		out = append(out, row)
	}
	return out
}

func storedSource() evidence.Source { return evidence.Source{Kind: "local_stored_activity_facts"} }

// storedSpan returns the account and the time range to read.
func storedSpan(c tool.Call, a accounts, given wholeAddress, from, to when) (accountScope, activity.Span, error) {
	scope, err := given.scope(c, a)
	if err != nil {
		return scope, activity.Span{}, err
	}
	span := activity.Span{Account: scope.Account}
	if span.Since, err = instant(from).read("from"); err != nil {
		return scope, span, err
	}
	if span.Until, err = instant(to).read("to"); err != nil {
		return scope, span, err
	}
	if !span.Until.IsZero() && !span.Since.Before(span.Until) {
		return scope, span, fault.New(fault.InputInvalid, "from must be before to.").With("field", "from")
	}
	return scope, span, nil
}
