package tools

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// digestText is a transaction digest. Its format is checked when it is parsed.
type digestText string

// Shape implements tool.Shaped.
func (digestText) Shape() tool.Shape { return tool.Shape{MaxLength: 100} }

type inspectIn struct {
	Digest  digestText   `json:"digest" description:"base58"`
	Account wholeAddress `json:"account,omitempty" brief:"" description:"default: active account"`
	Detail  detailLevel  `json:"detail" default:"summary" brief:"" description:"how much"`
}

// inspected is a transaction with everything that the node reported about it.
type inspected struct {
	activity.Transaction
	Compact *activity.Compact `json:"compact,omitempty" description:"the same in short"`
}

// decodedGraph describes the decoded bytes of the transaction.
type decodedGraph struct {
	Status string           `json:"status" description:"decoded if the bytes hash to the digest; otherwise why decoding is unavailable"`
	Sender *sui.Address     `json:"sender,omitempty" description:"from the bytes"`
	Words  *sui.Description `json:"description,omitempty" description:"inputs and commands in order, in words"`
}

type inspectOut struct {
	Network     string                     `json:"network" description:"network of this server"`
	Digest      sui.Digest                 `json:"digest" description:"requested digest"`
	Found       bool                       `json:"found" description:"false if this provider has no such transaction, which does not prove that none exists"`
	Account     *sui.Address               `json:"account,omitempty" description:"account that the effect is about"`
	Semantics   evidence.ActivitySemantics `json:"quantitySemantics" description:"meaning and limits of the quantities"`
	What        string                     `json:"what,omitempty" description:"effect on the account, in words"`
	Gas         string                     `json:"gas,omitempty" description:"net gas that its payer paid"`
	Fees        *feesPaid                  `json:"feesPaid,omitempty" description:"what the account paid"`
	Effect      *shownEffect               `json:"requestedAccountEffect,omitempty" description:"effect on the account"`
	Transaction *inspected                 `json:"transaction,omitempty" description:"the provider's data"`
	Sources     []projectSource            `json:"projectSources,omitempty" description:"its calls in own projects"`
	Graph       *decodedGraph              `json:"transactionGraph,omitempty" description:"what its own bytes say"`
	Proof       *shownProof                `json:"proof,omitempty" description:"whether validators signed status, gas and events; amounts stay the provider's computation"`
	Kept        activity.Persistence       `json:"persistence" description:"data stored on this machine"`
	Source      evidence.Source            `json:"source" description:"where the facts came from"`
	FetchedAt   time.Time                  `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// proved reports whether validators have signed the reported result.
func (o inspectOut) proved() bool { return o.Proof != nil && o.Proof.State == record.Proved }

// readInspectSuiTransaction returns a description of one transaction.
func readInspectSuiTransaction(d namedActivity, code sources, network string) tool.Tool {
	return tool.Declare(tool.Spec[inspectIn, inspectOut]{
		Name:      toolInspect,
		Title:     "Inspect Sui transaction",
		Summary:   "Describes a past transaction, given its digest.",
		Untrusted: []tool.Origin{tool.FromChain},
		Effect:    tool.FillsCache,
		Errors:    []fault.Code{fault.ProviderUnavailable, fault.ProviderRefused, fault.ProviderMismatch},
		Cases:     inspectCases(),
		Examples:  inspectExamples(),
		Run: func(c tool.Call, in inspectIn) (inspectOut, error) {
			digest, err := sui.ParseDigest(string(in.Digest))
			if err != nil {
				return inspectOut{}, named("digest", err)
			}
			asked, err := in.Account.read()
			if err != nil {
				return inspectOut{}, err
			}
			i, err := d.Inspect(c.Context(), digest, asked)
			out := inspectedOf(c.Context(), d, network, i, in.Detail)
			if i.Found && i.Transaction.Detail != nil {
				out.Sources = sourcesOf(c.Context(), code, i.Transaction.Detail.Calls)
			}
			return out, err
		},
	})
}

func inspectCases() []tool.Case[inspectOut] {
	use := evidence.Use{
		Can:    evidence.Claims{evidence.TransactionFacts, evidence.AccountCoinFlows},
		Cannot: evidence.NotActivity(),
		Answer: []string{"what", "gas", "requestedAccountEffect", "requestedAccountEffect.coinFlows",
			"requestedAccountEffect.role", "transaction.digest",
			"transaction.status", "transaction.details", "transaction.compact", "transactionGraph.description"},
		Precondition: []string{"found"},
		Rules: []string{"quantitySemantics.displayConversionRequires", "requestedAccountEffect.balanceChangeEvidence",
			"requestedAccountEffect.accountBalanceChangeAbsenceProven",
			"requestedAccountEffect.accountBalanceChangeInferencePolicy",
			"requestedAccountEffect.limitations", "transaction.details.truncation"},
		Diagnostic: []string{"source", "fetchedAt", "persistence", "transactionGraph.status", "projectSources"},
		Next: evidence.Ask(toolScan, "What the account did before and after.").
			With("account").Reading("requestedAccountTransactionFacts"),
	}
	alone := use
	alone.Can = evidence.Claims{evidence.TransactionFacts}
	alone.Answer = []string{"transaction.digest", "transaction.status", "transaction.details", "transaction.compact",
		"transactionGraph.description"}
	signed := func(u evidence.Use) evidence.Use {
		u.Can = evidence.Claims{evidence.ProvedTransactionFacts}.And(u.Can)
		u.Answer = slices.Concat([]string{"proof.state"}, u.Answer)
		return u
	}
	return []tool.Case[inspectOut]{
		{Name: "not found", When: func(o inspectOut) bool { return !o.Found }, Use: evidence.Use{
			Can:    evidence.Claims{evidence.NotKnownToProvider},
			Cannot: use.Cannot.And(evidence.Claims{evidence.TransactionNotExists}),
			Answer: []string{"digest", "found"}, Diagnostic: []string{"source", "fetchedAt"},
		}},
		{Name: "proved, about an account", When: func(o inspectOut) bool { return o.proved() && o.Effect != nil },
			Use: signed(use)},
		{Name: "proved", When: inspectOut.proved, Use: signed(alone)},
		{Name: "found, about an account", When: func(o inspectOut) bool { return o.Effect != nil }, Use: use},
		{Name: "found", Use: alone},
	}
}

// inspectedOf converts an inspection to an answer. With summary detail, it omits the transaction's
// lists and its decoded bytes.
func inspectedOf(ctx context.Context, d namedActivity, network string, i activity.Inspection,
	detail detailLevel) inspectOut {
	out := inspectOut{Network: network, Digest: i.Digest, Found: i.Found, Account: i.Account,
		Semantics: evidence.RawActivity(),
		Kept:      i.Kept, Source: evidence.Source{Kind: "sui_graphql_read", Method: "transaction(digest)"},
		FetchedAt: readAt(i.At)}
	if i.Found {
		out.Transaction = &inspected{i.Transaction, i.Compact}
		if i.Compact != nil && i.Compact.GasCost != nil {
			out.Gas = i.Compact.GasCost.Display + " " + i.Compact.GasCost.Symbol
		}
		if detail == detailFull {
			out.Graph = graphOf(i)
		} else {
			out.Transaction.Detail = nil
		}
	}
	if i.Signed != nil || i.NotSigned != nil {
		p := record.ProofOf(i.Signed, i.NotSigned, i.At)
		out.Proof = showProof(&p, detail)
	}
	if i.Effect != nil {
		effect := showEffect(*i.Effect, detail)
		out.Effect = &effect
		var c *activity.Context
		if i.Compact != nil {
			c = &i.Compact.Context
		}
		other := i.Transaction.Counterparty(*i.Account)
		fees := showFees(activity.FeesOf(*i.Effect))
		out.Fees = &fees
		out.What = whatOf(i.Transaction.Status, *i.Effect, c, other, d.naming(ctx, i.Effect.Gains, other))
	}
	return out
}

// graphOf decodes the bytes of a transaction.
func graphOf(i activity.Inspection) *decodedGraph {
	g := &decodedGraph{Status: "not_told"}
	switch {
	case i.BytesDiffer:
		g.Status = "bytes_of_another_transaction"
	case len(i.Bytes) > 0:
		tx, err := sui.DecodeTransaction(i.Bytes)
		if err != nil {
			g.Status = "not_understood"
			break
		}
		words := floor.Describe(tx)
		g.Status, g.Sender, g.Words = "decoded", &tx.Sender, &words
	}
	return g
}

func inspectExamples() []tool.Example {
	const (
		digest  = `"digest":"<txDigest>"`
		unknown = `{"digest":"4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"}`
	)
	return []tool.Example{
		{Name: "unknown", Given: givenNothing, In: unknown, Case: "not found"},
		{Name: "of the active account", Given: givenSwapped, In: "{" + digest + "}", Case: "proved, about an account"},
		{Name: "in full", Given: givenSwapped, In: "{" + digest + `,"detail":"full"}`, Case: "proved, about an account"},
		{Name: "of nobody here", Given: givenPastOnly, In: "{" + digest + "}", Case: "proved"},
		{Name: "of nobody here, in full", Given: givenPastOnly, In: "{" + digest + `,"detail":"full"}`, Case: "proved"},
		{Name: "without signatures", Given: givenUnsigned, In: "{" + digest + "}", Case: "found, about an account"},
		{Name: "without signatures, in full", Given: givenUnsigned, In: "{" + digest + `,"detail":"full"}`,
			Case: "found, about an account"},
		{Name: "without signatures, of nobody here", Given: givenUnsignedBy, In: "{" + digest + `,"detail":"full"}`,
			Case: "found"},
		{Name: "no digest", Given: givenNothing, In: `{"digest":"0xabc"}`, Fault: fault.InputInvalid},
		{Name: "too short", Given: givenNothing, In: `{"digest":"4vJ9JU1"}`, Fault: fault.InputInvalid},
		{Name: "provider down", Given: givenNodeDown, In: unknown, Fault: fault.ProviderUnavailable},
		{Name: "provider refuses", Given: givenNoPast, In: unknown, Fault: fault.ProviderRefused},
		{Name: "provider lies", Given: givenLyingPast, In: "{" + digest + "}", Fault: fault.ProviderMismatch},
	}
}
