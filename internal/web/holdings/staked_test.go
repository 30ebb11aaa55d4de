package holdings

import (
	"context"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

// onlySUI values one SUI at 3 USDC and has no other prices.
type onlySUI struct{}

func (onlySUI) InUSDC(_ context.Context, c coins.Coin) (listing.Price, bool) {
	return listing.Price{USDC: "3", Of: func(r sui.Raw) (sui.Raw, bool) { return r * 3 / 1000, true }}, c.Type == sui.SUI
}

// TestLentLines checks that a supply is valued only if the price of that exact coin is known.
// Receipts and debts never have a value.
func TestLentLines(t *testing.T) {
	p := &page{Config: Config{Prices: onlySUI{}}}
	deep, err := coins.Find("DEEP")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lent Lent
		want lentLine
	}{
		"a claim": {Lent{Protocol: "NAVI", Coin: sui.SUI, Supplied: "2"},
			lentLine{"SUI", "About 2 SUI supplied to NAVI", "6"}},
		"a claim without a price": {Lent{Protocol: "NAVI", Coin: deep.Type, Supplied: "2"},
			lentLine{"DEEP", "About 2 DEEP supplied to NAVI", ""}},
		"receipts": {Lent{Protocol: "Suilend", Coin: sui.SUI, Supplied: "2", Receipts: true},
			lentLine{"SUI", "2 receipts for SUI in Suilend", ""}},
		"a debt": {Lent{Protocol: "Suilend", Coin: sui.SUI, Borrowed: "5"},
			lentLine{"SUI", "About 5 SUI owed to Suilend", ""}},
		"both": {Lent{Protocol: "Suilend", Coin: sui.SUI, Supplied: "2", Borrowed: "5", Receipts: true},
			lentLine{"SUI", "2 receipts for SUI in Suilend. About 5 SUI owed to Suilend", ""}},
	} {
		if got := p.lineOfLent(t.Context(), c.lent); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
