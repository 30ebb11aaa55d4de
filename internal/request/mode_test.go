package request_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// choose returns the user's choice on the page that shows the bundle's current state.
func (w *world) choose(id request.ID, m request.Mode) (request.Request, error) {
	return w.svc.Choose(context.Background(), id, w.shown(id), m)
}

// swapAndSend returns the steps to swap and send the result.
func swapAndSend() []plan.Intent {
	return []plan.Intent{testkit.Swap("10", "SUI", "USDC"),
		{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: alice}}
}

// TestMode changes how the steps of a bundle are signed, before they are approved.
func TestMode(t *testing.T) {
	w := newWorld(t)
	t.Run("one review, one digest and one status for all steps", func(t *testing.T) {
		b := w.ask(swapAndSend()...)
		asked := w.shown(b.ID)
		b, err := w.choose(b.ID, request.Atomic)
		if err != nil || b.Mode != request.Atomic || b.State != request.Asked || b.Steps[0].Review != "" {
			t.Fatalf("%v: %s %s", err, b.Mode, b.State)
		}
		if _, err := w.svc.Approve(t.Context(), b.ID, asked, nil); !fault.Is(err, fault.InvalidSessionTransition) {
			t.Errorf("what was shown before the choice was approved: %v", err)
		}
		w.approve(b.ID)
		b = w.sweep(b.ID)
		if b.Steps[0].Review == "" || b.Steps[0].Review != b.Steps[1].Review {
			t.Fatalf("%+v", b.Steps)
		}
		signed := w.sign(b)
		b = w.sweep(b.ID)
		task, err := w.Store.Task(t.Context(), b.Task)
		if err != nil {
			t.Fatal(err)
		}
		var d request.Data
		if err := json.Unmarshal(task.Result, &d); err != nil {
			t.Fatal(err)
		}
		if b.State != request.Completed || !d.Success || d.Mode != request.Atomic || len(d.Transactions) != 2 {
			t.Fatalf("%s (%s) %s", b.State, b.Reason, task.Result)
		}
		for _, r := range d.Transactions {
			if r.Status != "confirmed" || r.TxHash == nil || *r.TxHash != signed.Execution.TxDigest {
				t.Errorf("%+v", r)
			}
		}
	})
	t.Run("a choice can be taken back, and none is taken once it runs", func(t *testing.T) {
		b := w.ask(pay("3", alice), pay("4", bob))
		for _, m := range []request.Mode{request.Atomic, request.OneByOne} {
			if got, err := w.choose(b.ID, m); err != nil || got.Mode != m {
				t.Fatalf("%v: %s", err, got.Mode)
			}
		}
		before := w.get(b.ID).Revision
		if got, err := w.choose(b.ID, request.OneByOne); err != nil || got.Revision != before {
			t.Errorf("a choice that changes nothing: %v, revision %d after %d", err, got.Revision, before)
		}
		w.approve(b.ID)
		if _, err := w.choose(b.ID, request.Atomic); !fault.Is(err, fault.InvalidSessionTransition) {
			t.Error(err)
		}
		b = w.sweep(b.ID)
		if b.Steps[1].Review != "" {
			t.Errorf("both steps are built: %+v", b.Steps)
		}
		if _, err := w.svc.Stop(t.Context(), b.ID, yes); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("a tab that was shown the other mode is told so", func(t *testing.T) {
		b := w.ask(pay("5", alice), pay("6", bob))
		stale := w.shown(b.ID)
		if _, err := w.choose(b.ID, request.Atomic); err != nil {
			t.Fatal(err)
		}
		for name, answer := range map[string]func() error{
			"choose":  func() error { _, err := w.svc.Choose(t.Context(), b.ID, stale, request.OneByOne); return err },
			"approve": func() error { _, err := w.svc.Approve(t.Context(), b.ID, stale, nil); return err },
			"later":   func() error { return w.svc.Later(t.Context(), b.ID, w.shown(b.ID), "p") },
			"unknown": func() error { _, err := w.svc.Choose(t.Context(), b.ID, w.shown(b.ID), "both"); return err },
		} {
			if err := answer(); err == nil {
				t.Errorf("%s was taken", name)
			}
		}
		if got := w.get(b.ID); got.State != request.Asked || got.Mode != request.Atomic {
			t.Errorf("%s %s", got.State, got.Mode)
		}
	})
	t.Run("what cannot be one transaction is refused in words, and stays as it was", func(t *testing.T) {
		given, err := w.Reviews.Prepare(t.Context(), pay("7", alice))
		if err != nil {
			t.Fatal(err)
		}
		mixed := append(steps(pay("8", bob)), request.Wanted{ID: "g", Sequence: 1, Chain: "Sui", Review: given.ID, Wait: true,
			Timeout: request.DefaultReceipt})
		var nine []plan.Intent
		for range request.MostAtomic + 1 {
			nine = append(nine, pay("9", alice))
		}
		for name, list := range map[string][]request.Wanted{"a review": mixed, "nine": steps(nine...),
			"one": steps(pay("9.5", bob))} {
			b := w.askOf(name, false, list)
			if got, err := w.choose(b.ID, request.Atomic); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("%s: %v %+v", name, err, got)
			}
			if got := w.get(b.ID); got.State != request.Asked || got.Mode != request.OneByOne || got.Revision != b.Revision {
				t.Errorf("%s: %s %s", name, got.State, got.Mode)
			}
		}
	})
	t.Run("declined, none of it happened", func(t *testing.T) {
		b := w.ask(pay("1.5", alice), pay("2.5", bob))
		if _, err := w.choose(b.ID, request.Atomic); err != nil {
			t.Fatal(err)
		}
		w.approve(b.ID)
		b = w.sweep(b.ID)
		w.ready(b.Steps[0])
		if _, err := w.Reviews.Outcome(t.Context(), b.Steps[0].Review, "", record.OutcomeDeclined); err != nil {
			t.Fatal(err)
		}
		b = w.sweep(b.ID)
		d := b.Data()
		if b.State != request.Stopped || len(d.Transactions) != 2 || d.Transactions[1].Status != "failed" || d.Success {
			t.Errorf("%s %+v", b.State, d)
		}
	})
}

// TestModeRaces makes users choose and approve in two processes at once: the approved request is
// the one that the tab showed, and there is only one.
func TestModeRaces(t *testing.T) {
	w := newWorld(t)
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(w.Data, "sandbox"), Now: w.Clock.Now,
		Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	other := request.New(request.Config{Store: db, Make: w.Twin(), Active: w.active, Hub: &events.Hub{}, Now: w.Clock.Now,
		Rand: rand.Reader})
	for range 12 {
		b := w.ask(pay("1", alice), pay("2", bob))
		shown := w.shown(b.ID)
		var chosen, approved error
		var wg sync.WaitGroup
		wg.Go(func() { _, chosen = w.svc.Choose(context.Background(), b.ID, shown, request.Atomic) })
		wg.Go(func() { _, approved = other.Approve(context.Background(), b.ID, shown, nil) })
		wg.Wait()
		got := w.get(b.ID)
		if (chosen == nil) == (approved == nil) {
			t.Fatalf("%v, %v", chosen, approved)
		}
		if (approved == nil) != (got.State == request.Running && got.Mode == request.OneByOne) ||
			(chosen == nil) != (got.State == request.Asked && got.Mode == request.Atomic) {
			t.Errorf("%s %s after %v, %v", got.State, got.Mode, chosen, approved)
		}
		if _, err := w.svc.Stop(t.Context(), b.ID, yes); err != nil {
			t.Fatal(err)
		}
	}
}

// TestModeTried reports what would prevent a single transaction before anything changes.
func TestModeTried(t *testing.T) {
	w := newWorld(t)
	var many []plan.Intent
	for _, amount := range []string{"10", "11", "12", "13", "14"} {
		many = append(many, testkit.Swap(amount, "SUI", "USDC"))
	}
	for name, c := range map[string]struct {
		steps []plan.Intent
		says  string
	}{
		"too many outcomes": {many, "can end in more than 16 ways"},
		"too little":        {[]plan.Intent{pay("700", alice), pay("700", bob)}, "SUI"},
		"a result below the least size of the next venue": {[]plan.Intent{testkit.Swap("1.1", "SUI", "USDC"),
			{Type: "swap", Protocol: "deep", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1},
				To: plan.IntentTarget{Symbol: "SUI"}, MaxSlippageBps: 50}},
			"Step 2: The pool SUI_USDC would trade nothing"},
	} {
		b := w.ask(c.steps...)
		_, err := w.choose(b.ID, request.Atomic)
		if !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), "It stays one signature per step: ") ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if got := w.get(b.ID); got.Revision != b.Revision || got.Mode != request.OneByOne || got.State != request.Asked {
			t.Errorf("%s: %s %s", name, got.Mode, got.State)
		}
	}
}

