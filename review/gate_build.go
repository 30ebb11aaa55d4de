package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// build is the gate transaction_material_build_or_verify: it judges the
// adapter's policy, chooses coins and gas, adds sender, gas and expiration, and
// fixes the exact bytes.
func (r *run) build(ctx context.Context) error {
	if stop := r.policy(); stop != nil {
		return stop
	}
	if err := r.readOpen(ctx); err != nil {
		return err
	}
	p, err := r.collect(ctx)
	if err != nil {
		return err
	}
	budget, err := r.fit(ctx, &p)
	if err != nil {
		return err
	}
	// No build is the very bytes of any release of the account: another MIST of
	// budget makes it another transaction.
	for n := uint64(0); ; n++ {
		spend := budget + n
		if spend > r.c.Limits.MostGasBudget {
			spend = budget - n
		}
		if err := r.finalise(p, spend); err != nil {
			return err
		}
		repeats, err := r.repeats(ctx)
		if err != nil {
			return err
		}
		if !repeats {
			break
		}
	}
	r.tellOpen()
	r.feeCheck(p)
	r.builtAt = r.now()
	r.check(Pass(SourceAdapter, r.meta.CheckPrefix+"_transaction_material_built", "Transaction",
		"An unsigned transaction was built here. Its bytes stay inside this program until you ask your wallet to sign."))
	return nil
}

// feeCheck says what a coin that is there for a fee alone comes to.
func (r *run) feeCheck(p coinSets) {
	for _, s := range r.steps {
		for _, n := range s.Needs {
			if n.Role == RoleFee && s.Quote != nil {
				r.check(Pass(SourceWallet, s.meta.CheckPrefix+"_fee_balance", "Fee",
					fmt.Sprintf("The fee is %s by the quote. Up to %s is attached, of %s that the account holds; what the fee leaves of it comes back.",
						s.Quote.Fee, n.Amount, n.Amount.Of(p.of(n.Amount.CoinType).held.Total))))
			}
		}
	}
}

// append builds the calls of all steps on the chosen coins.
func (r *run) append(selections []Selection) (sui.Kind, error) {
	b := NewBuilder(r.session.Account, selections...)
	for _, s := range r.steps {
		if err := s.Append(b); err != nil {
			return sui.Kind{}, err
		}
	}
	return b.Kind(), nil
}

// finalise adds sender, gas and expiration and writes the bytes.
func (r *run) finalise(p coinSets, budget uint64) (err error) {
	if r.chosen, err = r.choose(p, budget); err != nil {
		return err
	}
	kind, err := r.append(r.chosen.selections)
	if err != nil {
		return err
	}
	tx := sui.Transaction{
		Inputs: kind.Inputs, Commands: kind.Commands, Sender: r.session.Account,
		Gas: sui.Gas{Payment: []sui.ObjectRef{r.chosen.gas.Ref}, Owner: r.session.Account,
			Price: r.epoch.GasPrice, Budget: budget},
		Expiration: sui.EpochExpiration{Epoch: r.epoch.Number + 1},
	}
	if r.bytes, err = tx.Encode(); err != nil {
		return fault.Wrap(err, fault.InternalError, "The transaction could not be written.")
	}
	return nil
}

