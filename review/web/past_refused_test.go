package web_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

func TestReceiptOfContradictedBalances(t *testing.T) {
	past := &pastNode{t: pastSample(t)}
	past.t.Balances, past.t.BalancesRefused = sui.Listed[sui.PastBalance]{}, true
	r := newRig(t, func(c *config) { c.Receipts = past })
	if a := r.receipt(); !strings.Contains(a.body, "contradicts what the transaction cost") || strings.Contains(a.body,
		"Nobody’s coins changed") {
		t.Errorf("%s", a.body)
	}
}
