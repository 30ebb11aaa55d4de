package review

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// describe is the gate human_readable_review: the adapter reads the decoded
// bytes back, and the review is put into words. What it cannot read is not
// signable.
func (r *run) describe(context.Context) error {
	if stop := r.inspect(); stop != nil {
		return stop
	}
	facts, err := r.adapter.Read(r.tx)
	if err != nil {
		return &Stop{AllowlistViolation, Fail(SourceAdapter, checkBytes, "Built bytes", "The built transaction is not fully understood: "+
			fault.As(err).Text, "This is a fault of Say Ur Intent; please report it.").under("C07")}
	}
	// The envelope is read here, not by the adapter.
	facts.Sender = r.tx.Sender
	facts.Gas = GasFacts{Budget: sui.Raw(r.tx.Gas.Budget), Price: sui.Raw(r.tx.Gas.Price), Owner: r.tx.Gas.Owner, Payment: r.tx.Gas.Payment}
	if e, ok := r.tx.Expiration.(sui.EpochExpiration); ok {
		facts.LastEpoch = e.Epoch
	}
	if q := r.draft.Quote; q != nil {
		facts.Expected = q.Expected
	}
	r.units(&facts)
	r.facts = &facts
	r.human = r.words()
	r.draft.Check(Pass(SourceAdapter, r.meta.CheckPrefix+"_human_readable_review_evidence", "Review",
		"The amounts, the recipient and the called function were read back from the built bytes."))
	return nil
}

// words projects the review from the policy and the decoded facts.
func (r *run) words() *HumanReview {
	plan := r.draft.Plan
	h := &HumanReview{Kind: strings.ReplaceAll(r.meta.Action, "-", "_") + "_human_readable_review", BoundToCommitment: r.commitment}
	h.ProposedAction.Title, h.ProposedAction.Summary = plan.Title, plan.Summary
	h.ProposedAction.ActionKind, h.ProposedAction.AdapterID = r.meta.Action, r.meta.AdapterID
	h.ProposedAction.Protocol, h.ProposedAction.Network = r.meta.Protocol, r.session.Network
	r.flow(h)
	h.Recipients = []Recipient{{"connected_account", r.session.Account}, {"output_recipient", r.facts.Recipient}}
	if r.facts.pays() {
		h.Recipients[1].Role = "payment_recipient"
	}
	h.Terms, h.Locks = r.facts.Terms, r.draft.Locks
	h.MissingEvidence = []string{}
	h.RequiredUserChoices = []string{"wallet_signature_on_the_review_page"}
	h.UnsupportedClaims = []string{"no_signing_readiness", "no_execution_readiness", "no_route_recommendation"}
	h.Freshness = Freshness{Status: "current", EvaluatedAt: r.now(), ExpiresAt: r.builtAt.Add(r.c.Limits.BuildLife)}
	return h
}

// flow fills in what leaves, what arrives, where, and what is promised of it.
func (r *run) flow(h *HumanReview) {
	q, plan := r.draft.Quote, r.draft.Plan
	h.AssetFlow.Fees = []FlowAmount{}
	if q == nil {
		const source = "transaction_bytes"
		if plan.Gives() {
			h.AssetFlow.Outgoing = &FlowAmount{"outgoing", plan.Input, source}
		}
		if plan.Gets() {
			h.AssetFlow.MinimumIncoming = &FlowAmount{"minimum_incoming", r.draft.Gets, source}
		}
		h.Targets = []FlowTarget{}
		if t := r.draft.Target; !t.RouteID.IsZero() {
			h.Targets = append(h.Targets, FlowTarget{Role: "called_object", Protocol: r.meta.Protocol, Route: plan.Route, RouteID: t.RouteID.String()})
		}
		h.Guarantee, h.EvidenceUsed = r.draft.Promise, []string{"transaction_bytes", "object_ownership"}
		return
	}
	const source = "quote_policy_evidence"
	h.AssetFlow.Outgoing = &FlowAmount{"outgoing", q.Input, source}
	h.AssetFlow.ExpectedIncoming = &FlowAmount{"expected_incoming", q.Expected, source}
	h.AssetFlow.MinimumIncoming = &FlowAmount{"minimum_incoming", q.Minimum, source}
	h.AssetFlow.Fees = append(h.AssetFlow.Fees, FlowAmount{"fee", q.Fee, source})
	h.Targets = []FlowTarget{{Role: "swap_output_asset", Symbol: plan.To.Symbol, CoinType: plan.To.CoinType,
		Protocol: r.meta.Protocol, Route: q.Route, RouteID: q.RouteID, Direction: q.Direction}}
	h.Guarantee = "At least " + q.Minimum.String() + " arrives, or nothing is swapped (all coins come back, or the " +
		"transaction fails) and only gas is spent."
	if spends := r.facts.Spends; len(spends) > 1 {
		h.Guarantee += " At most " + spends[1].String() + " leaves for the fee; what the fee leaves of it comes back."
	}
	h.EvidenceUsed = []string{"quote_policy", "transaction_bytes", "object_ownership"}
}
