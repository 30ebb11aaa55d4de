package swap

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

// The adapter's own stages.
const (
	StageIntent review.StageID = "intent_normalized"
	StagePool   review.StageID = "pool_resolved"
	StageQuote  review.StageID = "quote_evidence_fetched"
	StagePolicy review.StageID = "quote_policy_derived"
)

const (
	prefix   = "deepbook"
	protocol = "DeepBookV3"
)

// Source reads one pool: deepbook.Reader. Transport trouble is
// fault.ProviderUnavailable; a pool that gives no price is fault.QuoteUnavailable.
type Source interface {
	// Snapshot quotes an amount and reads the pool's parameters and middle
	// price, all from one state of the chain.
	Snapshot(ctx context.Context, q deepbook.Request) (deepbook.Snapshot, error)
}

// Adapter prepares DeepBook swaps. It implements review.Adapter.
type Adapter struct{ source Source }

// New gives an Adapter that quotes from source.
func New(source Source) *Adapter { return &Adapter{source: source} }

// Meta implements review.Adapter.
func (*Adapter) Meta() review.Meta {
	return review.Meta{
		Action: "swap", Slug: "deep", Protocol: protocol, AdapterID: "deepbook-swap",
		StageCatalog: "deepbook_swap_review_v1", CheckPrefix: prefix,
		Stages: []review.StageID{StageIntent, StagePool, StageQuote, StagePolicy},
	}
}

// Plan implements review.Adapter: it resolves both symbols and the pool from
// the pinned registry and reads the amount exactly. Errors name the field.
func (*Adapter) Plan(in review.Intent, _ time.Time) (review.Plan, error) {
	if err := in.Only("from", "to", "maxSlippageBps", "feeMode"); err != nil {
		return review.Plan{}, err
	}
	from, err := coin("intent.from.symbol", in.From.Symbol)
	if err != nil {
		return review.Plan{}, err
	}
	to, err := coin("intent.to.symbol", in.To.Symbol)
	if err != nil {
		return review.Plan{}, err
	}
	pool, _, err := registry.Direct(from, to)
	if err != nil {
		return review.Plan{}, review.AtField("intent.to.symbol", err)
	}
	input, err := review.ReadAmount("intent.from.amount", in.From.Amount, asset(from))
	if err != nil {
		return review.Plan{}, err
	}
	if in.MaxSlippageBps < review.LeastSlippageBps || in.MaxSlippageBps > review.MostSlippageBps {
		return review.Plan{}, fault.New(fault.InputInvalid, "maxSlippageBps is a whole number from %d to %d; 100 is one percent.",
			review.LeastSlippageBps, review.MostSlippageBps).With("field", "intent.maxSlippageBps")
	}
	mode, err := feeMode(in.FeeMode)
	if err != nil {
		return review.Plan{}, err
	}
	p := review.Plan{
		Route: pool.Key, From: asset(from), To: asset(to), Input: input,
		MaxSlippageBps: in.MaxSlippageBps, FeeMode: mode,
	}
	p.Title = "Swap " + p.Input.String() + " to " + to.Symbol
	p.Asked = "swap " + p.Input.String() + " to " + to.Symbol + ", at most " + percent(in.MaxSlippageBps) + " below the quote"
	p.Summary = "Swap " + p.Input.String() + " to " + to.Symbol + " in the DeepBook pool " + pool.Key +
		", accepting at most " + percent(in.MaxSlippageBps) + " less than the quote."
	p.Notes = []review.Check{planNote(mode, from.Symbol)}
	return p, nil
}

func coin(field, symbol string) (registry.Coin, error) {
	if symbol == "" {
		return registry.Coin{}, fault.New(fault.InputInvalid, "The coin's symbol is missing.").With("field", field)
	}
	c, err := registry.FindCoin(symbol)
	return c, review.AtField(field, err)
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

func asset(c registry.Coin) review.Asset {
	return review.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
}

// percent shows basis points exactly, as in 0.5 %.
func percent(bps int) string { return string(sui.Raw(bps).Decimal(2)) + " %" }
