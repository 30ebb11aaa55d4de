package request_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestChange replaces a review with one for another amount.
func TestChange(t *testing.T) {
	w := newWorld(t)
	prepared := func(in plan.Intent) record.Session {
		r, err := w.Reviews.Prepare(t.Context(), in)
		if err == nil {
			r, err = w.Reviews.Opened(t.Context(), r.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return w.Compute(r)
	}
	shown := func(r record.Session) request.Answer { return request.Answer{Revision: r.Revision, Right: yes} }
	five := testkit.Swap("5", "SUI", "USDC")
	r := prepared(testkit.Swap("10", "SUI", "USDC"))
	t.Run("refused", func(t *testing.T) {
		given := prepared(testkit.Swap("3", "SUI", "USDC"))
		if err := w.hand(given); err != nil {
			t.Fatal(err)
		}
		given, err := w.Store.Review(t.Context(), given.ID)
		if err != nil {
			t.Fatal(err)
		}
		bundle := w.ask(swapAndSend()...)
		step := w.ready(w.sweep(w.approve(bundle.ID).ID).Steps[0])
		for name, c := range map[string]struct {
			of record.Session
			by request.Answer
		}{
			"another revision":          {r, request.Answer{Revision: r.Revision - 1, Right: yes}},
			"handed to a wallet":        {given, shown(given)},
			"it is a part of a request": {step, shown(step)},
		} {
			if next, err := w.svc.Change(t.Context(), c.of.ID, c.by, five); err == nil {
				t.Errorf("%s: %s", name, next.ID)
			}
		}
	})
	next, err := w.svc.Change(t.Context(), r.ID, shown(r), five)
	if err != nil {
		t.Fatal(err)
	}
	if next.Intent.From.Amount != "5" || next.Intent.Replaces != string(r.ID) {
		t.Errorf("%+v", next.Intent)
	}
	old, err := w.Store.Review(t.Context(), r.ID)
	if err != nil || old.ReplacedBy() != next.ID || !strings.Contains(old.Execution.Note, string(next.ID)) {
		t.Errorf("%v %+v", err, old.Execution)
	}
	if err := w.hand(r); err == nil {
		t.Error("the earlier transaction was handed out")
	}
	was, ok, err := w.Store.RequestOf(t.Context(), r.ID)
	if err != nil || !ok || was.State != request.Stopped || was.Reason != request.Replaced {
		t.Errorf("%v %v %+v", err, ok, was)
	}
	now, ok, err := w.Store.RequestOf(t.Context(), next.ID)
	if err != nil || !ok || now.State != request.Signing || now.Session != was.Session {
		t.Errorf("%v %v %+v", err, ok, now)
	}
	if _, err := w.svc.Change(t.Context(), r.ID, shown(old), five); !fault.Is(err, fault.ExecutionResultFinalized) {
		t.Errorf("once more: %v", err)
	}
}