// estimate gives a gas budget. The coins to merge depend on the
// budget and the budget on the coins, so it goes round until both agree.
func (r *run) estimate(ctx context.Context, p coinSets) (uint64, error) {
	budget := r.c.Limits.LeastGasBudget
	chosen, err := r.choose(p, budget)
	if err != nil {
		return 0, err
	}
	for range 3 {
		kind, err := r.append(chosen.selections)
		if err != nil {
			return 0, err
		}
		tx := sui.Transaction{
			Inputs: kind.Inputs, Commands: kind.Commands, Sender: r.session.Account,
			Gas:        sui.Gas{Owner: r.session.Account, Price: r.epoch.GasPrice, Budget: r.c.Limits.MostGasBudget},
			Expiration: sui.EpochExpiration{Epoch: r.epoch.Number + 1},
		}
		sim, err := r.c.Simulator.Simulate(ctx, &tx, false)
		if err != nil {
			return 0, err
		}
		if !sim.Status.OK {
			return 0, r.failed(sim.Status)
		}
		budget = max(budget, GasBudget(sim.Gas, r.c.Limits))
		again, err := r.choose(p, budget)
		if err != nil {
			return 0, err
		}
		if again.same(chosen) {
			return budget, nil
		}
		chosen = again
	}
	return 0, &Stop{InsufficientGas, Fail(SourceSimulation, r.meta.CheckPrefix+"_gas_estimate_unsettled", "Gas",
		"The cost of gas could not be settled: it changes with every coin that is added.", "Merge your SUI coins in the wallet, then refresh.")}
}

// policy judges what the adapters left, against the person's intent and our own
// arithmetic, step by step, and sums what they promise.
func (r *run) policy() *Stop {
	var parts []Promise
	for _, s := range r.steps {
		if s.Append == nil || len(s.Promise.Outcomes) == 0 || s.Quote == nil && s.Guarantee == "" {
			return r.missing(StageMaterial)
		}
		if stop := r.asAgreed(s); stop != nil {
			return stop
		}
		parts = append(parts, s.Promise)
	}
	var err error
	if r.promise, err = Sum(parts...); err != nil {
		return r.stopped(StageMaterial, err)
	}
	return nil
}

// asAgreed compares a step with its intent: what leaves is what was asked for and
// goes where it was asked to go; what arrives is stated exactly, or bounded by the
// quote and the slippage.
func (r *run) asAgreed(s *Step) *Stop {
	in, p, q := s.Intent, s.Promise, s.Quote
	gives, gets, pays := p.Of(RoleInput), p.Of(RoleOutput), p.Of(RolePayment)
	if len(gives) > 1 || len(gets) > 1 || len(pays) > 1 {
		return r.differs(AssetMismatch, "the coins")
	}
	to, err := sui.ParseAddress(in.Recipient)
	switch input, output := p.Amount(RoleInput), p.Amount(RoleOutput); {
	case len(gives) > 0 && !input.says(in.From.Amount, input.Raw), len(gives) > 0 && input.Raw == 0:
		return r.differs(AmountMismatch, "the amount that leaves")
	case len(gives) > 0 && input.named() != in.From.Symbol, len(gives) == 0 && in.From != IntentSource{},
		len(gets) > 0 && output.Symbol != in.To.Symbol, len(gets) == 0 && in.To.Symbol != "":
		return r.differs(AssetMismatch, "the coins")
	case in.To.Amount != "" && (len(gets) == 0 || !gets[0].exact() || !output.says(in.To.Amount, output.Raw)):
		return r.differs(AmountMismatch, "what arrives")
	case (len(pays) > 0) != (in.Recipient != ""), len(pays) > 0 && (err != nil || pays[0].Party != Party{ID: to}):
		return r.differs(WalletMismatch, "who gets what leaves")
	case !p.refines(s.Plan.Promise):
		return r.differs(AmountMismatch, "what the request promises")
	case slices.ContainsFunc(s.Needs, func(n CoinRequest) bool {
		return n.Role == RoleInput && n.Amount.CoinType != input.CoinType && len(gives) > 0
	}):
		return r.differs(AssetMismatch, "the coins")
	case !slices.EqualFunc(s.Needs, p.Of(RoleInput, RoleFee), func(n CoinRequest, b Bound) bool { return n.Role == b.Role && n.Amount == b.Amount() }):
		return r.differs(AmountMismatch, "the coins that leave")
	case (q != nil) != (in.MaxSlippageBps != 0):
		return r.differs(AmountMismatch, "the least amount that arrives")
	}
	if q == nil {
		return nil
	}
	return r.asQuoted(s)
}

