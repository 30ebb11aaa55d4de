package transfer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/transfer"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/reviewtest"
)

const somebody = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"

func send(amount, symbol, to string) review.Intent {
	return review.Intent{Type: "transfer", From: review.IntentSource{Symbol: symbol, Amount: amount}, Recipient: to}
}

func to(text string) func(*review.Intent) { return func(i *review.Intent) { i.Recipient = text } }

func TestConformance(t *testing.T) {
	pool := registry.Pools()[0].ID.String()
	reviewtest.Adapter(t, time.Now, reviewtest.Subject{
		Adapter: func(*reviewtest.House) review.Adapter { return transfer.New() },
		Good: []review.Intent{
			send("10", "SUI", somebody),
			send("700", "SUI", somebody), // coins merged into the gas coin
			send("0.000001", "USDC", somebody),
			send("3000", "USDC", somebody), // coins merged
		},
		Bad: map[string]func(*review.Intent){
			"nobody": to(""), "a name": to("alice.sui"), "short": to("0x5a5a"), "no hexadecimal": to("0x" + strings.Repeat("zz", 32)),
			"zero": to("0x" + strings.Repeat("0", 64)), "the framework": to(sui.MustAddress("0x2").String()), "a pool": to(pool),
			"a contract": to(registry.Packages()[0].ID.String()), "without 0x": to(strings.Repeat("5a", 32)),
		},
	})
}

// Where a payment goes is what makes it right or wrong.
func TestRecipients(t *testing.T) {
	h := reviewtest.Start(t, time.Now, nil)
	h.Use(transfer.New())
	account := sandbox.Account
	find := func(s review.Session, id string) review.Check {
		for _, c := range s.State.Checks {
			if c.ID == id {
				return c
			}
		}
		t.Fatalf("no check %s: %s %+v", id, s.Reason, s.State.Checks)
		return review.Check{}
	}
	t.Run("C01 C15 a new recipient is said to be new, a paid one to be known", func(t *testing.T) {
		s := h.Ready(send("1", "USDC", somebody))
		if c := find(s, "payment_recipient"); c.Status != review.CheckWarning || c.Rule != "C15" {
			t.Errorf("%+v", c)
		}
		h.Settle(s)
		s = h.Ready(send("1", "USDC", somebody))
		if c := find(s, "payment_recipient"); c.Status != review.CheckPass {
			t.Errorf("%+v", c)
		}
	})
	t.Run("C16 an address that looks like a paid one, or like the own one, blocks", func(t *testing.T) {
		own := account.String()
		for _, alike := range []string{
			somebody[:6] + strings.Repeat("1", 56) + somebody[62:],
			own[:6] + strings.Repeat("1", 56) + own[62:],
		} {
			s := h.Compute(h.Open(send("1", "USDC", alike)))
			if s.Reason != review.WalletMismatch || s.State.Checks[0].Rule != "C16" {
				t.Errorf("%s: %s %s %+v", alike, s.Status, s.Reason, s.State.Checks[0])
			}
		}
	})
	t.Run("the own account is no recipient", func(t *testing.T) {
		if s := h.Compute(h.Open(send("1", "USDC", account.String()))); s.Reason != review.UnsupportedAction {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
	t.Run("the recipient gets it, and the receipt says so", func(t *testing.T) {
		s := h.Settle(h.Ready(send("2.5", "SUI", somebody)))
		kept := map[string]bool{}
		for _, p := range s.Execution.Receipt.Promises {
			kept[p.ID] = p.Kept
		}
		if s.Status != review.Success || !kept["recipient_gained"] || !kept["spent_at_most"] || !kept["nobody_else_gained"] || kept["minimum_arrived"] {
			t.Errorf("%s %+v", s.Status, s.Execution.Receipt.Promises)
		}
		held, err := h.Node.Balance(context.Background(), sui.MustAddress(somebody), sui.SUI)
		if err != nil || held.Total != 2_500_000_000 {
			t.Errorf("%v %+v", err, held)
		}
	})
}
