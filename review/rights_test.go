package review_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/store"
)

// busyStore lets something happen right before and right after the transaction of
// a release, when everything that Handoff asks outside of it was asked, and right
// before the ones of an opening and of what members of a multisig account do.
type busyStore struct {
	record.Store
	before, after, opening func()
	members                func()
	earlier                func(*record.Session) // makes what is read what it was a moment ago
}

func (s *busyStore) ReviewRow(ctx context.Context, id record.ID) (record.Row, error) {
	row, err := s.Store.ReviewRow(ctx, id)
	if s.earlier != nil {
		s.earlier(&row.Session)
	}
	return row, err
}

func (s *busyStore) Change(ctx context.Context, id record.ID, what string, law func(*record.Row) error) (record.Session,
	error) {
	if s.opening != nil && what == "opened" {
		s.opening()
	}
	if s.members != nil && (what == "handed to members again" || what == "a member signed") {
		s.members()
	}
	return s.Store.Change(ctx, id, what, law)
}

func (s *busyStore) Release(ctx context.Context, id record.ID, law func(*record.Row) (record.Release,
	error)) (record.Row, error) {
	if s.before != nil {
		s.before()
	}
	row, err := s.Store.Release(ctx, id, law)
	if err == nil && s.after != nil {
		s.after()
	}
	return row, err
}

// busyHouse returns a back end whose releases can be met by somebody else's changes.
func busyHouse(t *testing.T) (*testkit.Harness, *busyStore) {
	t.Helper()
	busy := &busyStore{}
	h := testkit.Start(t, time.Now, func(c *review.Config) { busy.Store, c.Store = c.Store, busy })
	return h, busy
}

// process is another process over the same data.
type process struct {
	accounts *account.Service
	desk     *pagetoken.Desk
	settings *settings.Service
}

func otherProcess(t *testing.T, h *testkit.Harness) process {
	t.Helper()
	hub := &events.Hub{}
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(h.Data, "sandbox"), Now: h.Clock.Now, Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return process{
		accounts: account.New(account.Config{Store: db, Hub: hub, Now: h.Clock.Now, Chain: testkit.WalletChain}),
		desk:     pagetoken.NewDesk(db, h.Clock.Now, rand.Reader),
		settings: settings.New(settings.Config{Store: db}),
	}
}

// opened opens the page of a review and returns its token and what it holds.
func opened(t *testing.T, desk *pagetoken.Desk, id record.ID) (string, pagetoken.Pass) {
	t.Helper()
	code, err := desk.Link(t.Context(), pagetoken.Review, string(id), 0)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := desk.Exchange(t.Context(), pagetoken.Review, string(id), code.Reveal(), "")
	if err != nil {
		t.Fatal(err)
	}
	token, p := tab.Token, tab.Pass
	return token.Reveal(), p
}

// TestReleaseRestsOnThePresent takes away what a release rests on, in another
// process, when everything was asked and the release is not recorded yet.
func TestReleaseRestsOnThePresent(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name string
		take func(*testing.T, process, record.ID)
		want fault.Code
	}{
		{"nothing is taken", func(*testing.T, process, record.ID) {}, ""},
		{"another page became the active one", func(t *testing.T, p process, id record.ID) {
			_, second := opened(t, p.desk, id)
			if err := p.desk.Continue(ctx, second); err != nil {
				t.Error(err)
			}
		}, fault.InvalidSessionTransition},
		{"the account was cleared", func(t *testing.T, p process, _ record.ID) {
			if _, ok, err := p.accounts.Clear(ctx); err != nil || !ok {
				t.Error(ok, err)
			}
		}, fault.HandoffUnavailable},
		{"the limits were tightened", func(t *testing.T, p process, _ record.ID) {
			out, err := p.settings.SetAllowance(ctx, policy.AllowanceText{
				PerTransaction: []policy.LimitText{{Coin: sui.SUI, Most: "1"}}}, "")
			if err != nil || !out.Done {
				t.Error(out, err)
			}
		}, fault.HandoffUnavailable},
		{"everything was stopped", func(t *testing.T, p process, _ record.ID) {
			if out, err := p.settings.Freeze(ctx); err != nil || !out.Done {
				t.Error(out, err)
			}
		}, fault.Blocked},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, busy := busyHouse(t)
			other := otherProcess(t, h)
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			token, _ := opened(t, h.Passes, s.ID)
			busy.before = func() { c.take(t, other, s.ID) }
			_, err := h.Reviews.HandoffTo(ctx, s.ID, h.Passes.Right(token, true), s.Revision, s.Commitment)
			if c.want == "" && err != nil || c.want != "" && !fault.Is(err, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			kept, err := h.Reviews.Get(ctx, s.ID)
			if released := len(kept.Releases) > 0; err != nil || released != (c.want == "") {
				t.Errorf("%v, %d releases", err, len(kept.Releases))
			}
		})
	}
}

