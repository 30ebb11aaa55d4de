package swap

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// marketOf returns the state of a pool before the swap that was simulated.
func marketOf(t flowx.Tier) plan.Market {
	m := plan.Market{Venue: here().Label, Pool: t.Pool.Key(), Base: asset(t.Pool.X), Quote: asset(t.Pool.Y),
		ReadAt: t.At}
	if t.Swap != nil {
		m.Middle, _ = plan.DecimalOf(t.Swap.Price(), plan.MiddleDigits)
	}
	return m
}

// ReferencePrice implements plan.ReferencePricer: the price of the pool with most
// liquidity among those that take the whole amount and hardly move.
func (a *Adapter) ReferencePrice(ctx context.Context, account sui.Address, in plan.Amount,
	out plan.Asset) (plan.Reference, error) {
	tiers, err := a.source.Tiers(ctx, account, coin(in.Asset), coin(out), in.Raw, nil)
	if err != nil {
		return plan.Reference{}, fault.Wrap(err, fault.QuoteUnavailable, "%s", fault.As(err).Text)
	}
	var deepest *flowx.Tier
	for i, t := range tiers {
		//mutant:never ./internal/protocol/flowx/swap TestReferencePrice
		if !t.Usable() || t.Swap == nil || !t.Swap.MovedBy(venue.MostMove) {
			continue
		}
		traded := plan.Traded{Paid: in, Fee: in.Of(fee(in.Raw, t.Pool)), Arrives: out.Of(t.Out)}
		if !venue.Steady(marketOf(t), traded) {
			continue // what came out does not fit the price that the event reports
		}
		if deepest == nil || t.Swap.Liquidity.Cmp(deepest.Swap.Liquidity) > 0 {
			deepest = &tiers[i]
		}
	}
	if deepest == nil {
		return plan.Reference{}, fault.New(fault.QuoteUnavailable,
			"No FlowX pool of this pair is deep enough for this amount to tell a price.")
	}
	price, ok := marketOf(*deepest).Reference(in.Asset)
	if !ok {
		return plan.Reference{}, fault.New(fault.QuoteUnavailable, "FlowX's pool of this pair reports no price.")
	}
	return price, nil
}
