package store_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/remotes"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

const maxOfOne = 30

// asking is a store with a limit on requests, and ways to make requests.
type asking struct {
	*store.DB
	t *testing.T
	c *double.Clock
	n int
}

func newAsking(t *testing.T) *asking {
	c := newClock()
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(double.Dir(t), "data"), Now: c.Now,
		Requests: maxOfOne})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &asking{db, t, c, 0}
}

func (a *asking) id() string { a.n++; return fmt.Sprintf("r%d", a.n) }

func (a *asking) review(conversation string) error {
	a.c.Advance(time.Second)
	return a.CreateReview(bus.WithConversation(a.t.Context(), conversation), proposed(a.id(), a.c))
}

func (a *asking) bundle(conversation string) error {
	a.c.Advance(time.Second)
	now := a.c.Now()
	id := request.ID(a.id())
	_, err := a.CreateRequest(a.t.Context(), request.Drafted{Request: request.Request{ID: id, Session: conversation,
		Account: proposed("x", a.c).Account,
		Hash:    request.Hash{byte(a.n)}, Mode: request.OneByOne, State: request.Asked, Revision: 1, CreatedAt: now,
		UpdatedAt: now,
		ApproveBy: now.Add(time.Minute), Steps: []request.Step{{ID: "s", State: request.Waiting}}}})
	return err
}

// limited makes requests until one is rejected. It returns the number of accepted requests, and
// when the error allows the next one.
func (a *asking) limited(ask func() error) (made int, again time.Time) {
	a.t.Helper()
	for made = 0; made <= 200; made++ {
		err := ask()
		if err == nil {
			continue
		}
		wantFault(a.t, err, fault.RateLimited)
		again, err = time.Parse(time.RFC3339, fault.As(err).Detail.Get("retry_at"))
		if err != nil {
			a.t.Fatal(err)
		}
		return made, again
	}
	a.t.Fatal("nothing is refused")
	return 0, again
}

func TestRequestRate(t *testing.T) {
	t.Run("one conversation", func(t *testing.T) {
		a := newAsking(t)
		first := a.c.Now().Add(time.Second)
		made, again := a.limited(func() error {
			if a.n%3 == 0 {
				return a.bundle("one")
			}
			return a.review("one")
		})
		if want := first.Add(request.Window).UTC().Truncate(time.Second); made != maxOfOne || !again.Equal(want) {
			t.Errorf("%d requests; again at %s, want %s", made, again, want)
		}
		if err := a.review("other"); err != nil {
			t.Errorf("another conversation is refused: %v", err)
		}
		a.c.Advance(again.Sub(a.c.Now()) + time.Second)
		if err := a.review("one"); err != nil {
			t.Errorf("at the time that was said: %v", err)
		}
	})
	t.Run("all conversations of one connection", func(t *testing.T) {
		a := newAsking(t)
		key := remotes.Key{1}
		made, _ := a.limited(func() error { return a.review(key.Conversation(fmt.Sprint(a.n))) })
		if made != maxOfOne {
			t.Errorf("%d requests", made)
		}
		if err := a.review(remotes.Key{2}.Conversation("1")); err != nil {
			t.Errorf("another machine is refused: %v", err)
		}
	})
	t.Run("one account", func(t *testing.T) {
		a := newAsking(t)
		every := func() error { return a.review(fmt.Sprint("conversation ", a.n/10)) }
		if made, _ := a.limited(every); made != 120 {
			t.Errorf("%d requests", made)
		}
		err := a.ChangeSettings(t.Context(), func(s *settings.Stored) error { s.Allowance.Requests = 125; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if made, _ := a.limited(every); made != 5 {
			t.Errorf("%d further requests", made)
		}
		other := proposed(a.id(), a.c)
		other.Account = sui.MustAddress("0xb0b")
		if err := a.CreateReview(t.Context(), other); err != nil {
			t.Errorf("another account is refused: %v", err)
		}
	})
	t.Run("a group of a plan is a request", func(t *testing.T) {
		a := newAsking(t)
		a.limited(func() error { return a.review("") })
		p := &planning{DB: a.DB, t: t, c: a.c}
		p.keep(p.call(plans.SetTool, "plan"), true)
		c := p.keep(p.call(plans.NextTool, "plan"), false)
		err := a.AnswerPlan(t.Context(), c, func(plan *plans.Plan, ask plans.Ask) (bus.Body, error) {
			s := proposed(a.id(), a.c)
			if _, err := ask(0, request.Drafted{Review: &s}); err != nil {
				return nil, err
			}
			return told(plan, ask)
		})
		wantFault(t, err, fault.RateLimited)
	})
	t.Run("what the person does with a review is none", func(t *testing.T) {
		a := newAsking(t)
		for range maxOfOne {
			if err := a.review(""); err != nil {
				t.Fatal(err)
			}
		}
		_, err := a.PartRequest(t.Context(), "r1", func(r *request.Request) error {
			return r.Part(request.Request{},
				a.c.Now())
		})
		if fault.Is(err, fault.RateLimited) {
			t.Error(err)
		}
	})
	t.Run("pages say which request it is", func(t *testing.T) {
		a := newAsking(t)
		var at []time.Time
		for range 5 {
			if err := a.review(fmt.Sprint(a.n)); err != nil {
				t.Fatal(err)
			}
			at = append(at, a.c.Now())
			a.c.Advance(2 * time.Minute)
		}
		for i, want := range []int{1, 2, 3, 4, 5} {
			if n, err := a.RequestNumber(t.Context(), proposed("x", a.c).Account, at[i]); err != nil || n != want {
				t.Errorf("request %d is number %d, %v", i, n, err)
			}
		}
	})
}
