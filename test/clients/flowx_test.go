//go:build clients

package clients_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/sandbox/clmm"
)

// TestFlowx lets FlowX's own client ask the sandbox's quoter, and compares its
// constants, its tick arithmetic and its reading of the answer with ours.
func TestFlowx(t *testing.T) {
	_, url := serve(t)
	x, y := registry.Coins()[0], registry.Coins()[1]
	random := rand.New(rand.NewPCG(5, 6))
	ask := struct {
		Fees  []uint64 `json:"fees"`
		Ticks []int32  `json:"ticks"`
	}{Ticks: []int32{clmm.MinTick, clmm.MinTick + 1, -66473, -1, 0, 1, 66473, clmm.MaxTick - 1, clmm.MaxTick}}
	for _, p := range registry.Pools() {
		ask.Fees = append(ask.Fees, p.Fee)
	}
	for range 500 {
		ask.Ticks = append(ask.Ticks, random.Int32N(2*clmm.MaxTick)-clmm.MaxTick)
	}
	question, err := json.Marshal(ask)
	if err != nil {
		t.Fatal(err)
	}
	var theirs struct {
		Asked, Source, Package, Registry, Versioned, PoolType, CoinX string
		Spacings                                                     []uint32
		Prices                                                       []string
		Ticks                                                        []int32
		Quote                                                        struct {
			Routes, Hops              int
			AmountIn, AmountOut, Pool string
			XForY                     bool
			Fee                       uint64
			Config                    map[string]string
		}
	}
	const amount = "10000000000"
	node(t, &theirs, question, "flowx.mjs", url, string(x.Type), string(y.Type), amount)
	t.Run("R004-96 the pins are the official client's constants", func(t *testing.T) {
		if theirs.Package != registry.Package.String() || theirs.Registry != registry.Object.String() ||
			theirs.Versioned != registry.Versioned.String() || theirs.PoolType != registry.OriginalPackage.String()+
			"::pool::Pool" ||
			theirs.CoinX != string(x.Type) || theirs.Asked != quoter.DefaultURL+quoter.Path || theirs.Source != quoter.Source {
			t.Errorf("theirs are %+v", theirs)
		}
		for i, p := range registry.Pools() {
			if theirs.Spacings[i] != p.TickSpacing {
				t.Errorf("%s: tick spacing %d there", p.Key(), theirs.Spacings[i])
			}
		}
	})
	t.Run("prices at ticks", func(t *testing.T) {
		for i, tick := range ask.Ticks {
			if price := clmm.PriceAt(tick); price.String() != theirs.Prices[i] || clmm.TickAt(price) != theirs.Ticks[i] {
				t.Fatalf("tick %d: price %s here, %s there, tick %d there", tick, price, theirs.Prices[i], theirs.Ticks[i])
			}
		}
	})
	t.Run("one answer is read alike", func(t *testing.T) {
		c, err := quoter.New(quoter.Config{URL: url, Now: func() time.Time { return present }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		ours, err := c.Quote(context.Background(), quoter.Request{From: x, To: y, Amount: 10_000_000_000})
		if err != nil {
			t.Fatal(err)
		}
		q, leg := theirs.Quote, ours.Legs[0]
		if q.Routes != 1 || q.Hops != 1 || q.AmountIn != amount || q.AmountOut != ours.Out.String() ||
			q.Pool != leg.Pool.ID.String() ||
			q.XForY != leg.XForY || q.Fee != leg.Pool.Fee ||
			q.Config["wrappedRouterPackageId"] != registry.WrappedRouter.String() {
			t.Errorf("theirs %+v, ours %+v", q, ours)
		}
	})
}
