package review_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestNamesOverTheWire: what is hidden in the name that a node tells reaches the
// check as it came, and so do letters that only look like those of a known coin.
func TestNamesOverTheWire(t *testing.T) {
	for i, symbol := range []string{"US\u200bDC", "USDC\u202e", "US\u00adDC", "U\U000e0053SDC", "USDC\ufe0f", "USD\nC",
		"USDC\x00", "ＵＳＤＣ", "ꓴꓢꓓꓚ", "USDϹ"} {
		t.Run(fmt.Sprintf("C17 name %d", i+1), func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Connect(sandbox.Account)
			h.Sandbox.Describe(sui.Metadata{Type: usdcType, Decimals: 6, Symbol: symbol, Name: "USD Coin"})
			s := h.Compute(h.Open(plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", Amount: "1"},
				Recipient: payee.String()}))
			if s.Status != record.Blocked || s.Reason != plan.AssetMismatch || s.State.Checks[0].Rule != "C17" {
				t.Errorf("%q: %s %s %+v", symbol, s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
}
