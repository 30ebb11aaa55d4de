package review_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// rebuilds is one generated life of a review through the whole pipeline and a
// real chain: releases, refusals, rebuilds, coins that move, epochs that end.
type rebuilds struct {
	h    *testkit.Harness
	s    record.Session
	out  []handoff.Handoff
	seen map[string]int
}

func (l *rebuilds) step(t *testing.T, dice *rand.Rand) {
	ctx := context.Background()
	now, err := l.h.Reviews.Get(ctx, l.s.ID)
	if err != nil {
		t.Fatal(err)
	}
	l.s = now
	switch pick := dice.IntN(16); {
	case pick < 5:
		l.compute(t)
	case pick < 9:
		l.hand(t)
	case pick < 11 && len(l.out) > 0:
		outcome := []string{record.OutcomeRejected, record.OutcomeDeclined, record.OutcomeProviderError}[dice.IntN(3)]
		_, _ = l.h.Reviews.Outcome(ctx, l.s.ID, l.out[dice.IntN(len(l.out))].Nonce, outcome)
	case pick == 11 && len(l.s.Releases) > 0:
		last := l.s.Releases[len(l.s.Releases)-1].GasCoin
		if o, ok, err := l.h.Node.Object(ctx, last.ID, 0); err == nil && ok && o.Ref == last {
			testkit.Spend(t, l.h, last.ID)
		}
	case pick == 12:
		if err := l.h.Sandbox.Endow(sandbox.Account); err != nil {
			t.Fatal(err)
		}
	case pick == 13:
		epochs(l.h, 1)
	case pick > 13:
		l.rest(t)
	}
}

// rest lets the watch prove what can be proved.
func (l *rebuilds) rest(t *testing.T) {
	ctx := context.Background()
	epoch, err := l.h.Node.Epoch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, r := range l.s.Outstanding() {
		o, ok, err := l.h.Node.Object(ctx, r.GasCoin.ID, 0)
		if err != nil || !ok {
			t.Fatal(err)
		}
		if epoch.Number <= r.LastEpoch && o.Ref == r.GasCoin {
			left++
		}
	}
	l.h.Restart() // its watch begins quickly again
	l.s = l.h.Until(l.s.ID, "every proof that there is",
		func(s record.Session) bool { return len(s.Outstanding()) <= left })
}

func (l *rebuilds) compute(t *testing.T) {
	s, err := l.h.Reviews.ComputeNow(context.Background(), l.s.ID, l.s.Revision)
	if err != nil {
		return // the watch was faster
	}
	l.s = s
	if c, ok := testkit.Check(s, "released_transaction_may_execute"); ok && s.Status == record.Blocked {
		if c.Do == "" {
			t.Error("it is not said what to do")
		}
		l.seen["waits for proof"]++
	}
}

func (l *rebuilds) hand(t *testing.T) {
	before := l.s.Outstanding()
	o, err := l.h.Reviews.Handoff(context.Background(), l.s.ID, l.s.Revision, l.s.Commitment)
	if err != nil {
		return
	}
	tx, err := o.Bytes.Transaction()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range before {
		if tx.Gas.Payment[0] != r.GasCoin {
			t.Errorf("ST-03 handed out beside %s, which can execute, on another coin", r.Digest)
		}
	}
	switch {
	case len(before) > 0:
		l.seen["excludes a living one"]++
	case len(l.out) > 0:
		l.seen["after the others were proved dead"]++
	}
	l.out = append(l.out, o)
}

// final sends everything that ever left, in any order.
func (l *rebuilds) final(t *testing.T, dice *rand.Rand) {
	ctx := context.Background()
	l.h.Stop()
	stored := stored(t, l.h, l.s.ID).Session
	ran := 0
	for _, n := range dice.Perm(len(l.out)) {
		raw, signature := l.h.Sign(l.out[n])
		e, err := l.h.Node.Execute(ctx, raw, signature)
		if err != nil || e.Digest != l.out[n].Bytes.Digest() {
			continue
		}
		if ran++; stored.Released(e.Digest).Dead {
			t.Errorf("ST-06 %s was proved dead, and executes", e.Digest)
		}
	}
	if ran > 1 {
		t.Errorf("ST-03 %d transactions of one review executed", ran)
	}
	if ran == 1 {
		l.seen["one executes at the end"]++
	}
}

// disjoint checks every pair of releases by what is stored.
func disjoint(t *testing.T, s record.Session) {
	t.Helper()
	for i, a := range s.Releases {
		for _, b := range s.Releases[i+1:] {
			if a.GasCoin != b.GasCoin && !a.Dead {
				t.Errorf("ST-03 %s and %s share no coin, and the first is not proved dead", a.Digest, b.Digest)
			}
		}
	}
}

func TestRebuildRule(t *testing.T) {
	long.Skip(t, "it plays many histories")
	seen := map[string]int{}
	for seed := range uint64(10) {
		t.Run(fmt.Sprintf("ST-03 history %d", seed), func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			l := &rebuilds{h: h, s: h.Ready(testkit.Swap("10", "SUI", "USDC")), seen: seen}
			dice := rand.New(rand.NewPCG(seed, 3))
			l.hand(t)
			for range 22 {
				l.step(t, dice)
			}
			disjoint(t, stored(t, h, l.s.ID).Session)
			l.final(t, dice)
		})
	}
	t.Logf("%v", seen)
	for _, what := range []string{"waits for proof", "excludes a living one", "after the others were proved dead",
		"one executes at the end"} {
		if seen[what] == 0 {
			t.Errorf("no history: %s", what)
		}
	}
}
