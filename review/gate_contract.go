package review

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// assemble makes the contract that a ready review carries, out of what the
// gates hold. It declines when the quote grew too old meanwhile, when a rule
// was not proved, or when the contract does not hold by itself.
func (r *run) assemble(context.Context) error {
	for _, s := range r.steps {
		if stop := stale(s.meta.CheckPrefix, s.Quote, s); stop != nil {
			return stop
		}
	}
	if sui.Commitment(sui.TransactionDigest(r.bytes)) != r.commitment {
		return r.declined("the bytes are not those of the commitment")
	}
	if open := summarise(r.checks, r.notChecked).NotReached; len(open) > 0 {
		return r.declined("the rule " + string(open[0]) + " was not proved")
	}
	c := r.compose()
	if wrong := c.Validate(); wrong != "" {
		return r.declined(wrong)
	}
	r.contract = c
	r.check(Pass(SourceAdapter, r.meta.CheckPrefix+"_wallet_review_contract_emitted", "Review complete",
		"Every check passed for this one transaction. Read it, then decide in your wallet."))
	r.visualise()
	return nil
}

// compose puts the contract together. It judges nothing: what is missing shows
// as a claim without its source.
func (r *run) compose() *Contract {
	q, f, call, now := r.quote(), r.facts, r.facts.Steps[0], r.now()
	l := r.sources()
	c := &Contract{
		ContractVersion: ContractVersion, AdapterID: r.meta.AdapterID, Protocol: r.meta.Protocol, ActionKind: r.session.Action,
		Network: r.session.Network, ChainID: r.chainID, TransactionMaterialCommitment: r.commitment, AssembledAt: now,
		Provenance: Provenance{Kind: "mcp_action_request", SourceID: string(r.session.ID),
			CapturedAt: r.session.CreatedAt, Authority: "untrusted_request"},
		MinOut: ContractMinimum{Status: minimumNone},
		Gas: ContractGas{Budget: f.Gas.Budget, BudgetClaim: l.claim(FactGasBudget, TransactionBytes, "gas"), Price: f.Gas.Price,
			Used: r.summary.GasNet, UsedClaim: l.claim(FactGasUsed, ReviewSimulation, "gas"), Owner: f.Gas.Owner,
			Objects: []sui.ObjectID{}, CheckedAt: r.summary.SimulatedAt},
		Expiry: ContractExpiry{Status: "current", CheckedAt: now, LastEpoch: f.LastEpoch,
			BuildExpiresAt: r.builtAt.Add(r.c.Limits.BuildLife), Claim: l.claim(FactExpiry, TransactionBytes, "lastEpoch")},
		Call: ContractCall{Package: call.Package, Function: call.Function, RouteID: call.RouteID, Recipient: f.Recipient(), RecipientRole: recipientAccount,
			Claim: l.claim(FactCall, TransactionBytes, "call"), RecipientClaim: l.claim(FactRecipient, TransactionBytes, "recipient")},
		Ownership: r.ownership,
		Simulation: ContractEvidence{Status: "success", Source: r.summary.Provider, At: r.summary.SimulatedAt,
			ChecksEnabled: r.summary.ChecksEnabled, Fields: []string{"status", "gas", "balanceChanges", "objectChanges", "events"},
			Missing: []string{}, Claim: l.claim(FactSimulation, ReviewSimulation, "status"), BoundToCommitment: r.summary.BoundToCommitment},
		HumanReview: ContractEvidence{Status: "complete", Source: "transaction_bytes", At: r.human.Freshness.EvaluatedAt,
			Fields: []string{"proposedAction", "assetFlow", "recipients", "targets", "terms", "locks", "evidenceUsed", "missingEvidence",
				"requiredUserChoices", "unsupportedClaims", "freshness", "guarantee"}, Missing: []string{},
			Claim: l.claim(FactReview, TransactionBytes, "spends"), BoundToCommitment: r.human.BoundToCommitment},
		OutputBoundary: boundary(),
	}
	for _, coin := range f.Gas.Payment {
		c.Gas.Objects = append(c.Gas.Objects, coin.ID)
	}
	least := r.leastOf(q)
	if q != nil {
		c.HumanReview.Source, c.Expiry.QuoteExpiresAt = "transaction_bytes_and_quote_policy", q.ExpiresAt
		c.MinOut = ContractMinimum{Status: minimumRequired, MaxSlippageBps: q.MaxSlippageBps, MinOutRaw: least.Raw,
			QuoteClaim: l.claim(FactQuote, QuoteSource, "minimum"), PolicyClaim: l.claim(FactSlippage, ValidatedRequest, "maxSlippageBps")}
	}
	if !f.Promise().Payee().IsZero() {
		c.Call.RecipientRole, c.Call.RequestClaim = recipientNamed, l.claim(FactPayee, ValidatedRequest, "recipient")
	}
	for _, s := range r.steps {
		c.TermsUntold = append(c.TermsUntold, s.meta.Unreported...)
	}
	if c.Terms = f.Terms(); len(c.Terms) == 0 {
		c.TermsUntold = nil
	} else {
		c.TermsClaim = l.claim(FactTerms, TransactionBytes, "terms")
		if len(Meta{Unreported: c.TermsUntold}.reported(c.Terms)) > 0 {
			c.TermsToldClaim = l.claim(FactTermsTold, ReviewSimulation, "events")
		}
	}
	c.Ownership.Claim = l.claim(FactOwnership, AccountRead, "owners")
	c.Amounts = r.quantities(l)
	for _, a := range c.Amounts {
		if a.Role == "minimum_output" && q != nil && a.Amount == least {
			c.MinOut.BytesClaim = a.AmountClaim
		}
	}
	c.Sources, c.Claims = l.sources, l.claims
	return c
}

