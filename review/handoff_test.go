package review_test

import (
	"context"
	"crypto/ed25519"
	"strings"
	"sync"
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
)

func final(s record.Session) bool { return s.Status.Terminal() }

func TestHandoff(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	t.Run("R004-399 a wrong commitment gets nothing, and loses nothing", func(t *testing.T) {
		_, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, strings.Repeat("ab", 32))
		if !fault.Is(err, fault.HandoffCommitmentMismatch) {
			t.Errorf("%v", err)
		}
		if again, err := h.Reviews.Get(ctx, s.ID); err != nil || again.Status != record.Ready || len(again.Releases) != 0 {
			t.Errorf("%v %+v", err, again)
		}
	})
	t.Run("another account gets nothing", func(t *testing.T) {
		h.Connect(sui.MustAddress("0xb0b"))
		defer h.Connect(sandbox.Account)
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
	})
	t.Run("of many at once exactly one gets it", func(t *testing.T) {
		var got atomic.Int32
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				o, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment)
				if err == nil {
					got.Add(1)
					if sui.Commitment(o.Bytes.Digest()) != s.Commitment {
						t.Error("other bytes were handed out")
					}
				} else if !fault.Is(err, fault.HandoffUnavailable) {
					t.Errorf("%v", err)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Errorf("%d handoffs succeeded", got.Load())
		}
	})
}

// While handoffs and recomputations of two processes race, only what was committed to is released,
// and never twice.
func TestReleaseRace(t *testing.T) {
	ctx := context.Background()
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	services := []*review.Service{h.Reviews, h.Twin()}
	seen := map[sui.Digest]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			reviews := services[worker/2]
			for range 12 {
				now, err := reviews.Get(ctx, s.ID)
				if err != nil {
					t.Error(err)
					return
				}
				if worker%2 == 0 {
					_, _ = reviews.ComputeNow(ctx, s.ID, now.Revision)
					continue
				}
				o, err := reviews.Handoff(ctx, s.ID, now.Revision, now.Commitment)
				if err != nil {
					continue
				}
				mu.Lock()
				seen[o.Bytes.Digest()]++
				mu.Unlock()
				if sui.Commitment(o.Bytes.Digest()) != now.Commitment {
					t.Error("handed out something else than was shown")
				}
			}
		})
	}
	all.Wait()
	for d, n := range seen {
		if n != 1 {
			t.Errorf("%s was handed out %d times", d, n)
		}
	}
	if len(seen) == 0 {
		t.Error("nothing was released")
	}
	assertOneGasCoin(t, h, s.ID)
}

// assertOneGasCoin checks that all releases of a review exclude each other.
func assertOneGasCoin(t *testing.T, h *testkit.Harness, id record.ID) {
	t.Helper()
	s, err := h.Reviews.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Releases {
		if r.GasCoin != s.Releases[0].GasCoin {
			t.Errorf("two releases that can execute use different gas coins: %+v, %+v", r.GasCoin, s.Releases[0].GasCoin)
		}
	}
}

func TestWalletMisbehaves(t *testing.T) {
	ctx := context.Background()
	setup := func(t *testing.T) (*testkit.Harness, record.Session, handoff.Handoff) {
		h := testkit.Start(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		return h, s, h.HandOff(s)
	}
	keeps := func(t *testing.T, h *testkit.Harness, id record.ID) {
		t.Helper()
		if s, err := h.Reviews.Get(ctx, id); err != nil || s.Status != record.Ready || s.Execution != nil {
			t.Errorf("the state changed: %v %s", err, s.Status)
		}
	}
	t.Run("other bytes, well signed", func(t *testing.T) {
		h, s, o := setup(t)
		tx, err := o.Bytes.Transaction()
		if err != nil {
			t.Fatal(err)
		}
		tx.Gas.Budget++
		raw, signature, err := h.Sandbox.Sign(tx)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature)
		if !fault.Is(err, fault.HandoffCommitmentMismatch) || !strings.Contains(fault.As(err).Text,
			"wallet returned a different transaction") {
			t.Errorf("%v", err)
		}
		keeps(t, h, s.ID)
	})
	t.Run("another signer", func(t *testing.T) {
		h, s, o := setup(t)
		key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize)))
		message := sui.Hash([]byte{0, 0, 0}, o.Bytes.Bytes())
		signature := append([]byte{0}, ed25519.Sign(key, message[:])...)
		signature = append(signature, key.Public().(ed25519.PublicKey)...)
		_, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, o.Bytes.Bytes(), signature)
		if !fault.Is(err, fault.SignerMismatch) {
			t.Errorf("%v", err)
		}
		keeps(t, h, s.ID)
	})
	t.Run("a broken signature", func(t *testing.T) {
		h, s, o := setup(t)
		raw, signature := h.Sign(o)
		signature[10] ^= 1
		_, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature)
		if !fault.Is(err, fault.InputInvalid) || fault.As(err).Detail.Get("reason") != "signature_invalid" {
			t.Errorf("%v", err)
		}
		keeps(t, h, s.ID)
	})
	t.Run("an invented nonce", func(t *testing.T) {
		h, s, o := setup(t)
		raw, signature := h.Sign(o)
		if _, err := h.Reviews.Signed(ctx, s.ID, "invented", raw, signature); !fault.Is(err, fault.HandoffUnavailable) {
			t.Errorf("%v", err)
		}
		keeps(t, h, s.ID)
	})
	t.Run("no answer: not known whether it signed, and it may sign late", func(t *testing.T) {
		h, s, o := setup(t)
		after, err := h.Reviews.Outcome(ctx, s.ID, o.Nonce, record.OutcomeDisconnected)
		if err != nil || after.Status != record.Ready {
			t.Fatalf("%v %s", err, after.Status)
		}
		if _, ok := testkit.Check(after, "wallet_answer_unknown"); !ok {
			t.Error("the page is not told that the answer is unknown")
		}
		raw, signature := h.Sign(o)
		if _, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s", s.Status)
		}
	})
}

