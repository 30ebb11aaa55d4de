package review_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
	"github.com/sayurintent/sayurintent/review/record"
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

// No waiting between signature and submission.
func TestSignedIsSentAtOnce(t *testing.T) {
	n := noting{sent: make(chan time.Time, 8)}
	h := testkit.Start(t, time.Now, func(c *review.Config) { n.Executor = c.Executor; c.Executor = n })
	const bound = 200 * time.Millisecond // the benchmark has the figure
	best := time.Hour
	for try := 0; try < 12 && best > bound; try++ { // a busy machine is slow at times, a wait is there each time
		best = min(best, signedToSent(t, h, n))
	}
	if best > bound {
		t.Errorf("the submission left after %s", best)
	}
}
