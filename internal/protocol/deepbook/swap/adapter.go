package swap

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/venue"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Source reads one pool. deepbook.Reader implements it. Transport failures are
// fault.ProviderUnavailable. A pool without a price is fault.QuoteUnavailable.
type Source interface {
	// Snapshot quotes an amount and reads the pool's parameters and mid price, all from one state of
	// the chain.
	Snapshot(ctx context.Context, q deepbook.Request) (deepbook.Snapshot, error)
}

const prefix = "deepbook"

func here() venue.Venue {
	return venue.Venue{
		Slug: "deep", Protocol: "DeepBookV3", Label: "DeepBook", Prefix: prefix, Pools: "pool_resolved",
		Finding:  "Finding the market",
		Packages: registry.PackageIDs(), Functions: []string{"pool::" + sellFunction, "pool::" + buyFunction},
		Coin: func(symbol string) (plan.Asset, error) {
			c, err := coins.Find(symbol)
			return venue.Asset(c), err
		},
		Route: func(from, to plan.Asset) (string, error) {
			pool, _, err := registry.Direct(venue.Pinned(from), venue.Pinned(to))
			return pool.Key, err
		},
		Mode:      feeMode,
		Where:     func(p plan.Plan) string { return "the DeepBook pool " + p.Route },
		QuoteTool: "read.quote_deepbook_display_amount",
		Besides: "The fee is taken from the coin that is paid; set intent.feeMode deep only if the person wants to pay " +
			"it in DEEP and holds some.",
	}
}

// Adapter prepares DeepBook swaps. It implements plan.Adapter.
type Adapter struct {
	venue.Adapter
	source Source
}

// New returns an Adapter that quotes from source.
func New(source Source) *Adapter {
	return &Adapter{source: source, Adapter: venue.Adapter{Venue: here(), Begin: func(p plan.Plan) venue.Swap {
		return &work{source: source, plan: p}
	}}}
}

// Plan implements plan.Adapter. It records how the fee will be paid.
func (a *Adapter) Plan(in plan.Intent, now time.Time) (plan.Plan, error) {
	p, err := a.Adapter.Plan(in, now)
	if err == nil {
		p.Notes = []plan.Check{planNote(p.FeeMode, p.Input().Symbol)}
	}
	return p, err
}

// ReportResult implements plan.ResultReporter. It reports the fee, which is not a separate balance
// change if it is taken from the coin that is paid. The rest of the result follows from the promise.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	fee, ok := deepbook.SwapFee(e.Events, e.Sender, s.RouteID)
	coin, known := coins.ByType(fee.Coin)
	if !ok || !known {
		return plan.Result{}
	}
	return plan.Result{Fees: []plan.Amount{venue.Asset(coin).Of(fee.Amount)}}
}

// FromEvents implements plan.Adapter. Only balance changes report a swap.
func (*Adapter) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) {
	return plan.Reported{}, nil
}

// feeMode reads the fee mode of an intent.
func feeMode(mode string) (string, error) {
	switch mode {
	case "", modeInput:
		return modeInput, nil
	case modeDeep:
		return modeDeep, nil
	}
	return "",
		fault.New(fault.InputInvalid,
			"feeMode is input (the fee is taken from the coin that is paid; the default) or deep "+
				"(the fee is paid separately in DEEP).")
}
