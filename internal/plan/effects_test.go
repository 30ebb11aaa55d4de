package plan

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// The name of a coin that is lost unasked does not hang on the order of maps.
func TestOtherLossIsNamedAlike(t *testing.T) {
	own := sui.MustAddress("0xa")
	var e sui.Effects
	for _, coin := range []sui.CoinType{"0x9::c::C", "0x8::b::B", "0x7::a::A"} {
		e.Balances = append(e.Balances, sui.BalanceChange{Owner: own, Coin: coin, Amount: sui.Delta{Negative: true,
			Amount: 1}})
	}
	for range 50 {
		if v := (Promise{}).Happened(Observe(own, e)); v.Lost != "0x7::a::A" {
			t.Fatalf("%q", v.Lost)
		}
	}
}
