package request_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// TestModel runs thousands of random histories of bundles: users reject and stop, tabs close,
// reports are lost, wallets decline or lie, the chain lags or fails, names change, the account
// changes, and the runner is killed before or after any change. It checks invariants after every
// change.
func TestModel(t *testing.T) {
	long.Skip(t, "it plays histories of bundles")
	var seen = map[string]int{}
	for seed := range uint64(1500) {
		if faults := walk(seed, seen); len(faults) > 0 {
			t.Fatalf("history %d: %v", seed, faults)
		}
	}
	for _, want := range []string{"completed", "stopped", "rejected", "expired", "killed", "confirmed", "failed",
		"pending", "timeout", "late",
		request.UserRejected, request.Outside, request.Cancelled, request.TimeOver, request.NotSubmitted,
		request.OtherAccount, "insufficient_balance", "atomic completed", "atomic stopped",
		record.OutcomeChanged, record.OutcomeDisconnected} {
		if seen[want] == 0 {
			t.Errorf("no history came to %s: %v", want, seen)
		}
	}
	t.Log(seen)
}

// walk runs one history and returns the violations.
func walk(seed uint64, seen map[string]int) []string {
	f := newFake(seed)
	f.seen = seen
	svc := f.service()
	ctx := context.Background()
	b, err := svc.Ask(ctx, "", false, f.wishes())
	if err != nil {
		return []string{err.Error()}
	}
	for range 30 + f.rnd.IntN(60) {
		f.now = f.now.Add(time.Duration(f.rnd.IntN(40)) * time.Second)
		switch n := f.rnd.IntN(40); {
		case n == 0:
			_, _ = svc.Reject(ctx, b.ID, answer(f, b.ID))
		case n < 8:
			_, _ = svc.Approve(ctx, b.ID, answer(f, b.ID), nil)
		case n == 8 && f.rnd.IntN(3) == 0:
			_, _ = svc.Stop(ctx, b.ID, yes)
		case n == 9 && f.rnd.IntN(3) == 0:
			now := f.bundles[b.ID]
			now.CancelRequested = true
			f.bundles[b.ID] = now
		case n == 10 && f.rnd.IntN(4) == 0:
			f.now = f.now.Add(20 * time.Minute)
		case n == 11:
			f.payee = bob
		case n == 12 && f.rnd.IntN(4) == 0:
			f.active = sui.MustAddress("0xb0b")
		case n == 13:
			f.broken = !f.broken
		case n < 17:
			f.kill, f.after = 1+f.rnd.IntN(3), f.rnd.IntN(2) == 0
		case n == 29:
			_, _ = svc.Choose(ctx, b.ID, answer(f, b.ID), request.Modes()[f.rnd.IntN(2)])
		case n < 29:
			for id := range f.bundles[b.ID].Steps {
				if r := f.bundles[b.ID].Steps[id].Review; r != "" {
					f.one(svc, r)
				}
			}
		}
		if _, err := svc.Sweep(ctx); errors.Is(err, errKilled) {
			seen["killed"]++
			svc = f.service() // the next process continues
		}
	}
	return f.settled(b.ID, seen)
}

func answer(f *fake, id request.ID) request.Answer {
	return request.Answer{Revision: f.bundles[id].Revision, Right: yes}
}

// settled lets every transaction finish, and checks whether the reported results are true.
func (f *fake) settled(id request.ID, seen map[string]int) []string {
	ctx := context.Background()
	svc := f.service()
	f.broken = false
	for range 400 {
		for _, s := range f.bundles[id].Steps {
			if s.Review != "" {
				f.one(svc, s.Review)
			}
		}
		f.now = f.now.Add(20 * time.Second)
		if _, err := svc.Sweep(ctx); err != nil {
			f.wrong("sweep: %v", err)
		}
	}
	b := f.bundles[id]
	seen[string(b.State)]++
	seen[string(b.Mode)+" "+string(b.State)]++
	if !b.State.Over() {
		f.wrong("the bundle is never over: %+v", b)
	}
	if f.ends[id] != 1 {
		f.wrong("its task ended %d times", f.ends[id])
	}
	failed := false
	for i, s := range b.Steps {
		if s.State.Ended() {
			seen[s.Error]++
		}
		if failed && s.State == request.Failed && s.TxHash == "" && b.Mode != request.Atomic &&
			len(b.Data().Transactions) > i {
			f.wrong("step %d, which was not handed out, is told of after a failure", i)
		}
		failed = failed || s.State == request.Failed || s.State == request.TimedOut
		if ran := f.ran[s.Review]; s.Review != "" && (ran > 1 || (ran == 1) != (s.State == request.Confirmed)) {
			f.wrong("step %d ran %d times and is %s (%s)", i, ran, s.State, s.Error)
		}
	}
	if d := b.Data(); b.Mode == request.Atomic && b.Steps[0].State.Ended() && len(d.Transactions) != len(b.Steps) {
		f.wrong("the result of one transaction has %d entries for %d steps", len(d.Transactions), len(b.Steps))
	}
	if d := b.Data(); d.Success != (b.State == request.Completed && !failed) {
		f.wrong("success is %v of a bundle that is %s", d.Success, b.State)
	}
	if f.told[id] > 1 {
		seen["late"]++
	}
	return f.faults
}
