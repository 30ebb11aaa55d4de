package review_test

import (
	"context"
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// strangers are signatures over the released bytes that are, or claim to be, of
// another account.
var strangers = map[string]func(raw []byte) []byte{
	"Ed25519": func(raw []byte) []byte {
		key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize)))
		message := sui.Hash([]byte{0, 0, 0}, raw)
		return slices.Concat([]byte{0}, ed25519.Sign(key, message[:]), key.Public().(ed25519.PublicKey))
	},
	"zkLogin": func(raw []byte) []byte { return testkit.ZkLoginSignature(raw, 5) },
}

// TestSignatureOfAnotherAccount hands in what another account signed: it is not
// sent, the review keeps its state and remembers it, and the right account can
// still sign the very same bytes.
func TestSignatureOfAnotherAccount(t *testing.T) {
	ctx := context.Background()
	for scheme, sign := range strangers {
		t.Run(scheme, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			o := h.HandOff(s)
			for range 2 {
				_, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, o.Bytes.Bytes(), sign(o.Bytes.Bytes()))
				if !fault.Is(err, fault.SignerMismatch) || !strings.Contains(fault.As(err).Text, s.Account.String()) {
					t.Fatalf("%v", err)
				}
			}
			kept, err := h.Reviews.Get(ctx, s.ID)
			if err != nil || kept.Status != record.Ready || kept.Execution != nil || kept.Releases[0].Signed() {
				t.Fatalf("the state changed: %v %s %+v", err, kept.Status, kept.Execution)
			}
			if kept.Releases[0].Outcome != record.OutcomeSignerMismatch || !strings.HasPrefix(kept.WalletAnswer(),
				"signer_mismatch: ") {
				t.Errorf("outcome %q, in words %q", kept.Releases[0].Outcome, kept.WalletAnswer())
			}
			if c, ok := testkit.Check(kept, "wallet_signer_mismatch"); !ok || c.Status != plan.CheckFail ||
				!strings.Contains(c.Message, "0x") {
				t.Errorf("%v %+v", ok, c)
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
}

// TestAfterAnotherAccountSigned continues without the page that held the bytes: the user builds
// again, on the same gas coin, or says that they did not sign.
func TestAfterAnotherAccountSigned(t *testing.T) {
	ctx := context.Background()
	for name, on := range map[string]func(*testing.T, *testkit.Harness, record.Session, handoff.Handoff) record.Session{
		"builds again": func(t *testing.T, h *testkit.Harness, s record.Session,
			_ handoff.Handoff) record.Session {
			return s
		},
		"did not sign": func(t *testing.T, h *testkit.Harness, s record.Session, _ handoff.Handoff) record.Session {
			s, err := h.Reviews.Outcome(ctx, s.ID, "", record.OutcomeDeclined)
			if err != nil || s.Status != record.RefreshRequired || s.Releases[0].Outcome != record.OutcomeDeclined {
				t.Fatalf("%v %s %q", err, s.Status, s.Releases[0].Outcome)
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			o := h.HandOff(s)
			_, err := h.Reviews.Signed(ctx, s.ID, o.Nonce, o.Bytes.Bytes(), strangers["zkLogin"](o.Bytes.Bytes()))
			if !fault.Is(err, fault.SignerMismatch) {
				t.Fatal(err)
			}
			if s, err = h.Reviews.Get(ctx, s.ID); err != nil {
				t.Fatal(err)
			}
			s = h.Compute(on(t, h, s, o))
			if s.Status != record.Ready {
				t.Fatalf("%s %s", s.Status, s.Reason)
			}
			h.Send(s)
			assertOneGasCoin(t, h, s.ID)
			if s = h.Until(s.ID, "final", final); s.Status != record.Success {
				t.Errorf("%s", s.Status)
			}
		})
	}
}

// TestZkLoginAccount signs for an account of zkLogin, in either form of its
// address: the claim fits, and only the node can say that the proof does not.
func TestZkLoginAccount(t *testing.T) {
	ctx := context.Background()
	for name, padded := range map[string]bool{"padded": true, "without leading zeros": false} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			account := testkit.ZkLoginAddress(5, padded)
			if err := h.Sandbox.Endow(account); err != nil {
				t.Fatal(err)
			}
			h.Connect(account)
			s, err := h.Reviews.Prepare(ctx, testkit.Swap("10", "SUI", "USDC"))
			if err == nil {
				s, err = h.Reviews.Opened(ctx, s.ID)
			}
			if err != nil {
				t.Fatal(err)
			}
			if s = h.Compute(s); s.Status != record.Ready {
				t.Fatalf("%s %s", s.Status, s.Reason)
			}
			o := h.HandOff(s)
			if s, err = h.Reviews.Signed(ctx, s.ID, o.Nonce, o.Bytes.Bytes(),
				strangers["zkLogin"](o.Bytes.Bytes())); err != nil {
				t.Fatal(err)
			}
			s = h.Until(s.ID, "a node answered", func(s record.Session) bool {
				return s.Execution != nil && s.Execution.Submission == record.SubmissionRefused
			})
			if s.Status != record.SignedPendingResult {
				t.Errorf("%s", s.Status)
			}
		})
	}
}

