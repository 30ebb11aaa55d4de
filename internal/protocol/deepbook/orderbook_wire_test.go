package deepbook_test

import (
	"context"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
)

// TestEveryOrderBook compares each order book read over the wire with the sandbox's own book.
func TestEveryOrderBook(t *testing.T) {
	r, _, books := wire(t)
	now := uint64(day.UnixMilli())
	for _, pool := range registry.Pools() {
		book, err := r.OrderBook(context.Background(), pool.Key, deepbook.MostLevels)
		if err != nil {
			t.Errorf("%s: %v", pool.Key, err)
			continue
		}
		bidPrices, bids, askPrices, asks, stopped := books[pool.Key].Level2TicksFromMid(deepbook.MostLevels, now)
		mid, noMid := books[pool.Key].MidPrice(now)
		if stopped != nil || noMid != nil || uint64(book.Mid) != mid || uint64(book.Parameters.Lot) != books[pool.Key].Lot {
			t.Errorf("%s: %v %v, %+v", pool.Key, stopped, noMid, book)
		}
		compare := func(side string, levels []deepbook.Level, prices, quantities []uint64) {
			if len(levels) != len(prices) || len(levels) == 0 {
				t.Errorf("%s has %d %s, want %d", pool.Key, len(levels), side, len(prices))
				return
			}
			for i, l := range levels {
				if uint64(l.Price) != prices[i] || uint64(l.Quantity) != quantities[i] {
					t.Errorf("%s %s %d: %+v", pool.Key, side, i, l)
				}
			}
		}
		compare("bids", book.Bids, bidPrices, bids)
		compare("asks", book.Asks, askPrices, asks)
	}
}
