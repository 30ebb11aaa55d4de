package review_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestSameBytesAgain asks for fresh values where nothing moved: the later build has the same bytes,
// and can be signed like the first.
func TestSameBytesAgain(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	first := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	again := h.Compute(first)
	if again.Commitment != first.Commitment || !again.BuiltAt.After(first.BuiltAt) {
		t.Fatalf("built at %s and %s, commitments %s and %s", first.BuiltAt, again.BuiltAt, first.Commitment,
			again.Commitment)
	}
	v, err := h.Reviews.View(context.Background(), again.ID)
	if err != nil || v.Session.Status != record.Ready {
		t.Fatalf("%s %s %v: %+v", v.Session.Status, v.Session.Reason, err, v.Session.State.Checks)
	}
	h.HandOff(v.Session)
}
