package handoff

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// A release believed dead blocks no other release and holds no coins, but repeating it still needs
// the user's consent.
func TestBelievedDeadBarsNothing(t *testing.T) {
	same, other := record.StepWish{Action: "pay", Amount: "5", Read: true}, record.StepWish{Action: "pay", Amount: "6",
		Read: true}
	sharing := record.Release{GasCoin: lawRef, Inputs: []sui.ObjectRef{lawCoin, lawRef}, BelievedAt: lawTime}
	coinless := record.Release{BelievedAt: lawTime}
	for name, c := range map[string]struct {
		open     record.Release
		wish     record.StepWish
		accepted []string
		reason   string
	}{
		"another wish on a shared coin":  {open: sharing, wish: other},
		"another wish beside a coinless": {open: coinless, wish: other},
		"the same wish":                  {open: sharing, wish: same, reason: "again"},
		"the same wish, ticked":          {open: sharing, wish: same, accepted: []string{"again:else"}},
		"the same wish of a coinless":    {open: coinless, wish: same, reason: "again"},
	} {
		t.Run(name, func(t *testing.T) {
			open := []record.OpenRelease{{Review: "else", Action: "other", ChainID: "chain", Release: c.open}}
			_, err := handWith(open, nil, c.wish, c.accepted...)
			if f := fault.As(err); (err != nil) != (c.reason != "") || err != nil && f.Detail.Get("reason") != c.reason {
				t.Errorf("%v", err)
			}
		})
	}
}

// One node's word is believed after two epochs and 72 hours, and buries after two more.
func TestBelief(t *testing.T) {
	d := sui.TransactionDigest(lawBytes)
	one := verdict{proof: &proof{}}
	type step struct {
		v        verdict
		epoch    uint64
		after    time.Duration
		believed bool
		status   record.Status
	}
	const pending = record.SignedPendingResult
	for name, steps := range map[string][]step{
		"after both": {{one, 6, 0, false, pending}, {one, 7, 73 * time.Hour, true, pending}, {one, 9, 130 * time.Hour, true,
			pending},
			{one, 10, 131 * time.Hour, true, record.Failure}},
		"not before 72 hours":   {{one, 6, 0, false, pending}, {one, 90, 71 * time.Hour, false, pending}},
		"not before two epochs": {{one, 6, 0, false, pending}, {one, 6, 900 * time.Hour, false, pending}},
		"not before it is over": {{one, 5, 0, false, pending}, {one, 5, 73 * time.Hour, false, pending},
			{one, 7, 74 * time.Hour, false, pending}},
		"looked for 48 hours more": {{one, 6, 0, false, pending}, {one, 7, 73 * time.Hour, true, pending},
			{one, 99, 120 * time.Hour, true, pending}, {one, 99, 122 * time.Hour, true, record.Failure}},
		"a clock that was set back": {{one, 6, 100 * time.Hour, false, pending}, {one, 7, 0, false, pending},
			{one, 7, 71 * time.Hour, false, pending},
			{one, 7, 72 * time.Hour, true, pending}},
		"the second node contradicts": {{one, 6, 0, false, pending}, {one, 7, 73 * time.Hour, true, pending},
			{verdict{contradicted: true}, 8, 74 * time.Hour, false, pending}, {one, 9, 75 * time.Hour, false, pending}},
		"no proof": {{one, 6, 0, false, pending}, {verdict{}, 9, 100 * time.Hour, false, pending}},
	} {
		t.Run(name, func(t *testing.T) {
			r := lawRow("signed_pending_result")
			for i, s := range steps {
				if err := weigh(&r, d, s.v, s.epoch, lawTime.Add(s.after)); err != nil {
					t.Fatal(err)
				}
				if got := r.Session.Releases[0]; got.BelievedDead() != s.believed || r.Session.Status != s.status {
					t.Fatalf("step %d: believed %t, %s", i, got.BelievedDead(), r.Session.Status)
				}
			}
		})
	}
}

// A late signature of a release that is believed dead is taken, also after its review
// ended by that belief and the bytes are gone.
func TestLateSignatureOfABelievedDead(t *testing.T) {
	d := sui.TransactionDigest(lawBytes)
	r := lawRow("ready_for_wallet_review+")
	rel := &r.Session.Releases[0]
	rel.OverAt, rel.BelievedAt = lawTime, lawTime
	rel.Dead = true
	if err := buried(&r, record.FailureCannotExecute, "x", lawTime); err != nil || len(r.Materials) > 0 {
		t.Fatal(err)
	}
	g := lawSigning()
	g.signers = []sui.Address{sui.MustAddress("0xb0b")}
	if err := sign(&r, g, lawTime); !fault.Is(err, fault.SignerMismatch) || r.Session.Status != record.Failure {
		t.Errorf("another account's: %v, %s", err, r.Session.Status)
	}
	if err := sign(&r, lawSigning(), lawTime); err != nil {
		t.Fatal(err)
	}
	m, ok := r.Material(d)
	if r.Session.Status != record.SignedPendingResult || !ok || m.Signature.Size() == 0 || r.Session.Releases[0].Dead ||
		r.Session.Execution.TxDigest != d.String() {
		t.Errorf("%s %+v", r.Session.Status, r.Session.Execution)
	}
	if err := settle(&r, lawEffects(true), executionReport{}, record.Proof{}, lawTime); err != nil ||
		r.Session.Status != record.Success {
		t.Errorf("%v, %s", err, r.Session.Status)
	}
}

// The validators are followed while the program is idle, and not often.
func TestIdle(t *testing.T) {
	s := &Service{watching: map[record.ID]chan struct{}{}, sending: map[record.ID]bool{}, followed: lawTime}
	for _, c := range []struct {
		after time.Duration
		busy  bool
		want  bool
	}{{9 * time.Minute, false, false}, {11 * time.Minute, true, false}, {12 * time.Minute, false, true},
		{60 * time.Minute, false, false}, {73 * time.Minute, false, true}} {
		delete(s.watching, "r")
		if c.busy {
			s.watching["r"] = make(chan struct{})
		}
		if got := s.idle(lawTime.Add(c.after)); got != c.want {
			t.Errorf("after %s, busy %t: %t", c.after, c.busy, got)
		}
	}
}

// nothingOpen is a store without unsettled reviews.
type nothingOpen struct{ record.Store }

func (nothingOpen) Unsettled(context.Context) ([]record.ID, error) { return nil, nil }

// follows counts how often the validators are followed.
type follows struct {
	node.Prover
	n atomic.Int32
}

func (f *follows) Follow() { f.n.Add(1) }

// Run follows the validators when it is idle, and leaves them while a result is awaited.
func TestRunFollowsWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &follows{}
		s := New(Config{Guard: node.Guard{Log: slog.New(slog.DiscardHandler)}, Store: nothingOpen{}, Prover: p,
			Now: time.Now})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		after := func(d time.Duration, what string, want int32) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if got := p.n.Load(); got != want {
				t.Errorf("%s: followed %d times, want %d", what, got, want)
			}
		}
		busy := func(set bool) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if delete(s.watching, "r"); set {
				s.watching["r"] = make(chan struct{})
			}
		}
		after(followFirst-time.Second, "soon after the start", 0)
		busy(true)
		after(3*followFirst, "while a result is awaited", 0)
		busy(false)
		after(rescan, "idle", 1)
		after(followEvery-rescan, "idle, within the hour", 1)
		after(2*rescan, "idle for another hour", 2)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
