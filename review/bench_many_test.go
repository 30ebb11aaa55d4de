package review_test

import (
	"slices"
	"testing"
	"time"

	reviews "github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
)

// BenchmarkComputeAmongMany is one whole computation of a review for an account with
// 100,000 finished payments, a quarter of an hour apart. They need about 5 GB while it
// runs.
func BenchmarkComputeAmongMany(b *testing.B) {
	const finished = 100_000
	pay := func(amount string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount},
			Recipient: "0x5afe0000000000000000000000000000000000000000000000000000000000aa"}
	}
	h := testkit.Start(b, time.Now, nil)
	past := h.Settle(h.Ready(pay("1")))
	if past.Status != record.Success {
		b.Fatalf("%s %s", past.Status, past.Reason)
	}
	storekit.Multiply(b, h.Dir(), string(past.ID), finished, 15*time.Minute)
	all, err := h.Store.ReviewFunnel(b.Context(), reviews.Scope{Account: sandbox.Account})
	if err != nil || all.Present[record.Success] != finished {
		b.Fatalf("%+v %v", all, err)
	}
	for name, in := range map[string]plan.Intent{"swap": testkit.Swap("10", "SUI", "USDC"), "payment": pay("2")} {
		s := h.Open(in)
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				s = h.Compute(s)
				took = append(took, time.Since(begin))
				if s.Status != record.Ready {
					b.Fatalf("%s %s", s.Status, s.Reason)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms-p95")
			if best := took[0]; best > 200*time.Millisecond {
				b.Errorf("one computation takes %s or more", best)
			}
		})
	}
}
