package swap_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/reviewtest"
)

func TestConformance(t *testing.T) {
	reviewtest.Adapter(t, time.Now, reviewtest.Subject{
		Adapter: func(h *reviewtest.House) review.Adapter { return swap.New(h.Pools) },
		Good: []review.Intent{
			reviewtest.Swap("10", "SUI", "USDC"),
			reviewtest.Swap("700", "SUI", "USDC"), // coins merged into the gas coin
			reviewtest.Swap("12.5", "USDC", "SUI"),
			reviewtest.Swap("3000", "USDC", "SUI"), // coins merged
			reviewtest.Swap("500", "DEEP", "SUI"),
			reviewtest.Swap("20", "SUI", "DEEP"),
			reviewtest.Swap("100", "WAL", "USDC"),
			inDeep("10.05", "SUI", "USDC"),
			inDeep("3000", "USDC", "SUI"), // coins merged besides the DEEP
			inDeep("500", "DEEP", "SUI"),  // a pool without a fee
		},
	})
}

// inDeep gives an intent that pays the fee in DEEP.
func inDeep(amount, from, to string) review.Intent {
	in := reviewtest.Swap(amount, from, to)
	in.FeeMode = "deep"
	return in
}
