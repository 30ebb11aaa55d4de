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
	"github.com/sayurintent/sayurintent/review/handoff"
	"github.com/sayurintent/sayurintent/review/node"
)

// memory is a node that forgets what it is told to forget.
type memory struct {
	node.Executor
	forgets     atomic.Pointer[func(sui.Digest) bool] // transactions
	forgetsPast atomic.Bool                           // earlier versions of objects
	keepsLittle atomic.Bool                           // no whole epoch
}

func (m *memory) forget(f func(sui.Digest) bool) { m.forgets.Store(&f) }

func (m *memory) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	if f := m.forgets.Load(); f != nil && (*f)(d) {
		return sui.Executed{}, false, nil
	}
	return m.Executor.Transaction(ctx, d)
}

func (m *memory) KeepsEpoch(ctx context.Context, epoch uint64) (bool, error) {
	if m.keepsLittle.Load() {
		return false, nil
	}
	return m.Executor.KeepsEpoch(ctx, epoch)
}

func (m *memory) Object(ctx context.Context, id sui.ObjectID, version uint64) (sui.Object, bool, error) {
	if version > 0 && m.forgetsPast.Load() {
		return sui.Object{}, false, nil
	}
	return m.Executor.Object(ctx, id, version)
}

func forgetful(t *testing.T) (*testkit.Harness, *memory) {
	m := &memory{}
	h := testkit.Start(t, time.Now, func(c *review.Config) { m.Executor, c.Executor = c.Executor, m })
	return h, m
}

func epochs(h *testkit.Harness, n int) {
	for range n {
		h.Inject(sandbox.Fault{Kind: sandbox.AdvanceEpoch})
	}
}

// rounds asks the chain about a review as often as any proof takes, in another process,
// and waits until whatever that begins is over.
func rounds(h *testkit.Harness, id record.ID) {
	other := h.Twin()
	w := other.Watcher(id)
	for range 4 {
		w.Look(context.Background())
		other.Idle()
	}
}

func cannotExecute(t *testing.T, s record.Session, words string) {
	t.Helper()
	if s.Status != record.Failure || s.Execution.FailureReason != record.FailureCannotExecute ||
		s.Execution.Receipt != nil ||
		!strings.Contains(s.Execution.Note, words) {
		t.Errorf("%s %+v, want words %q", s.Status, s.Execution, words)
	}
}

// signedAndStuck signs while the node refuses to execute.
func signedAndStuck(t *testing.T, h *testkit.Harness) (record.Session, handoff.Handoff) {
	t.Helper()
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	h.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "ExecuteTransaction", Times: 1})
	if _, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	return attempted(h, s.ID), o
}

