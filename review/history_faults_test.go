package review_test

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
)

// unasked reads the store alone until a review is final: nobody asks the
// service, as when every page and client is closed.
func unasked(t *testing.T, h *testkit.Harness, id record.ID) record.Session {
	t.Helper()
	var s record.Session
	double.Until(t, "the review is final", func() bool {
		var err error
		if s, err = h.Store.Review(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		return s.Status.Terminal()
	})
	return s
}

// The faults of careless reviews that must not be possible here, each by what a user would notice.
func TestFaultsThatAreNotHere(t *testing.T) {
	ctx := context.Background()
	t.Run("the transaction is sent before anybody looks for its result", func(t *testing.T) {
		h, m := forgetful(t)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		o := h.HandOff(s)
		raw, signature := h.Sign(o)
		var gaveUp atomic.Bool
		looked := make(chan struct{})
		defer close(looked)
		m.forget(func(sui.Digest) bool { // the node says nothing of any result meanwhile
			select {
			case <-looked:
			case <-time.After(double.Patience):
				gaveUp.Store(true)
			}
			return false
		})
		if _, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		s = attempted(h, s.ID)
		if s.Execution.Submission != record.SubmissionAccepted || gaveUp.Load() {
			t.Errorf("%s; somebody waited for a result: %v", s.Execution.Submission, gaveUp.Load())
		}
	})
	t.Run("a result that is not found for days is no failure, and counts when it is found", func(t *testing.T) {
		h, m := forgetful(t)
		m.forget(func(sui.Digest) bool { return true })
		_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
		h.Until(s.ID, "accepted", func(s record.Session) bool { return s.Execution.Submission == record.SubmissionAccepted })
		for range 4 {
			h.Clock.Advance(12 * time.Hour)
			h.Restart()
			rounds(h, s.ID)
			if now, err := h.Reviews.Get(ctx, s.ID); err != nil || now.Status != record.SignedPendingResult {
				t.Fatalf("%v %s", err, now.Status)
			}
		}
		m.forget(func(sui.Digest) bool { return false })
		h.Restart()
		if s = h.Until(s.ID, "final", final); s.Status != record.Success || s.Execution.Receipt == nil {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("the receipt comes although nobody asks", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
		if s = unasked(t, h, s.ID); s.Status != record.Success || s.Execution.Receipt == nil {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("the wallet did its part although the page said it failed", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		o := h.HandOff(s)
		for _, outcome := range []string{record.OutcomeProviderError, record.OutcomeDisconnected} {
			now, err := h.Reviews.Outcome(ctx, s.ID, o.Nonce, outcome)
			if err != nil || now.Status != record.Ready || now.Execution != nil {
				t.Fatalf("%s: %v %s", outcome, err, now.Status)
			}
		}
		raw, signature := h.Sign(o)
		if _, err := h.Node.Execute(ctx, raw, signature); err != nil {
			t.Fatal(err)
		}
		if s = unasked(t, h, s.ID); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("no number of a review is a floating one", func(t *testing.T) {
		floats(t, reflect.TypeFor[review.View](), "View", map[reflect.Type]bool{})
	})
}

func floats(t *testing.T, of reflect.Type, path string, seen map[reflect.Type]bool) {
	if seen[of] {
		return
	}
	seen[of] = true
	switch of.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		t.Errorf("%s is %s", path, of)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		floats(t, of.Elem(), path, seen)
	case reflect.Struct:
		for i := range of.NumField() {
			floats(t, of.Field(i).Type, path+"."+of.Field(i).Name, seen)
		}
	}
}
