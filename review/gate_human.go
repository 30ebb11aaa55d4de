package review

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// describe is the gate human_readable_review: the adapter reads the decoded
// bytes back, and the review is put into words. What it cannot read is not
// signable.
func (r *run) describe(context.Context) error {
	if stop := r.inspect(); stop != nil {
		return stop
	}
	facts, err := readFacts(r.tx, r.adapters)
	if err != nil {
		return &Stop{AllowlistViolation, Fail(SourceAdapter, checkBytes, "Built bytes", "The built transaction is not fully understood: "+
			fault.As(err).Text, "This is a fault of Say Ur Intent; please report it.").under("C07")}
	}
	for i, s := range r.steps {
		if s.Quote != nil {
			facts.Steps[i].Expected = s.Quote.Expected
		}
	}
	units(&facts, r.coins())
	r.facts = &facts
	r.human = r.words()
	r.check(Pass(SourceAdapter, r.meta.CheckPrefix+"_human_readable_review_evidence", "Review",
		"The amounts, the recipient and the called function were read back from the built bytes."))
	return nil
}

// words projects the review from the policy and the decoded facts.
func (r *run) words() *HumanReview {
	h := &HumanReview{Kind: strings.ReplaceAll(r.session.Action, "-", "_") + "_human_readable_review", BoundToCommitment: r.commitment}
	var titles, summaries, guarantees []string
	for _, s := range r.steps {
		titles, summaries = append(titles, s.Plan.Title), append(summaries, s.Plan.Summary)
		guarantees = append(guarantees, s.guarantee())
		h.Locks = append(h.Locks, s.Locks...)
	}
	h.ProposedAction.Title, h.ProposedAction.Summary = strings.Join(titles, "; "), strings.Join(summaries, " ")
	h.ProposedAction.ActionKind, h.ProposedAction.AdapterID = r.session.Action, r.meta.AdapterID
	h.ProposedAction.Protocol, h.ProposedAction.Network = r.meta.Protocol, r.session.Network
	h.Guarantee = strings.Join(guarantees, " ")
	r.flow(h)
	h.Recipients = []Recipient{{"connected_account", r.session.Account}, {"output_recipient", r.facts.Recipient()}}
	if !r.facts.Promise().Payee().IsZero() {
		h.Recipients[1].Role = "payment_recipient"
	}
	h.Terms = r.facts.Terms()
	h.MissingEvidence = []string{}
	h.RequiredUserChoices = []string{"wallet_signature_on_the_review_page"}
	h.UnsupportedClaims = []string{"no_signing_readiness", "no_execution_readiness", "no_route_recommendation"}
	h.Freshness = Freshness{Status: "current", EvaluatedAt: r.now(), ExpiresAt: r.builtAt.Add(r.c.Limits.BuildLife)}
	return h
}

// flow fills in what leaves, what arrives and where.
func (r *run) flow(h *HumanReview) {
	source, p := "transaction_bytes", r.promise
	h.AssetFlow.Fees, h.Targets = []FlowAmount{}, []FlowTarget{}
	h.EvidenceUsed = []string{"transaction_bytes", "object_ownership"}
	for _, s := range r.steps {
		q := s.Quote
		if q == nil {
			if t := s.Target; !t.RouteID.IsZero() {
				h.Targets = append(h.Targets, FlowTarget{Role: "called_object", Protocol: s.meta.Protocol, Route: s.Plan.Route, RouteID: t.RouteID.String()})
			}
			continue
		}
		source = "quote_policy_evidence"
		h.AssetFlow.ExpectedIncoming = &FlowAmount{"expected_incoming", q.Expected, source}
		h.AssetFlow.Fees = append(h.AssetFlow.Fees, FlowAmount{"fee", q.Fee, source})
		h.Targets = append(h.Targets, FlowTarget{Role: "swap_output_asset", Symbol: q.Expected.Symbol, CoinType: q.Expected.CoinType,
			Protocol: s.meta.Protocol, Route: q.Route, RouteID: q.RouteID, Direction: q.Direction})
		h.EvidenceUsed = []string{"quote_policy", "transaction_bytes", "object_ownership"}
	}
	for _, a := range p.Amounts(RoleInput)[:min(1, len(p.Of(RoleInput)))] {
		h.AssetFlow.Outgoing = &FlowAmount{"outgoing", a, source}
	}
	for _, a := range p.Amounts(RoleOutput)[:min(1, len(p.Of(RoleOutput)))] {
		h.AssetFlow.MinimumIncoming = &FlowAmount{"minimum_incoming", a, source}
	}
}

// guarantee says what holds of a step whatever the market does.
func (s *Step) guarantee() string {
	if s.Quote == nil {
		return s.Guarantee
	}
	text := "At least " + s.Quote.Minimum.String() + " arrives, or nothing is swapped (all coins come back, or the " +
		"transaction fails) and only gas is spent."
	for _, fee := range s.Promise.Amounts(RoleFee) {
		text += " At most " + fee.String() + " leaves for the fee; what the fee leaves of it comes back."
	}
	return text
}
