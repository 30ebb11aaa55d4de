package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestCoinlessDies ends transactions that use up no object: they are dead once their one
// epoch is over and a node that has all of it does not know them.
func TestCoinlessDies(t *testing.T) {
	t.Run("its epoch is over", func(t *testing.T) {
		h, _ := forgetful(t)
		h.Sandbox.Deposit(sandbox.Account)
		s, _ := signedAndStuck(t, h)
		epochs(h, 1)
		cannotExecute(t, h.Until(s.ID, "final", final), "every transaction since that epoch began")
	})
	t.Run("a node that keeps too little proves nothing", func(t *testing.T) {
		h, m := forgetful(t)
		m.keepsLittle.Store(true)
		h.Sandbox.Deposit(sandbox.Account)
		s, _ := signedAndStuck(t, h)
		epochs(h, 1)
		s = h.Until(s.ID, "a note", func(s record.Session) bool {
			return s.Execution != nil && strings.Contains(s.Execution.Note, "no longer keeps")
		})
		if s.Status.Terminal() {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
}

// TestCoinlessDeclined does not build again what the wallet declined and may have signed: another
// review asks for it, on the user's word.
func TestCoinlessDeclined(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Sandbox.Deposit(sandbox.Account)
	s := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := h.HandOff(s)
	s, err := h.Reviews.Outcome(t.Context(), s.ID, o.Nonce, record.OutcomeRejected)
	if err != nil {
		t.Fatal(err)
	}
	if words := s.Headline().Text; strings.Contains(words, "never both happen") {
		t.Errorf("%q", words)
	}
	if s = h.Compute(s); s.Status == record.Ready || s.State.Checks[0].ID != "released_transaction_may_execute" {
		t.Fatalf("%s %+v", s.Status, s.State.Checks)
	}
	next := h.Ready(testkit.Swap("10", "SUI", "USDC"))
	_, err = h.Reviews.Handoff(t.Context(), next.ID, next.Revision, next.Commitment, testkit.Ticks(next)...)
	refusedFor(t, err, s.ID, "again")
	if _, err = h.Reviews.Handoff(t.Context(), next.ID, next.Revision, next.Commitment, append(testkit.Ticks(next),
		"again:"+string(s.ID))...); err != nil {
		t.Error(err)
	}
}
