package swap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// deadlineAfter is how long after its quote a swap may execute. It leaves enough time to review and
// sign. The minimum applies throughout.
const deadlineAfter = 10 * time.Minute

// work is the state that the stages of one computation share.
type work struct {
	source   Source
	router   Router
	plan     plan.Plan
	from, to coins.Coin
	tier     flowx.Tier
}

// Resolve implements venue.Swap.
func (w *work) Resolve(d *plan.Step) error {
	pools, err := registry.Between(w.from, w.to)
	if err != nil {
		return err
	}
	d.Check(plan.Pass(plan.SourceRegistry, prefix+"_pair_resolution", "Pair",
		fmt.Sprintf("FlowX has %d pinned pools of this pair, one for each fee.", len(pools))))
	return nil
}

// Quote implements venue.Swap.
func (w *work) Quote(ctx context.Context, d *plan.Step) error {
	compare := here().Ask(ctx, w.opinion())
	before, err := d.Before(ctx, w.plan.Input())
	if err != nil {
		return err
	}
	var after *flowx.After
	if before != nil {
		after = &flowx.After{Transaction: before.Transaction, Paid: before.Paid}
	}
	tiers, err := w.source.Tiers(ctx, d.Account, w.from, w.to, w.plan.Input().Raw, after)
	if err != nil {
		return w.unquoted(err)
	}
	usable := slices.DeleteFunc(slices.Clone(tiers), func(t flowx.Tier) bool { return !t.Usable() })
	if len(usable) == 0 {
		return w.nothing(tiers)
	}
	w.tier = slices.MaxFunc(usable, func(a, b flowx.Tier) int { return cmp.Compare(a.Out, b.Out) })
	w.answer(d)
	d.Check(plan.Pass(plan.SourceQuote, prefix+"_route_quote_evidence", "Quote",
		fmt.Sprintf("The pool %s gives %s now, by simulation of the swap itself. None of the %d pools that take the whole amount gives more.",
			w.tier.Pool.Key(), d.Quote.Expected, len(usable))))
	d.Check(plan.Pass(plan.SourceQuote, prefix+"_fee_mode", "Fee",
		"FlowX's fee, "+rate(w.tier.Pool)+" of what you pay, about "+d.Quote.Fee.String()+", is counted in the quote."))
	d.Check(compare(d.Quote.Expected))
	return nil
}

// unquoted returns the stop for a failed quote if there is better advice than to ask again.
func (w *work) unquoted(err error) error {
	if f := fault.As(err); f.Detail.Get("reason") == flowx.TooLittle {
		return &plan.Stop{Reason: plan.InsufficientBalance,
			Check: plan.Fail(plan.SourceWallet, prefix+"_quote_source_failed", "Balance",
				f.Text, "Choose a smaller amount in a new review, or add "+w.plan.Input().Symbol+" to the account.")}
	}
	return err
}

// nothing returns the stop if no pool is usable. Its reason is that of the first pool that states one.
func (w *work) nothing(tiers []flowx.Tier) error {
	why := "none takes the whole amount"
	if i := slices.IndexFunc(tiers, func(t flowx.Tier) bool { return t.Refused != "" }); i >= 0 {
		why = tiers[i].Refused
	}
	return here().NoQuote("No FlowX pool of this pair can carry out the swap now: "+why+".",
		"Choose another amount in a new review, or check again later.")
}

// opinion returns a function that requests a quote from FlowX's router, or nil without a router.
func (w *work) opinion() func(context.Context) (venue.Opinion, error) {
	if w.router == nil {
		return nil
	}
	return func(ctx context.Context) (venue.Opinion, error) {
		q, err := w.router.Quote(ctx, quoter.Request{From: w.from, To: w.to, Amount: w.plan.Input().Raw})
		if err != nil {
			return venue.Opinion{}, err
		}
		return venue.Opinion{Out: q.Out, Pool: q.Legs[0].Pool.Key()}, nil
	}
}

// answer records the chosen pool's quote in a step.
func (w *work) answer(d *plan.Step) {
	p, in := w.tier.Pool, w.plan.Input()
	here().Leave(d, venue.Answer{Market: marketOf(w.tier), Sells: p.Sells(w.from), RouteID: p.ID,
		Function: registry.Package.String() + "::" + function, At: w.tier.At, Mode: venue.ModeInput, Fee: fee(in, p),
		Out: w.tier.Out, Traded: in.Raw, Digits: 6})
	venue.Say(d.Quote, in.String()+" in, all of it swapped, the fee of "+rate(p)+" included.", "fee included",
		"Other swaps can move the pool's price before your transaction runs. The minimum holds all the same.")
}

// fee returns the part of the input that the pool keeps, exact to a few raw units.
func fee(in plan.Amount, p registry.Pool) plan.Amount {
	return venue.Share(in, p.Fee, registry.FeeDenominator)
}

// rate formats a pool's fee, as in 0.05%.
func rate(p registry.Pool) string { return string(sui.Raw(p.Fee).Decimal(4)) + "%" }

// Call implements venue.Swap.
func (w *work) Call(d *plan.Step) (venue.Call, error) {
	call := flowx.Call{Pool: w.tier.Pool, From: w.from, MinOut: d.Quote.Minimum.Raw,
		Deadline: uint64(w.tier.At.Add(deadlineAfter).UnixMilli())}
	agreed, ok := terms(call)
	if !ok {
		return venue.Call{}, fault.New(fault.ClockSkew,
			"This machine's clock is so far off that no deadline can be written.")
	}
	return venue.Call{
		Target: plan.Target{
			Package: registry.Package, Function: function, TypeArgs: call.TypeArgs(),
			RouteID: registry.Object, Shared: registry.ObjectVersion,
		},
		Terms: agreed, Explain: explain,
		Append: func(b *plan.Builder) error {
			return venue.Append(b, w.plan.Input(), w.to.Type, func(coin sui.Argument) sui.MoveCall {
				return call.MoveCall(b.Input, coin)
			})
		},
	}, nil
}

// explain returns the stop for an abort of FlowX's package. It returns nil for any other abort.
func explain(a sui.MoveAbort) *plan.Stop {
	if a.Package != registry.Package && a.Package != registry.OriginalPackage {
		return nil
	}
	reason, do := plan.QuoteUnavailable, "Check again later."
	short := a.Module == "swap_router" && a.Code == 1
	if short || (a.Module == "utils" && a.Code == 0) {
		reason, do = plan.QuoteStale, "Update for the present price."
	}
	stop := here().Refused(reason, "FlowX refused the swap: "+flowx.Meaning(a)+".", do)
	stop.Short = short
	return stop
}

// ReadAbort implements plan.AbortReader.
func (*Adapter) ReadAbort(a sui.MoveAbort, _ plan.StepFacts) *plan.Stop {
	if !flowx.Known(a) {
		return nil
	}
	return explain(a)
}
