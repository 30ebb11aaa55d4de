package gate

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// Second has the clients of a second node, which is asked for the same facts as the first. It
// detects a single lying node.
type Second struct {
	Chain     node.Chain
	Simulator node.Simulator
	Executor  node.Executor // also asked for results; may be nil
	Adapters  []plan.Adapter
	Keys      func(ctx context.Context, account sui.Address) ([]sui.Address, error) // other keys that may sign; may be nil
}

// compare asks the second node and stops the review if the nodes disagree. Without a second node,
// it lists what was not checked.
func compare(ctx context.Context, r *simulated) error {
	second := r.c.Second
	traded, priced := false, false
	for _, step := range r.steps {
		traded, priced = traded || step.Quote != nil || step.Limit != nil, priced || step.Quote != nil
	}
	if !traded {
		r.check(plan.Pass(plan.SourceAdapter, checkPrice, "Price", "This action trades nothing, so no price is "+
			"compared."))
	}
	if second == nil {
		r.notChecked = []plan.RuleID{"C20"}
		what := "balances, epoch, gas price and simulated effects are"
		if priced {
			r.notChecked, what = []plan.RuleID{"C04", "C20"}, "price, fee, balances, epoch, gas price and simulated effects are"
		}
		if slices.ContainsFunc(r.session.Intent.Each(), func(in plan.Intent) bool { return in.RecipientName != "" }) {
			what = "where the name leads, " + what
		}
		r.check(plan.Warn(plan.SourceNetwork, "second_provider_not_set", "Second node",
			"No second node is set, so "+what+" the word of one node.",
			"The amounts and the recipient are in the bytes and need no node. To have the rest asked twice, set a second Sui node on the "+
				"settings page (or SUI_GRPC_URL_2) and start again.").AsNote())
		return r.judgePrices(nil)
	}
	var answers secondAnswers
	if err := r.query(ctx, second, &answers); err != nil {
		return r.unavailable(err)
	}
	if second.Keys != nil && r.c.Keys != nil {
		if stop := r.otherKeysOf(answers.keys); stop != nil {
			return stop
		}
	}
	if stop := r.disagrees(answers); stop != nil {
		return stop
	}
	if err := r.otherHoldings(ctx, second); err != nil {
		return r.unavailable(err)
	}
	r.check(plan.Pass(plan.SourceNetwork, checkSecond, "Second node",
		"A second node reports the same chain, objects, coins and effects."))
	return r.judgePrices(answers.steps)
}

// secondAnswers has the answers of the second node.
type secondAnswers struct {
	chain   sui.Digest
	epoch   sui.Epoch
	objects []sui.Object
	coins   []sui.Metadata
	effects sui.Simulation
	keys    []sui.Address
	steps   []*plan.Step // results of the adapters' stages on the second node; an entry is nil without such an adapter
}

// query runs all queries of the second node concurrently.
func (r *simulated) query(ctx context.Context, second *Second, to *secondAnswers) error {
	ids := make([]sui.ObjectID, 0, len(r.objects))
	for _, o := range r.objects {
		ids = append(ids, o.Ref.ID)
	}
	return r.c.Together(
		func() (err error) { to.chain, err = second.Chain.ChainIdentifier(ctx); return err },
		func() (err error) { to.epoch, err = second.Chain.Epoch(ctx); return err },
		func() (err error) { to.objects, err = second.Chain.Objects(ctx, ids); return err },
		func() (err error) { to.coins, err = r.describeCoins(ctx, second.Chain); return err },
		func() (err error) { to.effects, err = second.Simulator.SimulateBytes(ctx, r.bytes, true); return err },
		func() (err error) { to.steps, err = r.stepsFrom(ctx, second); return err },
		func() (err error) {
			if second.Keys != nil {
				to.keys, err = second.Keys(ctx, r.session.Account)
			}
			return err
		},
	)
}

