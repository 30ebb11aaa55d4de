package request_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// dying is the store of a process that is killed at one of its changes, before or after the change
// is stored.
type dying struct {
	request.Store
	changes int
	after   bool
}

func (d *dying) ChangeRequest(ctx context.Context, id request.ID, what string,
	law func(*request.Request) (*record.Session, error)) (request.Request, error) {
	if d.changes--; d.changes == 0 && !d.after {
		return request.Request{}, errKilled
	}
	b, err := d.Store.ChangeRequest(ctx, id, what, law)
	if d.changes == 0 {
		return request.Request{}, errKilled
	}
	return b, err
}

// TestKilled kills the process that runs a bundle at each of its changes, with the real store. The
// next process continues, and each step has one review and one digest.
func TestKilled(t *testing.T) {
	long.Skip(t, "it ends a bundle at each of its steps")
	w := newWorld(t)
	for n := range 8 {
		amount := 1 + float64(n)/10
		text := func(add float64) string { return strconv.FormatFloat(amount+add, 'f', -1, 64) }
		b := w.ask(pay(text(0), alice), pay(text(0.01), bob))
		w.approve(b.ID)
		d := &dying{Store: w.Store, changes: 1 + n/2, after: n%2 == 1}
		first := request.New(request.Config{Store: d, Make: w.Reviews, Active: w.active, Hub: w.Hub, Now: w.Clock.Now,
			Rand: rand.Reader})
		second := w.service()
		reviews := map[record.ID]bool{}
		for range 3 {
			_, _ = first.Sweep(t.Context())
			if d.changes <= 0 {
				first = second // the killed one has ended
			}
			if _, err := second.Sweep(t.Context()); d.changes <= 0 && err != nil {
				t.Fatal(err)
			}
			if b = w.get(b.ID); b.Present() != nil {
				reviews[b.Present().Review] = true
				w.sign(b)
			}
		}
		b = w.sweep(b.ID)
		if b.State != request.Completed || len(reviews) != 2 {
			t.Errorf("killed at change %d: %s %v, %d reviews", n, b.State, words(b), len(reviews))
		}
	}
}

// TestTwoRunners runs one bundle in two processes at once.
func TestTwoRunners(t *testing.T) {
	w := newWorld(t)
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(w.Data, "sandbox"), Now: w.Clock.Now,
		Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	other := request.New(request.Config{Store: db, Make: w.Twin(), Active: w.active, Hub: &events.Hub{}, Now: w.Clock.Now,
		Rand: rand.Reader})
	b := w.ask(pay("1", alice), pay("2", bob), pay("3", bob))
	w.approve(b.ID)
	for i := range 3 {
		var wg sync.WaitGroup
		for range 4 {
			for _, svc := range []*request.Service{w.svc, other} {
				wg.Go(func() {
					if _, err := svc.Sweep(context.Background()); err != nil {
						t.Errorf("sweep: %v", err)
					}
				})
			}
		}
		wg.Wait()
		waiting, err := w.Store.WaitingReviews(t.Context(), w.Clock.Now(), 100)
		if err != nil || len(waiting) != 1 {
			t.Fatalf("step %d has %d reviews, %v", i, len(waiting), err)
		}
		w.sign(w.get(b.ID))
	}
	if b = w.sweep(b.ID); b.State != request.Completed {
		t.Errorf("%s %v", b.State, words(b))
	}
}

// TestLimitsChanged checks that a bundle ends if its next step exceeds limits set in the meantime.
func TestLimitsChanged(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", bob))
	w.approve(b.ID)
	w.sign(w.sweep(b.ID))
	b = w.sweep(b.ID)
	w.Allow(policy.Allowance{Protocols: []string{"deep"}})
	r := w.ready(*b.Present())
	if r.Status != record.Blocked {
		t.Fatalf("the second step is %s", r.Status)
	}
	if b = w.sweep(b.ID); b.State != request.Stopped || words(b)[0] != "confirmed" ||
		b.Steps[1].Error != string(r.Reason) {
		t.Errorf("%s %+v", b.State, b.Steps)
	}
}
