package record_test

import (
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestTotalCost adds up gas and market fees by coin.
func TestTotalCost(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	fee := func(raw sui.Raw, of plan.Asset) []plan.Amount { return []plan.Amount{of.Of(raw)} }
	dollars := plan.Asset{Symbol: usdc.Symbol, CoinType: usdc.Type, Decimals: usdc.Decimals}
	gas := &record.Done{Gas: &sui.Delta{Amount: 2_000_000}}
	back := &record.Done{Gas: &sui.Delta{Negative: true, Amount: 3_000_000}}
	for name, c := range map[string]struct {
		steps []*record.Done
		total []string
	}{
		"gas alone":    {[]*record.Done{gas}, nil},
		"in SUI":       {[]*record.Done{gas, {Fees: fee(5_000_000, plan.SUI)}, gas}, []string{"0.009 SUI"}},
		"in two coins": {[]*record.Done{gas, {Fees: fee(1_500_000, dollars)}}, []string{"0.002 SUI", "1.5 USDC"}},
		"no gas":       {[]*record.Done{{Fees: fee(1_500_000, dollars)}}, []string{"1.5 USDC"}},
		"a rebate":     {[]*record.Done{back, {Fees: fee(1_000_000, plan.SUI)}}, []string{"-0.002 SUI"}},
	} {
		if got := record.FeesOf(c.steps); !slices.Equal(got.Total, c.total) {
			t.Errorf("%s: %v, want %v", name, got.Total, c.total)
		}
	}
}
