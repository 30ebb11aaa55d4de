package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// assemble makes the contract of a ready review from the results of the gates. It stops the review
// if the quote is too old, if a rule was not proved, or if the contract is invalid.
func assemble(from *simulated) (*judged, error) {
	r := &judged{simulated: from}
	for _, s := range r.steps {
		if stop := plan.Stale(s.Meta.CheckPrefix, s.Quote, s); stop != nil {
			return nil, stop
		}
	}
	if sui.Commitment(sui.TransactionDigest(r.bytes)) != r.commitment {
		return nil, r.declined("the bytes are not those of the commitment")
	}
	if open := summarise(r.checks, r.notChecked).NotReached; len(open) > 0 {
		return nil, r.declined("the rule " + string(open[0]) + " was not proved")
	}
	c := r.compose()
	if wrong := c.Validate(); wrong != "" {
		return nil, r.declined(wrong)
	}
	r.contract = c
	r.check(plan.Pass(plan.SourceAdapter, r.meta.CheckPrefix+"_wallet_review_contract_emitted", "Review complete",
		"All checks passed for this transaction. Read it, then decide in your wallet."))
	r.visualise()
	return r, nil
}

// compose fills in the contract without checking it. A claim about a missing fact has no source.
func (r *simulated) compose() *record.Contract {
	f, call, now := r.facts, r.facts.Steps[0], r.c.Now()
	l := r.sources()
	c := &record.Contract{
		ContractVersion: record.ContractVersion, AdapterID: r.meta.AdapterID, Protocol: r.meta.Protocol,
		ActionKind: r.session.Action,
		Network:    r.session.Network, ChainID: r.chainID, TransactionMaterialCommitment: r.commitment, AssembledAt: now,
		Provenance: record.Provenance{Kind: "mcp_action_request", SourceID: string(r.session.ID),
			CapturedAt: r.session.CreatedAt, Authority: "untrusted_request"},
		MinOut: record.ContractMinimum{Status: record.MinimumNone},
		Gas: record.ContractGas{Budget: f.Gas.Budget,
			BudgetClaim: l.claim(record.FactGasBudget, record.TransactionBytes, "gas"), Price: f.Gas.Price,
			Used: r.summary.GasNet, UsedClaim: l.claim(record.FactGasUsed, record.ReviewSimulation, "gas"), Owner: f.Gas.Owner,
			Objects: []sui.ObjectID{}, CheckedAt: r.summary.SimulatedAt},
		Expiry: record.ContractExpiry{Status: "current", CheckedAt: now, LastEpoch: f.LastEpoch,
			BuildExpiresAt: r.builtAt.Add(r.c.Limits.BuildLife),
			Claim:          l.claim(record.FactExpiry, record.TransactionBytes, "lastEpoch")},
		Call: record.ContractCall{Package: call.Package, Function: call.Function, RouteID: call.RouteID,
			Recipient: f.Recipient(), RecipientRole: record.RecipientAccount,
			Claim:          l.claim(record.FactCall, record.TransactionBytes, "call"),
			RecipientClaim: l.claim(record.FactRecipient, record.TransactionBytes, "recipient")},
		Ownership: r.ownership,
		Simulation: record.ContractEvidence{Status: "success", Source: r.summary.Provider, At: r.summary.SimulatedAt,
			ChecksEnabled: r.summary.ChecksEnabled,
			Fields:        []string{"status", "gas", "balanceChanges", "objectChanges", "events"},
			Missing:       []string{}, Claim: l.claim(record.FactSimulation, record.ReviewSimulation, "status"),
			BoundToCommitment: r.summary.BoundToCommitment},
		HumanReview: record.ContractEvidence{Status: "complete", Source: "transaction_bytes",
			At: r.human.Freshness.EvaluatedAt,
			Fields: []string{"proposedAction", "assetFlow", "recipients", "targets", "terms", "locks", "evidenceUsed",
				"missingEvidence",
				"requiredUserChoices", "unsupportedClaims", "freshness", "guarantee"}, Missing: []string{},
			Claim: l.claim(record.FactReview, record.TransactionBytes, "spends"), BoundToCommitment: r.human.BoundToCommitment},
		OutputBoundary: record.Boundary(),
	}
	for _, coin := range f.Gas.Payment {
		c.Gas.Objects = append(c.Gas.Objects, coin.ID)
	}
	r.composeSteps(c, l)
	c.Sources, c.Claims = l.sources, l.claims
	return c
}

