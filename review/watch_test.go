package review_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
)

func pending(t *testing.T, s record.Session, submission string) {
	t.Helper()
	if s.Status != record.SignedPendingResult || s.Execution.Submission != submission {
		t.Errorf("%s %+v, want %s", s.Status, s.Execution, submission)
	}
}

// attempted waits until one attempt to send is recorded.
func attempted(h *testkit.Harness, id record.ID) record.Session {
	return h.Until(id, "an attempt to send", func(s record.Session) bool {
		return s.Execution != nil && s.Execution.Submission != record.SubmissionNone
	})
}

func TestSignedAndTheNodeIsGone(t *testing.T) {
	t.Parallel()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	h.Inject(sandbox.Fault{Kind: sandbox.Fail})
	if _, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	s = attempted(h, s.ID)
	pending(t, s, record.SubmissionUnknown)
	if s.Execution.Note == "" {
		t.Error("nothing is said about what is not known")
	}
	s = h.Until(s.ID, "the watch's remark", func(s record.Session) bool {
		return strings.Contains(s.Execution.Note,
			"gives no answer")
	})
	rounds(h, s.ID)
	if later, err := h.Reviews.Get(context.Background(), s.ID); err != nil || later.Revision != s.Revision {
		t.Errorf("%v: while nothing is learned the page changes from revision %d to %d", err, s.Revision, later.Revision)
	}
	h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s %+v", s.Status, s.Execution)
	}
}

func TestAnswerToTheSubmissionIsLost(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Inject(sandbox.Fault{Kind: sandbox.Drop, Times: 1})
	_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s %+v", s.Status, s.Execution)
	}
}

func TestRestartBetweenSignatureAndReceipt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("shortly after the signature it is sent again", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Inject(sandbox.Fault{Kind: sandbox.Fail})
		s := signBlind(t, h)
		h.Restart()
		h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("much later only the person sends it again", func(t *testing.T) {
		n := &noSending{}
		h := testkit.Start(t, time.Now, func(c *review.Config) { n.Executor, c.Executor = c.Executor, n })
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		o := h.HandOff(s)
		raw, signature := h.Sign(o)
		if _, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		attempted(h, s.ID)
		h.Clock.Advance(48 * time.Hour)
		h.Restart()
		n.over.Store(true)
		rounds(h, s.ID)
		s, err := h.Reviews.Get(ctx, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		pending(t, s, record.SubmissionUnknown)
		if _, err := h.Reviews.Submit(ctx, s.ID, "invented"); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
		if _, err := h.Reviews.Submit(ctx, s.ID, o.Nonce); err != nil {
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
		if _, err := h.Reviews.Submit(ctx, s.ID, o.Nonce); !fault.Is(err, fault.ExecutionResultFinalized) {
			t.Errorf("%v", err)
		}
	})
}

// noSending fails every attempt to send until it is over. Unlike a fault of the node it
// leaves nothing on its way that could still arrive afterwards.
type noSending struct {
	node.Executor
	over atomic.Bool
}

func (n *noSending) Execute(ctx context.Context, b, signature []byte) (sui.Executed, error) {
	if !n.over.Load() {
		return sui.Executed{}, fault.New(fault.ProviderUnavailable, "The node cannot be reached.")
	}
	return n.Executor.Execute(ctx, b, signature)
}

// signBlind signs while the node is down: the bytes are known already.
func signBlind(t *testing.T, h *testkit.Harness) record.Session {
	t.Helper()
	h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	h.Inject(sandbox.Fault{Kind: sandbox.Fail})
	s, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOtherChain(t *testing.T) {
	t.Parallel()
	t.Run("an unsigned review is blocked", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		h.OtherChain()
		if s = h.Compute(s); s.Status != record.Blocked || s.Reason != plan.NetworkMismatch {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
	t.Run("a signed one stays pending and says so", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s := signBlind(t, h)
		h.OtherChain()
		h.Inject(sandbox.Fault{Kind: sandbox.AdvanceEpoch}, sandbox.Fault{Kind: sandbox.AdvanceEpoch},
			sandbox.Fault{Kind: sandbox.AdvanceEpoch})
		s = h.Until(s.ID, "the remark", func(s record.Session) bool {
			return strings.Contains(s.Execution.Note,
				"another chain")
		})
		if s.Status != record.SignedPendingResult {
			t.Errorf("%s", s.Status)
		}
	})
}

func TestProofThatItCannotExecute(t *testing.T) {
	t.Parallel()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	h.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "ExecuteTransaction"})
	if _, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	pending(t, attempted(h, s.ID), record.SubmissionRefused)
	h.Inject(sandbox.Fault{Kind: sandbox.AdvanceEpoch})
	rounds(h, s.ID)
	s, err := h.Reviews.Get(context.Background(), s.ID)
	if err != nil {
		t.Fatal(err)
	}
	pending(t, s, record.SubmissionRefused) // its last epoch is the current one
	h.Inject(sandbox.Fault{Kind: sandbox.AdvanceEpoch})
	s = h.Until(s.ID, "final", final)
	if s.Status != record.Failure || s.Execution.FailureReason != record.FailureCannotExecute {
		t.Errorf("%s %+v", s.Status, s.Execution)
	}
}

func TestChainRefusesTheSwap(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	h.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -500})
	raw, signature := h.Sign(o)
	if _, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	s = h.Until(s.ID, "final", final)
	if s.Status != record.Failure || s.Execution.FailureReason != record.FailureChainExecution ||
		s.Execution.Receipt == nil {
		t.Fatalf("%s %+v", s.Status, s.Execution)
	}
	r := s.Execution.Receipt
	for _, p := range r.Promises {
		if !p.Kept {
			t.Errorf("only gas was spent, yet: %+v", p)
		}
	}
	want := "Failed: the price moved. Only gas was spent. " + record.PriceFell + " Nothing was swapped; gas of " +
		plan.SUI.Of(r.GasNet.Amount).String() + " was paid."
	if got := s.Headline().Sentences(); !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if a := r.Abort; a == nil || a.Module != "pool" || a.Code != 12 || a.Function == "" ||
		!strings.HasSuffix(s.Execution.Note, record.PriceFell) {
		t.Errorf("%+v, note %q", a, s.Execution.Note)
	}
}

