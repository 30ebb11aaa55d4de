package review_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/review/node"
)

// liar is a node that answers about transactions and objects as it is told to.
type liar struct {
	node.Executor
	transaction func(sui.Digest) (sui.Executed, bool)
	object      func(sui.ObjectID, uint64) (sui.Object, bool)
	lies        atomic.Bool
}

func (l *liar) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	if l.lies.Load() && l.transaction != nil {
		e, known := l.transaction(d)
		return e, known, nil
	}
	return l.Executor.Transaction(ctx, d)
}

func (l *liar) Object(ctx context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error) {
	if l.lies.Load() && l.object != nil {
		if o, ok := l.object(id, version); ok {
			return o, true, nil
		}
	}
	return l.Executor.Object(ctx, id, version)
}

// between is a harness whose first node can lie about its epoch and about results. proofs
// says whether validators' signatures can be had.
func between(t *testing.T, proofs bool) (h *testkit.Harness, first *liar, epoch *atomic.Pointer[func(*sui.Epoch)]) {
	first, epoch = &liar{}, &atomic.Pointer[func(*sui.Epoch)]{}
	h = testkit.Start(t, time.Now, func(c *review.Config) {
		first.Executor, c.Executor = c.Executor, first
		c.Chain = timer{c.Chain, epoch}
		if !proofs {
			c.Prover = nil
		}
	})
	return h, first, epoch
}

// look looks at a review several times, as its watch does.
func look(h *testkit.Harness, id record.ID) record.Session {
	w := h.Reviews.Watcher(id)
	for range 4 {
		w.Look(context.Background())
	}
	s, err := h.Reviews.Get(context.Background(), id)
	if err != nil {
		panic(err)
	}
	return s
}

// hide makes a node claim that a release never executed and that its coin is unspent.
func (l *liar) hide(o handoff.Handoff) {
	tx, _ := o.Bytes.Transaction()
	hidden, coin := o.Bytes.Digest(), tx.Gas.Payment[0]
	l.transaction = func(d sui.Digest) (sui.Executed, bool) {
		if d == hidden {
			return sui.Executed{}, false
		}
		e, known, _ := l.Executor.Transaction(context.Background(), d)
		return e, known
	}
	l.object = func(id sui.ObjectID, version uint64) (sui.Object, bool) {
		return sui.Object{Ref: coin}, id == coin.ID && version == 0
	}
	l.lies.Store(true)
}

// A first node that adds epochs makes nothing dead: the second node, or signatures, must
// confirm that the last epoch is over.
func TestLyingEpochBuriesNothing(t *testing.T) {
	t.Parallel()
	ahead := func(e *sui.Epoch) { e.Number += 2 }
	for name, set := range map[string]func(t *testing.T) (*testkit.Harness, *atomic.Pointer[func(*sui.Epoch)]){
		"an honest second node": func(t *testing.T) (*testkit.Harness, *atomic.Pointer[func(*sui.Epoch)]) {
			h, _, epoch := between(t, false)
			h.Compare(nil)
			return h, epoch
		},
		"signatures": func(t *testing.T) (*testkit.Harness, *atomic.Pointer[func(*sui.Epoch)]) {
			h, _, epoch := between(t, true)
			return h, epoch
		},
		"neither": func(t *testing.T) (*testkit.Harness, *atomic.Pointer[func(*sui.Epoch)]) {
			h, _, epoch := between(t, false)
			return h, epoch
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, epoch := set(t)
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			o := h.HandOff(s)
			epoch.Store(&ahead)
			if s = look(h, s.ID); s.Releases[0].Dead || s.Releases[0].BelievedDead() || s.Status.Terminal() {
				t.Fatalf("%s, dead %t", s.Status, s.Releases[0].Dead)
			}
			if seen, err := h.Store.Seen(t.Context(), sui.Digest(digestOf(t, s.ChainID))); err != nil ||
				seen.Epoch > sandbox.FirstEpoch {
				t.Errorf("the lie is remembered: %+v %v", seen, err)
			}
			raw, signature := h.Sign(o) // late, and the wallet sends it too
			if _, err := h.Reviews.Signed(t.Context(), s.ID, o.Nonce, raw, signature); err != nil {
				t.Fatalf("the late signature: %v", err)
			}
			_, _ = h.Node.Execute(t.Context(), raw, signature)
			if s = h.Until(s.ID, "final", final); s.Status != record.Success {
				t.Errorf("%s %+v", s.Status, s.Execution)
			}
		})
	}
}

