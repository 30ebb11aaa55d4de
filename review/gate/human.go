package gate

import (
	"context"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// describe is the gate human_readable_review: the adapter decodes the bytes, and the
// review describes them. Bytes that it cannot read are not signable.
func (r *run) describe(context.Context) error {
	if stop := r.inspect(); stop != nil {
		return stop
	}
	facts, err := plan.ReadFacts(r.tx, r.adapters)
	if err != nil {
		return &plan.Stop{Reason: plan.AllowlistViolation,
			Check: plan.Fail(plan.SourceAdapter, checkBytes, "Built bytes", "The built transaction is not fully understood: "+
				fault.As(err).Text, "This is a fault of Say Ur Intent; please report it.").Under("C07")}
	}
	for i, s := range r.steps {
		if s.Quote != nil {
			facts.Steps[i].Expected = s.Quote.Expected
		}
	}
	plan.Units(&facts, r.coins())
	r.facts = &facts
	r.human = r.words()
	r.check(plan.Pass(plan.SourceAdapter, r.meta.CheckPrefix+"_human_readable_review_evidence", "Review",
		"The amounts, the recipient and the called function were read back from the built bytes."))
	return nil
}

// words builds the texts of the review from the policy and the decoded facts.
func (r *run) words() *record.HumanReview {
	h := &record.HumanReview{Kind: strings.ReplaceAll(r.session.Action, "-", "_") + "_human_readable_review",
		BoundToCommitment: r.commitment}
	var titles, summaries, guarantees []string
	for _, s := range r.steps {
		titles, summaries = append(titles, s.Plan.Title), append(summaries, s.Plan.Summary)
		text := s.GuaranteeText()
		if r.chosen.free {
			text = strings.Replace(text, "and only gas is spent", "and nothing is spent", 1)
		}
		guarantees = append(guarantees, text)
		h.Locks = append(h.Locks, s.Locks...)
	}
	h.ProposedAction.Title, h.ProposedAction.Summary = strings.Join(titles, "; "), strings.Join(summaries, " ")
	h.ProposedAction.ActionKind, h.ProposedAction.AdapterID = r.session.Action, r.meta.AdapterID
	h.ProposedAction.Protocol, h.ProposedAction.Network = r.meta.Protocol, r.session.Network
	h.Guarantee = strings.Join(guarantees, " ")
	r.flow(h)
	h.Recipients = []record.Recipient{{Role: "connected_account", Address: r.session.Account},
		{Role: "output_recipient", Address: r.facts.Recipient()}}
	if !r.facts.Promise().Payee().IsZero() {
		h.Recipients[1].Role = "payment_recipient"
	}
	h.Terms = r.facts.Terms()
	h.MissingEvidence = []string{}
	h.RequiredUserChoices = []string{"wallet_signature_on_the_review_page"}
	h.UnsupportedClaims = []string{"no_signing_readiness", "no_execution_readiness", "no_route_recommendation"}
	h.Freshness = record.Freshness{Status: "current", EvaluatedAt: r.now(), ExpiresAt: r.builtAt.Add(r.c.Limits.BuildLife)}
	return h
}

// flow fills in what leaves, what arrives and where.
func (r *run) flow(h *record.HumanReview) {
	source, p := "transaction_bytes", r.promise
	h.AssetFlow.Fees, h.Targets = []record.FlowAmount{}, []record.FlowTarget{}
	h.EvidenceUsed = []string{"transaction_bytes", "object_ownership"}
	for _, s := range r.steps {
		q := s.Quote
		if q == nil {
			if t := s.Target; !t.RouteID.IsZero() {
				h.Targets = append(h.Targets,
					record.FlowTarget{Role: "called_object", Protocol: s.Meta.Protocol, Route: s.Plan.Route,
						RouteID: t.RouteID.String()})
			}
			continue
		}
		source = "quote_policy_evidence"
		h.AssetFlow.ExpectedIncoming = &record.FlowAmount{Role: "expected_incoming", Amount: q.Expected,
			RawAmountSource: source}
		h.AssetFlow.Fees = append(h.AssetFlow.Fees, record.FlowAmount{Role: "fee", Amount: q.Fee, RawAmountSource: source})
		h.Targets = append(h.Targets, record.FlowTarget{Role: "swap_output_asset", Symbol: q.Expected.Symbol,
			CoinType: q.Expected.CoinType,
			Protocol: s.Meta.Protocol, Route: q.Route, RouteID: q.RouteID, Direction: q.Direction})
		h.EvidenceUsed = []string{"quote_policy", "transaction_bytes", "object_ownership"}
	}
	for _, a := range p.Amounts(plan.RoleInput)[:min(1, len(p.Of(plan.RoleInput)))] {
		h.AssetFlow.Outgoing = &record.FlowAmount{Role: "outgoing", Amount: a, RawAmountSource: source}
	}
	for _, a := range p.Amounts(plan.RoleOutput)[:min(1, len(p.Of(plan.RoleOutput)))] {
		h.AssetFlow.MinimumIncoming = &record.FlowAmount{Role: "minimum_incoming", Amount: a, RawAmountSource: source}
	}
}
