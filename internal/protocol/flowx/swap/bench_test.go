package swap_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// BenchmarkCompute is one whole computation of a FlowX review over the sandbox's
// wire: every fee tier quoted on chain, the router's word beside it.
func BenchmarkCompute(b *testing.B) {
	h := testkit.Start(b, time.Now, nil)
	h.Use(adapter(b, h))
	in := testkit.Swap("10", "SUI", "USDC")
	in.Protocol = "flowx"
	s := h.Open(in)
	for b.Loop() {
		if s = h.Compute(s); s.Status != record.Ready {
			b.Fatalf("%s %s", s.Status, s.Reason)
		}
	}
}