// TestWalletChangedTransaction hands in other bytes, or the digest of others: the
// server itself records it, whatever a page says later, and keeps the state.
func TestWalletChangedTransaction(t *testing.T) {
	ctx := context.Background()
	type answer = func(*testing.T, *testkit.Harness, record.Session, handoff.Handoff) error
	other := func(t *testing.T, o handoff.Handoff) *sui.Transaction {
		tx, err := o.Bytes.Transaction()
		if err != nil {
			t.Fatal(err)
		}
		tx.Gas.Budget++
		return tx
	}
	for name, answer := range map[string]answer{
		"other bytes": func(t *testing.T, h *testkit.Harness, s record.Session, o handoff.Handoff) error {
			raw, signature, err := h.Sandbox.Sign(other(t, o))
			if err != nil {
				t.Fatal(err)
			}
			_, err = h.Reviews.Signed(ctx, s.ID, o.Nonce, raw, signature)
			return err
		},
		"another digest": func(t *testing.T, h *testkit.Harness, s record.Session, o handoff.Handoff) error {
			_, err := h.Reviews.SignedElsewhere(ctx, s.ID, o.Nonce, sui.Digest{9})
			return err
		},
		"the page's word": func(t *testing.T, h *testkit.Harness, s record.Session, o handoff.Handoff) error {
			if _, err := h.Reviews.Outcome(ctx, s.ID, o.Nonce, record.OutcomeChanged); err != nil {
				t.Fatal(err)
			}
			return fault.New(fault.HandoffCommitmentMismatch, "said by the page")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
			o := h.HandOff(s)
			if err := answer(t, h, s, o); !fault.Is(err, fault.HandoffCommitmentMismatch) {
				t.Fatalf("%v", err)
			}
			holds := func(when string, s record.Session) {
				t.Helper()
				if s.Releases[0].Outcome != record.OutcomeChanged || s.Releases[0].Dead ||
					!strings.HasPrefix(s.WalletAnswer(), "wallet_changed_transaction: ") {
					t.Errorf("%s: outcome %q, in words %q", when, s.Releases[0].Outcome, s.WalletAnswer())
				}
				if c, ok := testkit.Check(s, "wallet_changed_transaction"); !ok || c.Status != plan.CheckFail ||
					s.State.Checks[0].ID != c.ID {
					t.Errorf("%s: %v %+v", when, ok, c)
				}
			}
			s, err := h.Reviews.Get(ctx, s.ID)
			if err != nil || s.Status != record.Ready || s.Execution != nil {
				t.Fatalf("%v %s", err, s.Status)
			}
			holds("at first", s)
			if s, err = h.Reviews.Outcome(ctx, s.ID, o.Nonce, record.OutcomeProviderError); err != nil {
				t.Fatal(err)
			}
			holds("after a later word of the page", s)
			if s, err = h.Reviews.Outcome(ctx, s.ID, o.Nonce, record.OutcomeDeclined); err != nil ||
				s.Status != record.RefreshRequired {
				t.Fatalf("%v %s", err, s.Status)
			}
			if s.Releases[0].Outcome != record.OutcomeChanged {
				t.Errorf("the person's word covers what the wallet did: %q", s.Releases[0].Outcome)
			}
			if s = h.Compute(s); s.Status != record.Ready || s.Releases[0].Outcome != record.OutcomeChanged {
				t.Errorf("%s %q", s.Status, s.Releases[0].Outcome)
			}
			assertOneGasCoin(t, h, s.ID)
		})
	}
}

// TestEpochAtHandoff turns the epoch between build and handoff: what can no longer
// execute is not handed out, and a node that does not say which epoch it is
// gets nothing handed out either.
func TestEpochAtHandoff(t *testing.T) {
	ctx := context.Background()
	t.Run("an epoch that is over", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		epochs(h, 1)
		if epoch, err := h.Node.Epoch(ctx); err != nil || epoch.Number != s.Facts.LastEpoch {
			t.Fatalf("%v %v", epoch, err)
		}
		epochs(h, 1)
		_, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment)
		if !fault.Is(err, fault.HandoffUnavailable) || !strings.Contains(fault.As(err).Text, "epoch") {
			t.Errorf("%v", err)
		}
		if s, err = h.Reviews.Get(ctx, s.ID); err != nil || s.Status != record.RefreshRequired || len(s.Releases) != 0 {
			t.Errorf("%v %s, %d releases", err, s.Status, len(s.Releases))
		}
		if s = h.Compute(s); s.Status != record.Ready {
			t.Fatalf("%s %s", s.Status, s.Reason)
		}
		h.HandOff(s)
	})
	t.Run("the last epoch", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		epochs(h, 1)
		h.HandOff(s)
	})
	t.Run("a node that gives no answer", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
		h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "GetEpoch"})
		if _, err := h.Reviews.Handoff(ctx, s.ID, s.Revision, s.Commitment); !fault.Is(err, fault.ProviderUnavailable) {
			t.Errorf("%v", err)
		}
		if kept, err := h.Reviews.Get(ctx, s.ID); err != nil || kept.Status != record.Ready || len(kept.Releases) != 0 {
			t.Errorf("%v %s", err, kept.Status)
		}
		h.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
		h.HandOff(s)
	})
}