func TestWalletThatSendsByItself(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	if _, err := h.Reviews.SignedElsewhere(ctx, s.ID, o.Nonce, sui.Digest{1}); !fault.Is(err,
		fault.HandoffCommitmentMismatch) {
		t.Fatalf("another transaction was taken: %v", err)
	}
	s, err := h.Reviews.SignedElsewhere(ctx, s.ID, o.Nonce, o.Bytes.Digest())
	if err != nil {
		t.Fatal(err)
	}
	pending(t, s, record.SubmissionWallet)
	if _, err := h.Reviews.Submit(ctx, s.ID, o.Nonce); !fault.Is(err, fault.InvalidSessionTransition) {
		t.Errorf("there is no signature to send: %v", err)
	}
	if _, err := h.Node.Execute(ctx, raw, signature); err != nil {
		t.Fatal(err)
	}
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s", s.Status)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	t.Run("R004-430 it ends by time", func(t *testing.T) {
		if _, ok, err := h.Reviews.Wait(ctx, s.ID, 20*time.Millisecond, final); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
	})
	t.Run("no single wait is longer than the limit", func(t *testing.T) {
		h := testkit.Start(t, time.Now, func(c *review.Config) {
			c.Limits = gate.DefaultLimits()
			c.Limits.MostWait = 50 * time.Millisecond
		})
		s := h.Open(testkit.Swap("10", "SUI", "USDC"))
		ctx, stop := context.WithTimeout(ctx, double.Patience)
		defer stop()
		if _, ok, err := h.Reviews.Wait(ctx, s.ID, time.Hour, final); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
	})
	t.Run("R004-432 a caller that gives up gets request_aborted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, _, err := h.Reviews.Wait(ctx, s.ID, time.Minute, final); !fault.Is(err, fault.RequestAborted) {
			t.Errorf("%v", err)
		}
	})
	t.Run("it is woken by the result", func(t *testing.T) {
		woken := make(chan record.Session, 1)
		go func() {
			got, _, _ := h.Reviews.Wait(ctx, s.ID, double.Patience, final)
			woken <- got
		}()
		h.Send(s)
		if got := <-woken; got.Status != record.Success {
			t.Errorf("%s", got.Status)
		}
	})
}

// hearsay changes what the node says of transactions.
type hearsay struct {
	node.Executor
	say func(e sui.Executed, known bool) (sui.Executed, bool)
}

func (h hearsay) Transaction(ctx context.Context, d sui.Digest) (sui.Executed, bool, error) {
	e, known, err := h.Executor.Transaction(ctx, d)
	e, known = h.say(e, known)
	return e, known, err
}

