package testkit

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review/handoff"
)

// Swap returns a DeepBook swap intent with 0.5 % slippage.
func Swap(amount, from, to string) plan.Intent {
	return plan.Intent{Type: "swap", From: plan.IntentSource{Symbol: from, Amount: amount},
		To: plan.IntentTarget{Symbol: to}, MaxSlippageBps: 50}
}

// Connect makes an account active, as the connect page does.
func (h *Harness) Connect(address sui.Address) {
	h.t.Helper()
	ctx := context.Background()
	i, err := h.Accounts.Create(ctx)
	if err == nil {
		err = h.Accounts.Opened(ctx, i.ID)
	}
	for _, r := range []account.Report{
		{Status: account.Connecting, WalletName: WalletName, WalletID: WalletID},
		{Status: account.Connected, Account: address.String(), WalletName: WalletName, WalletID: WalletID,
			Chain: WalletChain},
	} {
		if err == nil {
			_, err = h.Accounts.Report(ctx, i.ID, r)
		}
	}
	if err != nil {
		h.t.Fatalf("connect %s: %v", address, err)
	}
}

// Open connects the sandbox account, prepares the intent and opens its page.
func (h *Harness) Open(in plan.Intent) record.Session {
	h.t.Helper()
	h.Connect(sandbox.Account)
	ctx := context.Background()
	s, err := h.Reviews.Prepare(ctx, in)
	if err != nil {
		h.t.Fatalf("prepare: %v", err)
	}
	if s, err = h.Reviews.Opened(ctx, s.ID); err != nil {
		h.t.Fatalf("open: %v", err)
	}
	return s
}

// Compute computes a review and waits for the result.
func (h *Harness) Compute(s record.Session) record.Session {
	h.t.Helper()
	out, err := h.Reviews.ComputeNow(context.Background(), s.ID, s.Revision)
	if err != nil {
		h.t.Fatalf("compute: %v", err)
	}
	return out
}

// Ready opens and computes a review that must become ready for the wallet.
func (h *Harness) Ready(in plan.Intent) record.Session {
	h.t.Helper()
	s := h.Compute(h.Open(in))
	if s.Status != record.Ready {
		h.t.Fatalf("the review is %s (%s), checks %+v", s.Status, s.Reason, s.State.Checks)
	}
	return s
}

// Transaction returns the transaction that was built for a review.
func (h *Harness) Transaction(s record.Session) *sui.Transaction {
	h.t.Helper()
	row, err := h.Store.ReviewRow(context.Background(), s.ID)
	if err != nil {
		h.t.Fatal(err)
	}
	m := row.Present()
	if m == nil {
		h.t.Fatal("the review has no transaction")
	}
	tx, err := m.Bytes.Transaction()
	if err != nil {
		h.t.Fatal(err)
	}
	return tx
}

// HandOff releases the transaction of a ready review. It confirms the checks that require it, and
// the repeat of a recent transaction.
func (h *Harness) HandOff(s record.Session) handoff.Handoff {
	h.t.Helper()
	accepted := Ticks(s)
	related, err := h.Reviews.Related(context.Background(), s)
	for _, b := range related {
		if b.State == record.RelatedDone {
			accepted = append(accepted, b.Need())
		}
	}
	if err != nil {
		h.t.Fatalf("confirm the repeat: %v", err)
	}
	out, err := h.Reviews.Handoff(context.Background(), s.ID, s.Revision, s.Commitment, accepted...)
	if err != nil {
		h.t.Fatalf("hand off: %v", err)
	}
	return out
}

// Ticks returns the ids of the checks that a user must confirm on the page.
func Ticks(s record.Session) (ids []string) {
	for _, c := range s.State.Checks {
		if c.Accept != "" {
			ids = append(ids, c.Accept)
		}
	}
	return ids
}

// Sign signs a handoff's wallet form as the sandbox account.
func (h *Harness) Sign(o handoff.Handoff) (raw, signature []byte) {
	h.t.Helper()
	tx, err := sui.ParseWalletJSON([]byte(o.TransactionJSON))
	if err == nil {
		raw, signature, err = h.Sandbox.Sign(tx)
	}
	if err != nil {
		h.t.Fatalf("sign: %v", err)
	}
	return raw, signature
}

// Send hands off, signs and posts the signature.
func (h *Harness) Send(s record.Session) (handoff.Handoff, record.Session) {
	h.t.Helper()
	o := h.HandOff(s)
	raw, signature := h.Sign(o)
	out, err := h.Reviews.Signed(context.Background(), s.ID, o.Nonce, raw, signature)
	if err != nil {
		h.t.Fatalf("post the signature: %v", err)
	}
	return o, out
}

// Settle sends a ready review and waits until it settles.
func (h *Harness) Settle(s record.Session) record.Session {
	h.t.Helper()
	h.Send(s)
	return h.Until(s.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
}

// Until waits up to double.Patience for a condition on a review, and then fails the test.
func (h *Harness) Until(id record.ID, what string, want func(record.Session) bool) record.Session {
	h.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), double.Patience)
	defer stop()
	var s record.Session
	for {
		next, ok, err := h.Reviews.Wait(ctx, id, double.Patience, want)
		if next.ID != "" {
			s = next
		}
		if ok && err == nil {
			return s
		}
		if err == nil && ctx.Err() == nil {
			continue // the service limits a single wait
		}
		h.t.Fatalf("waiting until %s: status %s, execution %+v, error %v", what, s.Status, s.Execution, err)
	}
}

// Inject makes the sandbox misbehave.
func (h *Harness) Inject(faults ...sandbox.Fault) {
	h.t.Helper()
	for _, f := range faults {
		if err := h.Sandbox.Inject(f); err != nil {
			h.t.Fatalf("inject %s: %v", f.Kind, err)
		}
	}
}

// Check returns a review's check by id.
func Check(s record.Session, id string) (plan.Check, bool) {
	for _, c := range s.State.Checks {
		if c.ID == id {
			return c, true
		}
	}
	return plan.Check{}, false
}
