package review_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
)

// BenchmarkCompute is one whole computation of a review over the sandbox's wire.
func BenchmarkCompute(b *testing.B) {
	h := testkit.Start(b, time.Now, nil)
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	for b.Loop() {
		s = h.Compute(s)
		if s.Status != record.Ready {
			b.Fatalf("%s %s", s.Status, s.Reason)
		}
	}
}

// noting notes when a submission leaves.
type noting struct {
	node.Executor
	sent chan time.Time
}

func (n noting) Execute(ctx context.Context, bytes, signature []byte) (sui.Executed, error) {
	n.sent <- time.Now()
	return n.Executor.Execute(ctx, bytes, signature)
}

// BenchmarkSignedToSent is the time from a posted signature to its submission:
// verified, durable, and on its way.
func BenchmarkSignedToSent(b *testing.B) {
	n := noting{sent: make(chan time.Time, 64)}
	h := testkit.Start(b, time.Now, func(c *review.Config) { n.Executor = c.Executor; c.Executor = n })
	var took []time.Duration
	for b.Loop() {
		took = append(took, signedToSent(b, h, n))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "ms-worst")
	if best := took[0]; best > 200*time.Millisecond {
		b.Errorf("a submission leaves after %s or later", best)
	}
}

func signedToSent(t testing.TB, h *testkit.Harness, n noting) time.Duration {
	s := h.Ready(testkit.Swap("2", "SUI", "USDC"))
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	begin := time.Now()
	if _, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	took := (<-n.sent).Sub(begin)
	h.Until(s.ID, "final", func(s record.Session) bool { return s.Status.Terminal() })
	return took
}

// TestSignedIsSentAtOnce shows that the service that takes a signature submits it: no
// watcher runs that could find it later.
func TestSignedIsSentAtOnce(t *testing.T) {
	n := noting{sent: make(chan time.Time, 8)}
	h := testkit.Start(t, time.Now, func(c *review.Config) { n.Executor = c.Executor; c.Executor = n })
	s := h.Ready(testkit.Swap("2", "SUI", "USDC"))
	h.Stop()
	h.Reviews = h.Twin()
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	if _, err := h.Reviews.Signed(t.Context(), s.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	select {
	case <-n.sent:
	case <-time.After(double.Patience):
		t.Error("nothing was submitted")
	}
}