// sources records what this computation verified.
func (r *run) sources() *ledger {
	l := &ledger{}
	q := r.quote()
	l.source(ValidatedRequest, "review_request", r.session.CreatedAt, "amount", "raw", "maxSlippageBps", "recipient")
	l.source(PinnedRegistry, r.meta.AdapterID+"_registry", r.described, "decimals", "coinType", "routeId")
	l.source(OnchainMetadata, "sui_full_node", r.described, "decimals")
	if q != nil {
		l.source(QuoteSource, q.SourceMoveFunction, q.FetchedAt, "expected", "minimum", "fee")
	}
	l.source(TransactionBytes, "built_transaction", r.builtAt, "spends", "minimum", "recipient", "call", "gas", "lastEpoch", "terms")
	l.source(AccountRead, "sui_full_node", r.ownership.CheckedAt, "owners")
	l.source(ReviewSimulation, r.summary.Provider, r.summary.SimulatedAt, "status", "gas", "balanceChanges", "events")
	return l
}

// quantities gives every amount with its two claims. The unit of a coin rests
// on what pin and node agree on; one that no node described, on the pin.
func (r *run) quantities(l *ledger) []ContractAmount {
	out := []ContractAmount{}
	units := map[sui.CoinType]string{}
	add := func(role string, a Amount, fact Fact, kind SourceKind, field string) {
		if units[a.CoinType] == "" {
			from, field := PinnedRegistry, "decimals"
			switch {
			case a.counted():
				from, field = ValidatedRequest, "raw"
			case slices.Contains(r.coins(), a.Asset):
				from = OnchainMetadata
			}
			units[a.CoinType] = l.claim(FactUnit, from, field)
		}
		out = append(out, ContractAmount{ID: "q" + string(rune('1'+len(out))), Role: role, Amount: a,
			AmountClaim: l.claim(fact, kind, field), UnitClaim: units[a.CoinType], DisplayOnly: kind == QuoteSource})
	}
	for i, s := range r.steps {
		p := r.facts.Steps[i].Promise
		for _, a := range p.Amounts(RoleInput) {
			add("input", a, FactInput, TransactionBytes, "spends")
		}
		for _, a := range p.Amounts(RoleOutput) {
			add("minimum_output", a, FactMinimum, TransactionBytes, "minimum")
		}
		if q := s.Quote; q != nil {
			add("expected_output", q.Expected, FactExpected, QuoteSource, "expected")
			add("fee", q.Fee, FactFee, QuoteSource, "fee")
		}
		for _, a := range p.Amounts(RoleFee) {
			add("fee_at_most", a, FactFeeAtMost, TransactionBytes, "spends")
		}
	}
	return out
}

// leastOf returns what the bytes guarantee of the step of a quote.
func (r *run) leastOf(q *QuoteEvidence) (least Amount) {
	for i, s := range r.steps {
		if q != nil && s.Quote == q {
			least = r.facts.Steps[i].Promise.Amount(RoleOutput)
		}
	}
	return least
}

// quote returns the first quote of a step, nil where no price is involved.
func (r *run) quote() *QuoteEvidence {
	for _, s := range r.steps {
		if s.Quote != nil {
			return s.Quote
		}
	}
	return nil
}

func (r *run) declined(why string) error {
	return &Stop{WalletReviewContractEmitMissing, Fail(SourceAdapter,
		r.meta.CheckPrefix+"_wallet_review_contract_emit_missing", "Review complete",
		"The review cannot be completed: "+why+".", "Refresh; if it stays, prepare a new review.")}
}
