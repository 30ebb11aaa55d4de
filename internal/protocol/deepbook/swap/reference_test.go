package swap_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestReferencePrice(t *testing.T) {
	of := func(symbol string) plan.Asset {
		c, _ := coins.BySymbol(symbol)
		return plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	}
	const lot, least, mid = 100_000_000, 1_000_000_000, 3_000_000
	for _, c := range []struct {
		name         string
		in           plan.Amount
		out          plan.Asset
		got, unspent sui.Raw
		mid          sui.Raw
		err          error
		want         sui.Decimal // "" for none
	}{
		{name: "a sale", in: of("SUI").Of(10_000_000_000), out: of("USDC"), got: 29_900_000, mid: mid, want: "3"},
		{name: "a purchase", in: of("USDC").Of(30_000_000), out: of("SUI"), got: 9_990_000_000, mid: mid,
			want: "0.333333333333333333333333"},
		{name: "the price moves a hundredth", in: of("SUI").Of(10_000_000_000), out: of("USDC"), got: 29_700_000, mid: mid,
			want: "3"},
		{name: "and a little more", in: of("SUI").Of(10_000_000_000), out: of("USDC"), got: 29_699_999, mid: mid},
		{name: "the rest of a lot comes back", in: of("SUI").Of(1_050_000_000), out: of("USDC"), got: 2_990_000,
			unspent: 50_000_000, mid: mid, want: "3"},
		{name: "the book is too thin", in: of("SUI").Of(10_000_000_000), out: of("USDC"), got: 26_900_000,
			unspent: 1_000_000_000, mid: mid},
		{name: "nothing is traded", in: of("SUI").Of(10_000_000_000), out: of("USDC"), unspent: 10_000_000_000, mid: mid},
		{name: "an empty side", in: of("SUI").Of(10_000_000_000), out: of("USDC"), got: 29_900_000},
		{name: "no such market", in: of("USDC").Of(10), out: of("WETH"), got: 1, mid: mid},
		{name: "a coin that is not known", in: plan.Asset{Symbol: "X", CoinType: "0x5::x::X"}.Of(10), out: of("SUI"), got: 1,
			mid: mid},
		{name: "an outage", in: of("SUI").Of(10_000_000_000), out: of("USDC"), err: fault.New(fault.ProviderUnavailable,
			"no")},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := swap.New(pool{snapshot: snapshot(c.got, c.unspent, 0, lot, least, c.mid), err: c.err})
			got, err := a.ReferencePrice(t.Context(), sui.Address{}, c.in, c.out)
			switch {
			case c.want == "" && c.err == nil && !fault.Is(err, fault.QuoteUnavailable), c.want == "" && err == nil:
				t.Errorf("%+v %v", got, err)
			case c.want != "" && (err != nil || got.Price != c.want || got.Venue != "DeepBook" || got.Pool != "SUI_USDC"):
				t.Errorf("%+v %v", got, err)
			}
		})
	}
}
