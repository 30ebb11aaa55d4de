// Package swap prepares a swap in one FlowX pool for review. It simulates the swap in every fee tier
// of the pair, chooses the one that pays the most, derives the guaranteed minimum, and returns the
// transaction kind and the coin that it needs. The quote of FlowX's own router is shown for comparison
// only.
//
// It chooses no coins, pays no gas and signs nothing: the platform does. Its [Adapter.Read] decodes a
// built transaction without knowing how it was built.
package swap

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const (
	prefix   = "flowx"
	function = flowx.Module + "::" + flowx.Function
)

// Source quotes a swap in the pools of a pair. flowx.Reader implements it.
type Source interface {
	Tiers(ctx context.Context, account sui.Address, from, to coins.Coin, amount sui.Raw,
		after *flowx.After) ([]flowx.Tier, error)
}

// Router requests quotes from FlowX's own router. quoter.Client implements it.
type Router interface {
	Quote(ctx context.Context, r quoter.Request) (quoter.Quote, error)
}

func here() venue.Venue {
	return venue.Venue{
		Slug: "flowx", Protocol: "FlowXCLMM", Label: "FlowX", Prefix: prefix, Pools: "pair_resolved",
		Packages: []sui.ObjectID{registry.Package}, Functions: []string{function},
		Unreported: []string{termDeadline},
		Coin: func(symbol string) (plan.Asset, error) {
			c, err := registry.FindCoin(symbol)
			return venue.Asset(c), err
		},
		// The quotes determine which pool of the pair is used.
		Route: func(from, to plan.Asset) (string, error) {
			_, err := registry.Between(venue.Pinned(from), venue.Pinned(to))
			return "", err
		},
		Where:     func(plan.Plan) string { return "the FlowX pool of this pair that gives most" },
		QuoteTool: "read.quote_flowx_swap",
		Besides:   "FlowX has several pools of a pair; the review takes the one that gives most when it is computed.",
		Coins:     registry.Coins(),
	}
}

// Adapter prepares FlowX swaps. It implements plan.Adapter.
type Adapter struct {
	venue.Adapter
	source Source
}

// New returns an Adapter that quotes from source. If router is nil, no comparison is shown.
func New(source Source, router Router) *Adapter {
	return &Adapter{source: source, Adapter: venue.Adapter{Venue: here(), Begin: func(p plan.Plan) venue.Swap {
		return &work{source: source, router: router, plan: p, from: venue.Pinned(p.Input().Asset),
			to: venue.Pinned(p.Output().Asset)}
	}}}
}

// FromEvents implements plan.Adapter. It reports the pools in which FlowX's events report swaps.
func (*Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	swaps, err := flowx.Swaps(events, account)
	var reported plan.Reported
	for _, s := range swaps {
		reported.Actions = append(reported.Actions,
			plan.Action{Terms: []plan.Term{inPool(s.Pool)}, Events: []int{s.At}})
		reported.All = append(reported.All, s.At)
	}
	return reported, err
}
