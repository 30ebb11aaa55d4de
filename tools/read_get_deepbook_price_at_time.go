package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type priceAtTimeIn struct {
	Pool     poolKey        `json:"poolKey" description:"such as SUI_USDC"`
	At       moment         `json:"at" description:"ISO 8601"`
	Interval candleInterval `json:"interval" default:"1m" description:"longer ones reach further back"`
}

// priceSlot is the interval that contains the requested time.
type priceSlot struct {
	Opens  time.Time `json:"openTime" description:"start, UTC"`
	Closes time.Time `json:"closeTime" description:"end, UTC, excluded"`
	State  slotState `json:"state" description:"only final_candle holds a price; no_candle: no trade, or lost by the indexer"`
}

// slotState states what data exists for an interval.
type slotState string

// Values lists the states.
func (slotState) Values() []string {
	return []string{string(indexer.FinalCandle), string(indexer.Running), string(indexer.Unsettled),
		string(indexer.NoCandle)}
}

type priceAtTimeOut struct {
	Network   string         `json:"network" description:"network of this server"`
	Pool      pool           `json:"pool" description:"requested pool"`
	At        time.Time      `json:"at" description:"the moment, UTC"`
	Interval  candleInterval `json:"interval" description:"length of a candle"`
	Direction string         `json:"priceDirection" description:"quote coins per base coin"`
	Semantics priceSemantics `json:"priceSemantics" description:"meaning and limits of the price"`
	Slot      priceSlot      `json:"containingInterval" description:"interval that contains the moment"`
	Basis     string         `json:"priceBasis" description:"close_of_containing_candle, close_of_nearest_final_candle_before, or none_found"`
	Price     sui.Decimal    `json:"price,omitempty" description:"close of the final candle below; absent if none"`
	Candle    *candle        `json:"candle,omitempty" description:"the final candle the price is of; trades at the moment lie between its low and high only if it contains the moment"`
	Age       *int64         `json:"ageSeconds,omitempty" description:"time between the candle's close and the requested time; 0 if it contains that time"`
	Searched  time.Time      `json:"searchedBackTo" description:"start of the candle search, UTC"`
	Source    priceSource    `json:"source" description:"where the price came from"`
	FetchedAt time.Time      `json:"fetchedAt" description:"time this machine received the response, UTC"`
}

// readGetDeepbookPriceAtTime returns one pool's price at a past time. It does not use candles that
// can still change.
func readGetDeepbookPriceAtTime(p prices, network string) tool.Tool {
	use := evidence.Use{
		Can:    evidence.Claims{evidence.PastPrice},
		Cannot: notAPastMarket(),
		Answer: []string{"pool.key", "at", "price", "priceBasis", "candle.openTime", "candle.closeTime", "candle.low",
			"candle.high",
			"ageSeconds", "containingInterval", "priceSemantics.unit"},
		Rules: []string{"containingInterval.state", "priceBasis", "source.kind", "priceDirection",
			"priceSemantics.allowedUse"},
		Diagnostic: []string{"source.indexedThrough", "source.finalThrough", "source.precision", "fetchedAt", "pool.id"},
		Next: evidence.Ask(toolPriceHistory, "The candles around that time show how the price moved.").
			With("pool.key", "interval").Reading("candles"),
	}
	before, none := use, use
	before.Can = evidence.Claims{evidence.EarlierPrice}
	before.Cannot = append(evidence.Claims{evidence.PastPrice}, use.Cannot...)
	none.Can = evidence.Claims{evidence.NoPastPrice}
	none.Cannot = append(evidence.Claims{evidence.PastPrice}, use.Cannot...)
	none.Answer = []string{"pool.key", "at", "priceBasis", "containingInterval", "searchedBackTo"}
	example := func(name, given, at, use string) tool.Example {
		return tool.Example{Name: name, Given: given, In: `{"poolKey":"SUI_USDC","at":"` + at + `"}`, Case: use}
	}
	return tool.Declare(tool.Spec[priceAtTimeIn, priceAtTimeOut]{
		Name:    toolPriceAtTime,
		Toolset: toolsetPrices,
		Title:   "Get DeepBook price at a time",
		Summary: "Returns a pool's past price from the official indexer: from the final candle at that time or the " +
			"nearest earlier one.",
		Effect: tool.ReadsChain,
		Errors: priceErrors(),
		Cases: []tool.Case[priceAtTimeOut]{
			{Name: "at", When: func(o priceAtTimeOut) bool { return o.Slot.State == slotState(indexer.FinalCandle) }, Use: use},
			{Name: "before", When: func(o priceAtTimeOut) bool { return o.Candle != nil }, Use: before},
			{Name: "none", Use: none},
		},
		Examples: append([]tool.Example{
			example("before all trades", givenNothing, "2020-01-01T00:00:00Z", "none"),
			example("a traded minute", givenPast, "<aMinuteThatHadTrades>", "at"),
			example("a minute without trade", givenPast, "<aMinuteWithoutTrades>", "before"),
			example("this minute", givenPast, "<theMinuteThatIsRunning>", "before"),
			example("no trade", givenIndexerSilent, "2026-01-30T12:00:00Z", "none"),
			{Name: "the future", Given: givenNothing, In: `{"poolKey":"SUI_USDC","at":"2199-01-01T00:00:00Z"}`,
				Fault: fault.InputInvalid},
			{Name: "no time zone", Given: givenNothing, In: `{"poolKey":"SUI_USDC","at":"2026-01-30T12:00:00"}`,
				Fault: fault.InputInvalid},
		}, priceExamples(`,"at":"2026-01-30T12:00:00Z"`)...),
		Run: func(c tool.Call, in priceAtTimeIn) (priceAtTimeOut, error) {
			at, err := in.At.read("at")
			if err != nil {
				return priceAtTimeOut{}, err
			}
			m, err := p.Moment(c.Context(), string(in.Pool), indexer.Interval(in.Interval), at)
			if err != nil {
				return priceAtTimeOut{}, err
			}
			return momentOf(m, network), nil
		},
	})
}

func momentOf(m indexer.Moment, network string) priceAtTimeOut {
	out := priceAtTimeOut{
		Network: network, Pool: poolOf(m.Pool), At: m.Asked, Interval: candleInterval(m.Interval),
		Direction: "quote_per_base",
		Semantics: pastSemantics(m.Source, "deepbook_pool_past_trade_price"), Slot: priceSlot{m.Opens, m.Closes,
			slotState(m.State)},
		Basis: "none_found", Searched: m.Searched, Source: priceSourceOf(m.Source), FetchedAt: m.At,
	}
	if m.Found == nil {
		return out
	}
	out.Basis = "close_of_nearest_final_candle_before"
	if m.State == indexer.FinalCandle {
		out.Basis = "close_of_containing_candle"
	}
	found, age := candleOf(*m.Found), int64(m.Age()/time.Second)
	out.Price, out.Candle, out.Age = found.Close, &found, &age
	return out
}
