package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the tools that read past transactions.

// activityReader reads past transactions of accounts.
type activityReader interface {
	Inspect(ctx context.Context, digest sui.Digest, asked *sui.Address) (activity.Inspection, error)
	Scan(ctx context.Context, q activity.Query) (activity.Scan, error)
	ScanPages(ctx context.Context, q activity.Query, pages int, report func(activity.Total) error) (activity.Total, error)
	Summarize(ctx context.Context, span activity.Span, most int) (activity.Summary, error)
	Anchor(ctx context.Context, account sui.Address) (*activity.Anchor, error)
	Timeline(ctx context.Context, span activity.Span, b activity.Bucket, anchor *activity.Anchor) (activity.Timeline,
		error)
}

// Names of tools.
const (
	toolInspect         = activity.InspectTool
	toolScan            = "read.scan_sui_account_activity"
	toolScanSummary     = "read.summarize_sui_activity_scan"
	toolFunctionScan    = "read.scan_sui_function_activity"
	toolFunctionSummary = "read.summarize_sui_function_activity_scan"
	toolStoredActivity  = "read.summarize_sui_account_activity"
	toolTimeline        = "read.get_account_asset_timeline"
)

// rowLimit is the maximum number of transactions in an answer.
type rowLimit int64

// Shape implements tool.Shaped.
func (rowLimit) Shape() tool.Shape { return tool.Between(1, activity.MostRows) }

// checkpointNumber is a checkpoint's number in decimal.
type checkpointNumber string

// Shape implements tool.Shaped.
func (checkpointNumber) Shape() tool.Shape { return tool.Shape{MaxLength: 19} }

func (n checkpointNumber) read(field string) (*uint64, error) {
	if n == "" {
		return nil, nil
	}
	v, err := sui.ParseRaw(string(n))
	if err != nil {
		return nil, fault.New(fault.InputInvalid, "%s must be a checkpoint number in digits.", field).With("field", field)
	}
	u := uint64(v)
	return &u, nil
}

// wholeAddress is a full address. Its format is checked by read.
type wholeAddress string

// read parses the address. It returns nil if the address is empty.
func (a wholeAddress) read() (*sui.Address, error) {
	if a == "" {
		return nil, nil
	}
	v, err := sui.ParseAccount(string(a))
	return &v, named("account", err)
}

// scope returns the scope of the address or, if it is empty, of the active account.
func (a wholeAddress) scope(c tool.Call, accounts accounts) (accountScope, error) {
	if _, err := a.read(); err != nil {
		return accountScope{}, err
	}
	return scopeOf(c, accounts, publicAddress(a))
}

// when is an ISO 8601 time with a time zone.
type when string

// Maximum number of rows: of a scan without a limit, of a summary, and of an answer with an
// analysis.
const (
	listedRows     = 8
	mostListedRows = 40
	summaryRows    = 3
)

// windowIn selects the transactions of a scan.
type windowIn struct {
	Limit  rowLimit         `json:"limit,omitempty" brief:"" description:"max rows"`
	Cursor string           `json:"cursor,omitempty" brief:"" description:"continuationCursor"`
	From   checkpointNumber `json:"fromCheckpoint,omitempty" brief:"" description:"inclusive"`
	To     checkpointNumber `json:"toCheckpoint,omitempty" brief:"" description:"inclusive"`
	Since  when             `json:"fromTimestamp,omitempty" description:"ISO 8601"`
	Until  when             `json:"toTimestamp,omitempty" description:"ISO 8601"`
}

// into sets the limits of a query.
func (in windowIn) into(q *activity.Query) (err error) {
	q.Limit, q.Cursor = int(in.Limit), in.Cursor
	if q.From, err = in.From.read("fromCheckpoint"); err != nil {
		return err
	}
	if q.To, err = in.To.read("toCheckpoint"); err != nil {
		return err
	}
	if q.Since, err = instant(in.Since).read("fromTimestamp"); err != nil {
		return err
	}
	q.Until, err = instant(in.Until).read("toTimestamp")
	return err
}

// accountScanIn holds the arguments of a scan of an account's transactions.
type accountScanIn struct {
	Account      wholeAddress          `json:"account,omitempty" brief:"" description:"default: active account"`
	Relationship activity.Relationship `json:"relationship" default:"affected" brief:"" description:"sent: signed by it"`
	Detail       detailLevel           `json:"detail" default:"summary" brief:"" description:"how much"`
	windowIn
}

// functionScanIn holds the arguments of a scan of an account's calls of one function.
type functionScanIn struct {
	Function string       `json:"function" description:"package::module::function"`
	Account  wholeAddress `json:"account,omitempty" brief:"" description:"default: active account"`
	Detail   detailLevel  `json:"detail" default:"summary" brief:"" description:"how much"`
	windowIn
}

