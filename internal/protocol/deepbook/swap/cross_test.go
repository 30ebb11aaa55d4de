package swap_test

import (
	"context"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// books holds markets that trade at their mid price, minus an impact. A pair without an entry has no
// market.
type books map[string]book

type book struct {
	mid    sui.Raw
	impact sui.Raw // basis points
	least  sui.Raw // raw input below which nothing is traded
}

func (b books) Snapshot(_ context.Context, q deepbook.Request) (deepbook.Snapshot, error) {
	one, ok := b[q.PoolKey]
	if !ok || q.Amount < one.least {
		return deepbook.Snapshot{}, fault.New(fault.QuoteUnavailable, "no")
	}
	out := q.Amount * one.mid / 1_000_000_000
	if q.Direction == registry.QuoteToBase {
		out = q.Amount * 1_000_000_000 / one.mid
	}
	s := snapshot(out-out*one.impact/10_000, 0, 0, 1, 1, one.mid)
	s.Quote.Input, s.Quote.Used = q.Amount, q.Amount
	return s, nil
}

func TestCrossPrice(t *testing.T) {
	of := func(symbol string) plan.Asset {
		c, _ := coins.BySymbol(symbol)
		return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	}
	// 1 SUI is worth 3 USDC through NS, and 4 USDC through DEEP.
	ns, deep := books{"NS_SUI": {mid: 50_000_000_000}, "NS_USDC": {mid: 150_000_000}},
		books{"DEEP_SUI": {mid: 50_000_000_000}, "DEEP_USDC": {mid: 200_000_000}}
	with := func(all ...books) books {
		sum := books{}
		for _, b := range all {
			for key, one := range b {
				sum[key] = one
			}
		}
		return sum
	}
	sui10 := of("SUI").Of(10_000_000_000)
	for name, c := range map[string]struct {
		books books
		in    plan.Amount
		out   plan.Asset
		pools string // "" for none
		price sui.Decimal
	}{
		"over one coin":   {deep, sui10, of("USDC"), "DEEP_SUI and DEEP_USDC", "4"},
		"the best of two": {with(deep, ns), sui10, of("USDC"), "DEEP_SUI and DEEP_USDC", "4"},
		"a shallow leg": {with(deep, books{"DEEP_USDC": {mid: 200_000_000, impact: 101}}), sui10, of("USDC"), "",
			""},
		"a leg with a least size": {with(deep, books{"DEEP_USDC": {mid: 200_000_000, least: 300_000_000}}), sui10,
			of("USDC"), "DEEP_SUI and DEEP_USDC", "4"},
		"one leg is missing":       {books{"DEEP_SUI": {mid: 50_000_000_000}}, sui10, of("USDC"), "", ""},
		"no coin has both markets": {deep, of("BETH").Of(1_000_000), of("USDC"), "", ""},
	} {
		got, err := swap.New(c.books).CrossPrice(t.Context(), sui.Address{}, c.in, c.out)
		if (err != nil) != (c.pools == "") || err != nil && !fault.Is(err, fault.QuoteUnavailable) || got.Pool != c.pools ||
			got.Price != c.price {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}
