package gate

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// build is the gate transaction_material_build_or_verify. It checks the adapters' results, chooses
// coins and gas, adds sender, gas and expiration, and encodes the exact bytes.
func build(ctx context.Context, steps *planned) (r *built, err error) {
	r = &built{funded: &funded{planned: steps}}
	if r.promise, err = steps.policy(); err != nil {
		return r, err
	}
	if err := r.readOpen(ctx); err != nil {
		return r, err
	}
	p, err := r.collect(ctx)
	if err != nil {
		return r, err
	}
	budget, err := r.fit(ctx, &p)
	if err != nil {
		return r, err
	}
	// A build must not have the bytes of an earlier release of the account. One more MIST of gas
	// budget makes a different transaction.
	for n := uint64(0); ; n++ {
		spend := budget + n
		if p.free {
			spend = 0 // the nonce makes it different
		} else if spend > r.c.Limits.MostGasBudget {
			spend = budget - n
		}
		if err := r.finalise(p, spend, n); err != nil {
			return r, err
		}
		repeats, err := r.repeats(ctx)
		if err != nil {
			return r, err
		}
		if !repeats {
			break
		}
	}
	if stop := r.alone(); stop != nil {
		return r, stop
	}
	r.tellOpen()
	r.sayGathered()
	r.feeCheck(p)
	r.builtAt = r.c.Now()
	r.check(plan.Pass(plan.SourceAdapter, r.meta.CheckPrefix+"_transaction_material_built", "Transaction",
		"An unsigned transaction was built here. Its bytes stay inside this program until you ask your wallet to sign."))
	return r, nil
}

// feeCheck states how much of a coin is needed only for a fee.
func (r *planned) feeCheck(p coinSets) {
	for _, s := range r.steps {
		for _, n := range s.Needs {
			if n.Role == plan.RoleFee && s.Quote != nil {
				r.check(plan.Pass(plan.SourceWallet, s.Meta.CheckPrefix+"_fee_balance", "Fee",
					fmt.Sprintf("The quoted fee is %s. Up to %s is attached, of %s that the account holds; "+
						"what the fee leaves of it comes back.",
						s.Quote.Fee, n.Amount, n.Amount.Of(p.of(n.Amount.CoinType).held.Total))))
			}
		}
	}
}

// append builds the calls of all steps on the chosen coins.
func (r *planned) append(coins chosen) (sui.Kind, error) {
	b := plan.NewBuilder(r.session.Account, coins.selections...)
	b.Gasless, b.Plain = coins.free, coins.plain
	for _, s := range r.steps {
		b.Begin(s.Feeds, s.Fed)
		if err := s.Append(b); err != nil {
			return sui.Kind{}, err
		}
	}
	return b.Kind(), nil
}

// finalise adds sender, gas and expiration and encodes the bytes. again counts the builds of this
// review that had to be repeated because their bytes were released before.
func (r *built) finalise(p coinSets, budget, again uint64) (err error) {
	if r.chosen, err = r.choose(p, budget); err != nil {
		return err
	}
	kind, err := r.append(r.chosen)
	if err != nil {
		return err
	}
	tx := sui.Transaction{
		Inputs: kind.Inputs, Commands: kind.Commands, Sender: r.session.Account,
		Gas: sui.Gas{Payment: r.chosen.payment(), Owner: r.session.Account, Price: r.price(), Budget: budget},
	}
	if tx.Expiration, err = r.expiration(again); err != nil {
		return err
	}
	if r.bytes, err = tx.Encode(); err != nil {
		return fault.Wrap(err, fault.InternalError, "The transaction could not be written.")
	}
	return nil
}

