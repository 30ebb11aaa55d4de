package request_test

import (
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
)

// of returns the request of a review.
func (w *world) of(id record.ID) request.Request {
	w.t.Helper()
	req, ok, err := w.Store.RequestOf(w.t.Context(), id)
	if err != nil || !ok {
		w.t.Fatalf("the request of %s: %v %v", id, ok, err)
	}
	return req
}

// TestSigning: a review without a separate approval has a request, which follows it.
func TestSigning(t *testing.T) {
	t.Run("one step, to its end", func(t *testing.T) {
		w := newWorld(t)
		r := w.Ready(pay("1", bob))
		req := w.of(r.ID)
		if req.State != request.Signing || len(req.Steps) != 1 || req.Steps[0].Intent.Recipient != bob ||
			req.Steps[0].State != request.Open {
			t.Fatalf("%s %+v", req.State, req.Steps)
		}
		if task, ok, err := w.Store.TaskOf(t.Context(), record.Subject(r.ID)); err != nil || !ok || task.ID != req.Task {
			t.Errorf("%v: its task is %s, that of the review %s", err, req.Task, task.ID)
		}
		if _, ok, err := w.svc.Of(t.Context(), r.ID); err != nil || ok {
			t.Errorf("%v: the page of a payment says that it is a step of something", err)
		}
		w.Settle(r)
		req = w.of(r.ID)
		if req.State != request.Completed || req.Steps[0].State != request.Confirmed || req.Steps[0].Done == nil ||
			req.Steps[0].TxHash == "" {
			t.Errorf("%s %+v", req.State, req.Steps)
		}
	})
	t.Run("two steps, each with what it did", func(t *testing.T) {
		w := newWorld(t)
		r := w.Ready(plan.Intent{Type: plan.Bundle, Steps: swapAndSend()})
		w.Settle(r)
		req := w.of(r.ID)
		if got := words(req); req.State != request.Completed || !slices.Equal(got, []string{"confirmed", "confirmed"}) {
			t.Fatalf("%s %q", req.State, got)
		}
		if one, two := req.Steps[0].Done, req.Steps[1].Done; one == nil || two == nil || one.What == two.What {
			t.Errorf("%+v\n%+v", one, two)
		}
	})
	t.Run("declined", func(t *testing.T) {
		w := newWorld(t)
		r := w.Ready(pay("1", bob))
		if _, err := w.Reviews.Outcome(t.Context(), r.ID, "", record.OutcomeDeclined); err != nil {
			t.Fatal(err)
		}
		if req := w.of(r.ID); req.State != request.Rejected || req.Reason != request.UserRejected {
			t.Errorf("%s %s", req.State, req.Reason)
		}
	})
	t.Run("expired", func(t *testing.T) {
		w := newWorld(t)
		r := w.Ready(pay("1", bob))
		w.Clock.Advance(r.ExpiresAt.Sub(w.Clock.Now()))
		if req := w.get(w.of(r.ID).ID); req.State != request.Expired {
			t.Errorf("%s %s", req.State, req.Reason)
		}
	})
	t.Run("a bundle takes it as a step, and comes first", func(t *testing.T) {
		w := newWorld(t)
		r := w.Ready(pay("1", bob))
		b := w.askOf("", false, append(steps(pay("2", alice)), request.Wanted{ID: "r", Sequence: 1, Chain: "Sui",
			Review: r.ID,
			Wait:   true, Timeout: request.DefaultReceipt}))
		if got := w.of(r.ID); got.ID != b.ID {
			t.Errorf("it belongs to %s, not to the bundle", got.ID)
		}
		if err := w.hand(r); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("a step of a bundle that nobody approved was handed out: %v", err)
		}
	})
	t.Run("parted, it keeps its id and its place", func(t *testing.T) {
		w := newWorld(t)
		r := w.Ready(plan.Intent{Type: plan.Bundle, Steps: swapAndSend()})
		before := w.of(r.ID)
		parted, err := w.svc.Part(t.Context(), r.ID, yes)
		if err != nil || parted.ID != before.ID || parted.Task == before.Task || parted.Session != before.Session ||
			!parted.CreatedAt.Equal(before.CreatedAt) {
			t.Errorf("%v\n%+v\n%+v", err, before, parted)
		}
		if n, err := w.Store.RequestNumber(t.Context(), parted.Account, w.Clock.Now()); err != nil || n != 1 {
			t.Errorf("%v: it counts as %d requests", err, n)
		}
	})
}