// TestWholeBounds: a single transaction pays only what was approved, to the approved recipients.
func TestWholeBounds(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", bob))
	if _, err := w.choose(b.ID, request.Atomic); err != nil {
		t.Fatal(err)
	}
	w.approve(b.ID)
	b = w.sweep(b.ID)
	r := w.ready(b.Steps[0])
	if err := b.Handing(r); err != nil {
		t.Fatal(err)
	}
	change := func(name string, f func(*record.Session)) {
		other := r
		other.Intent.Steps = append([]plan.Intent{}, r.Intent.Steps...)
		f(&other)
		if err := b.Handing(other); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	change("somebody else is paid", func(s *record.Session) { s.Intent.Steps[1].Recipient = alice })
	change("another protocol", func(s *record.Session) { s.Intent.Steps[1].Protocol = "deep" })
	change("one step less", func(s *record.Session) { s.Intent.Steps = s.Intent.Steps[:1] })
	less := b
	less.Steps = append([]request.Step{}, b.Steps...)
	less.Steps[1].Most = []plan.Amount{plan.SUI.Of(less.Steps[1].Most[0].Raw - 1)}
	if err := less.Handing(r); !fault.Is(err, fault.HandoffUnavailable) {
		t.Errorf("one unit more than was approved: %v", err)
	}
}

// TestWholeBoundsName changes a recipient name's target before the steps become one transaction:
// the switch is refused, and the mode stays.
func TestWholeBoundsName(t *testing.T) {
	f := newFake(1)
	svc := f.service()
	named := pay("1", "")
	named.RecipientName = "alice.sui"
	b, err := svc.Ask(t.Context(), "", false, steps(named, pay("2", alice)))
	if err != nil {
		t.Fatal(err)
	}
	f.payee = bob
	_, err = svc.Choose(t.Context(), b.ID, answer(f, b.ID), request.Atomic)
	wantReason(t, err, fault.InvalidSessionTransition, request.Outside)
	f.payee = alice
	if b, err = svc.Choose(t.Context(), b.ID, answer(f, b.ID), request.Atomic); err != nil || b.Mode != request.Atomic {
		t.Errorf("%v %s", err, b.Mode)
	}
}

// TestModeKilled kills the process at each change of an atomic bundle: there is only one review.
func TestModeKilled(t *testing.T) {
	long.Skip(t, "it ends bundles at their steps")
	w := newWorld(t)
	for n := range 6 {
		b := w.ask(pay("1."+string(rune('1'+n)), alice), pay("2."+string(rune('1'+n)), bob))
		if _, err := w.choose(b.ID, request.Atomic); err != nil {
			t.Fatal(err)
		}
		w.approve(b.ID)
		d := &dying{Store: w.Store, changes: 1 + n/2, after: n%2 == 1}
		c := request.Config{Store: d, Make: w.Reviews, Active: w.active, Hub: w.Hub, Now: w.Clock.Now,
			Rand: counting{newFake(uint64(n))}}
		if _, err := request.New(c).Sweep(t.Context()); err != nil && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		b = w.sweep(b.ID)
		first := b.Steps[0].Review
		w.sign(b)
		b = w.sweep(b.ID)
		if b.State != request.Completed || b.Steps[0].Review != first || b.Steps[1].Review != first {
			t.Errorf("killed at change %d: %s %+v", n, b.State, b.Steps)
		}
	}
}

// TestPart splits one transaction into separately signed steps.
func TestPart(t *testing.T) {
	w := newWorld(t)
	prepared := func() record.Session {
		r, err := w.Reviews.Prepare(t.Context(), plan.Intent{Type: plan.Bundle, Steps: swapAndSend()})
		if err == nil {
			r, err = w.Reviews.Opened(t.Context(), r.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return w.Compute(r)
	}
	r := prepared()
	b, err := w.svc.Part(t.Context(), r.ID, yes)
	if err != nil || b.State != request.Asked || b.Mode != request.OneByOne || len(b.Steps) != 2 ||
		b.Steps[1].Intent.From.ResultOf != 1 {
		t.Fatalf("%v %+v", err, b)
	}
	t.Run("the review ends and says where it goes on, to the client that asked", func(t *testing.T) {
		now, err := w.Store.Review(t.Context(), r.ID)
		if err != nil || now.Status != record.Failure || !now.GoesOnInSteps() ||
			!strings.Contains(now.Execution.Note, b.Task) {
			t.Errorf("%v %s %+v", err, now.Status, now.Execution)
		}
		if err := w.hand(r); err == nil {
			t.Error("the old transaction was handed out")
		}
		task, ok, err := w.Store.TaskOf(t.Context(), record.Subject(r.ID))
		if err != nil || !ok || !strings.HasPrefix(task.Error, "replaced: ") || !strings.Contains(task.Error, b.Task) {
			t.Errorf("%v %v: its task says %q", err, ok, task.Error)
		}
		of, ok, err := w.svc.Of(t.Context(), r.ID)
		if err != nil || !ok || of.ID != b.ID {
			t.Errorf("%v %v %s", err, ok, of.ID)
		}
	})
	t.Run("once more is refused, and leads to the same bundle", func(t *testing.T) {
		if again, err := w.svc.Part(t.Context(), r.ID, yes); !fault.Is(err, fault.InvalidSessionTransition) ||
			again.ID != b.ID {
			t.Errorf("%v %s", err, again.ID)
		}
	})
	w.approve(b.ID)
	for range 2 {
		w.sign(w.sweep(b.ID))
	}
	if b = w.sweep(b.ID); b.State != request.Completed {
		t.Errorf("%s %v", b.State, words(b))
	}
	t.Run("what a wallet has is not ended", func(t *testing.T) {
		w.Clock.Advance(record.Recent) // otherwise it repeats a recent request
		r := prepared()
		err := w.hand(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.svc.Part(t.Context(), r.ID, yes); !fault.Is(err, fault.InvalidSessionTransition) {
			t.Error(err)
		}
		row, err := w.Reviews.Kept(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := row.EndForSteps("b", "t", w.Clock.Now()); err == nil {
			t.Error("a transaction that was handed out ended for its steps")
		}
	})
	t.Run("one action has one signature", func(t *testing.T) {
		r, err := w.Reviews.Prepare(t.Context(), pay("1", bob))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.svc.Part(t.Context(), r.ID, yes); !fault.Is(err, fault.UnsupportedAction) {
			t.Error(err)
		}
	})
}

// TestPartRaces splits it in several tabs and processes at once: one bundle is created.
func TestPartRaces(t *testing.T) {
	w := newWorld(t)
	r, err := w.Reviews.Prepare(t.Context(), plan.Intent{Type: plan.Bundle, Steps: swapAndSend()})
	if err == nil {
		_, err = w.Reviews.Opened(t.Context(), r.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := w.svc.Part(context.Background(), r.ID, yes); err == nil {
				made.Add(1)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("%d bundles were made of one review", made.Load())
	}
}
