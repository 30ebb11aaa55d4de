package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type priceHistoryIn struct {
	Pool     poolKey        `json:"poolKey" description:"such as SUI_USDC"`
	Interval candleInterval `json:"interval" default:"1h" brief:"" description:"length of a candle"`
	From     moment         `json:"from,omitempty" description:"ISO 8601"`
	To       moment         `json:"to,omitempty" brief:"" description:"end, excluded, ISO 8601; default: now"`
	Limit    candleCount    `json:"limit" default:"40" brief:"" description:"max intervals"`
}

// priceWindow is the time range of an answer, in whole intervals.
type priceWindow struct {
	From      time.Time  `json:"from" description:"start of the first interval, UTC"`
	To        time.Time  `json:"to" description:"end of the last interval, UTC, excluded"`
	Alignment string     `json:"alignment" description:"how the requested span was rounded to whole intervals"`
	Intervals int        `json:"intervals" description:"how many intervals there are"`
	Clipped   bool       `json:"toClippedToNow" description:"the requested end is in the future"`
	Next      *time.Time `json:"nextFrom,omitempty" description:"where to continue if the limit cut the span"`
}

// priceGap is a sequence of intervals without candles.
type priceGap struct {
	From      time.Time `json:"from" description:"start of the first missing interval, UTC"`
	To        time.Time `json:"to" description:"end of the last missing interval, UTC, excluded"`
	Intervals int       `json:"intervals" description:"how many are missing"`
}

type priceHistoryOut struct {
	Network   string         `json:"network" description:"network of this server"`
	Pool      pool           `json:"pool" description:"requested pool"`
	Interval  candleInterval `json:"interval" description:"length of a candle"`
	Direction string         `json:"priceDirection" description:"quote coins per base coin"`
	Semantics priceSemantics `json:"priceSemantics" description:"meaning and limits of the prices"`
	Window    priceWindow    `json:"window" description:"time range that was read"`
	Complete  bool           `json:"complete" description:"every interval of the requested span has a final candle"`
	Why       []string       `json:"incompleteReasons" description:"why not: intervals_without_candle, running_interval, intervals_not_yet_settled, cut_at_limit"`
	Candles   []candle       `json:"candles" description:"oldest first"`
	Gaps      []priceGap     `json:"gaps" description:"settled intervals without a candle: no trade, or lost by the indexer"`
	Source    priceSource    `json:"source" description:"where the prices came from"`
	FetchedAt time.Time      `json:"fetchedAt" description:"time this machine received the response, UTC"`
}

// readGetDeepbookPriceHistory returns past candles of one pool. It does not fill gaps.
func readGetDeepbookPriceHistory(p prices, network string) tool.Tool {
	use := evidence.Use{
		Can:    evidence.Claims{evidence.PastCandles},
		Cannot: notAPastMarket(),
		Answer: []string{"pool.key", "interval", "window.from", "window.to", "candles", "gaps", "complete",
			"priceSemantics.unit", "fetchedAt"},
		Rules: []string{"complete", "incompleteReasons", "candles[].final", "source.kind", "source.finalThrough",
			"window.toClippedToNow", "window.nextFrom", "priceDirection", "priceSemantics.allowedUse"},
		Diagnostic: []string{"source.indexedThrough", "source.precision", "pool.id"},
		Next: evidence.Ask("read.get_deepbook_mid_price", "It reads the current price from the chain, not from the indexer.").
			With("pool.key").Reading("price"),
	}
	partial := use
	partial.Answer = append([]string{"incompleteReasons"}, use.Answer...)
	example := func(name, given, args, use string) tool.Example {
		return tool.Example{Name: name, Given: given, In: `{"poolKey":"SUI_USDC",` + args + `}`, Case: use}
	}
	return tool.Declare(tool.Spec[priceHistoryIn, priceHistoryOut]{
		Name:    toolPriceHistory,
		Toolset: toolsetPrices,
		Title:   "Get DeepBook price history",
		Summary: "Returns past price candles of a DeepBook pool from the official indexer.",
		Effect:  tool.ReadsChain,
		Errors:  priceErrors(),
		Cases: []tool.Case[priceHistoryOut]{
			{Name: "complete", When: func(o priceHistoryOut) bool { return o.Complete }, Use: use},
			{Name: "partial", Use: partial},
		},
		Examples: append([]tool.Example{
			example("the last hour", givenNothing, `"interval":"1m","limit":60`, "partial"),
			example("whole days", givenPast, `"interval":"1d","from":"<midnightOfAWeekAgo>","to":"<midnightBeforeToday>"`,
				"complete"),
			example("no trade", givenIndexerSilent, `"limit":3`, "partial"),
			{Name: "no moment", Given: givenNothing, In: `{"poolKey":"SUI_USDC","from":"2026-01-30T12:00:00"}`,
				Fault: fault.InputInvalid},
			{Name: "upside down", Given: givenNothing, Fault: fault.InputInvalid,
				In: `{"poolKey":"SUI_USDC","from":"2026-01-31T00:00:00Z","to":"2026-01-30T00:00:00Z"}`},
			{Name: "too many", Given: givenNothing, In: `{"poolKey":"SUI_USDC","limit":501}`, Fault: fault.InputInvalid},
		}, priceExamples("")...),
		Run: func(c tool.Call, in priceHistoryIn) (priceHistoryOut, error) {
			from, err := in.From.read("from")
			if err != nil {
				return priceHistoryOut{}, err
			}
			to, err := in.To.read("to")
			if err != nil {
				return priceHistoryOut{}, err
			}
			h, err := p.History(c.Context(), indexer.Span{Pool: string(in.Pool), Interval: indexer.Interval(in.Interval),
				From: from, To: to, Most: int(in.Limit)})
			if err != nil {
				return priceHistoryOut{}, err
			}
			return historyOf(h, network), nil
		},
	})
}

func historyOf(h indexer.History, network string) priceHistoryOut {
	out := priceHistoryOut{
		Network: network, Pool: poolOf(h.Pool), Interval: candleInterval(h.Interval), Direction: "quote_per_base",
		Semantics: pastSemantics(h.Source, "deepbook_pool_past_candles"),
		Window: priceWindow{From: h.From, To: h.To, Alignment: "widened_to_whole_intervals_utc_weeks_from_monday",
			Intervals: int(h.To.Sub(h.From) / h.Interval.Length()), Clipped: h.Clipped},
		Why: h.Missing(), Candles: []candle{}, Gaps: []priceGap{}, Source: priceSourceOf(h.Source), FetchedAt: h.At,
	}
	out.Complete = len(out.Why) == 0
	if !h.Next.IsZero() {
		out.Window.Next = &h.Next
	}
	for _, k := range h.Candles {
		out.Candles = append(out.Candles, candleOf(k))
	}
	for _, g := range h.Gaps {
		out.Gaps = append(out.Gaps, priceGap{g.From, g.To, g.Intervals})
	}
	return out
}
