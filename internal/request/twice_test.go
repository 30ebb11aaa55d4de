package request_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/handoff"
)

const carol = "0x5afe0000000000000000000000000000000000000000000000000000000000cc"

func together(list ...plan.Intent) plan.Intent { return plan.Intent{Type: plan.Bundle, Steps: list} }

// handOut releases a ready review like its page, accepting these ids besides those of its checks.
func (w *world) handOut(r record.Session, accepted ...string) (handoff.Handoff, error) {
	return w.Reviews.HandoffTo(context.Background(), r.ID, func(ctx context.Context) error {
		return w.svc.Handing(ctx,
			r.ID)
	},
		r.Revision, r.Commitment, append(testkit.Ticks(r), accepted...)...)
}

// asks fails unless the release was refused because another request needs "Yes, again" first.
func asks(t *testing.T, err error, other record.ID) {
	t.Helper()
	f := fault.As(err)
	if !fault.Is(err, fault.OtherReleaseOpen) || f.Detail.Get("reason") != "again" ||
		f.Detail.Get("reviewSessionId") != string(other) {
		t.Fatalf("%v %v, want the tick about %s", err, f, other)
	}
}

// execute makes the chain execute the released transaction, whatever this program knows.
func (w *world) execute(o handoff.Handoff) error {
	raw, signature := w.Sign(o)
	e, err := w.Node.Execute(context.Background(), raw, signature)
	if err == nil && !e.Status.OK {
		err = fault.New(fault.InternalError, "it failed")
	}
	return err
}

// TestPaidTwice repeats a payment in ways that once went unnoticed: as part of another request,
// after the wallet declined a transaction without a gas coin, and right after success.
func TestPaidTwice(t *testing.T) {
	both := together(pay("1", bob), pay("0.01", carol))
	// exclusive fails unless the second request can only replace the first.
	exclusive := func(t *testing.T, w *world, first, second plan.Intent) {
		t.Helper()
		a := w.Ready(first)
		o := w.HandOff(a)
		b := w.Ready(second)
		if _, err := w.handOut(b); fault.As(err).Detail.Get("reason") != "replace" {
			t.Fatalf("it is handed out beside the other one: %v", err)
		}
		o2, err := w.handOut(b, record.AcceptReplace+string(a.ID))
		if err != nil {
			t.Fatal(err)
		}
		if first, second := w.execute(o), w.execute(o2); first != nil || second == nil {
			t.Errorf("the first %v, the second %v", first, second)
		}
	}
	t.Run("alone, then as a part of one transaction", func(t *testing.T) {
		exclusive(t, newWorld(t), pay("1", bob),
			both)
	})
	t.Run("as a part of one transaction, then alone", func(t *testing.T) {
		exclusive(t, newWorld(t), both,
			pay("1", bob))
	})
	t.Run("as a part of one transaction, then in a bundle by steps", func(t *testing.T) {
		w := newWorld(t)
		a := w.Ready(both)
		w.HandOff(a)
		b := w.ask(pay("5", alice), pay("1", bob))
		if len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "step b") || !strings.Contains(b.Warnings[0], "step 1") ||
			!strings.Contains(b.Warnings[0], string(a.ID)) {
			t.Errorf("the client is told %q", b.Warnings)
		}
		found, _ := w.svc.Look(t.Context(), b)
		if len(found) == 0 || found[0].Check != record.CheckRelated || found[0].Step != 2 ||
			!strings.Contains(found[0].Message, string(a.ID)) {
			t.Errorf("it is no blocker: %+v", found)
		}
		_, err := w.svc.Approve(t.Context(), b.ID, w.shown(b.ID), nil)
		wantReason(t, err, fault.Blocked, request.Duplicate)
	})
	t.Run("from the address balance, declined in the wallet and executed later", func(t *testing.T) {
		w := newWorld(t)
		w.Sandbox.Deposit(sandbox.Account)
		a := w.Ready(pay("1", bob))
		o := w.HandOff(a)
		if _, err := w.Reviews.Outcome(t.Context(), a.ID, o.Nonce, record.OutcomeRejected); err != nil {
			t.Fatal(err)
		}
		b := w.Ready(both)
		_, err := w.handOut(b)
		asks(t, err, a.ID)
		if err := w.execute(o); err != nil {
			t.Fatal(err)
		}
		if got := w.Until(a.ID, "it is told",
			func(s record.Session) bool { return s.Status.Terminal() }); got.Status != record.Success {
			t.Errorf("%s %+v", got.Status, got.Execution)
		}
		_, err = w.handOut(b)
		asks(t, err, a.ID)
	})
	t.Run("right after it succeeded", func(t *testing.T) {
		for _, in := range []plan.Intent{pay("1.0", bob), both} {
			w := newWorld(t)
			a := w.Settle(w.Ready(pay("1", bob)))
			b := w.Ready(in)
			_, err := w.handOut(b)
			asks(t, err, a.ID)
			if _, err = w.handOut(b, record.AcceptReplace+string(a.ID)); err == nil {
				t.Fatal("another tick lifts it")
			}
			if _, err = w.handOut(b, record.AcceptAgain+string(a.ID)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestEqualStepsAreMeant executes equal steps of one approved request without a question, even
// while the first can still execute.
func TestEqualStepsAreMeant(t *testing.T) {
	w := newWorld(t)
	list := steps(pay("1", bob), pay("1", bob))
	list[0].Wait = false
	b := w.askOf("", false, list)
	if len(b.Warnings) > 0 {
		t.Error(b.Warnings)
	}
	w.approve(b.ID)
	first := w.ready(w.sweep(b.ID).Steps[0])
	w.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "ExecuteTransaction"})
	o, err := w.handOut(first)
	if err != nil {
		t.Fatal(err)
	}
	raw, signature := w.Sign(o)
	if _, err := w.Reviews.Signed(t.Context(), first.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	second := w.ready(w.sweep(b.ID).Steps[1])
	if second.Status != record.Ready || second.Facts.Gas.Coin() == first.Facts.Gas.Coin() {
		t.Fatalf("%s %s: the second uses up the coin of the first", second.Status, second.Reason)
	}
	if _, err := w.handOut(second); err != nil {
		t.Error(err)
	}
	w = newWorld(t)
	if s := w.Settle(w.Ready(together(pay("2", bob), pay("2", bob)))); s.Status != record.Success {
		t.Errorf("%s %+v", s.Status, s.Execution)
	}
}

// TestYesAgain consents on the approval page. That does not affect open requests, and covers no
// other request for the same.
func TestYesAgain(t *testing.T) {
	w := newWorld(t)
	a := w.Ready(pay("1", bob))
	o := w.HandOff(a)
	b := w.ask(pay("1", bob))
	b = w.approve(b.ID, record.AcceptAgain+string(a.ID))
	r := w.ready(w.sweep(b.ID).Steps[0])
	if r.Status != record.Ready || r.Facts.Gas.Coin() == a.Facts.Gas.Coin() {
		t.Fatalf("%s %s: it is not built beside the other one", r.Status, r.Reason)
	}
	other := w.Ready(pay("1", bob))
	if _, err := w.handOut(other, record.AcceptReplace+string(a.ID), record.AcceptAgain+string(b.ID)); err != nil {
		t.Fatal(err)
	}
	_, err := w.handOut(r)
	asks(t, err, other.ID)
	if _, err := w.handOut(r, record.AcceptAgain+string(other.ID)); err != nil {
		t.Fatal(err)
	}
	if err := w.execute(o); err != nil {
		t.Error(err)
	}
}
