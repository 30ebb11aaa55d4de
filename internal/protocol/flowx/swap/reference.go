package swap

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// marketOf returns the state of a pool before the simulated swap.
func marketOf(t flowx.Tier) plan.Market {
	m := plan.Market{Venue: here().Label, Pool: t.Pool.Key(), Base: venue.Asset(t.Pool.X), Quote: venue.Asset(t.Pool.Y),
		ReadAt: t.At}
	if t.Swap != nil {
		m.Middle, _ = plan.DecimalOf(t.Swap.Price(), plan.MiddleDigits)
	}
	return m
}

// ReferencePrice implements plan.ReferencePricer. It returns the price of the pool with the most
// liquidity among those that take the whole amount and whose price hardly moves.
func (a *Adapter) ReferencePrice(ctx context.Context, account sui.Address, in plan.Amount,
	out plan.Asset) (plan.Reference, error) {
	tiers, err := a.source.Tiers(ctx, account, venue.Pinned(in.Asset), venue.Pinned(out), in.Raw, nil)
	if err != nil {
		return plan.Reference{}, fault.Wrap(err, fault.QuoteUnavailable, "%s", fault.As(err).Text)
	}
	var pools []venue.Probe
	for _, t := range tiers {
		//mutant:never ./internal/protocol/flowx/swap TestReferencePrice
		if !t.Usable() || t.Swap == nil || !t.Swap.MovedBy(venue.MostMove) {
			continue
		}
		pools = append(pools, venue.Probe{Market: marketOf(t), Liquidity: t.Swap.Liquidity,
			Traded: plan.Traded{Paid: in, Fee: fee(in, t.Pool), Arrives: out.Of(t.Out)}})
	}
	return here().Deepest(in.Asset, pools)
}