// scanOut is the answer of tools that scan the chain.
type scanOut struct {
	Network      string                     `json:"network" description:"network of this server"`
	Scope        accountScope               `json:"accountScope" description:"account of the transactions"`
	Relationship activity.Relationship      `json:"relationship" description:"affected: the account appears in the effects; it need not be the sender"`
	Function     string                     `json:"function,omitempty" description:"function that was called"`
	Semantics    evidence.ActivitySemantics `json:"quantitySemantics" description:"meaning and limits of the quantities"`
	Requested    activity.Requested         `json:"requestedAccount" description:"facts about the account that the rows prove"`
	Net          []string                   `json:"netChanges" description:"sum of the returned rows for each coin, gas included"`
	Fees         feesPaid                   `json:"feesPaid" description:"costs that the account paid for the returned rows"`
	Facts        []factRow                  `json:"requestedAccountTransactionFacts" description:"the rows, about the account alone"`
	Available    activity.Availability      `json:"transactionDetailAvailability" description:"rows with and without details"`
	Transactions []transactionRow           `json:"transactions" description:"rows, newest first"`
	Unlisted     int                        `json:"unlistedRowCount,omitempty" description:"rows counted but not listed; detail full lists them"`
	Window       activity.Window            `json:"window" description:"checkpoints that were asked for, both included"`
	HasMore      bool                       `json:"hasMore" description:"there are older rows"`
	Cursor       string                     `json:"continuationCursor,omitempty" description:"cursor for the next call, with the same bounds"`
	Complete     *bool                      `json:"windowComplete" null:"" description:"true: the window is covered; false: not proven; null: latest rows without a lower bound"`
	Ordered      bool                       `json:"orderingVerified" description:"false: do not rely on the provider's order"`
	Reason       string                     `json:"incompleteReason,omitempty" description:"why coverage is not proven"`
	Dropped      int                        `json:"droppedRowCount" description:"omitted rows of other senders"`
	Kept         activity.Persistence       `json:"persistence" description:"data stored on this machine"`
	Source       evidence.Source            `json:"source" description:"where the rows came from"`
	FetchedAt    time.Time                  `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
	Boundary     string                     `json:"boundary" description:"limits of the rows"`
}

// analysedOut is a scan with its analysis.
type analysedOut struct {
	scanOut
	Analysis activity.Analysis `json:"analysis" description:"counts and sums of the rows; no wallet evidence"`
}

// Limits of the evidence in these answers.
const (
	pageBoundary     = "bounded_provider_page_not_complete_wallet_history"
	functionBoundary = "bounded_page_of_sent_function_calls_not_recipient_activity_not_dapp_history"
	storedBoundary   = "stored_local_facts_not_complete_wallet_history"
)

// graphSource returns the source of past transactions.
func graphSource() evidence.Source {
	return evidence.Source{Kind: "sui_graphql_read", Method: "transactions(last, before, filter)"}
}

// scanned converts a scan to an answer with at most most rows.
func scanned(ctx context.Context, d namedActivity, network string, scope accountScope, s activity.Scan,
	detail detailLevel, most int) scanOut {
	boundary := pageBoundary
	if s.Query.Function != "" {
		boundary = functionBoundary
	}
	facts, rows := []factRow{}, []transactionRow{}
	if detail == detailFull {
		most = len(s.Rows)
	}
	listed := s.Rows[:min(len(s.Rows), most)]
	var gains []activity.Balance
	var others []*sui.Address
	for _, r := range listed {
		gains, others = append(gains, r.Effect.Gains...), append(others, r.Other)
	}
	name := d.naming(ctx, gains, others...)
	for i, r := range listed {
		what := whatOf(r.Status, r.Effect, r.Context, r.Other, name)
		facts, rows = append(facts, showFact(s.Facts[i], what, detail)), append(rows, showRow(r, what, detail))
	}
	return scanOut{
		Network: network, Scope: scope, Relationship: s.Query.Relationship, Function: s.Query.Function,
		Semantics: evidence.RawActivity(),
		Requested: s.Requested, Net: flowTexts(s.Requested.Flows), Fees: showFees(s.Requested.Fees), Facts: facts,
		Available: s.Available, Transactions: rows, Unlisted: len(s.Rows) - len(rows), Window: s.Window, HasMore: s.HasMore,
		Cursor: s.Cursor, Complete: s.Complete, Ordered: s.Ordered, Reason: s.Reason, Dropped: s.Dropped, Kept: s.Kept,
		Source: graphSource(), FetchedAt: readAt(s.At), Boundary: boundary,
	}
}

// scanAccount runs a scan of an account's transactions.
func scanAccount(c tool.Call, d namedActivity, a accounts, network string, in accountScanIn, most int) (activity.Scan,
	scanOut, error) {
	return runScan(c, d, a, network, in.Account, activity.Query{Relationship: in.Relationship}, in.windowIn, in.Detail,
		most)
}

// scanFunction runs a scan of an account's calls of one function.
func scanFunction(c tool.Call, d namedActivity, a accounts, network string, in functionScanIn, most int) (activity.Scan,
	scanOut, error) {
	if in.Function == "" {
		return activity.Scan{}, scanOut{}, fault.New(fault.InputInvalid,
			"function must be exactly package::module::function.").With("field", "function")
	}
	return runScan(c, d, a, network, in.Account, activity.Query{Relationship: activity.Sent, Function: in.Function},
		in.windowIn, in.Detail, most)
}

func runScan(c tool.Call, d namedActivity, a accounts, network string, given wholeAddress, q activity.Query, w windowIn,
	detail detailLevel, most int) (activity.Scan, scanOut, error) {
	scope, err := given.scope(c, a)
	if err != nil {
		return activity.Scan{}, scanOut{}, err
	}
	q.Account = scope.Account
	if err := w.into(&q); err != nil {
		return activity.Scan{}, scanOut{}, err
	}
	if q.Limit == 0 {
		if q.Limit = listedRows; most == summaryRows {
			q.Limit = activity.MostRows
		}
	}
	if detail == detailSummary && most == mostListedRows {
		q.Limit = min(q.Limit, mostListedRows) // the cursor continues after these rows
	}
	s, err := d.Scan(c.Context(), q)
	return s, scanned(c.Context(), d, network, scope, s, detail, most), err
}

// activityErrors returns the error codes of tools that read past transactions.
func activityErrors() []fault.Code {
	return []fault.Code{fault.ActiveAccountNotSet, fault.ProviderUnavailable, fault.ProviderRefused,
		fault.ProviderMismatch}
}
