package swap_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// BenchmarkCompute computes a FlowX review over a connection to the sandbox: it quotes every fee tier
// and asks the router.
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
