// Package swap prepares a swap in one FlowX pool for review: it asks every fee
// tier of the pair by simulation, takes the one that gives most, derives the
// guaranteed minimum, and gives the transaction kind and the coin it wants. What
// FlowX's own router says is shown beside it and decides nothing.
//
// It chooses no coins, pays no gas and signs nothing: those are the platform's.
// Its [Adapter.Read] decodes a built transaction without knowing how it was built.
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

// Source asks the pools of a pair: flowx.Reader.
type Source interface {
	Tiers(ctx context.Context, account sui.Address, from, to coins.Coin, amount sui.Raw,
		after *flowx.After) ([]flowx.Tier, error)
}

// Router is FlowX's own: quoter.Client.
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
		// Which pool of the pair is used follows from what they give.
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

// New returns an Adapter that quotes from source. router may be nil: then nothing is
// compared.
func New(source Source, router Router) *Adapter {
	return &Adapter{source: source, Adapter: venue.Adapter{Venue: here(), Begin: func(p plan.Plan) venue.Swap {
		return &work{source: source, router: router, plan: p, from: venue.Pinned(p.Input().Asset),
			to: venue.Pinned(p.Output().Asset)}
	}}}
}

// FromEvents implements plan.Adapter: the pools that FlowX says it swapped in.
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