// calendar notes that the node told an epoch later than a limit.
type calendar struct {
	node.Chain
	limit *atomic.Uint64
	over  *atomic.Bool
}

func (c calendar) Epoch(ctx context.Context) (sui.Epoch, error) {
	e, err := c.Chain.Epoch(ctx)
	if limit := c.limit.Load(); err == nil && limit > 0 && e.Number > limit {
		c.over.Store(true)
	}
	return e, err
}

func TestOneDenialIsNoProof(t *testing.T) {
	t.Parallel()
	var limit atomic.Uint64
	var over, denied atomic.Bool
	w := hearsay{say: func(e sui.Executed, known bool) (sui.Executed, bool) {
		if !over.Load() || denied.CompareAndSwap(false, true) {
			return sui.Executed{}, false // once after the last epoch, too
		}
		return e, known
	}}
	h := testkit.Start(t, time.Now, func(c *review.Config) {
		w.Executor = c.Executor
		c.Executor, c.Chain = w, calendar{c.Chain, &limit, &over}
	})
	_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	h.Until(s.ID, "accepted", func(s record.Session) bool { return s.Execution.Submission == record.SubmissionAccepted })
	limit.Store(s.Releases[0].LastEpoch)
	h.Inject(sandbox.Fault{Kind: sandbox.AdvanceEpoch}, sandbox.Fault{Kind: sandbox.AdvanceEpoch})
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s %+v", s.Status, s.Execution)
	}
}

// stuck holds every submission until it is let go.
type stuck struct {
	node.Executor
	calls *atomic.Int32
	let   chan struct{}
}

func (s stuck) Execute(ctx context.Context, bytes, signature []byte) (sui.Executed, error) {
	s.calls.Add(1)
	<-s.let
	return s.Executor.Execute(ctx, bytes, signature)
}

func TestOneSubmissionAtATime(t *testing.T) {
	t.Parallel()
	w := stuck{calls: &atomic.Int32{}, let: make(chan struct{})}
	h := testkit.Start(t, time.Now, func(c *review.Config) { w.Executor = c.Executor; c.Executor = w })
	o, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	for range 3 {
		if _, err := h.Reviews.Submit(context.Background(), s.ID, o.Nonce); err != nil {
			t.Fatal(err)
		}
	}
	double.Until(t, "one is under way", func() bool { return w.calls.Load() > 0 })
	watch := h.Reviews.Watcher(s.ID)
	for range 4 { // each look would send it again
		watch.Look(context.Background())
	}
	if n := w.calls.Load(); n != 1 {
		t.Errorf("%d submissions are under way", n)
	}
	close(w.let)
	if s = h.Until(s.ID, "final", final); s.Status != record.Success {
		t.Errorf("%s", s.Status)
	}
	if n := w.calls.Load(); n != 1 {
		t.Errorf("%d submissions were under way", n)
	}
}

func TestRepeatedAttemptsChangeNothing(t *testing.T) {
	t.Parallel()
	h := testkit.Start(t, time.Now, nil)
	h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "ExecuteTransaction"})
	_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
	s = attempted(h, s.ID)
	rounds(h, s.ID)
	later, err := h.Reviews.Get(context.Background(), s.ID)
	if err != nil || later.Revision != s.Revision {
		t.Errorf("%v: attempts that end alike change the page from revision %d to %d", err, s.Revision, later.Revision)
	}
}

func TestAnswerAboutSomethingElse(t *testing.T) {
	cases := map[string]func(*sui.Executed){
		"another sender":      func(e *sui.Executed) { e.Sender[0] ^= 1 },
		"another transaction": func(e *sui.Executed) { e.Digest[0] ^= 1 },
	}
	for name, lie := range cases {
		t.Run(name, func(t *testing.T) {
			w := hearsay{say: func(e sui.Executed, known bool) (sui.Executed, bool) { lie(&e); return e, known }}
			h := testkit.Start(t, time.Now, func(c *review.Config) { w.Executor = c.Executor; c.Executor = w })
			_, s := h.Send(h.Ready(testkit.Swap("10", "SUI", "USDC")))
			s = h.Until(s.ID, "the remark", func(s record.Session) bool {
				return strings.Contains(s.Execution.Note,
					"another transaction")
			})
			if s.Status != record.SignedPendingResult {
				t.Errorf("%s", s.Status)
			}
		})
	}
}
