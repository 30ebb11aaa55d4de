package swap

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// The adapter's own stages.
const (
	StageIntent plan.StageID = "intent_normalized"
	StagePool   plan.StageID = "pool_resolved"
	StageQuote  plan.StageID = "quote_evidence_fetched"
	StagePolicy plan.StageID = "quote_policy_derived"
)

const (
	prefix   = "deepbook"
	protocol = "DeepBookV3"
	label    = "DeepBook"
)

// Source reads one pool: deepbook.Reader. Transport trouble is
// fault.ProviderUnavailable; a pool that gives no price is fault.QuoteUnavailable.
type Source interface {
	// Snapshot quotes an amount and reads the pool's parameters and middle
	// price, all from one state of the chain.
	Snapshot(ctx context.Context, q deepbook.Request) (deepbook.Snapshot, error)
}

// Adapter prepares DeepBook swaps. It implements plan.Adapter.
type Adapter struct{ source Source }

// New returns an Adapter that quotes from source.
func New(source Source) *Adapter { return &Adapter{source: source} }

// Meta implements plan.Adapter.
func (*Adapter) Meta() plan.Meta {
	return plan.Meta{
		Aliases: []string{"swap", "tokenswap", "coinswap", "exchange", "trade"}, Takes: []string{"from", "to", "maxSlippageBps"},
		Action: "swap", Slug: "deep", Protocol: protocol, Label: label, AdapterID: "deepbook-swap",
		StageCatalog: "deepbook_swap_review_v1", CheckPrefix: prefix,
		Stages:   []plan.StageID{StageIntent, StagePool, StageQuote, StagePolicy},
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + sellFunction, "pool::" + buyFunction},
	}
}

// Plan implements plan.Adapter: it resolves both symbols and the pool from
// the pinned registry and reads the amount exactly. Errors name the field.
func (*Adapter) Plan(in plan.Intent, _ time.Time) (plan.Plan, error) {
	if err := in.Only("from", "to", "maxSlippageBps", "feeMode"); err != nil {
		return plan.Plan{}, err
	}
	mode, err := feeMode(in.FeeMode)
	if err != nil {
		return plan.Plan{}, err
	}
	p, err := plan.PlanSwap(in, coin, func(from, to plan.Asset) (string, error) {
		pool, _, err := registry.Direct(pinned(from), pinned(to))
		return pool.Key, err
	})
	if err != nil {
		return plan.Plan{}, err
	}
	p.FeeMode = mode
	p.Summary = "Swap " + p.Input().String() + " to " + p.Output().Symbol + " in the DeepBook pool " + p.Route +
		", accepting at most " + plan.Percent(in.MaxSlippageBps) + " less than the quote."
	p.Notes = []plan.Check{planNote(mode, p.Input().Symbol)}
	return p, nil
}

// ReportResult implements plan.ResultReporter: the fee, which is no change of its own where
// it is taken out of what is paid. The rest is worded by the promise.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	fee, ok := deepbook.SwapFee(e.Events, e.Sender, s.RouteID)
	coin, known := coins.ByType(fee.Coin)
	if !ok || !known {
		return plan.Result{}
	}
	return plan.Result{Fees: []plan.Amount{asset(coin).Of(fee.Amount)}}
}

// FromEvents implements plan.Adapter: a swap is reported by balance changes alone.
func (*Adapter) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}

func coin(symbol string) (plan.Asset, error) {
	c, err := coins.Find(symbol)
	return asset(c), err
}

// pinned returns the coin of the registry that an asset is.
func pinned(a plan.Asset) coins.Coin {
	c, _ := coins.ByType(a.CoinType)
	return c
}

// feeMode reads the fee mode of an intent.
func feeMode(mode string) (string, error) {
	switch mode {
	case "", modeInput:
		return modeInput, nil
	case modeDeep:
		return modeDeep, nil
	}
	return "", fault.New(fault.InputInvalid, "feeMode is input (the fee is taken from the coin that is paid; the default) or deep "+
		"(the fee is paid in DEEP besides).").With("field", "intent.feeMode")
}

func asset(c coins.Coin) plan.Asset {
	return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
}