// A signed transaction ends without effects only by proof.
func TestProofs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("ST-06 the last epoch is over and the coin is unspent", func(t *testing.T) {
		h, _ := forgetful(t)
		s, _ := signedAndStuck(t, h)
		epochs(h, 2)
		cannotExecute(t, h.Until(s.ID, "final", final), "still unspent")
	})
	t.Run("ST-06 another transaction used the coin, before the epoch ends", func(t *testing.T) {
		h, _ := forgetful(t)
		s, _ := signedAndStuck(t, h)
		by := testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		cannotExecute(t, h.Until(s.ID, "final", final), by.String())
	})
	t.Run("ST-06 the one that used the coin is found behind later ones", func(t *testing.T) {
		h, m := forgetful(t)
		s, _ := signedAndStuck(t, h)
		m.forget(func(sui.Digest) bool { return true })
		by := testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		for range 3 {
			testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		}
		m.forget(func(sui.Digest) bool { return false })
		cannotExecute(t, h.Until(s.ID, "final", final), by.String())
	})
	t.Run("ST-06 a coin of the source was used", func(t *testing.T) {
		h, _ := forgetful(t)
		// The gas coin is gone without a trace; the second input tells.
		s := h.Ready(testkit.Swap("900", "SUI", "USDC"))
		o := h.HandOff(s)
		tx, err := o.Bytes.Transaction()
		if err != nil {
			t.Fatal(err)
		}
		var other sui.ObjectID
		for _, in := range tx.Inputs {
			if owned, ok := in.(sui.OwnedInput); ok {
				other = owned.Ref.ID
			}
		}
		if other.IsZero() {
			t.Fatal("the swap uses one coin only")
		}
		by := testkit.Spend(t, h, other)
		h.Inject(sandbox.Fault{Kind: sandbox.ConsumeCoin, Object: s.Facts.Gas.Payment[0].ID.String()})
		s = h.Until(s.ID, "proved", func(s record.Session) bool { return s.Releases[0].Dead })
		if c, ok := testkit.Check(s, "released_transaction_dead"); !ok || !strings.Contains(c.Message, by.String()) {
			t.Errorf("%+v", s.State.Checks)
		}
	})
	t.Run("ST-06 a node that forgot what executed proves nothing", func(t *testing.T) {
		h, m := forgetful(t)
		m.forget(func(sui.Digest) bool { return true })
		_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC"))) // it executes
		h.Until(s.ID, "accepted", func(s record.Session) bool { return s.Execution.Submission == record.SubmissionAccepted })
		epochs(h, 3)
		s = h.Until(s.ID, "the remark", func(s record.Session) bool {
			return strings.Contains(s.Execution.Note, "does not have its result")
		})
		rounds(h, s.ID)
		s, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		pending(t, s, record.SubmissionAccepted)
		m.forget(func(sui.Digest) bool { return false }) // a node that keeps history
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("ST-06 a node that keeps neither it nor the coin's history says so", func(t *testing.T) {
		h, m := forgetful(t)
		m.forget(func(sui.Digest) bool { return true })
		m.forgetsPast.Store(true)
		_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
		h.Until(s.ID, "accepted", func(s record.Session) bool { return s.Execution.Submission == record.SubmissionAccepted })
		testkit.Spend(t, h, s.Releases[0].GasCoin.ID) // so that the coin's maker is another one
		epochs(h, 3)
		s = h.Until(s.ID, "the remark", func(s record.Session) bool {
			return strings.Contains(s.Execution.Note,
				"no longer keeps")
		})
		rounds(h, s.ID)
		if s, err := h.Reviews.Get(ctx, s.ID); err != nil || s.Status != record.SignedPendingResult {
			t.Errorf("%v %s", err, s.Status)
		}
	})
	t.Run("ST-06 what nobody heard of signed says so on the page", func(t *testing.T) {
		h, _ := forgetful(t)
		s, _ := rejected(t, h)
		h.Inject(sandbox.Fault{Kind: sandbox.ConsumeCoin, Object: s.Releases[0].GasCoin.ID.String()})
		epochs(h, 3)
		s = h.Until(s.ID, "the remark", func(s record.Session) bool {
			_, ok := testkit.Check(s, "released_transaction_unproved")
			return ok
		})
		if s.Status != record.RefreshRequired || s.Releases[0].Dead {
			t.Errorf("%s %+v", s.Status, s.Releases[0])
		}
		s = h.Compute(s)
		c, _ := testkit.Check(s, "released_transaction_may_execute")
		if s.Status != record.Blocked || !strings.Contains(c.Message, "last epoch is over") {
			t.Errorf("%s %+v", s.Status, c)
		}
	})
}

// A signed transaction that is dead does not end a review another transaction of
// which can still execute.
func TestDeadSignedBesideALivingRelease(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	begin := func(t *testing.T) (h *testkit.Harness, s record.Session, first, second handoff.Handoff) {
		h, _ = forgetful(t)
		s, first = rejected(t, h) // valid up to the next epoch
		epochs(h, 1)
		s = h.Compute(s)
		if s.Status != record.Ready {
			t.Fatalf("%s %s", s.Status, s.Reason)
		}
		second = h.HandOff(s) // valid one epoch longer
		raw, signature := h.Sign(first)
		h.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "ExecuteTransaction", Times: 1})
		if _, err := h.Reviews.Signed(ctx, s.ID, first.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		attempted(h, s.ID)
		epochs(h, 1)
		s = h.Until(s.ID, "the first is dead", func(s record.Session) bool { return s.Releases[0].Dead })
		if s.Status != record.SignedPendingResult || !strings.Contains(s.Execution.Note, "still can") {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
		return h, s, first, second
	}
	t.Run("the living one executes", func(t *testing.T) {
		h, s, _, second := begin(t)
		raw, signature := h.Sign(second)
		if _, err := h.Node.Execute(ctx, raw, signature); err != nil {
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success ||
			s.Execution.TxDigest != second.Bytes.Digest().String() {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("the living one is signed late", func(t *testing.T) {
		h, s, first, second := begin(t)
		if _, err := h.Reviews.Submit(ctx, s.ID, first.Nonce); !fault.Is(err, fault.InvalidSessionTransition) {
			t.Errorf("the dead one is sent again: %v", err)
		}
		raw, signature := h.Sign(second)
		if _, err := h.Reviews.Signed(ctx, s.ID, second.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success ||
			s.Execution.TxDigest != second.Bytes.Digest().String() {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("the living one dies too", func(t *testing.T) {
		h, s, _, _ := begin(t)
		epochs(h, 1)
		cannotExecute(t, h.Until(s.ID, "final", final), "unspent")
	})
}
