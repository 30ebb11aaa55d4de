package orders

import (
	"math/rand/v2"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// The worst price never allows more than the slippage, and is a step of the market.
func TestWorsened(t *testing.T) {
	for _, c := range []struct {
		price, tick uint64
		buys        bool
		bps         int
		want        uint64
		ok          bool
	}{
		{1_000_000, 100, false, 100, 990_000, true}, {1_000_000, 100, true, 100, 1_010_000, true},
		{1_000_100, 100, false, 1, 1_000_000, true}, {1_000_100, 100, true, 1, 1_000_200, true},
		{100, 100, false, 100, 100, true}, {100, 100, true, 100, 100, true},
		{150, 100, false, 100, 0, false}, {150, 100, true, 100, 0, false}, {1<<63 - 1, 1, true, 1, 0, false},
	} {
		if got, ok := worsened(c.price, c.tick, c.buys, c.bps); ok != c.ok || ok && got != c.want {
			t.Errorf("%+v: %d %v", c, got, ok)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		tick := uint64(1 + r.IntN(1000))
		price, bps, buys := tick*uint64(1+r.IntN(1_000_000)), 1+r.IntN(1000), r.IntN(2) == 0
		got, ok := worsened(price, tick, buys, bps)
		worse := (int64(price) - int64(got)) * 10_000
		if buys {
			worse = -worse
		}
		if !ok || got%tick != 0 || worse < 0 || worse > int64(price)*int64(bps) {
			t.Fatalf("%d in steps of %d, %v, %d bps: %d %v", price, tick, buys, bps, got, ok)
		}
	}
}

func TestReach(t *testing.T) {
	side := []deepbook.Level{{Price: 10, Quantity: 5}, {Price: 9, Quantity: 5}}
	for _, c := range []struct{ quantity, last, found sui.Raw }{{1, 10, 1}, {5, 10, 5}, {6, 9, 6}, {11, 9, 10}} {
		if last, found := reach(side, c.quantity); last != c.last || found != c.found {
			t.Errorf("%d: %d %d", c.quantity, last, found)
		}
	}
}