// estimate returns a gas budget. The coins to merge depend on the budget and the budget on the
// coins, so it repeats until both agree.
func (r *funded) estimate(ctx context.Context, p coinSets) (uint64, error) {
	budget := r.c.Limits.LeastGasBudget
	chosen, err := r.choose(p, budget)
	if err != nil {
		return 0, err
	}
	for range 3 {
		kind, err := r.append(chosen)
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
			return 0, r.failed(&tx, sim.Status)
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
	return 0, &plan.Stop{Reason: plan.InsufficientGas,
		Check: plan.Fail(plan.SourceSimulation, r.meta.CheckPrefix+"_gas_estimate_unsettled", "Gas",
			"The cost of gas could not be settled: it changes with every coin that is added.",
			"Merge your SUI coins in the wallet, then check again.")}
}

// policy checks what the adapters returned against the user's intent and its own arithmetic, step
// by step, and returns the sum of the promises.
func (r *planned) policy() (sum plan.Promise, err error) {
	var parts []plan.Promise
	for _, s := range r.steps {
		if s.Append == nil || len(s.Promise.Outcomes) == 0 || s.Quote == nil && s.Guarantee == "" {
			return sum, missing(plan.StageMaterial)
		}
		if stop := r.asAgreed(s); stop != nil {
			return sum, stop
		}
		parts = append(parts, s.Promise)
	}
	if sum, err = plan.Sum(parts...); err != nil {
		return sum, err
	}
	for _, o := range sum.Outcomes {
		//mutant:never ./review/gate TestTooMuchForOne
		if slices.ContainsFunc(o.Bounds, func(b plan.Bound) bool { return b.Party.IsAccount() && b.Least == nil }) {
			return sum, r.differs(plan.AmountMismatch, "how much can leave")
		}
	}
	return sum, nil
}

// asAgreed compares a step with its intent. The outgoing amount and its recipient must be the
// requested ones. The arriving amount must be exact, or bounded by the quote and the slippage.
func (r *planned) asAgreed(s *plan.Step) *plan.Stop {
	in, p, q := s.Intent, s.Promise, s.Quote
	gives, gets, pays := p.Of(plan.RoleInput), p.Of(plan.RoleOutput), p.Of(plan.RolePayment)
	every := s.Plan.Promise.TakesEvery()
	if len(gives) > 1 || len(gets) > 1 && !every || len(pays) > 1 {
		return r.differs(plan.AssetMismatch, "the coins")
	}
	to, err := sui.ParseAccount(in.Recipient)
	switch input, output := p.Amount(plan.RoleInput), p.Whole(); {
	case len(gives) > 0 && !byOutput(s) && !input.Says(in.From.Amount, input.Raw), len(gives) > 0 && input.Raw == 0:
		return r.differs(plan.AmountMismatch, "the amount that leaves")
	case len(gives) > 0 && input.Named() != in.From.Symbol, len(gives) == 0 && in.From != plan.IntentSource{},
		len(gets) > 0 && output.Symbol != in.To.Symbol && !every, (len(gets) == 0 || every) && in.To.Symbol != "":
		return r.differs(plan.AssetMismatch, "the coins")
	case in.To.Amount != "" && (len(gets) == 0 || gets[0].Most != nil && !gets[0].Exact() ||
		!output.Says(in.To.Amount, output.Raw)):
		return r.differs(plan.AmountMismatch, "what arrives")
	case (len(pays) > 0) != (in.Recipient != ""), len(pays) > 0 && (err != nil || pays[0].Party != plan.AddressParty(to)):
		return r.differs(plan.WalletMismatch, "who gets what leaves")
	case !p.Refines(s.Plan.Promise):
		return r.differs(plan.AmountMismatch, "what the request promises")
	case slices.ContainsFunc(s.Needs, func(n plan.CoinRequest) bool {
		return n.Role == plan.RoleInput && n.Amount.CoinType != input.CoinType && len(gives) > 0
	}):
		return r.differs(plan.AssetMismatch, "the coins")
	case slices.ContainsFunc(gives, func(b plan.Bound) bool { return b.Party != source(in, s.Fed) }),
		!r.partAsAsked(s):
		return r.differs(plan.AssetMismatch, "where the coins come from")
	case !slices.EqualFunc(s.Needs, ofAccount(p.Of(plan.RoleInput, plan.RoleFee)),
		func(n plan.CoinRequest, b plan.Bound) bool { return n.Role == b.Role && n.Amount == b.Amount() }):
		return r.differs(plan.AmountMismatch, "the coins that leave")
	// An order without a quote states its worst price instead of a minimum amount.
	case q != nil && in.MaxSlippageBps == 0, q == nil && s.Limit == nil && in.MaxSlippageBps != 0:
		return r.differs(plan.AmountMismatch, "the least amount that arrives")
	}
	if q == nil {
		return nil
	}
	return r.asQuoted(s)
}

// source returns the party that pays for a step: the account, or the result of an earlier step.
func source(in plan.Intent, fed plan.Fed) plan.Party {
	if of := in.From.ResultOf; of > 0 {
		return plan.ResultParty(of, fed.Part)
	}
	return plan.Party{}
}

// partAsAsked reports whether the part of a result that a step takes is the requested share of the
// guaranteed amount.
func (r *planned) partAsAsked(s *plan.Step) bool {
	if s.Fed.Part == 0 {
		return true
	}
	part, ok := plan.ShareOf(r.steps[s.Fed.Step-1].Promise.Whole(), s.Intent.From.Share)
	//mutant:always ./review/gate TestFedSteps
	return ok && part == s.Fed.Least
}

// byOutput reports whether the request names the amount received, so that the adapter computes the
// amount paid.
func byOutput(s *plan.Step) bool {
	pays, gets := s.Plan.Promise.Of(plan.RoleInput), s.Promise.Of(plan.RoleOutput)
	//mutant:never ./review/gate TestAskedByOutput
	if len(gets) != 1 || gets[0].Least == nil || gets[0].Least.Sign() <= 0 {
		return false // nothing may leave if nothing is sure to arrive
	}
	return s.Intent.From.Amount == "" && s.Quote == nil && len(pays) == 1 && pays[0].Least == nil && pays[0].Most == nil
}

// ofAccount returns the rows that concern the account.
func ofAccount(rows []plan.Bound) []plan.Bound {
	return slices.DeleteFunc(rows, func(b plan.Bound) bool { return !b.Party.IsAccount() })
}

// asQuoted compares a step that trades with its quote.
func (r *planned) asQuoted(s *plan.Step) *plan.Stop {
	p, q := s.Promise, s.Quote
	least := p.Of(plan.RoleOutput)
	fees := p.Amounts(plan.RoleFee)
	switch {
	case q.Input != p.Amount(plan.RoleInput):
		return r.differs(plan.AmountMismatch, "the amount that leaves")
	case len(least) == 0, q.Expected.Asset != least[0].Coin, q.Minimum.Asset != least[0].Coin:
		return r.differs(plan.AssetMismatch, "the coins")
	case q.Minimum != p.Whole():
		return r.differs(plan.AmountMismatch, "the least amount that arrives")
	case s.Plan.MaxSlippageBps != s.Intent.MaxSlippageBps || q.MaxSlippageBps != s.Intent.MaxSlippageBps ||
		q.Minimum.Raw == 0 || q.Minimum.Raw != plan.MinimumOut(q.Expected.Raw, s.Intent.MaxSlippageBps):
		return r.differs(plan.AmountMismatch, "the least amount that arrives")
	}
	for _, fee := range fees {
		if fee.CoinType == sui.SUI || fee.CoinType == q.Input.CoinType || fee.CoinType == q.Expected.CoinType ||
			fee.Asset != q.Fee.Asset ||
			q.Fee.Raw > fee.Raw || fee.Raw == 0 {
			return r.differs(plan.AmountMismatch, "the coin that pays the fee")
		}
	}
	if apart := q.FeeMode != feeFromInput && q.FeeMode != feeNone; (len(fees) > 0) != apart ||
		apart && q.FeeMode != s.Intent.FeeMode {
		return r.differs(plan.AmountMismatch, "how the fee is paid")
	}
	return nil
}

// The fee modes of quotes that need no separate coin for the fee.
const (
	feeFromInput = "input"
	feeNone      = "none"
)

// differs returns the stop for a plan that does not match the request.
func (r *input) differs(reason plan.Reason, what string) *plan.Stop {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceAdapter,
		r.meta.CheckPrefix+"_quote_policy_material_binding_failed", "Policy",
		"The adapter's policy does not agree with the request: "+what+".",
		"This is a fault of Say Ur Intent; please report it.")}
}

// decode is the gate digest_commitment. It decodes the exact bytes and sets their digest.
func decode(_ context.Context, from *built) (*decoded, error) {
	r := &decoded{built: from}
	tx, err := sui.DecodeTransaction(r.bytes)
	if err != nil {
		return r, fault.Wrap(err, fault.InternalError, "The built transaction cannot be read back.")
	}
	again, err := tx.Encode()
	if err != nil || !bytes.Equal(again, r.bytes) {
		return r, fault.Wrap(err, fault.InternalError, "The built transaction does not read back to the same bytes.")
	}
	r.tx, r.digest = tx, sui.TransactionDigest(r.bytes)
	r.commitment = sui.Commitment(r.digest)
	r.check(plan.Pass(plan.SourceAdapter, r.meta.CheckPrefix+"_transaction_material_digest_commitment", "Commitment",
		"The transaction is fixed: what the wallet gets must be exactly these bytes."))
	return r, nil
}
