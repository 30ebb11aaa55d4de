package review_test

import (
	"context"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/record"
)

// slowReader is a store whose rows take a while to arrive.
type slowReader struct {
	record.Store
	meanwhile func()
}

func (s *slowReader) ReviewRow(ctx context.Context, id record.ID) (record.Row, error) {
	row, err := s.Store.ReviewRow(ctx, id)
	if s.meanwhile != nil {
		s.meanwhile()
	}
	return row, err
}

// TestViewIsOfOneMoment ends a computation while a view is read: what was found
// before it is not shown as what it found.
func TestViewIsOfOneMoment(t *testing.T) {
	slow := &slowReader{}
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		slow.Store = c.Store
		c.Store = slow
	})
	h.Connect(sandbox.Account)
	h.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "SimulateTransaction", Milliseconds: 500, Times: 1})
	s, err := h.Reviews.Prepare(t.Context(), testkit.Swap("10", "SUI", "USDC"))
	if err == nil {
		s, err = h.Reviews.Opened(t.Context(), s.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Reviews.Compute(t.Context(), s.ID, s.Revision); err != nil {
		t.Fatal(err)
	}
	slow.meanwhile = func() {
		for h.Reviews.Computing(s.ID) {
			time.Sleep(time.Millisecond)
		}
	}
	v, err := h.Reviews.View(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if v.Session.Status == s.Status && !v.Computing {
		t.Errorf("the view is %s, and says that nothing is being computed", v.Session.Status)
	}
}
