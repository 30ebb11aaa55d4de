package review

import (
	"context"
	"fmt"

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
	if f := r.draft.Fee; f != nil {
		r.draft.Check(Pass(SourceWallet, r.meta.CheckPrefix+"_fee_balance", "Fee",
			fmt.Sprintf("The fee is %s by the quote. Up to %s is attached, of %s that the account holds; what the fee leaves of it comes back.",
				r.draft.Quote.Fee, f.Amount, f.Amount.Of(p.feeHeld.Total))))
	}
	r.builtAt = r.now()
	r.draft.Check(Pass(SourceAdapter, r.meta.CheckPrefix+"_transaction_material_built", "Transaction",
		"An unsigned transaction was built here. Its bytes stay inside this program until you ask your wallet to sign."))
	return nil
}

// finalise adds sender, gas and expiration and writes the bytes.
func (r *run) finalise(p purse, budget uint64) (err error) {
	if r.picked, err = r.choose(p, budget); err != nil {
		return err
	}
	kind, err := r.draft.Build(r.picked.selected)
	if err != nil {
		return err
	}
	tx := sui.Transaction{
		Inputs: kind.Inputs, Commands: kind.Commands, Sender: r.session.Account,
		Gas: sui.Gas{Payment: []sui.ObjectRef{r.picked.gas.Ref}, Owner: r.session.Account,
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
func (r *run) estimate(ctx context.Context, p purse) (uint64, error) {
	budget := r.c.Limits.LeastGasBudget
	chosen, err := r.choose(p, budget)
	if err != nil {
		return 0, err
	}
	for range 3 {
		kind, err := r.draft.Build(chosen.selected)
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

// policy judges what the adapter left, against the person's intent and our own
// arithmetic.
func (r *run) policy() *Stop {
	d, in, q := r.draft, r.session.Intent, r.draft.Quote
	if d.Build == nil {
		return r.missing(StageMaterial)
	}
	if q == nil {
		return r.policyWithoutPrice()
	}
	if d.Want.Amount == 0 {
		return r.missing(StageMaterial)
	}
	differs := r.differs
	asked, err := sui.Decimal(in.From.Amount).Raw(d.Plan.From.Decimals)
	switch {
	case err != nil || asked != d.Plan.Input.Raw || q.Input.Raw != asked || d.Want.Amount != asked:
		return differs(AmountMismatch, "the amount that leaves")
	case d.Plan.From.Symbol != in.From.Symbol || d.Plan.To.Symbol != in.To.Symbol ||
		d.Want.Coin != d.Plan.From.CoinType || q.Input.Asset != d.Plan.From ||
		q.Expected.Asset != d.Plan.To || q.Minimum.Asset != d.Plan.To:
		return differs(AssetMismatch, "the coins")
	case d.Plan.MaxSlippageBps != in.MaxSlippageBps || q.MaxSlippageBps != in.MaxSlippageBps ||
		q.Minimum.Raw == 0 || q.Minimum.Raw != MinimumOut(q.Expected.Raw, in.MaxSlippageBps):
		return differs(AmountMismatch, "the least amount that arrives")
	case d.Fee != nil && (d.Fee.Amount.CoinType == sui.SUI || d.Fee.Amount.CoinType == d.Want.Coin ||
		d.Fee.Amount.CoinType == d.Plan.To.CoinType || d.Fee.Amount.Asset != q.Fee.Asset || q.Fee.Raw > d.Fee.Amount.Raw ||
		d.Fee.Amount.Raw == 0):
		return differs(AmountMismatch, "the coin that pays the fee")
	case !d.Plan.Recipient.IsZero() || in.Recipient != "":
		return differs(WalletMismatch, "who gets what comes out")
	case (d.Fee != nil) != (q.FeeMode == FeeDeep) || (d.Fee != nil && in.FeeMode != FeeDeep):
		return differs(AmountMismatch, "how the fee is paid")
	}
	return nil
}

// differs is the stop of an adapter's policy that is not what was asked for.
func (r *run) differs(reason Reason, what string) *Stop {
	return &Stop{reason, Fail(SourceAdapter, r.meta.CheckPrefix+"_quote_policy_material_binding_failed", "Policy",
		"The adapter's policy does not agree with the request: "+what+".", "This is a fault of Say Ur Intent; please report it.")}
}

// policyWithoutPrice judges a policy that trades nothing at once: what leaves is
// what was asked for and goes where it was asked to go, and what arrives is
// stated exactly.
func (r *run) policyWithoutPrice() *Stop {
	d, in, p := r.draft, r.session.Intent, r.draft.Plan
	asked := sui.Raw(0)
	if p.Gives() {
		var err error
		if asked, err = sui.Decimal(in.From.Amount).Raw(p.From.Decimals); err != nil || asked == 0 {
			return r.differs(AmountMismatch, "the amount that leaves")
		}
	}
	to, err := sui.ParseAddress(in.Recipient)
	switch {
	case asked != p.Input.Raw || d.Want.Amount != asked || d.Fee != nil:
		return r.differs(AmountMismatch, "the amount that leaves")
	case p.Gives() && (p.From.named() != in.From.Symbol || d.Want.Coin != p.From.CoinType || p.Input.Asset != p.From),
		!p.Gives() && (d.Want != Want{} || in.From != IntentSource{}):
		return r.differs(AssetMismatch, "the coin that leaves")
	case p.Gets() && (d.Gets != p.To.Of(p.Output) || p.Output == 0 || p.To.Symbol != in.To.Symbol || !p.To.says(in.To.Amount, p.Output)),
		!p.Gets() && d.Gets != Amount{}:
		return r.differs(AmountMismatch, "what arrives")
	case in.Recipient == "" && !p.Recipient.IsZero(), in.Recipient != "" && (err != nil || to != p.Recipient),
		!p.Recipient.IsZero() && !p.Gives():
		return r.differs(WalletMismatch, "who gets what leaves")
	case d.Promise == "":
		return r.missing(StageMaterial)
	}
	return nil
}

// least is the amount that must arrive; zero where nothing does.
func (d *Draft) least() Amount {
	if d.Quote != nil {
		return d.Quote.Minimum
	}
	return d.Gets
}

// DeriveMinimum sets the quote's minimum from what is expected and the allowed
// slippage. A quote that is too old, or that leaves nothing to guarantee, stops
// the review. Adapters call it in the stage that derives the policy.
func (d *Draft) DeriveMinimum(prefix string) error {
	q := d.Quote
	q.MaxSlippageBps, q.ExpiresAt = d.Plan.MaxSlippageBps, q.FetchedAt.Add(d.QuoteAge)
	q.Minimum = d.Plan.To.Of(MinimumOut(q.Expected.Raw, d.Plan.MaxSlippageBps))
	if stop := stale(prefix, q, d); stop != nil {
		return stop
	}
	if q.Minimum.Raw == 0 {
		return &Stop{QuoteUnavailable, Fail(SourceQuote, prefix+"_quote_policy_refresh_required", "Guaranteed minimum",
			"The quote is so small that no minimum could be guaranteed.", "Choose a larger amount in a new review.")}
	}
	d.Check(Pass(SourceQuote, prefix+"_quote_policy", "Guaranteed minimum",
		"At least "+q.Minimum.String()+" arrives, or nothing is swapped."))
	return nil
}

// stale judges the age of the quote by the clock of this moment.
func stale(prefix string, q *QuoteEvidence, d *Draft) *Stop {
	if q == nil || d.Now().Sub(q.FetchedAt) <= d.QuoteAge {
		return nil
	}
	return &Stop{QuoteStale, Fail(SourceQuote, prefix+"_quote_stale", "Quote age",
		"The quote is older than "+d.QuoteAge.String()+".", "Refresh for the present price.")}
}

// codeOf gives the failure code of any error.
func codeOf(err error) fault.Code { return fault.As(err).Code }
