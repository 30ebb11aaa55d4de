package swap_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

func TestConformance(t *testing.T) {
	testkit.Adapter(t, time.Now, testkit.Subject{
		Adapter: func(h *testkit.Harness) plan.Adapter { return swap.New(h.Pools) },
		Good: []plan.Intent{
			testkit.Swap("10", "SUI", "USDC"),
			testkit.Swap("700", "SUI", "USDC"), // coins merged into the gas coin
			testkit.Swap("12.5", "USDC", "SUI"),
			testkit.Swap("3000", "USDC", "SUI"), // coins merged
			testkit.Swap("500", "DEEP", "SUI"),
			testkit.Swap("20", "SUI", "DEEP"),
			testkit.Swap("100", "WAL", "USDC"),
			inDeep("10.05", "SUI", "USDC"),
			inDeep("3000", "USDC", "SUI"), // coins merged in addition to the DEEP
			inDeep("500", "DEEP", "SUI"),  // a pool without a fee
		},
	})
}

// inDeep returns an intent that pays the fee in DEEP.
func inDeep(amount, from, to string) plan.Intent {
	in := testkit.Swap(amount, from, to)
	in.FeeMode = "deep"
	return in
}
