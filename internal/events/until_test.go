package events_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
)

// TestUntil looks at once, after each change of any of its subjects, when time is due, and
// ends with its context.
func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h events.Hub
		one, two := events.Subject{Kind: events.Review, ID: "r"}, events.Subject{Kind: events.Bundle}
		looked, again := 0, time.Duration(0)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- h.Until(ctx, func() (bool, time.Duration, error) { looked++; return false, again, nil }, one, two)
		}()
		want := func(n int, after string) {
			t.Helper()
			synctest.Wait()
			if looked != n {
				t.Errorf("after %s it looked %d times, not %d", after, looked, n)
			}
		}
		want(1, "the call")
		h.Changed(one)
		want(2, "a change")
		h.Changed(events.Subject{Kind: events.Review, ID: "another"})
		want(2, "a change of something else")
		again = time.Minute
		h.Changed(two)
		want(3, "a change of the other subject")
		time.Sleep(time.Minute + time.Second)
		want(4, "a minute")
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		done := errors.New("done")
		if err := h.Until(t.Context(), func() (bool, time.Duration, error) { return false, 0, done }, one); !errors.Is(err,
			done) {
			t.Error(err)
		}
		if err := h.Until(t.Context(), func() (bool, time.Duration, error) { return true, 0, nil }, one); err != nil {
			t.Error(err)
		}
	})
}
