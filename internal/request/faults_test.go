package request_test

import (
	"context"
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestEntry deletes and changes the address-book entry that a step pays while its bundle runs: only
// the approved address is ever paid.
func TestEntry(t *testing.T) {
	for name, now := range map[string]string{"deleted": "", "changed": bob} {
		t.Run(name+" before its turn", func(t *testing.T) {
			w := newWorld(t)
			book := map[string]string{"e": alice}
			b := w.entered(book)
			w.sign(w.sweep(b.ID))
			if book["e"] = now; now == "" {
				delete(book, "e")
			}
			b = w.sweep(b.ID)
			if b.State != request.Stopped || b.Steps[1].Error != request.EntryChanged || b.Steps[1].Review != "" ||
				words(b)[0] != "confirmed" {
				t.Errorf("%s (%s) %+v", b.State, b.Reason, b.Steps)
			}
		})
		t.Run(name+" before the hand-out", func(t *testing.T) {
			w := newWorld(t)
			book := map[string]string{"e": alice}
			b := w.entered(book)
			w.sign(w.sweep(b.ID))
			b = w.sweep(b.ID)
			r := w.ready(*b.Present())
			if book["e"] = now; now == "" {
				delete(book, "e")
			}
			wantReason(t, w.hand(r), fault.HandoffUnavailable, request.EntryChanged)
			book["e"] = alice // restored by the user
			w.sign(b)
			if b = w.sweep(b.ID); b.State != request.Completed {
				t.Errorf("%s %v", b.State, words(b))
			}
		})
	}
	t.Run("deleted before one transaction is made of all", func(t *testing.T) {
		w := newWorld(t)
		book := map[string]string{"e": alice}
		b := w.asked(book)
		if _, err := w.choose(b.ID, request.Atomic); err != nil {
			t.Fatal(err)
		}
		w.approve(b.ID)
		delete(book, "e")
		if b = w.sweep(b.ID); b.State != request.Stopped || b.Steps[0].Error != request.EntryChanged ||
			b.Steps[0].Review != "" {
			t.Errorf("%s (%s) %+v", b.State, b.Reason, b.Steps)
		}
	})
}

// asked creates a bundle whose second step pays an address book entry.
func (w *world) asked(book map[string]string) request.Request {
	w.svc = request.New(request.Config{Store: w.Store, Make: w.Reviews, Active: w.active, Hub: w.Hub, Now: w.Clock.Now,
		Rand:   rand.Reader,
		Booked: func(_ context.Context, id string) (string, bool, error) { a, ok := book[id]; return a, ok, nil }})
	list := steps(pay("1", bob), pay("2", alice))
	list[1].Entry = "e"
	return w.askOf("", false, list)
}

// entered creates such a bundle and approves it.
func (w *world) entered(book map[string]string) request.Request { return w.approve(w.asked(book).ID) }

// TestOtherStepSigned makes a wallet return the previous step's signature. It does not count for
// this step, whose result stays unknown.
func TestOtherStepSigned(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", bob), pay("3", bob))
	w.approve(b.ID)
	b = w.sweep(b.ID)
	first := w.ready(*b.Present())
	o, err := w.Reviews.Handoff(t.Context(), first.ID, first.Revision, first.Commitment, testkit.Ticks(first)...)
	if err != nil {
		t.Fatal(err)
	}
	raw, signature := w.Sign(o)
	if _, err := w.Reviews.Signed(t.Context(), first.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	w.Until(first.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
	b = w.sweep(b.ID)
	second := w.ready(*b.Present())
	o, err = w.Reviews.Handoff(t.Context(), second.ID, second.Revision, second.Commitment, testkit.Ticks(second)...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Reviews.Signed(t.Context(), second.ID, o.Nonce, raw, signature); err == nil {
		t.Error("the signature of another step was taken")
	}
	if b = w.sweep(b.ID); b.State != request.Running ||
		!slices.Equal(words(b), []string{"confirmed", "awaiting_wallet", "waiting"}) || !b.Steps[1].Handed {
		t.Fatalf("%s %v", b.State, words(b))
	}
	w.Clock.Advance(request.WalletTime + request.DefaultReceipt + time.Second)
	if b = w.sweep(b.ID); b.State != request.Stopped || b.Steps[1].State != request.TimedOut || b.Steps[2].Review != "" {
		t.Errorf("%s %v", b.State, words(b))
	}
}

// TestStaleCoins spends the coins of a built step elsewhere. Its bytes are not released; it is
// built again, and the bundle continues.
func TestStaleCoins(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", bob))
	w.approve(b.ID)
	w.sign(w.sweep(b.ID))
	b = w.sweep(b.ID)
	stale := w.ready(*b.Present())
	if other := w.Settle(w.Ready(pay("7", bob))); other.Status != record.Success {
		t.Fatal(other.Status)
	}
	if err := w.hand(stale); err == nil {
		t.Fatal("bytes with spent coins were handed out")
	}
	b = w.sweep(b.ID)
	r, err := w.Reviews.Get(t.Context(), stale.ID)
	if err != nil || b.State != request.Running || r.Status != record.RefreshRequired {
		t.Fatalf("%v %s %s", err, b.State, r.Status)
	}
	w.Compute(r)
	w.sign(b)
	if b = w.sweep(b.ID); b.State != request.Completed {
		t.Errorf("%s %v", b.State, words(b))
	}
}

// TestTabClosed signs a step whose tab was closed before it could report. The chain shows it by its
// digest, and the bundle continues.
func TestTabClosed(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", bob))
	w.approve(b.ID)
	b = w.sweep(b.ID)
	r := w.ready(*b.Present())
	o, err := w.Reviews.Handoff(t.Context(), r.ID, r.Revision, r.Commitment, testkit.Ticks(r)...)
	if err != nil {
		t.Fatal(err)
	}
	raw, signature := w.Sign(o)
	if _, err := w.Reviews.Outcome(t.Context(), r.ID, o.Nonce, record.OutcomeDisconnected); err != nil {
		t.Fatal(err)
	}
	if b = w.sweep(b.ID); b.State != request.Running || b.Steps[0].State != request.Open || !b.Steps[0].Handed {
		t.Fatalf("%s %+v", b.State, b.Steps)
	}
	if _, err := w.Node.Execute(t.Context(), raw, signature); err != nil {
		t.Fatal(err)
	}
	w.Until(r.ID, "the chain told of it", func(s record.Session) bool { return s.Status == record.Success })
	w.sign(w.sweep(b.ID))
	if b = w.sweep(b.ID); b.State != request.Completed {
		t.Errorf("%s %v", b.State, words(b))
	}
}
