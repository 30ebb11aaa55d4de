package review_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// pausedStore stops the result of a computation before and after it is stored, and
// counts the rows that are read.
type pausedStore struct {
	record.Store
	computed, store, stored, end chan struct{}
	reads                        atomic.Int64
	read                         atomic.Pointer[func(n int64)] // called after the nth row was read
}

func (s *pausedStore) ReviewRow(ctx context.Context, id record.ID) (record.Row, error) {
	row, err := s.Store.ReviewRow(ctx, id)
	if read := s.read.Load(); read != nil {
		(*read)(s.reads.Add(1))
	}
	return row, err
}

func (s *pausedStore) Change(ctx context.Context, id record.ID, what string,
	transition func(*record.Row) error) (record.Session, error) {
	if what != "computed" {
		return s.Store.Change(ctx, id, what, transition)
	}
	s.computed <- struct{}{}
	<-s.store
	session, err := s.Store.Change(ctx, id, what, transition)
	s.stored <- struct{}{}
	<-s.end
	return session, err
}

// computing starts a computation and returns when its result is about to be stored.
// The channel gets the outcome of the run.
func computing(t *testing.T) (*testkit.Harness, *pausedStore, record.Session, <-chan error) {
	t.Helper()
	paused := &pausedStore{computed: make(chan struct{}, 9), store: make(chan struct{}), stored: make(chan struct{}, 9),
		end: make(chan struct{})}
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		paused.Store = c.Store
		c.Store = paused
	})
	h.Connect(sandbox.Account)
	s := h.Open(testkit.Swap("10", "SUI", "USDC"))
	run := make(chan error, 1)
	go func() {
		_, err := h.Reviews.ComputeNow(t.Context(), s.ID, s.Revision)
		run <- err
	}()
	<-paused.computed
	return h, paused, s, run
}

// TestViewIsOfOneMoment reads a view while a computation ends: status, revision and
// what is said of the computation belong together.
func TestViewIsOfOneMoment(t *testing.T) {
	t.Run("a row read before the end is not shown as what was found", func(t *testing.T) {
		for n := int64(1); ; n++ {
			h, paused, s, run := computing(t)
			close(paused.end)
			var failed error
			end := func(at int64) {
				if at == n {
					close(paused.store)
					failed = <-run
				}
			}
			paused.read.Store(&end)
			v, err := h.Reviews.View(t.Context(), s.ID)
			if err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			if v.Session.Revision == s.Revision && !v.Computing {
				t.Errorf("it ended after read %d: the view is %s, and says that nothing is being computed", n, v.Session.Status)
			}
			if paused.reads.Load() < n {
				close(paused.store)
				<-run
				break
			}
		}
	})
	t.Run("a result that is stored is shown, and can be replaced, before its run has ended", func(t *testing.T) {
		h, paused, s, run := computing(t)
		close(paused.store)
		<-paused.stored
		v, err := h.Reviews.View(t.Context(), s.ID)
		if err != nil || v.Session.Status != record.Ready || v.Computing || !v.CanHandOff {
			t.Fatalf("%s, computing: %v, can be handed off: %v, %v", v.Session.Status, v.Computing, v.CanHandOff, err)
		}
		now, computing, err := h.Reviews.Current(t.Context(), s.ID)
		if err != nil || computing || now.Revision != v.Session.Revision {
			t.Errorf("computing: %v, revision %d, %v", computing, now.Revision, err)
		}
		if err := h.Reviews.Compute(t.Context(), s.ID, now.Revision); err != nil {
			t.Fatal(err)
		}
		close(paused.end)
		if err := <-run; err != nil {
			t.Error(err)
		}
		h.Until(s.ID, fmt.Sprint("revision ", now.Revision+1),
			func(r record.Session) bool { return r.Revision == now.Revision+1 })
	})
}
