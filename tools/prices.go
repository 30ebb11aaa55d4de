package tools

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// Shared code of the tools that read past prices.

// prices reads past prices from DeepBook's indexer.
type prices interface {
	History(ctx context.Context, s indexer.Span) (indexer.History, error)
	Moment(ctx context.Context, pool string, i indexer.Interval, at time.Time) (indexer.Moment, error)
}

const (
	toolPriceHistory = "read.get_deepbook_price_history"
	toolPriceAtTime  = "read.get_deepbook_price_at_time"
)

// candleInterval is the length of a candle.
type candleInterval string

// Values lists the lengths.
func (candleInterval) Values() []string {
	var words []string
	for _, i := range indexer.Intervals() {
		words = append(words, string(i))
	}
	return words
}

// moment is an ISO 8601 time. Its format is checked by read.
type moment string

// Shape implements tool.Shaped.
func (moment) Shape() tool.Shape { return tool.Shape{MinLength: 4, MaxLength: 40} }

func (m moment) read(field string) (time.Time, error) { return instant(m).read(field) }

// candleCount is the number of intervals to return.
type candleCount int64

// Shape implements tool.Shaped.
func (candleCount) Shape() tool.Shape { return tool.Between(1, indexer.MostCandles) }

// candle summarizes the trades of one interval.
type candle struct {
	Opens  time.Time   `json:"openTime" description:"start of the interval, UTC"`
	Closes time.Time   `json:"closeTime" description:"end of the interval, UTC, excluded"`
	Open   sui.Decimal `json:"open" description:"first price"`
	High   sui.Decimal `json:"high" description:"highest price"`
	Low    sui.Decimal `json:"low" description:"lowest price"`
	Close  sui.Decimal `json:"close" description:"last price so far; settled only when final"`
	Volume sui.Decimal `json:"baseVolume" description:"base coins traded"`
	Final  bool        `json:"final" description:"false: the interval runs or settles, and every number can still change"`
}

func candleOf(c indexer.Candle) candle {
	return candle{c.Opens, c.Closes, c.Open, c.High, c.Low, c.Close, c.Volume, c.Final}
}

// priceSource describes where past prices come from and how reliable they are.
type priceSource struct {
	Kind           string    `json:"kind" description:"indexer: reported by a server, not read from the chain"`
	Name           string    `json:"indexerPoolName" description:"the indexer's name for the pool"`
	Precision      string    `json:"precision" description:"how exact the numbers are"`
	IndexedThrough time.Time `json:"indexedThrough" description:"time up to which the indexer reports complete data, UTC"`
	FinalThrough   time.Time `json:"finalThrough" description:"candles that close later can still change, UTC"`
}

func priceSourceOf(s indexer.Source) priceSource {
	return priceSource{"indexer", s.IndexerName, "exact_decimal_as_told_the_indexer_computes_with_doubles",
		s.IndexedThrough, s.Final}
}

// pastSemantics describes what a past price means.
func pastSemantics(s indexer.Source, kind string) priceSemantics {
	return priceSemantics{kind, s.Pool.Quote.Symbol + " per " + s.Pool.Base.Symbol,
		"past_trades_of_one_pool_as_the_indexer_tells"}
}

// notAPastMarket lists conclusions that past prices of one pool do not support.
func notAPastMarket() evidence.Claims {
	return evidence.Claims{evidence.PoolMidPrice, evidence.PresentMarketFacts, evidence.GlobalPrice,
		evidence.MinimumOutput, evidence.FiatCashOut,
		evidence.ProfitAndLoss, evidence.CostBasis, evidence.ChainProof}
}

// priceErrors returns the error codes of reading past prices.
func priceErrors() []fault.Code {
	return []fault.Code{fault.RegistryMiss, fault.QuoteUnavailable, fault.ProviderUnavailable, fault.ProviderRefused,
		fault.ProviderMismatch}
}

// priceExamples returns the error examples of both tools. rest holds the arguments after the pool.
func priceExamples(rest string) []tool.Example {
	args := func(pool string) string { return `{"poolKey":"` + pool + `"` + rest + `}` }
	return []tool.Example{
		{Name: "unknown pool", Given: givenNothing, In: args("NOPE_USDC"), Fault: fault.RegistryMiss},
		{Name: "unknown interval", Given: givenNothing, In: `{"poolKey":"SUI_USDC","interval":"2h"` + rest + `}`,
			Fault: fault.InputInvalid},
		{Name: "indexer down", Given: givenIndexerDown, In: args("SUI_USDC"), Fault: fault.ProviderUnavailable},
		{Name: "indexer refuses", Given: givenIndexerRefuses, In: args("SUI_USDC"), Fault: fault.ProviderRefused},
		{Name: "indexer talks nonsense", Given: givenIndexerNonsense, In: args("SUI_USDC"), Fault: fault.ProviderMismatch},
		{Name: "indexer lacks the pool", Given: givenIndexerEmpty, In: args("SUI_USDC"), Fault: fault.QuoteUnavailable},
	}
}

// Situations of the indexer.
const (
	givenIndexerDown     = "the indexer cannot be reached"
	givenIndexerRefuses  = "the indexer refuses"
	givenIndexerNonsense = "the indexer answers with a page"
	givenIndexerEmpty    = "the indexer lists no pool"
	givenIndexerSilent   = "the indexer knows no trade"
	givenPast            = "moments of the pool's past are known"
)
