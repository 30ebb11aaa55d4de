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
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// The adapter's own stages.
const (
	StageIntent plan.StageID = "intent_normalized"
	StagePair   plan.StageID = "pair_resolved"
	StageQuote  plan.StageID = "quote_evidence_fetched"
	StagePolicy plan.StageID = "quote_policy_derived"
)

const (
	prefix   = "flowx"
	protocol = "FlowXCLMM"
)

// Source asks the pools of a pair: flowx.Reader.
type Source interface {
	Tiers(ctx context.Context, account sui.Address, from, to coins.Coin, amount sui.Raw, after *flowx.After) ([]flowx.Tier, error)
}

// Router is FlowX's own: quoter.Client.
type Router interface {
	Quote(ctx context.Context, r quoter.Request) (quoter.Quote, error)
}

// Adapter prepares FlowX swaps. It implements plan.Adapter.
type Adapter struct {
	source Source
	router Router
}

// New returns an Adapter that quotes from source. router may be nil: then nothing is
// compared.
func New(source Source, router Router) *Adapter { return &Adapter{source, router} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"swap", "tokenswap", "coinswap", "exchange", "trade"}, Takes: []string{"from", "to", "maxSlippageBps"},
		Action: "swap", Slug: "flowx", Protocol: protocol, Label: label, AdapterID: "flowx-swap",
		StageCatalog: "flowx_swap_review_v1", CheckPrefix: prefix,
		Stages: []plan.StageID{StageIntent, StagePair, StageQuote, StagePolicy}, Unreported: []string{termDeadline},
		Packages: []sui.ObjectID{registry.Package}, Functions: []string{flowx.Module + "::" + flowx.Function},
	}
}

// Plan implements plan.Adapter. Which pool of the pair is used follows from what
// they give when the review is computed.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", "to", "maxSlippageBps", "feeMode"); err != nil {
		return plan.Plan{}, err
	}
	if in.FeeMode != "" && in.FeeMode != modeInput {
		return plan.Plan{}, fault.New(fault.InputInvalid, "FlowX takes its fee from the coin that is paid: leave feeMode out, or say input.").
			With("field", "intent.feeMode")
	}
	p, err := plan.PlanSwap(in, func(symbol string) (plan.Asset, error) {
		c, err := registry.FindCoin(symbol)
		return asset(c), err
	}, func(from, to plan.Asset) (string, error) {
		_, err := registry.Between(coin(from), coin(to))
		return "", err
	})
	if err != nil {
		return plan.Plan{}, err
	}
	p.FeeMode = modeInput
	p.Summary = "Swap " + p.Input().String() + " to " + p.Output().Symbol + " in the FlowX pool of this pair that gives most, accepting at most " +
		plan.Percent(p.MaxSlippageBps) + " less than the quote."
	return p, nil
}

// FromEvents implements plan.Adapter: the pools that FlowX says it swapped in.
func (*Adapter) FromEvents(account sui.Address, events []sui.Event) (plan.Reported, error) {
	swaps, err := flowx.Swaps(events, account)
	var reported plan.Reported
	for _, s := range swaps {
		reported.Actions = append(reported.Actions, plan.Action{Terms: []plan.Term{inPool(s.Pool)}, Events: []int{s.At}})
		reported.All = append(reported.All, s.At)
	}
	return reported, err
}

func asset(c coins.Coin) plan.Asset {
	return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
}

func coin(a plan.Asset) coins.Coin {
	c, _ := coins.ByType(a.CoinType)
	return c
}
