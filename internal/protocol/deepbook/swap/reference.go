package swap

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// mostMove is by how many basis points a trade may move a price that is to be a
// reference.
const mostMove = 100

// ReferencePrice implements plan.ReferencePricer: the middle price of the pool of the
// pair, which is one on DeepBook, where its book is deep enough for the amount.
func (a *Adapter) ReferencePrice(ctx context.Context, _ sui.Address, in plan.Amount, out plan.Asset) (plan.Reference, error) {
	pool, direction, err := registry.Direct(pinned(in.Asset), pinned(out))
	if err != nil {
		return plan.Reference{}, fault.Wrap(err, fault.QuoteUnavailable, "DeepBook has no market of this pair.")
	}
	s, err := a.source.Snapshot(ctx, deepbook.Request{PoolKey: pool.Key, Direction: direction, Amount: in.Raw, FeeMode: deepbook.FeeInput})
	if err != nil {
		return plan.Reference{}, err
	}
	var input plan.Plan
	input.Promise.Outcomes = []plan.Outcome{{Bounds: []plan.Bound{plan.Leaves(plan.RoleInput, in), {Role: plan.RoleOutput, Coin: out}}}}
	w := &work{plan: input, pool: pool, direction: direction, snapshot: s}
	w.plan.FeeMode = modeInput
	market, spent := w.market(), in.Of(w.spent())
	if !s.Quote.Tradable() || uint64(s.Quote.Unspent) > max(w.lotInput(), uint64(in.Raw)/mostMove) {
		return plan.Reference{}, shallow()
	}
	expected := plan.Traded{Paid: spent, Fee: w.feeAmount(), Arrives: out.Of(s.Quote.Out)}
	trade, ok := market.Against(expected, expected)
	//mutant:never `trade.ImpactBps > mostMove` ./internal/protocol/deepbook/swap TestReferencePrice
	if !ok || trade.ImpactBps > mostMove {
		return plan.Reference{}, shallow()
	}
	price, ok := market.Reference(in.Asset)
	if !ok {
		return plan.Reference{}, shallow()
	}
	return price, nil
}

func shallow() error {
	return fault.New(fault.QuoteUnavailable, "DeepBook's market is not deep enough for this amount to tell a price.")
}
