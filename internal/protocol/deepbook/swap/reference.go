package swap

import (
	"cmp"
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ReferencePrice implements plan.ReferencePricer. It returns the mid price of the pair's only pool, if
// the book is deep enough for the amount.
func (a *Adapter) ReferencePrice(ctx context.Context, _ sui.Address, in plan.Amount, out plan.Asset) (plan.Reference,
	error) {
	pool, direction, err := registry.Direct(venue.Pinned(in.Asset), venue.Pinned(out))
	if err != nil {
		return plan.Reference{}, fault.Wrap(err, fault.QuoteUnavailable, "DeepBook has no market of this pair.")
	}
	s, err := a.source.Snapshot(ctx, deepbook.Request{PoolKey: pool.Key, Direction: direction, Amount: in.Raw,
		FeeMode: deepbook.FeeInput})
	if err != nil {
		return plan.Reference{}, err
	}
	var input plan.Plan
	input.Promise.Outcomes = []plan.Outcome{{Bounds: []plan.Bound{plan.Leaves(plan.RoleInput, in),
		{Role: plan.RoleOutput, Coin: out}}}}
	w := &work{plan: input, pool: pool, direction: direction, snapshot: s}
	w.plan.FeeMode = modeInput
	market, spent := w.market(), in.Of(w.spent())
	if !s.Quote.Tradable() || uint64(s.Quote.Unspent) > max(w.lotInput(), uint64(in.Raw)/venue.MostMove) {
		return plan.Reference{}, shallow()
	}
	expected := plan.Traded{Paid: spent, Fee: w.feeAmount(), Arrives: out.Of(s.Quote.Out)}
	if !venue.Steady(market, expected) {
		return plan.Reference{}, shallow()
	}
	price, ok := market.Reference(in.Asset)
	if !ok {
		return plan.Reference{}, shallow()
	}
	return price, nil
}

// CrossPrice implements plan.CrossPricer. It returns the best price over two markets with a common
// coin, if both are deep enough.
func (a *Adapter) CrossPrice(ctx context.Context, account sui.Address, in plan.Amount, out plan.Asset) (plan.Reference,
	error) {
	best, ok := venue.Cross(in, out, between(in.Asset, out),
		func(in plan.Amount, out plan.Asset) (plan.Reference, error) {
			return a.ReferencePrice(ctx, account, in, out)
		})
	if !ok {
		return plan.Reference{}, shallow()
	}
	return best, nil
}

// between lists the coins that have a market with both coins of a pair. Coins with more markets come
// first.
func between(in, out plan.Asset) (list []plan.Asset) {
	from, to := venue.Pinned(in), venue.Pinned(out)
	for _, p := range registry.PoolsOf(from.Type) {
		over := p.Base
		if over.Type == from.Type {
			over = p.Quote
		}
		if _, _, err := registry.Direct(over, to); err == nil && over.Type != to.Type {
			list = append(list, venue.Asset(over))
		}
	}
	slices.SortStableFunc(list, func(a, b plan.Asset) int {
		return cmp.Compare(len(registry.PoolsOf(b.CoinType)), len(registry.PoolsOf(a.CoinType)))
	})
	return list
}

func shallow() error {
	return fault.New(fault.QuoteUnavailable, "DeepBook's market is not deep enough for this amount to determine a price.")
}