// TestBuildTooOldAfterTheRelease stops the program for 63 seconds between the commit of a release
// and the answer: the bytes must not leave, and the user continues.
func TestBuildTooOldAfterTheRelease(t *testing.T) {
	ctx := context.Background()
	h, busy := busyHouse(t)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	stopped := 63 * time.Second
	busy.after = func() { h.Clock.Advance(stopped); stopped = 0 }
	o := h.HandOff(s)
	if err := h.Reviews.Deliverable(ctx, s.ID, o); !fault.Is(err, fault.HandoffUnavailable) {
		t.Fatalf("bytes of a build that is too old may be written: %v", err)
	}
	kept, err := h.Reviews.Get(ctx, s.ID)
	if err != nil || kept.Status != record.RefreshRequired || kept.Reason != plan.QuoteStale ||
		len(kept.Releases) != 1 || kept.Releases[0].Outcome != record.OutcomeWithheld || kept.Releases[0].Dead {
		t.Fatalf("%v %s %s %+v", err, kept.Status, kept.Reason, kept.Releases)
	}
	again := h.Compute(kept)
	if again.Status != record.Ready || again.Facts.Gas.Payment[0] != kept.Releases[0].GasCoin {
		t.Fatalf("%s %s: the new build must exclude the one that is recorded", again.Status, again.Reason)
	}
	fresh := h.HandOff(again)
	if err := h.Reviews.Deliverable(ctx, s.ID, fresh); err != nil {
		t.Errorf("a fresh build is not delivered: %v", err)
	}
	t.Run("a clock that was set back makes a build no younger", func(t *testing.T) {
		h.Clock.Advance(-2 * time.Minute)
		if err := h.Reviews.Deliverable(ctx, s.ID, fresh); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
	})
}

// TestOpeningBindsThePresentAccount clears the account just before the page of its
// review is opened: the review is not bound to it.
func TestOpeningBindsThePresentAccount(t *testing.T) {
	ctx := context.Background()
	h, busy := busyHouse(t)
	other := otherProcess(t, h)
	h.Connect(sandbox.Account)
	s, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "SUI", "USDC"))
	if err != nil {
		t.Fatal(err)
	}
	busy.opening = func() {
		if _, ok, err := other.accounts.Clear(ctx); err != nil || !ok {
			t.Error(ok, err)
		}
	}
	if s, err = h.Reviews.Opened(ctx, s.ID); err != nil || s.Status != record.Blocked || s.Reason != plan.WalletMismatch {
		t.Errorf("%v %s %s", err, s.Status, s.Reason)
	}
}

// TestHandoffNobodyAsked lets a review become ready between the look that decides
// whether a node is asked and the release: without an epoch nothing is handed out.
func TestHandoffNobodyAsked(t *testing.T) {
	ctx := context.Background()
	h, busy := busyHouse(t)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	busy.earlier = func(s *record.Session) { s.Status = record.RefreshRequired }
	if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.InvalidSessionTransition) {
		t.Errorf("%v", err)
	}
	busy.earlier = nil
	if kept, err := h.Reviews.Get(ctx, s.ID); err != nil || len(kept.Releases) != 0 {
		t.Fatalf("%v, %d releases", err, len(kept.Releases))
	}
	h.HandOff(s)
}
