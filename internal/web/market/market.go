// Package market reads the market data that the review page draws for a DeepBook market: the order
// book, from a node, and the prices of one day, from the indexer.
//
// It formats data for the page, but stores nothing and decides nothing.
package market

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/draw"
)

// Number of price levels on each side, and of candles in a day.
const (
	levels   = 20
	interval = indexer.Interval("15m")
	candles  = int(24 * time.Hour / (15 * time.Minute))
)

// Books reads order books. deepbook.Reader implements it.
type Books interface {
	OrderBook(ctx context.Context, poolKey string, levels int) (deepbook.Book, error)
}

// Prices reads past prices. indexer.Client implements it.
type Prices interface {
	History(ctx context.Context, s indexer.Span) (indexer.History, error)
}

// Pictures returns the market data for the review page. It is safe for concurrent use if its
// sources are.
type Pictures struct {
	books  Books
	prices Prices
}

// New returns Pictures from both sources.
func New(books Books, prices Prices) *Pictures { return &Pictures{books, prices} }

// known returns a pinned pool. It returns fault.RegistryMiss if the key and the id do not belong to
// the same pool.
func known(key string, id sui.ObjectID) (registry.Pool, error) {
	pool, err := registry.FindPool(key)
	if err == nil && pool.ID != id {
		err = fault.New(fault.RegistryMiss, "The market %s is not the pinned one.", key)
	}
	return pool, err
}

// Book returns the order book of a review's market.
func (p *Pictures) Book(ctx context.Context, key string, id sui.ObjectID) (draw.Book, error) {
	pool, err := known(key, id)
	if err != nil {
		return draw.Book{}, err
	}
	b, err := p.books.OrderBook(ctx, pool.Key, levels)
	if err != nil {
		return draw.Book{}, err
	}
	offers := func(list []deepbook.Level) (out []draw.Offer) {
		for _, l := range list {
			out = append(out, draw.Offer{Price: l.Price.Decimal(pool.PriceDecimals()),
				Amount: l.Quantity.Decimal(pool.Base.Decimals)})
		}
		return out
	}
	return draw.Book{
		Source: "the DeepBook market " + pool.Key, Base: asset(pool.Base), Quote: asset(pool.Quote),
		Middle: b.Mid.Decimal(pool.PriceDecimals()), Bids: offers(b.Bids), Asks: offers(b.Asks), At: b.At,
	}, nil
}

// Past returns past prices of a review's market. The price of a candle is that of its last trade.
func (p *Pictures) Past(ctx context.Context, key string, id sui.ObjectID) (draw.PastPrices, error) {
	pool, err := known(key, id)
	if err != nil {
		return draw.PastPrices{}, err
	}
	h, err := p.prices.History(ctx, indexer.Span{Pool: pool.Key, Interval: interval, Most: candles})
	if err != nil {
		return draw.PastPrices{}, err
	}
	out := draw.PastPrices{
		Source: "the DeepBook indexer", Base: asset(pool.Base), Quote: asset(pool.Quote), From: h.From, To: h.To, At: h.At,
	}
	for i, c := range h.Candles {
		at := c.Closes
		if h.At.Before(at) {
			at = h.At
		}
		out.Points = append(out.Points, draw.PastPrice{At: at, Price: c.Close, Apart: i > 0 &&
			!c.Opens.Equal(h.Candles[i-1].Closes)})
	}
	return out, nil
}

// Recent returns the lowest and the highest price at which a pinned market of a pair traded in the last
// 24 hours. It returns fault.QuoteUnavailable without such a market or a trade.
func (p *Pictures) Recent(ctx context.Context, base, quote sui.CoinType) (low, high sui.Decimal, err error) {
	i := slices.IndexFunc(registry.Pools(), func(p registry.Pool) bool {
		return p.Base.Type == base &&
			p.Quote.Type == quote
	})
	if i < 0 {
		return "", "", fault.New(fault.QuoteUnavailable, "No pinned market for this pair has past prices.")
	}
	h, err := p.prices.History(ctx, indexer.Span{Pool: registry.Pools()[i].Key, Interval: interval, Most: candles})
	if err != nil {
		return "", "", err
	}
	for _, c := range h.Candles {
		if low == "" || under(c.Low, low) {
			low = c.Low
		}
		if high == "" || under(high, c.High) {
			high = c.High
		}
	}
	if low == "" {
		return "", "", fault.New(fault.QuoteUnavailable, "Nothing was traded on this market in the last 24 hours.")
	}
	return low, high, nil
}

// DayBefore returns the price in USDC at which a coin traded 24 hours ago. It returns false if the
// indexer does not know it.
func (p *Pictures) DayBefore(ctx context.Context, coin coins.Coin) (sui.Decimal, bool) {
	usdc, ok := coins.BySymbol("USDC")
	if !ok {
		return "", false
	}
	pool, d, err := registry.Direct(coin, usdc)
	if err != nil || d != registry.BaseToQuote {
		return "", false
	}
	h, err := p.prices.History(ctx, indexer.Span{Pool: pool.Key, Interval: interval, Most: candles})
	if err != nil || len(h.Candles) == 0 || h.Candles[0].Opens.Sub(h.From) > time.Hour {
		return "", false
	}
	return h.Candles[0].Open, true
}

// under reports whether price a is below b. It is false if either is missing.
func under(a, b sui.Decimal) bool {
	x, ok := plan.Rational(a)
	y, both := plan.Rational(b)
	return ok && both && x.Cmp(y) < 0
}

func asset(c coins.Coin) plan.Asset {
	return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
}