// asQuoted compares a step that trades with its quote.
func (r *run) asQuoted(s *Step) *Stop {
	p, q := s.Promise, s.Quote
	least := p.Of(RoleOutput)
	fees := p.Amounts(RoleFee)
	switch {
	case q.Input != p.Amount(RoleInput):
		return r.differs(AmountMismatch, "the amount that leaves")
	case len(least) == 0, q.Expected.Asset != least[0].Coin, q.Minimum.Asset != least[0].Coin:
		return r.differs(AssetMismatch, "the coins")
	case q.Minimum != least[0].Amount():
		return r.differs(AmountMismatch, "the least amount that arrives")
	case s.Plan.MaxSlippageBps != s.Intent.MaxSlippageBps || q.MaxSlippageBps != s.Intent.MaxSlippageBps ||
		q.Minimum.Raw == 0 || q.Minimum.Raw != MinimumOut(q.Expected.Raw, s.Intent.MaxSlippageBps):
		return r.differs(AmountMismatch, "the least amount that arrives")
	}
	for _, fee := range fees {
		if fee.CoinType == sui.SUI || fee.CoinType == q.Input.CoinType || fee.CoinType == q.Expected.CoinType || fee.Asset != q.Fee.Asset ||
			q.Fee.Raw > fee.Raw || fee.Raw == 0 {
			return r.differs(AmountMismatch, "the coin that pays the fee")
		}
	}
	if apart := q.FeeMode != feeFromInput && q.FeeMode != feeNone; (len(fees) > 0) != apart || apart && q.FeeMode != s.Intent.FeeMode {
		return r.differs(AmountMismatch, "how the fee is paid")
	}
	return nil
}

// The fee modes of a quote in which no coin leaves for the fee alone.
const (
	feeFromInput = "input"
	feeNone      = "none"
)

// differs is the stop of an adapter's policy that is not what was asked for.
func (r *run) differs(reason Reason, what string) *Stop {
	return &Stop{reason, Fail(SourceAdapter, r.meta.CheckPrefix+"_quote_policy_material_binding_failed", "Policy",
		"The adapter's policy does not agree with the request: "+what+".", "This is a fault of Say Ur Intent; please report it.")}
}

// DeriveMinimum sets the quote's minimum from what is expected and the allowed
// slippage, and with it what the swap promises of what it needs. A quote that is too old, or that leaves nothing to guarantee, stops
// the review. Adapters call it in the stage that derives the policy.
func (d *Step) DeriveMinimum(prefix string) error {
	q := d.Quote
	q.MaxSlippageBps, q.ExpiresAt = d.Plan.MaxSlippageBps, q.FetchedAt.Add(d.QuoteAge)
	q.Minimum = q.Expected.Of(MinimumOut(q.Expected.Raw, d.Plan.MaxSlippageBps))
	if stop := stale(prefix, q, d); stop != nil {
		return stop
	}
	if q.Minimum.Raw == 0 {
		return &Stop{QuoteUnavailable, Fail(SourceQuote, prefix+"_quote_policy_refresh_required", "Guaranteed minimum",
			"The quote is so small that no minimum could be guaranteed.", "Choose a larger amount in a new review.")}
	}
	var leaves []Amount
	for _, n := range d.Needs {
		leaves = append(leaves, n.Amount)
	}
	d.Promise = SwapPromise(leaves, q.Minimum)
	d.Check(Pass(SourceQuote, prefix+"_quote_policy", "Guaranteed minimum",
		"At least "+q.Minimum.String()+" arrives, or nothing is swapped."))
	return nil
}

// stale judges the age of the quote by the clock of this moment.
func stale(prefix string, q *QuoteEvidence, d *Step) *Stop {
	if q == nil || d.Now().Sub(q.FetchedAt) <= d.QuoteAge {
		return nil
	}
	return &Stop{QuoteStale, Fail(SourceQuote, prefix+"_quote_stale", "Quote age",
		"The quote is older than "+d.QuoteAge.String()+".", "Refresh for the present price.")}
}
