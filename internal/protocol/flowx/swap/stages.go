package swap

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// deadlineAfter is how long after its quote a swap may run. It is longer than the
// page and a wallet need; the minimum holds all the while.
const deadlineAfter = 10 * time.Minute

// routerPatience is how long the router is waited for: its word decides nothing.
const routerPatience = 3 * time.Second

// work is what the stages of one computation share.
type work struct {
	source Source
	router Router
	plan   plan.Plan
	pools  int
	tier   flowx.Tier
}

// Resolve implements venue.Swap.
func (w *work) Resolve(d *plan.Step) error {
	pools, err := registry.Between(coin(w.plan.Input().Asset), coin(w.plan.Output().Asset))
	if err != nil {
		return err
	}
	w.pools = len(pools)
	d.Check(plan.Pass(plan.SourceRegistry, prefix+"_pair_resolution", "Pair",
		fmt.Sprintf("FlowX has %d pinned pools of this pair, one for each fee.", w.pools)))
	return nil
}

// Quote implements venue.Swap.
func (w *work) Quote(ctx context.Context, d *plan.Step) error {
	told := w.ask(ctx)
	before, err := d.Before(ctx, w.plan.Input())
	if err != nil {
		return err
	}
	var after *flowx.After
	if before != nil {
		after = &flowx.After{Transaction: before.Transaction, Paid: before.Paid}
	}
	tiers, err := w.source.Tiers(ctx, d.Account, coin(w.plan.Input().Asset), coin(w.plan.Output().Asset),
		w.plan.Input().Raw, after)
	if err != nil {
		return w.unquoted(err)
	}
	answered := 0
	for _, t := range tiers {
		if !t.Usable() {
			continue
		}
		answered++
		if t.Out > w.tier.Out {
			w.tier = t
		}
	}
	if answered == 0 {
		return w.nothing(tiers)
	}
	w.answer(d)
	d.Check(plan.Pass(plan.SourceQuote, prefix+"_route_quote_evidence", "Quote",
		fmt.Sprintf("The pool %s would give %s at this moment, by simulation of the swap itself. It gives most of %d pools that take the whole amount.",
			w.tier.Pool.Key(), d.Quote.Expected, answered)))
	d.Check(plan.Pass(plan.SourceQuote, prefix+"_fee_mode", "Fee",
		"FlowX's fee, "+rate(w.tier.Pool)+" of what you pay, about "+d.Quote.Fee.String()+", is counted in the quote."))
	d.Check(w.beside(<-told))
	return nil
}

// unquoted returns what a failed question means where more can be done about it
// than to ask again.
func (w *work) unquoted(err error) error {
	if f := fault.As(err); f.Detail.Get("reason") == flowx.TooLittle {
		return &plan.Stop{Reason: plan.InsufficientBalance,
			Check: plan.Fail(plan.SourceWallet, prefix+"_quote_source_failed", "Balance",
				f.Text, "Choose a smaller amount in a new review, or add "+w.plan.Input().Symbol+" to the account.")}
	}
	return err
}

// nothing explains why no pool is usable: by the first that says why.
func (w *work) nothing(tiers []flowx.Tier) error {
	why := "none takes the whole amount"
	for _, t := range tiers {
		if t.Refused != "" {
			why = t.Refused
			break
		}
	}
	return &plan.Stop{Reason: plan.QuoteUnavailable,
		Check: plan.Fail(plan.SourceQuote, prefix+"_quote_source_failed", "Quote",
			"No FlowX pool of this pair can carry out the swap at present: "+why+".",
			"Choose another amount in a new review, or check again later.")}
}

// reply is what the router said, or why it did not.
type reply struct {
	quote quoter.Quote
	err   error
	asked bool
}

// ask asks the router meanwhile.
func (w *work) ask(ctx context.Context) <-chan reply {
	out := make(chan reply, 1)
	if w.router == nil {
		out <- reply{}
		return out
	}
	go func() {
		ctx, stop := context.WithTimeout(ctx, routerPatience)
		defer stop()
		r := reply{asked: true}
		defer func() { out <- r }()
		defer fault.Recover(&r.err)
		r.quote, r.err = w.router.Quote(ctx, quoter.Request{From: coin(w.plan.Input().Asset),
			To: coin(w.plan.Output().Asset), Amount: w.plan.Input().Raw})
	}()
	return out
}

