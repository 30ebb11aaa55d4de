package market_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/web/market"
)

var day = time.Date(2026, 1, 30, 12, 7, 0, 0, time.UTC)

// TestPicturesOfEveryMarket compares the book and candles for drawing with the results of the
// readers, on a served chain.
func TestPicturesOfEveryMarket(t *testing.T) {
	now := func() time.Time { return day }
	_, url := sandboxtest.Serve(t, sandbox.Config{Now: now, Seed: 1})
	node, err := rpc.New(rpc.Config{URL: url, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	past, err := indexer.New(indexer.Config{URL: url, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer past.Close()
	reader := deepbook.New(deepbook.Config{Chain: node, Now: now})
	p := market.New(reader, past)
	for _, pool := range registry.Pools()[:4] {
		b, err := p.Book(t.Context(), pool.Key, pool.ID)
		if err != nil {
			t.Fatal(pool.Key, err)
		}
		read, err := reader.OrderBook(t.Context(), pool.Key, 20)
		if err != nil || b.Middle != read.Mid.Decimal(pool.PriceDecimals()) || len(b.Bids) != len(read.Bids) ||
			len(b.Asks) != len(read.Asks) ||
			string(b.Base.CoinType) != string(pool.Base.Type) || b.At.IsZero() {
			t.Errorf("%s: %v %+v", pool.Key, err, b)
		}
		for i, l := range read.Asks {
			if a := b.Asks[i]; a.Price != l.Price.Decimal(pool.PriceDecimals()) ||
				a.Amount != l.Quantity.Decimal(pool.Base.Decimals) {
				t.Errorf("%s: ask %d is %v, not %v", pool.Key, i, a, l)
			}
		}
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	prices, err := p.Past(t.Context(), pool.Key, pool.ID)
	if err != nil {
		t.Fatal(err)
	}
	h, err := past.History(t.Context(), indexer.Span{Pool: pool.Key, Interval: "15m", Most: 96})
	if err != nil || len(h.Candles) < 2 || len(prices.Points) != len(h.Candles) ||
		prices.To.Sub(prices.From) != 24*time.Hour {
		t.Fatalf("%v, %d candles, %d prices", err, len(h.Candles), len(prices.Points))
	}
	for i, c := range h.Candles {
		apart := i > 0 && !h.Candles[i-1].Closes.Equal(c.Opens)
		if one := prices.Points[i]; one.Price != c.Close || one.Apart != apart || one.At.After(day) ||
			one.At.After(c.Closes) {
			t.Errorf("price %d is %+v of %+v", i, one, c)
		}
	}
}

// asked is a source that fails the test if it is queried.
type asked struct{ t *testing.T }

func (a asked) OrderBook(context.Context, string, int) (deepbook.Book, error) {
	a.t.Error("a node was asked")
	return deepbook.Book{}, errors.New("asked")
}

func (a asked) History(context.Context, indexer.Span) (indexer.History, error) {
	a.t.Error("the indexer was asked")
	return indexer.History{}, errors.New("asked")
}

// TestPicturesOfOtherMarkets checks that nothing is drawn for a market that only shares the key of
// a pinned one, or whose key is unknown.
func TestPicturesOfOtherMarkets(t *testing.T) {
	p := market.New(asked{t}, asked{t})
	pool, _ := registry.PoolByKey("SUI_USDC")
	for key, id := range map[string]sui.ObjectID{pool.Key: sui.MustAddress("0x7"), "NO_MARKET": pool.ID, "": {}} {
		if _, err := p.Book(t.Context(), key, id); !fault.Is(err, fault.RegistryMiss) {
			t.Errorf("%q: %v", key, err)
		}
		if _, err := p.Past(t.Context(), key, id); !fault.Is(err, fault.RegistryMiss) {
			t.Errorf("%q: %v", key, err)
		}
	}
}