// composeSteps fills in what depends on the steps: minimum, recipient, terms and amounts.
func (r *simulated) composeSteps(c *record.Contract, l *ledger) {
	q, f := r.quote(), r.facts
	least := r.leastOf(q)
	if q != nil {
		c.HumanReview.Source, c.Expiry.QuoteExpiresAt = "transaction_bytes_and_quote_policy", q.ExpiresAt
		c.MinOut = record.ContractMinimum{Status: record.MinimumRequired, MaxSlippageBps: q.MaxSlippageBps,
			MinOutRaw:   least.Raw,
			QuoteClaim:  l.claim(record.FactQuote, record.QuoteSource, "minimum"),
			PolicyClaim: l.claim(record.FactSlippage, record.ValidatedRequest, "maxSlippageBps")}
	}
	if !f.Promise().Payee().IsZero() {
		c.Call.RecipientRole, c.Call.RequestClaim = record.RecipientNamed,
			l.claim(record.FactPayee, record.ValidatedRequest, "recipient")
	}
	for _, s := range r.steps {
		c.TermsUnreported = append(c.TermsUnreported, s.Meta.Unreported...)
	}
	if c.Terms = f.Terms(); len(c.Terms) == 0 {
		c.TermsUnreported = nil
	} else {
		c.TermsClaim = l.claim(record.FactTerms, record.TransactionBytes, "terms")
		if len(plan.Meta{Unreported: c.TermsUnreported}.ReportedTerms(c.Terms)) > 0 {
			c.TermsReportedClaim = l.claim(record.FactTermsReported, record.ReviewSimulation, "events")
		}
	}
	c.Ownership.Claim = l.claim(record.FactOwnership, record.AccountRead, "owners")
	c.Amounts = r.quantities(l)
	for _, a := range c.Amounts {
		if a.Role == "minimum_output" && q != nil && a.Amount == least {
			c.MinOut.BytesClaim = a.AmountClaim
		}
	}
}

// sources returns a ledger with the sources that this computation verified.
func (r *simulated) sources() *ledger {
	l := &ledger{}
	q := r.quote()
	l.source(record.ValidatedRequest, "review_request", r.session.CreatedAt, "amount", "raw", "maxSlippageBps",
		"recipient")
	l.source(record.PinnedRegistry, r.meta.AdapterID+"_registry", r.coinsAt, "decimals", "coinType", "routeId")
	l.source(record.OnchainMetadata, "sui_full_node", r.coinsAt, "decimals")
	if q != nil {
		l.source(record.QuoteSource, q.SourceMoveFunction, q.FetchedAt, "expected", "minimum", "fee")
	}
	l.source(record.TransactionBytes, "built_transaction", r.builtAt, "spends", "minimum", "recipient", "call", "gas",
		"lastEpoch", "terms")
	l.source(record.AccountRead, "sui_full_node", r.ownership.CheckedAt, "owners")
	l.source(record.ReviewSimulation, r.summary.Provider, r.summary.SimulatedAt, "status", "gas", "balanceChanges",
		"events")
	return l
}

// quantities returns every amount with its two claims. A coin's unit relies on the node's metadata,
// which was compared with the pinned values, or on those values alone if no node described the
// coin.
func (r *described) quantities(l *ledger) []record.ContractAmount {
	out := []record.ContractAmount{}
	units := map[sui.CoinType]string{}
	add := func(role string, a plan.Amount, fact record.Fact, kind record.SourceKind, field string) {
		if units[a.CoinType] == "" {
			from, field := record.PinnedRegistry, "decimals"
			switch {
			case a.Counted():
				from, field = record.ValidatedRequest, "raw"
			case slices.Contains(r.coins(), a.Asset):
				from = record.OnchainMetadata
			}
			units[a.CoinType] = l.claim(record.FactUnit, from, field)
		}
		out = append(out, record.ContractAmount{ID: "q" + string(rune('1'+len(out))), Role: role, Amount: a,
			AmountClaim: l.claim(fact, kind, field), UnitClaim: units[a.CoinType], DisplayOnly: kind == record.QuoteSource})
	}
	for i, s := range r.steps {
		p := r.facts.Steps[i].Promise
		for _, a := range p.Amounts(plan.RoleInput) {
			add("input", a, record.FactInput, record.TransactionBytes, "spends")
		}
		for _, a := range p.Wholes() {
			add("minimum_output", a, record.FactMinimum, record.TransactionBytes, "minimum")
		}
		if q := s.Quote; q != nil {
			add("expected_output", q.Expected, record.FactExpected, record.QuoteSource, "expected")
			add("fee", q.Fee, record.FactFee, record.QuoteSource, "fee")
		}
		for _, a := range p.Amounts(plan.RoleFee) {
			add("fee_at_most", a, record.FactFeeAtMost, record.TransactionBytes, "spends")
		}
	}
	return out
}

