package review_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// eightSteps are swaps that are quoted behind each other, and payments of shares of what
// comes out.
func eightSteps() plan.Intent {
	const friend = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
	pay := func(of int, symbol, share string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol, ResultOf: of, Share: share},
			Recipient: friend}
	}
	back := testkit.Swap("", "USDC", "SUI")
	back.From = plan.IntentSource{Symbol: "USDC", ResultOf: 1, Share: "1/2"}
	return plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{testkit.Swap("20", "SUI", "USDC"), back, pay(1, "USDC",
		"1/4"), pay(1, "USDC", "1/4"),
		pay(2, "SUI", "1/2"), testkit.Swap("10", "SUI", "USDC"), pay(6, "USDC", "1/3"), pay(6, "USDC", "2/3")}}
}

// BenchmarkBundleOfEight is eight atomic steps: planned once, and examined from the quotes
// to the contract, over the sandbox's wire.
func BenchmarkBundleOfEight(b *testing.B) {
	h := testkit.Start(b, time.Now, nil)
	s := h.Open(eightSteps())
	b.Run("planned", func(b *testing.B) {
		for b.Loop() {
			if _, err := h.Reviews.Prepare(context.Background(), eightSteps()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("examined", func(b *testing.B) {
		best := time.Hour
		for b.Loop() {
			begin := time.Now()
			if s = h.Compute(s); s.Status != record.Ready {
				b.Fatalf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
			best = min(best, time.Since(begin))
		}
		if best > 2*time.Second {
			b.Errorf("eight steps take %s or more", best)
		}
	})
}
