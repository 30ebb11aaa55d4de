package swap_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// pools returns fixed pools.
type pools struct {
	list []flowx.Tier
	err  error
}

func (s pools) Tiers(context.Context, sui.Address, coins.Coin, coins.Coin, sui.Raw, *flowx.After) ([]flowx.Tier,
	error) {
	return s.list, s.err
}

func TestReferencePrice(t *testing.T) {
	x, y := registry.Coins()[0], registry.Coins()[1]
	in := plan.Asset{Symbol: x.Symbol, CoinType: x.Type, Decimals: x.Decimals}.Of(1_000_000_000)
	out := plan.Asset{Symbol: y.Symbol, CoinType: y.Type, Decimals: y.Decimals}
	// tier returns a pool at a price of one raw unit for another, which is 1000 USDC per SUI. after is
	// the price's root after the swap, in ten-thousandths of the root before.
	tier := func(i int, after int64, out sui.Raw, liquidity int64) flowx.Tier {
		before := new(big.Int).Lsh(big.NewInt(1), 64)
		moved := new(big.Int).Div(new(big.Int).Mul(before, big.NewInt(after)), big.NewInt(10_000))
		return flowx.Tier{Pool: registry.Pools()[i], Out: out,
			Swap: &flowx.Swapped{Pool: registry.Pools()[i], SellsX: true, Before: before, After: moved,
				Liquidity: big.NewInt(liquidity)}}
	}
	refused, partial, silent := tier(0, 9990, 998_000_000, 9), tier(1, 9990, 998_000_000, 9), tier(2, 9990, 998_000_000, 9)
	refused.Refused, partial.Partial, silent.Swap = "no", true, nil
	for _, c := range []struct {
		name string
		list []flowx.Tier
		err  error
		pool string // "" for none
	}{
		{"one pool", []flowx.Tier{tier(2, 9990, 998_000_000, 5)}, nil, "SUI_USDC_500"},
		{"the one with most liquidity", []flowx.Tier{tier(0, 9990, 999_000_000, 5), tier(3, 9990, 998_000_000, 7),
			tier(1, 9990, 999_000_000, 6)}, nil, "SUI_USDC_1000"},
		{"one that moves by more than a hundredth is none", []flowx.Tier{tier(0, 9949, 996_000_000, 9),
			tier(2, 9990, 998_000_000, 5)}, nil, "SUI_USDC_500"},
		{"one whose output does not fit its price is none", []flowx.Tier{tier(0, 9990, 900_000_000, 9),
			tier(2, 9990, 998_000_000, 5)}, nil, "SUI_USDC_500"},
		{"refused, in part and silent", []flowx.Tier{refused, partial, silent}, nil, ""},
		{"no pools", nil, nil, ""},
		{"an outage", nil, fault.New(fault.ProviderUnavailable, "no"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := swap.New(pools{c.list, c.err}, nil).ReferencePrice(t.Context(), sui.Address{}, in, out)
			switch {
			case c.pool == "" && !fault.Is(err, fault.QuoteUnavailable):
				t.Errorf("%+v %v", got, err)
			case c.pool != "" && (err != nil || got.Pool != c.pool || got.Price != "1000" || got.Venue != "FlowX"):
				t.Errorf("%+v %v", got, err)
			}
		})
	}
}