// leastOf returns the guaranteed amount of the quoted step, decoded from the bytes.
func (r *described) leastOf(q *plan.QuoteEvidence) (least plan.Amount) {
	for i, s := range r.steps {
		if q != nil && s.Quote == q {
			least = r.facts.Steps[i].Promise.Whole()
		}
	}
	return least
}

// quote returns the first quote of a step, or nil if no price is involved.
func (r *planned) quote() *plan.QuoteEvidence {
	for _, s := range r.steps {
		if s.Quote != nil {
			return s.Quote
		}
	}
	return nil
}

func (r *input) declined(why string) error {
	return &plan.Stop{Reason: plan.WalletReviewContractEmitMissing, Check: plan.Fail(plan.SourceAdapter,
		r.meta.CheckPrefix+"_wallet_review_contract_emit_missing", "Review complete",
		"The review cannot be completed: "+why+".", "Check again. If the problem persists, prepare a new review.")}
}

// ledger collects the sources and claims of a contract.
type ledger struct {
	sources []record.TruthSource
	claims  []record.Claim
}

// source records a source and when it was verified. Unverified sources are not recorded, so claims
// about them have no source.
func (l *ledger) source(kind record.SourceKind, source string, at time.Time, fields ...string) {
	if at.IsZero() || source == "" {
		return
	}
	l.sources = append(l.sources, record.TruthSource{ID: fmt.Sprintf("s%d", len(l.sources)+1), Kind: kind,
		Source: source, VerifiedAt: at.UTC(), Fields: fields})
}

// claim records a claim about a fact and returns its ID. If no source of that kind is recorded, the
// claim names none and the contract fails validation.
func (l *ledger) claim(f record.Fact, kind record.SourceKind, field string) string {
	c := record.Claim{ID: fmt.Sprintf("c%d", len(l.claims)+1), Fact: f, Field: field}
	if i := slices.IndexFunc(l.sources, func(s record.TruthSource) bool { return s.Kind == kind }); i >= 0 {
		c.Source = l.sources[i].ID
	}
	l.claims = append(l.claims, c)
	return c.ID
}

// describe is the gate human_readable_review. The adapters decode the bytes, and the review
// describes the result. Bytes that the adapters cannot read cannot be signed.
func describe(_ context.Context, from *owned) (*described, error) {
	r := &described{owned: from}
	if stop := r.inspect(); stop != nil {
		return r, stop
	}
	facts, err := plan.ReadFacts(r.tx, r.adapters)
	if err != nil {
		return r, &plan.Stop{Reason: plan.AllowlistViolation,
			Check: plan.Fail(plan.SourceAdapter, checkBytes, "Built bytes", "The built transaction cannot be fully "+
				"decoded: "+
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
	return r, nil
}

// words builds the texts of the review from the policy and the decoded facts.
func (r *described) words() *record.HumanReview {
	h := &record.HumanReview{Kind: strings.ReplaceAll(r.session.Action, "-", "_") + "_human_readable_review",
		BoundToCommitment: r.commitment}
	var titles, summaries, guarantees []string
	for _, s := range r.steps {
		titles, summaries = append(titles, s.Plan.Title), append(summaries, s.Plan.Summary)
		text := s.GuaranteeText()
		if r.facts.Gas.Free() {
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
	h.Freshness = record.Freshness{Status: "current", EvaluatedAt: r.c.Now(),
		ExpiresAt: r.builtAt.Add(r.c.Limits.BuildLife)}
	return h
}

// flow sets the outgoing and arriving amounts and their destinations.
func (r *described) flow(h *record.HumanReview) {
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
