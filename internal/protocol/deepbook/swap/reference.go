package swap

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"

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

// mostCrossed bounds how many coins a cross rate is asked over: each is two readings.
const mostCrossed = 2

// CrossPrice implements plan.CrossPricer: the best price over two markets that have one
// coin in common, of those that are deep enough.
func (a *Adapter) CrossPrice(ctx context.Context, account sui.Address, in plan.Amount, out plan.Asset) (plan.Reference, error) {
	var best plan.Reference
	var highest *big.Rat
	asked := 0
	for _, over := range between(in.Asset, out) {
		if asked++; asked > mostCrossed {
			break
		}
		first, err := a.leg(ctx, account, in, over)
		if err != nil {
			continue
		}
		price, ok := plan.Rational(first.Price)
		if !ok {
			continue
		}
		through, ok := plan.Converted(in, price, over)
		if !ok {
			continue
		}
		second, err := a.leg(ctx, account, through, out)
		if err != nil {
			continue
		}
		next, ok := plan.Rational(second.Price)
		if !ok {
			continue
		}
		price.Mul(price, next)
		//mutant:never `price.Cmp(highest) <= 0` ./internal/protocol/deepbook/swap TestCrossPrice
		if highest != nil && price.Cmp(highest) <= 0 {
			continue
		}
		if text, ok := plan.DecimalOf(price, referenceDigits); ok {
			highest, best = price, plan.Reference{Venue: second.Venue, Pool: first.Pool + " and " + second.Pool, Price: text, ReadAt: first.ReadAt}
		}
	}
	if highest == nil {
		return plan.Reference{}, shallow()
	}
	return best, nil
}

// raised is by how much an amount is raised that is below the least size of a market on
// the way: if the book is deep enough for more, it is for less.
const raised = 100

func (a *Adapter) leg(ctx context.Context, account sui.Address, in plan.Amount, out plan.Asset) (plan.Reference, error) {
	ref, err := a.ReferencePrice(ctx, account, in, out)
	if err != nil && fault.Is(err, fault.QuoteUnavailable) && in.Raw < math.MaxUint64/raised {
		return a.ReferencePrice(ctx, account, in.Of(in.Raw*raised), out)
	}
	return ref, err
}

// referenceDigits are the significant digits of a cross rate, which may be inverted.
const referenceDigits = 24

// between lists the coins that have a market with both of a pair, those with most markets
// first.
func between(in, out plan.Asset) (list []plan.Asset) {
	from, to := pinned(in), pinned(out)
	for _, p := range registry.PoolsOf(from.Type) {
		over := p.Base
		if over.Type == from.Type {
			over = p.Quote
		}
		if _, _, err := registry.Direct(over, to); err == nil && over.Type != to.Type {
			list = append(list, plan.Asset{Symbol: over.Symbol, CoinType: over.Type, Decimals: over.Decimals})
		}
	}
	slices.SortStableFunc(list, func(a, b plan.Asset) int {
		return cmp.Compare(len(registry.PoolsOf(b.CoinType)), len(registry.PoolsOf(a.CoinType)))
	})
	return list
}

func shallow() error {
	return fault.New(fault.QuoteUnavailable, "DeepBook's market is not deep enough for this amount to tell a price.")
}