// stepsFrom runs the adapters' stages on the second node, for its prices, or for the objects that
// it would name if no price is involved.
func (r *planned) stepsFrom(ctx context.Context, second *Second) ([]*plan.Step, error) {
	steps := make([]*plan.Step, len(r.steps))
	for i, own := range r.steps {
		at := slices.IndexFunc(second.Adapters, func(a plan.Adapter) bool { return a.Meta().AdapterID == own.Meta.AdapterID })
		if at < 0 {
			continue
		}
		s := plan.NewStep(own.Asked, own.Intent, r.session.Account, r.c.Now, r.c.Limits.QuoteAge)
		s.Earlier, s.Funding, s.Follows, s.Device = own.Earlier, own.Funding, own.Follows, own.Device
		for _, stage := range second.Adapters[at].Stages(own.Asked) {
			if err := stage.Run(ctx, s); err != nil {
				return nil, err
			}
		}
		if own.Fed.Step > 0 {
			s.Takes(own.Fed)
		}
		if len(own.Feeds) > 0 {
			s.Gives(i+1, own.Feeds)
		}
		steps[i] = s
	}
	return steps, nil
}

// unavailable returns the stop for a review that the second node could not confirm. An outage
// requires a refresh; a refusal of what the first node reported is a disagreement.
func (r *input) unavailable(err error) *plan.Stop {
	var stop *plan.Stop
	if errors.As(err, &stop) {
		if stop.Reason == plan.QuoteStale || stop.Check.Rule == "C20" {
			return stop // it took too long or was already compared
		}
		return disagreement(plan.EffectsMismatch, "quotes nothing: "+stop.Check.Message)
	}
	f := fault.As(err)
	if panicked(err) {
		return r.stopped("", err)
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		plan.ReasonOf(f.Code) == plan.ProviderUnavailable {
		return &plan.Stop{Reason: plan.ProviderUnavailable,
			Check: plan.Fail(plan.SourceNetwork, "second_provider_unavailable", "Second node",
				"The second node did not answer, so nothing could be compared.",
				"Check again in a moment, or start without SUI_GRPC_URL_2.").Under("C20")}
	}
	if f.Code == fault.NetworkMismatch {
		return disagreement(plan.NetworkMismatch, "is another chain")
	}
	return disagreement(plan.ObjectResolutionFailed, "does not know what the first node reported: "+f.Text)
}

func disagreement(reason plan.Reason, what string) *plan.Stop {
	return &plan.Stop{Reason: reason, Check: plan.Fail(plan.SourceNetwork, checkMismatch, "Second node",
		"The second node "+what+". One of the two nodes is wrong.",
		"Do not sign. Check again, because one node may only be behind. If the problem persists, find out which "+
			"node is wrong and replace it.").Under("C20")}
}

// disagrees compares what both nodes reported.
func (r *simulated) disagrees(reported secondAnswers) *plan.Stop {
	if reported.chain.String() != r.chainID {
		return disagreement(plan.NetworkMismatch, "is another chain")
	}
	if stop := r.otherEpoch(reported.epoch); stop != nil {
		return stop
	}
	moved, stop := r.otherObjects(reported.objects)
	if stop != nil {
		return stop
	}
	for i, own := range r.steps {
		if theirs := reported.steps[i]; theirs == nil {
			continue
			//mutant:always `moved` ./review/gate TestSecondNodeOfWhatMoves
		} else if own.Quote == nil && !own.SameAction(theirs) && moved {
			return lags("would build the same request otherwise")
		} else if own.Quote == nil && !own.SameAction(theirs) {
			return disagreement(plan.ObjectResolutionFailed, "names other objects for the same request")
		} else if stop := otherReadings(own, theirs, moved); stop != nil {
			return stop
		} else if stop := otherOutlook(own.Outlook, theirs.Outlook, moved); stop != nil {
			return stop
		}
	}
	for i, coin := range r.coins() {
		if reported.coins[i].Type != coin.CoinType || !coin.Counted() && reported.coins[i].Decimals != coin.Decimals {
			return disagreement(plan.AssetMismatch, "reports different decimals of "+coin.Symbol)
		}
		if coin.Foreign && !coin.Counted() && plan.QuotedSymbol(reported.coins[i].Symbol) != coin.Symbol {
			return disagreement(plan.AssetMismatch, "reports a different symbol of "+string(coin.CoinType))
		}
	}
	return r.otherEffects(reported.effects, moved)
}

// fairBudget is the maximum ratio of the gas budget to the one estimated from the second node's
// simulation. The budget was estimated before the paying coins were known.
const fairBudget = 2

// otherEffects compares the two simulations. Amounts may differ slightly if the market moved
// between them, but not who loses or gains which coin.
func (r *simulated) otherEffects(sim sui.Simulation, moved bool) *plan.Stop {
	if !sim.Status.OK {
		return disagreement(plan.EffectsMismatch, "says that the transaction fails")
	}
	if sim.Digest != r.digest || sim.Sender != r.session.Account {
		return disagreement(plan.EffectsMismatch, "answered for another transaction")
	}
	if fair := GasBudget(sim.Gas, r.c.Limits); r.tx.Gas.Budget > fairBudget*fair {
		return disagreement(plan.EffectsMismatch, "says that far less gas is needed")
	}
	if _, wrong := r.reported(sim.Events); wrong != "" && len(sim.Events) == 0 {
		return disagreement(plan.EffectsMismatch, "reports no events, so it confirms nothing")
	} else if wrong != "" {
		return disagreement(plan.EffectsMismatch, "reports different events. "+strings.TrimSuffix(wrong, "."))
	}
	ours, theirs := plan.Observe(r.session.Account, r.sim.Effects), plan.Observe(r.session.Account, sim.Effects)
	//mutant:never ./internal/testkit/lies TestLeftOut
	if !theirs.Found {
		return disagreement(plan.EffectsMismatch, "reports no balance changes of your account, so it confirms nothing")
	}
	for at := range theirs.Changes {
		if ours.Changes[at] == nil {
			return disagreement(plan.EffectsMismatch, "reports a change that the first does not report")
		}
	}
	for at, change := range ours.Changes {
		other := theirs.Changes[at]
		if other == nil || far(change, other) {
			return disagreement(plan.EffectsMismatch, "reports different balance changes")
		}
		if !moved && change.Cmp(other) != 0 {
			return lags("reports slightly different balance changes")
		}
	}
	if !moved && sim.Gas != r.sim.Gas {
		return lags("reports a different gas cost")
	}
	return nil
}

// far reports whether two changes differ by more than one percent of the first. Changes in opposite
// directions always do.
func far(a, b *big.Int) bool {
	apart := new(big.Int).Sub(a, b)
	return apart.Abs(apart).Mul(apart, big.NewInt(100)).CmpAbs(a) > 0
}

// The bounds in basis points for a price below the mid price.
const (
	warnedFrom  = 1000
	blockedFrom = 2000
)

// judgePrices checks the price of every step. second is nil if no second node was queried; its
// entries are nil if that node has no such adapter.
func (r *described) judgePrices(second []*plan.Step) error {
	for i, s := range r.steps {
		var theirs *plan.Step
		if second != nil {
			theirs = second[i]
		}
		if err := r.judgePrice(s, theirs, r.facts.Steps[i].Promise.Whole()); err != nil {
			return err
		}
	}
	return nil
}

// judgePrice compares the guaranteed minimum with the mid price that the second node reported, and
// an order's limit with that of both nodes.
func (r *described) judgePrice(s, second *plan.Step, least plan.Amount) error {
	switch {
	case s.Limit != nil:
		return r.judgeLimit(s, second)
	case s.Quote == nil, r.c.Second == nil:
		return nil
	case second == nil || second.Quote == nil || second.Quote.MidPrice == "":
		r.notChecked = append(r.notChecked, "C04")
		c := plan.Warn(plan.SourceQuote, "price_not_compared", "Price",
			"Not checked, because the second node reports no mid price.",
			"Compare the price elsewhere before you sign.").Under("C04")
		if s.Outlook.Trade == nil {
			c = c.AsNote() // weighPrices reports that there is no mid price
		}
		r.check(c)
		return nil
	}
	q := second.Quote
	bps, ok := q.Under(least)
	if !ok {
		return disagreement(plan.EffectsMismatch, "reports an unreadable price")
	}
	if bps <= blockedFrom {
		if stop := otherMiddle(s.Quote.MidPrice, q.MidPrice); stop != nil {
			return stop
		}
	}
	text := "The guaranteed minimum is " + string(sui.Raw(max(bps, 0)).Decimal(2)) +
		" % under the mid price that a second node reports."
	switch {
	case bps > blockedFrom:
		return &plan.Stop{Reason: plan.AmountMismatch,
			Check: plan.Fail(plan.SourceQuote, checkPrice, "Price", text, betterPrice).Under("C04")}
	case bps >= warnedFrom:
		// weighPrices already checked what the first node reports.
		r.check(plan.Warn(plan.SourceQuote, checkPrice, "Price", text, betterPrice).Under("C04").AsNote())
	default:
		r.check(plan.Pass(plan.SourceQuote, checkPrice, "Price", text))
	}
	return nil
}
