package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// Coins that are sent to an object are lost: an id that was taken for an address
// is found out.
func TestPaymentToAnObject(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	acts, manager := testkit.Stage(t, h)
	in := testkit.Named(t, acts, "transfer of SUI").Intent
	h.Ready(in)
	in.Recipient = manager.String()
	s := h.Compute(h.Open(in))
	if c := s.State.Checks[0]; s.Status != record.Blocked || s.Reason != plan.WalletMismatch ||
		c.ID != "payment_recipient" ||
		!strings.Contains(c.Message, "is an object on chain") || !strings.Contains(c.Do,
		"ask your AI client for a deposit") || s.State.Contract != nil {
		t.Errorf("%s %s %+v", s.Status, s.Reason, c)
	}
}
