package swap

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// work is what the stages of one computation share.
type work struct {
	source    Source
	plan      review.Plan
	pool      registry.Pool
	direction registry.Direction
	snapshot  deepbook.Snapshot
}

// Stages implements review.Adapter.
func (a *Adapter) Stages(p review.Plan) []review.Stage {
	w := &work{source: a.source, plan: p}
	return []review.Stage{
		{ID: StageIntent, Run: w.intent},
		{ID: StagePool, Run: w.resolve},
		{ID: StageQuote, Run: w.quote},
		{ID: StagePolicy, Run: w.policy},
	}
}

func (w *work) intent(_ context.Context, d *review.Draft) error {
	d.Check(review.Pass(review.SourceAdapter, prefix+"_display_intent", "Request",
		"You asked to swap "+w.plan.Input.String()+" to "+w.plan.To.Symbol+", accepting at most "+
			percent(w.plan.MaxSlippageBps)+" less than the quote."))
	return nil
}

func (w *work) resolve(_ context.Context, d *review.Draft) error {
	pool, err := registry.FindPool(w.plan.Route)
	if err != nil {
		return err
	}
	w.pool, w.direction = pool, registry.QuoteToBase
	if pool.Base.Type == w.plan.From.CoinType {
		w.direction = registry.BaseToQuote
	}
	in, out, err := pool.Sides(w.direction)
	if err != nil {
		return err
	}
	if in.Type != w.plan.From.CoinType || out.Type != w.plan.To.CoinType {
		return fault.New(fault.RegistryMiss, "The pool %s does not trade these two coins.", pool.Key)
	}
	d.Check(review.Pass(review.SourceRegistry, prefix+"_pool_resolution", "Pool",
		"The swap happens in the pinned DeepBook pool "+pool.Key+"."))
	return nil
}

func (w *work) quote(ctx context.Context, d *review.Draft) error {
	s, err := w.source.Snapshot(ctx, deepbook.Request{
		PoolKey: w.pool.Key, Direction: w.direction, Amount: w.plan.Input.Raw, FeeMode: deepbook.FeeInput,
	})
	if err != nil {
		return err
	}
	w.snapshot = s
	if !s.Quote.Tradable() {
		return w.untradable()
	}
	d.Quote = w.evidence()
	d.Check(review.Pass(review.SourceQuote, prefix+"_raw_quote_evidence", "Quote",
		"The pool would give "+d.Quote.Expected.String()+" at this moment."))
	d.Check(w.feeCheck(d.Quote))
	if c := w.lotCheck(d.Quote); c != nil {
		d.Check(*c)
	}
	if c := w.midCheck(d.Quote); c != nil {
		d.Check(*c)
	}
	return nil
}

// untradable explains an answer that trades nothing.
func (w *work) untradable() error {
	base, fee := asset(w.pool.Base), ""
	if w.snapshot.Parameters.TakerFee > 0 {
		fee = " after the fee"
	}
	return &review.Stop{Reason: review.QuoteUnavailable, Check: review.Fail(review.SourceQuote, prefix+"_quote_source_failed", "Quote",
		"The pool "+w.pool.Key+" would trade nothing for "+w.plan.Input.String()+": its least trade is "+
			base.Of(w.snapshot.Parameters.Min).String()+fee+", in steps of "+base.Of(w.snapshot.Parameters.Lot).String()+
			", or its book is too thin.", "Choose a larger amount in a new review, or refresh later.")}
}

func (w *work) policy(_ context.Context, d *review.Draft) error {
	if err := d.DeriveMinimum(prefix); err != nil {
		return err
	}
	f := swapFunction(w.direction)
	d.Target = review.Target{
		Package: w.snapshot.Quote.Package, Function: "pool::" + f, RouteID: w.pool.ID,
		TypeArgs: []sui.TypeTag{w.pool.Base.Type.Tag(), w.pool.Quote.Type.Tag()},
	}
	d.Want = review.Want{Coin: w.plan.From.CoinType, Amount: w.plan.Input.Raw}
	minimum := d.Quote.Minimum.Raw
	d.Build = func(s review.Selected) (sui.Kind, error) {
		return Kind(Call{Package: w.snapshot.Quote.Package, Pool: w.pool, SharedVersion: w.snapshot.SharedVersion,
			Direction: w.direction, MinOut: minimum}, s)
	}
	d.Explain = explain
	return nil
}

// explain says what DeepBook's own aborts mean. Codes are those of the pinned
// packages; a later package may number them differently.
func explain(a sui.MoveAbort) *review.Stop {
	if !pinned(a.Package) {
		return nil
	}
	stop := func(reason review.Reason, message, do string) *review.Stop {
		return &review.Stop{Reason: reason, Check: review.Fail(review.SourceSimulation, prefix+"_swap_refused", "Swap", message, do)}
	}
	switch {
	case a.Module == "pool" && a.Code == 12:
		return stop(review.QuoteStale, "The price moved: the pool would now give less than the guaranteed minimum.",
			"Refresh for the present price.")
	case a.Module == "pool" && a.Code == 11:
		return stop(review.QuoteUnavailable, "DeepBook switched off the package version that was called.",
			"Refresh: an older admitted version is tried.")
	case a.Module == "balance_manager" && a.Code == 3:
		return stop(review.AmountMismatch, "The amount does not quite cover the trade and its fee, because DeepBook rounds the fee of the "+
			"whole trade otherwise than that of its parts.", "Choose a slightly different amount in a new review.")
	}
	return nil
}

func pinned(id sui.ObjectID) bool {
	if id == registry.OriginalPackage {
		return true
	}
	for _, p := range registry.Packages() {
		if p.ID == id {
			return true
		}
	}
	return false
}
