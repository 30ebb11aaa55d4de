package review_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/node"
	"github.com/sayurintent/sayurintent/review/record"
)

// heldSimulator is a node that simulates once it is let.
type heldSimulator struct {
	node.Simulator
	let chan struct{}
}

func (s heldSimulator) Simulate(ctx context.Context, tx *sui.Transaction, checks bool) (sui.Simulation, error) {
	select {
	case <-s.let:
	case <-ctx.Done():
		return sui.Simulation{}, ctx.Err()
	}
	return s.Simulator.Simulate(ctx, tx, checks)
}

func (s heldSimulator) SimulateBytes(ctx context.Context, b []byte, checks bool) (sui.Simulation, error) {
	select {
	case <-s.let:
	case <-ctx.Done():
		return sui.Simulation{}, ctx.Err()
	}
	return s.Simulator.SimulateBytes(ctx, b, checks)
}

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
	slow, let := &slowReader{}, make(chan struct{})
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		slow.Store = c.Store
		c.Store = slow
		c.Simulator = heldSimulator{c.Simulator, let}
	})
	h.Connect(sandbox.Account)
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
	end := sync.OnceFunc(func() { close(let) })
	slow.meanwhile = func() {
		end()
		double.Until(t, "the computation ends", func() bool { return !h.Reviews.Computing(s.ID) })
	}
	v, err := h.Reviews.View(t.Context(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if v.Session.Status == s.Status && !v.Computing {
		t.Errorf("the view is %s, and says that nothing is being computed", v.Session.Status)
	}
}