// beside shows the router's word beside the simulation. A hundredth apart is a
// warning; neither decides anything.
func (w *work) beside(r reply) plan.Check {
	const id, label = prefix + "_router_beside", "FlowX's router"
	switch {
	case !r.asked:
		return plan.Pass(plan.SourceQuote, id, label, "FlowX's router was not asked; the quote is the simulation's.")
	case r.err != nil:
		return plan.Warn(plan.SourceQuote, id, label,
			"FlowX's router gave nothing to compare with: "+fault.As(r.err).Text,
			"The quote is the simulation's and stands without it.").AsNote()
	}
	own, theirs := new(big.Int).SetUint64(uint64(w.tier.Out)), new(big.Int).SetUint64(uint64(r.quote.Out))
	apart := new(big.Int).Sub(theirs, own)
	text := "FlowX's router says " + w.plan.Output().Of(r.quote.Out).String() + " over " + r.quote.Legs[0].Pool.Key() +
		". "
	if apart.Abs(apart).Mul(apart, big.NewInt(100)).Cmp(own) > 0 {
		return plan.Warn(plan.SourceQuote, id, label, text+"That is more than one percent away from the simulation.",
			"Trust neither as a forecast; only the minimum is guaranteed. Update to ask both again.")
	}
	return plan.Pass(plan.SourceQuote, id, label, text+"The simulation agrees within one percent.")
}

// answer leaves what the chosen pool answered in a step.
func (w *work) answer(d *plan.Step) {
	p, in := w.tier.Pool, w.plan.Input()
	here().Leave(d, venue.Answer{Market: marketOf(w.tier), Sells: p.Sells(coin(in.Asset)), RouteID: p.ID,
		Function: registry.Package.String() + "::" + flowx.Module + "::" + flowx.Function, At: w.tier.At,
		Mode: venue.ModeInput,
		Fee:  in.Of(fee(in.Raw, p)), Out: w.tier.Out, Traded: in.Raw, Digits: 6})
	venue.Say(d.Quote, in.String()+" in, all of it swapped, the fee of "+rate(p)+" included.", "fee included",
		"Other swaps can move the pool's price before your transaction runs. The minimum holds all the same.")
}

// fee returns the part of the input that the pool keeps, to a few raw units.
func fee(in sui.Raw, p registry.Pool) sui.Raw {
	n := new(big.Int).SetUint64(uint64(in))
	n.Mul(n, new(big.Int).SetUint64(p.Fee)).Quo(n, new(big.Int).SetUint64(registry.FeeDenominator))
	return sui.Raw(n.Uint64())
}

// rate shows a pool's fee, as in 0.05%.
func rate(p registry.Pool) string { return string(sui.Raw(p.Fee).Decimal(4)) + "%" }

// Call implements venue.Swap.
func (w *work) Call(d *plan.Step) (venue.Call, error) {
	call := flowx.Call{
		Pool: w.tier.Pool, From: coin(w.plan.Input().Asset), MinOut: d.Quote.Minimum.Raw,
		Deadline: uint64(w.tier.At.Add(deadlineAfter).UnixMilli()),
	}
	agreed, ok := terms(call)
	if !ok {
		return venue.Call{}, fault.New(fault.ClockSkew,
			"This machine's clock is so far off that no deadline can be written.")
	}
	return venue.Call{
		Target: plan.Target{
			Package: registry.Package, Function: flowx.Module + "::" + flowx.Function, TypeArgs: call.TypeArgs(),
			RouteID: registry.Object, Shared: registry.ObjectVersion,
		},
		Terms: agreed, Explain: explain,
		Append: func(b *plan.Builder) error { return Append(b, call, w.plan.Input()) },
	}, nil
}

// explain says what an abort of FlowX's package means; those of others are left
// to the platform.
func explain(a sui.MoveAbort) *plan.Stop {
	if a.Package != registry.Package && a.Package != registry.OriginalPackage {
		return nil
	}
	reason, do := plan.QuoteUnavailable, "Check again later."
	short := a.Module == "swap_router" && a.Code == 1
	if short || (a.Module == "utils" && a.Code == 0) {
		reason, do = plan.QuoteStale, "Update for the present price."
	}
	return &plan.Stop{Reason: reason, Short: short, Check: plan.Fail(plan.SourceSimulation, prefix+"_swap_refused", "Swap",
		"FlowX refused the swap: "+flowx.Meaning(a)+".", do)}
}

// ReadAbort implements plan.AbortReader.
func (*Adapter) ReadAbort(a sui.MoveAbort, _ plan.StepFacts) *plan.Stop {
	if !flowx.Known(a) {
		return nil
	}
	return explain(a)
}

var _ plan.AbortReader = (*Adapter)(nil)
