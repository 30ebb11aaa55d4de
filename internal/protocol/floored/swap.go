package floored

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// swap prepares swaps in a described protocol. It implements plan.Adapter.
type swap struct{ *protocol }

const stagePair plan.StageID = "pair_resolved"

// venue describes the protocol as a swap venue.
func (a *swap) venue() venue.Adapter {
	v := venue.Venue{
		Slug: a.Slug, Protocol: a.Name, Label: a.Name, Prefix: a.Slug, Pools: stagePair,
		Packages:  []sui.ObjectID{a.Packages["main"].Published},
		Functions: a.functions(floor.Swap),
		Coin: func(symbol string) (plan.Asset, error) {
			return a.coin(symbol, floor.Swap, func(w floor.Way) sui.CoinType { return w.In })
		},
		Route: func(from, to plan.Asset) (string, error) {
			w, ok := a.way(floor.Swap, from.CoinType, to.CoinType)
			if !ok {
				return "", fault.New(fault.RegistryMiss, "%s has no pinned way from %s to %s.", a.Name, from.Symbol, to.Symbol)
			}
			return w.Label, nil
		},
		Where: func(p plan.Plan) string { return a.Name + " (" + p.Route + ")" },
	}
	return venue.Adapter{Venue: v, Begin: func(p plan.Plan) venue.Swap {
		w, _ := a.way(floor.Swap, p.Input().CoinType, p.Output().CoinType)
		return &swapping{swap: a, plan: p, way: w}
	}}
}

// Meta implements plan.Adapter.
func (a *swap) Meta() plan.Meta { return a.venue().Meta() }

// Plan implements plan.Adapter.
func (a *swap) Plan(in plan.Intent, now time.Time) (plan.Plan, error) { return a.venue().Plan(in, now) }

// Stages implements plan.Adapter.
func (a *swap) Stages(p plan.Plan) []plan.Stage { return a.venue().Stages(p) }

// swapping is the state of one computation of a swap. It implements venue.Swap.
type swapping struct {
	*swap
	plan plan.Plan
	way  floor.Way
	used Use
}

// Resolve implements venue.Swap.
func (w *swapping) Resolve(s *plan.Step) error {
	s.Check(plan.Pass(plan.SourceRegistry, w.check("_pair_resolution"), "Pair",
		w.Name+" swaps this pair: "+w.way.Label+"."))
	s.Check(w.risks(w.way.Function))
	s.Bare = w.bare(w.way)
	return nil
}

// Quote implements venue.Swap.
func (w *swapping) Quote(ctx context.Context, s *plan.Step) (err error) {
	in, out := w.plan.Input(), w.plan.Output()
	if w.used, err = w.use(ctx, w.way, in, map[string]string{"amount": in.Raw.String()}); err != nil {
		return err
	}
	q, err := w.quote(ctx, &w.used, s)
	if err != nil {
		return err
	}
	if q.Failed != nil {
		return w.failed(w.used, q)
	}
	target, err := w.used.Target()
	if err != nil {
		return err
	}
	e := &plan.QuoteEvidence{
		Provider: w.Name, Route: w.way.Label, RouteID: target.RouteID.String(), Direction: "base_to_quote",
		FeeMode: venue.ModeInput, SourceMoveFunction: target.Package.String() + "::" + target.Function, FetchedAt: q.At,
		Input: in, Unspent: in.Of(0), Expected: out.Of(q.Out), Minimum: out.Of(0), Fee: in.Of(0),
	}
	base, quote := in, e.Expected
	if out.CoinType == sui.SUI && !w.owns(in.CoinType) {
		e.Direction, base, quote = "quote_to_base", e.Expected, in
	}
	if base.Raw > 0 {
		e.EffectivePrice, e.PriceUnit = plan.PriceOf(base, quote, quote.Decimals), quote.Symbol+" per "+base.Symbol
	}
	venue.Say(e, in.String()+" in.", "the protocol's fees included",
		"The price can move before your transaction runs. The minimum is still guaranteed.")
	s.Quote = e
	s.Check(plan.Pass(plan.SourceQuote, w.check("_route_quote_evidence"), "Quote",
		w.Name+" gives "+e.Expected.String()+" now, by simulation of the swap itself."))
	return nil
}

// owns reports whether a coin is one of the protocol's own coins.
func (p *protocol) owns(coin sui.CoinType) bool {
	for _, c := range p.Coins {
		if c.CoinType() == coin {
			return true
		}
	}
	return false
}

// Call implements venue.Swap.
func (w *swapping) Call(s *plan.Step) (c venue.Call, err error) {
	c.Target, err = w.used.Target()
	c.Append, c.Explain = w.used.Append(s.Quote.Minimum.Raw), w.used.Explain(w.check("_swap_refused"), "Swap")
	return c, err
}

// Read implements plan.Adapter. It rejects a swap without a minimum.
func (a *swap) Read(r *readback.Reader) (plan.StepFacts, error) {
	got, way, err := a.read(r, floor.Swap)
	if err != nil {
		return plan.StepFacts{}, err
	}
	in, err := leaves(got)
	if err != nil {
		return plan.StepFacts{}, err
	}
	out, err := least(got)
	if err != nil {
		return plan.StepFacts{}, err
	}
	f := a.facts(got, way)
	f.Promise = plan.SwapPromise([]plan.Amount{in}, out)
	return f, nil
}

// FromEvents implements plan.Adapter. It reports nothing, because the terms contain only amounts.
func (*protocol) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}