func digestOf(t *testing.T, text string) sui.Digest {
	t.Helper()
	d, err := sui.ParseDigest(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// An honest second node undoes what a first node hides or makes up.
func TestLyingFirstNode(t *testing.T) {
	t.Parallel()
	t.Run("it hides an executed transaction", func(t *testing.T) {
		h, first, _ := between(t, false)
		h.Compare(nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		o := h.HandOff(s)
		first.hide(o)
		raw, signature := h.Sign(o)
		if _, err := h.Node.Execute(t.Context(), raw, signature); err != nil {
			t.Fatal(err)
		}
		epochs(h, 2)
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("the second node knows only that the coin was used", func(t *testing.T) {
		h, first, _ := between(t, false)
		second := &liar{transaction: func(sui.Digest) (sui.Executed, bool) { return sui.Executed{}, false }}
		second.lies.Store(true)
		h.Compare(func(s *gate.Second) { second.Executor, s.Executor = s.Executor, second })
		s, o := rejected(t, h)
		first.hide(o)
		look(h, s.ID) // whatever was asked before it lied is answered
		raw, signature := h.Sign(o)
		if _, err := h.Node.Execute(t.Context(), raw, signature); err != nil {
			t.Fatal(err)
		}
		epochs(h, 2)
		if s = look(h, s.ID); s.Releases[0].Dead || s.Status.Terminal() {
			t.Errorf("%s, dead %t", s.Status, s.Releases[0].Dead)
		}
	})
	t.Run("it makes up who used the coin", func(t *testing.T) {
		h, first, _ := between(t, false)
		h.Compare(nil)
		s, o := rejected(t, h)
		tx, _ := o.Bytes.Transaction()
		coin, made := tx.Gas.Payment[0], sui.Digest{7}
		first.transaction = func(d sui.Digest) (e sui.Executed, known bool) {
			if d != made {
				return e, false
			}
			e.Digest, e.Objects = made, []sui.ObjectChange{{ID: coin.ID, Input: coin.Version, Output: coin.Version + 1}}
			return e, true
		}
		first.object = func(id sui.ObjectID, _ uint64) (sui.Object, bool) {
			return sui.Object{Ref: sui.ObjectRef{ID: id, Version: coin.Version + 1}, Previous: made}, id == coin.ID
		}
		first.lies.Store(true)
		if s = look(h, s.ID); s.Releases[0].Dead {
			t.Error("a transaction that the second node does not know made it dead")
		}
	})
}

// A failure that one node makes up ends nothing if the second node does not report it.
func TestFailureOfOneNode(t *testing.T) {
	t.Parallel()
	h, first, _ := between(t, false)
	h.Compare(nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	first.transaction = func(d sui.Digest) (e sui.Executed, known bool) {
		e.Digest, e.Sender = d, sandbox.Account
		return e, true
	}
	first.lies.Store(true)
	if s = look(h, s.ID); s.Status.Terminal() {
		t.Fatalf("%s %+v", s.Status, s.Execution)
	}
	open, err := h.Store.Open(t.Context(), sandbox.Account)
	if err != nil || len(open) != 1 {
		t.Errorf("%d open, %v", len(open), err)
	}
	raw, signature := h.Sign(o)
	if _, err := h.Reviews.Signed(t.Context(), s.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	h.Until(s.ID, "sent", func(s record.Session) bool { return s.Execution.Submission == record.SubmissionAccepted })
	first.lies.Store(false)
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s %+v", s.Status, s.Execution)
	}
}

// Effects correct a review that ended because a node hid them, with its task and the
// sums of the day.
func TestEffectsWin(t *testing.T) {
	t.Parallel()
	h, first, _ := between(t, true)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	first.hide(o)
	look(h, s.ID) // whatever was asked before it lied is answered
	raw, signature := h.Sign(o)
	if _, err := h.Node.Execute(t.Context(), raw, signature); err != nil {
		t.Fatal(err)
	}
	epochs(h, 2)
	s = h.Until(s.ID, "dead", func(s record.Session) bool { return s.Releases[0].Dead })
	h.Clock.Advance(2 * time.Hour) // past the time of the review
	s = h.Until(s.ID, "final", final)
	cannotExecute(t, s, "is dead")
	task, _, err := h.Store.TaskOf(t.Context(), record.Subject(s.ID))
	if err != nil || task.Error == "" {
		t.Fatalf("%+v %v", task, err)
	}
	first.lies.Store(false)
	if s = look(h, s.ID); s.Status != record.Success || s.Execution.Receipt == nil || s.Releases[0].Dead {
		t.Fatalf("%s %+v", s.Status, s.Execution)
	}
	if task, _, err = h.Store.TaskOf(t.Context(), task.Subject); err != nil || task.Error != "" ||
		!strings.Contains(string(task.Result), `"success"`) {
		t.Errorf("%+v %v", task, err)
	}
	if handed, err := h.Store.Handed(t.Context(), h.Clock.Now().Add(-24*time.Hour)); err != nil || len(handed) != 1 ||
		!handed[0].Moved {
		t.Errorf("%+v %v", handed, err)
	}
	if ids, err := h.Store.LookedFor(t.Context()); err != nil || len(ids) != 0 {
		t.Errorf("still looked for: %v %v", ids, err)
	}
}

// Without a second node and signatures a release is believed dead late. It then holds no coins, the
// same wish needs the user's tick, and a late signature is still sent.
func TestBelievedDead(t *testing.T) {
	t.Parallel()
	h, _, _ := between(t, false)
	s, o := rejected(t, h)
	epochs(h, 3)
	if s = look(h, s.ID); s.Releases[0].Dead || s.Releases[0].BelievedDead() {
		t.Fatal("dead on one node's word")
	}
	h.Clock.Advance(73 * time.Hour)
	s = h.Until(s.ID, "believed dead", func(s record.Session) bool { return s.Releases[0].BelievedDead() })
	if s.Releases[0].Dead || s.Status.Terminal() {
		t.Fatalf("%s", s.Status)
	}
	h.Until(s.ID, "the warning", func(s record.Session) bool {
		_, ok := testkit.Check(s, "released_transaction_believed_dead")
		return ok
	})
	other := h.HandOff(h.Ready(testkit.Swap("11", "SUI", "USDC")))
	h.Inject(sandbox.Fault{Kind: sandbox.ConsumeCoin, Object: s.Releases[0].GasCoin.ID.String()})
	same := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	_, err := h.Reviews.Handoff(t.Context(), same.ID, same.Revision, same.Commitment)
	if !fault.Is(err, fault.OtherReleaseOpen) || fault.As(err).Detail.Get("reason") != "again" {
		t.Errorf("%v", err)
	}
	_ = other
	raw, signature := h.Sign(o)
	if s, err = h.Reviews.Signed(t.Context(), s.ID, o.Nonce, raw, signature); err != nil ||
		s.Status != record.SignedPendingResult {
		t.Errorf("%v %s", err, s.Status)
	}
	attempted(h, s.ID)
}

// redigested is a node that reports another digest of every object of the account.
type redigested struct {
	node.Chain
	lies *atomic.Bool
}

func (c redigested) Objects(ctx context.Context, ids []sui.ObjectID) ([]sui.Object, error) {
	list, err := c.Chain.Objects(ctx, ids)
	for i := range list {
		if c.lies.Load() && list[i].Owner.Kind == sui.OwnerAddress {
			list[i].Ref.Digest[0]++
		}
	}
	return list, err
}

// An owned object is compared by its digest too, just before the bytes are released.
func TestDigestAtTheHandout(t *testing.T) {
	var lies atomic.Bool
	h := testkit.Start(t, time.Now, func(c *review.Config) { c.Chain = redigested{c.Chain, &lies} })
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	lies.Store(true)
	_, err := h.Reviews.Handoff(t.Context(), s.ID, s.Revision, s.Commitment)
	if !fault.Is(err, fault.HandoffUnavailable) || fault.As(err).Detail.Get("reason") != "coins_moved" {
		t.Fatalf("%v", err)
	}
}
