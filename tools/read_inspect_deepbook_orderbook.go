package tools

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type orderbookIn struct {
	Pool  poolKey    `json:"poolKey" description:"such as SUI_USDC"`
	Ticks levelCount `json:"ticks" default:"5" description:"levels of each side"`
}

type orderbookOut struct {
	Network    string          `json:"network" description:"network of this server"`
	Pool       pool            `json:"pool" description:"pool that was read"`
	Direction  string          `json:"priceDirection" description:"quote coins per base coin"`
	Semantics  priceSemantics  `json:"priceSemantics" description:"meaning and limits of the prices"`
	BestBid    level           `json:"bestBid" description:"highest price that is bid"`
	BestAsk    level           `json:"bestAsk" description:"lowest price that is asked"`
	Spread     sui.Decimal     `json:"spread" description:"best ask minus best bid, exact"`
	Mid        sui.Decimal     `json:"midPrice" description:"the pool's own mid price"`
	BidDepth   depth           `json:"bidDepth" description:"sum of the listed bids"`
	AskDepth   depth           `json:"askDepth" description:"sum of the listed asks"`
	Bids       []level         `json:"bids" description:"listed bids, highest price first"`
	Asks       []level         `json:"asks" description:"listed asks, lowest price first"`
	Parameters bookParameters  `json:"poolBookParams" description:"sizes and fees of the pool"`
	OneState   bool            `json:"oneState" description:"levels, mid price and parameters come from one simulated transaction"`
	Source     evidence.Source `json:"source" description:"where the book came from"`
	FetchedAt  time.Time       `json:"fetchedAt" description:"time this machine received the response, UTC; does not prove freshness"`
}

// readInspectDeepbookOrderbook returns the top levels of one pool's order book. Sums cover only the
// listed levels, not the whole book.
func readInspectDeepbookOrderbook(b book, network string) tool.Tool {
	given := func(name, situation string, code fault.Code) tool.Example {
		return tool.Example{Name: name, Given: situation, In: `{"poolKey":"SUI_USDC"}`, Fault: code}
	}
	return tool.Declare(tool.Spec[orderbookIn, orderbookOut]{
		Name:    toolOrderbook,
		Title:   "Inspect DeepBook order book",
		Summary: "Returns the best price levels of a DeepBook pool, its spread, depth and parameters, all from one moment.",
		Effect:  tool.ReadsChain,
		Errors:  chainErrors(),
		Cases: []tool.Case[orderbookOut]{{
			Name: "book",
			Use: evidence.Use{
				Can:    evidence.Claims{evidence.BookSnapshot, evidence.PoolMidPrice},
				Cannot: notMoreThanAPrice(),
				Answer: []string{"pool.key", "bestBid.price", "bestAsk.price", "spread", "midPrice", "bidDepth", "askDepth",
					"bids", "asks", "priceSemantics.unit", "fetchedAt"},
				Rules:      []string{"priceSemantics.allowedUse", "priceDirection", "bidDepth.levels", "askDepth.levels"},
				Diagnostic: []string{"source", "poolBookParams", "oneState", "pool.id"},
				Next: evidence.Ask("read.quote_deepbook_display_amount", "It quotes what an amount would get; a book does not.").
					Reading("quote.quoteOut", "quote.baseOut"),
			},
		}},
		Examples: []tool.Example{
			{Name: "SUI in USDC", Given: givenNothing, In: `{"poolKey":"SUI_USDC","ticks":10}`, Case: "book"},
			{Name: "too many levels", Given: givenNothing, In: `{"poolKey":"SUI_USDC","ticks":51}`, Fault: fault.InputInvalid},
			{Name: "unknown pool", Given: givenNothing, In: `{"poolKey":"NOPE_USDC"}`, Fault: fault.RegistryMiss},
			given("retired versions", givenNoVersion, fault.QuoteUnavailable),
			given("node down", givenNodeDown, fault.ProviderUnavailable),
			given("node refuses", givenNodeRefuses, fault.ProviderRefused),
			given("node lies", givenNodeLies, fault.ProviderMismatch),
		},
		Run: func(c tool.Call, in orderbookIn) (orderbookOut, error) {
			book, err := b.OrderBook(c.Context(), string(in.Pool), int(in.Ticks))
			if err != nil {
				return orderbookOut{}, err
			}
			out := orderbookOut{
				Network: network, Pool: poolOf(book.Pool), Direction: "quote_per_base",
				Semantics: priceSemantics{"deepbook_order_book_snapshot", book.Pool.Quote.Symbol + " per " + book.Pool.Base.Symbol,
					"listed_levels_of_one_pool_at_one_moment"},
				Spread: book.Spread().Decimal(book.Pool.PriceDecimals()), Mid: book.Mid.Decimal(book.Pool.PriceDecimals()),
				BidDepth: depthOf(book, book.Bids), AskDepth: depthOf(book, book.Asks),
				Bids: levelsOf(book, book.Bids), Asks: levelsOf(book, book.Asks),
				Parameters: parametersOf(book), OneState: true,
				Source: sourceOf(book.Source, book.Function), FetchedAt: readAt(book.At),
			}
			out.BestBid, out.BestAsk = out.Bids[0], out.Asks[0]
			return out, nil
		},
	})
}
