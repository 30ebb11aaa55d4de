package review_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

func TestView(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	view := func() review.View {
		t.Helper()
		v, err := h.Reviews.View(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := view(); v.Transaction != nil || v.CanHandOff || !v.CanCompute || v.SessionRemaining <= 29*time.Minute {
		t.Errorf("before anything is computed: %+v", v)
	}
	s = h.Compute(s)
	v := view()
	if v.Transaction == nil || !v.CanHandOff || v.Released || v.BuildRemaining <= 30*time.Second ||
		v.BuildRemaining > time.Minute {
		t.Errorf("ready: %+v", v)
	}
	raw, err := v.Transaction.Encode()
	if err != nil || sui.Commitment(sui.TransactionDigest(raw)) != s.Commitment {
		t.Errorf("the shown transaction is not the committed one (%v)", err)
	}
	o := h.HandOff(s)
	if v = view(); v.CanHandOff || !v.Released || v.SessionRemaining != 0 || v.BuildRemaining != 0 {
		t.Errorf("released: %+v", v)
	}
	signed, signature := h.Sign(o)
	if s, err = h.Reviews.Signed(ctx, s.ID, o.Nonce, signed, signature); err != nil {
		t.Fatal(err)
	}
	s = h.Until(s.ID, "final", final)
	if v = view(); v.Transaction != nil || v.CanCompute || v.CanSubmit {
		t.Errorf("final: %+v", v)
	}
}