func TestDeclineBeforeAnythingIsHandedOut(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	s, err := h.Reviews.Outcome(context.Background(), s.ID, "", record.OutcomeDeclined)
	if err != nil || s.Status != record.Failure || s.Execution.FailureReason != record.FailureWalletRejected {
		t.Errorf("%v %s %+v", err, s.Status, s.Execution)
	}
}

// rejected releases a transaction and reports that the wallet refused.
func rejected(t *testing.T, h *testkit.Harness) (record.Session, handoff.Handoff) {
	t.Helper()
	return rejectedOf(t, h, "10")
}

// rejectedOf does it for a swap of so many SUI.
func rejectedOf(t *testing.T, h *testkit.Harness, amount string) (record.Session, handoff.Handoff) {
	t.Helper()
	s := h.Ready(testkit.Swap(amount, "SUI", "USDC"))
	o := h.HandOff(s)
	s, err := h.Reviews.Outcome(context.Background(), s.ID, o.Nonce, record.OutcomeRejected)
	if err != nil || s.Status != record.RefreshRequired {
		t.Fatalf("%v %s", err, s.Status)
	}
	return s, o
}

func TestRebuildAfterRelease(t *testing.T) {
	ctx := context.Background()
	t.Run("keeps the gas coin and is another transaction", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s, first := rejected(t, h)
		s = h.Compute(s)
		if s.Status != record.Ready {
			t.Fatalf("%s %s", s.Status, s.Reason)
		}
		second := h.HandOff(s)
		if second.Bytes.Digest() == first.Bytes.Digest() {
			t.Error("the same transaction was handed out twice")
		}
		assertOneGasCoin(t, h, s.ID)
		raw, signature := h.Sign(second)
		if _, err := h.Reviews.Signed(ctx, s.ID, second.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s", s.Status)
		}
	})
	t.Run("spends less where it may not spend more", func(t *testing.T) {
		const only = 20_000_000
		h := testkit.Start(t, time.Now, func(c *review.Config) {
			c.Limits = gate.DefaultLimits()
			c.Limits.LeastGasBudget, c.Limits.MostGasBudget = only, only
		})
		s, _ := rejected(t, h)
		if s = h.Compute(s); s.Status != record.Ready || s.Facts.Gas.Budget != only-1 {
			t.Errorf("%s %s, budget %d", s.Status, s.Reason, s.Facts.Gas.Budget)
		}
	})
	t.Run("keeps it although a larger coin came", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s, _ := rejected(t, h)
		if err := h.Sandbox.Endow(sandbox.Account); err != nil { // 1000 SUI in one coin
			t.Fatal(err)
		}
		if s = h.Compute(s); s.Status != record.Ready || s.Facts.Gas.Payment[0] != s.Releases[0].GasCoin {
			t.Errorf("%s, gas %v, released %v", s.Status, s.Facts.Gas.Payment, s.Releases[0].GasCoin)
		}
	})
	t.Run("waits for proof when the coin is gone, then goes on", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s, _ := rejected(t, h)
		h.Inject(sandbox.Fault{Kind: sandbox.ConsumeCoin, Object: s.Releases[0].GasCoin.ID.String()})
		if s = h.Compute(s); s.Status != record.Blocked {
			t.Fatalf("%s %s", s.Status, s.Reason)
		}
		if c := s.State.Checks[0]; c.ID != "released_transaction_may_execute" || !strings.Contains(c.Message, "epoch") {
			t.Errorf("%+v", c)
		}
		testkit.Spend(t, h, s.Releases[0].GasCoin.ID) // by a transaction that the node knows
		epochs(h, 2)
		if now, err := h.Reviews.Get(ctx, s.ID); err != nil || now.Releases[0].Dead {
			t.Errorf("%v: it is unknown what used the released version", err)
		}
		s, first := rejectedOf(t, h, "11") // another wish: the first one may still happen
		testkit.Spend(t, h, s.Releases[0].GasCoin.ID)
		if first.Bytes.Size() == 0 {
			t.Fatal("nothing was released")
		}
		s = h.Until(s.ID, "proved dead", func(s record.Session) bool { return s.Releases[0].Dead })
		if s = h.Compute(s); s.Status != record.Ready {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
	t.Run("a late signature over the refused one counts", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s, o := rejected(t, h)
		s = h.Compute(s)
		raw, signature := h.Sign(o)
		s, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature)
		if err != nil || s.Commitment != sui.Commitment(o.Bytes.Digest()) {
			t.Fatalf("%v %s", err, s.Commitment)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success {
			t.Errorf("%s", s.Status)
		}
	})
	t.Run("a wallet that sent what it said it refused is found out", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s, o := rejected(t, h)
		raw, signature := h.Sign(o)
		if _, err := h.Node.Execute(ctx, raw, signature); err != nil {
			t.Fatal(err)
		}
		if s = h.Until(s.ID, "final", final); s.Status != record.Success || s.Execution.Receipt == nil {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
}
