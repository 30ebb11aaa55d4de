package review_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

func TestSwapFromIntentToReceipt(t *testing.T) {
	cases := []struct{ name, amount, from, to, feeMode string }{
		{"SUI to USDC", "10", "SUI", "USDC", "input"},
		{"SUI to USDC, coins merged", "950", "SUI", "USDC", "input"},
		{"USDC to SUI", "25.5", "USDC", "SUI", "input"},
		{"USDC to SUI, coins merged", "3000", "USDC", "SUI", "input"},
		{"DEEP to SUI, whitelisted", "500", "DEEP", "SUI", "none"},
		{"SUI to DEEP, whitelisted", "5", "SUI", "DEEP", "none"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			s := h.Ready(testkit.Swap(c.amount, c.from, c.to))
			if got := s.State.Quote.FeeMode; got != c.feeMode {
				t.Errorf("fee mode %q, want %q", got, c.feeMode)
			}
			text, err := json.Marshal(s.State)
			if err != nil {
				t.Fatal(err)
			}
			o, _ := h.Send(s)
			digest := o.Bytes.Digest().String()
			if strings.Contains(string(text), digest) {
				t.Error("the public state holds the transaction's digest")
			}
			s = h.Until(s.ID, "final", func(s record.Session) bool { return s.Status.Terminal() })
			if s.Status != record.Success {
				t.Fatalf("status %s, execution %+v", s.Status, s.Execution)
			}
			for _, p := range s.Execution.Receipt.Promises {
				if !p.Kept {
					t.Errorf("promise not kept: %+v", p)
				}
			}
			if s.Execution.TxDigest != digest {
				t.Errorf("digest %s, want %s", s.Execution.TxDigest, digest)
			}
			row, err := h.Store.ReviewRow(context.Background(), s.ID)
			if err != nil {
				t.Fatal(err)
			}
			if len(row.Materials) != 0 {
				t.Error("material outlives the session")
			}
		})
	}
}

var _ = sandbox.Account
