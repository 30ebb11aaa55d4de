package gate_test

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
)

var openPayee = "0x" + strings.Repeat("5a", 32)

// payment returns the intent that these tests repeat.
func payment(amount, symbol string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol, Amount: amount}, Recipient: openPayee}
}
