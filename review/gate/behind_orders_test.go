package gate_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// worst returns the price of an order, as its bytes have it.
func worst(t *testing.T, s plan.StepFacts) *big.Rat {
	t.Helper()
	for _, term := range s.Terms {
		if n, ok := new(big.Rat).SetString(strings.Fields(term.Value)[0]); ok &&
			strings.Contains(strings.ToLower(term.Name), "price") {
			return n
		}
	}
	t.Fatalf("the order has no price: %+v", s.Terms)
	return nil
}

// TestOrdersBehindSteps reads a market's book and a manager's funds as the earlier steps of
// the same transaction leave them.
func TestOrdersBehindSteps(t *testing.T) {
	order := func(manager, side, quantity string) plan.Intent {
		return plan.Intent{Type: "market-order", Manager: manager, MaxSlippageBps: 1,
			Order: &plan.Order{Pool: "SUI_USDC", Side: side, Quantity: quantity}}
	}
	limit := func(manager, quantity, price string) plan.Intent {
		return plan.Intent{Type: "limit-order", Manager: manager,
			Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: price, Quantity: quantity}}
	}
	put := func(manager, amount, symbol string) plan.Intent {
		return plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: symbol, Amount: amount}, Manager: manager}
	}
	t.Run("a market order is priced behind a swap that moved its book", func(t *testing.T) {
		h, all := stepped(t)
		id := all[10].Manager
		swap := traded("1200", "USDC", "SUI", "deep")
		alone := h.Ready(bundle(put(id, "2000", "USDC"), order(id, "buy", "100")))
		behind := h.Ready(bundle(put(id, "2000", "USDC"), swap, order(id, "buy", "100")))
		was, is := worst(t, alone.Facts.Steps[1]), worst(t, behind.Facts.Steps[2])
		if is.Cmp(was) <= 0 {
			t.Fatalf("the worst price is %s, and behind a swap %s", was.FloatString(6), is.FloatString(6))
		}
		if s := h.Settle(behind); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("an order spends what an earlier step puts into its manager", func(t *testing.T) {
		h, all := stepped(t)
		id := all[10].Manager
		big := limit(id, "600", "9.5") // of 495 that are there
		s := h.Compute(h.Open(bundle(put(id, "5", "USDC"), big)))
		if c := s.State.Checks[0]; s.Reason != plan.InsufficientBalance ||
			!strings.Contains(c.Message, "Step 2: The order takes up to") {
			t.Fatalf("without enough: %s %+v", s.Reason, c)
		}
		settled(t, h, bundle(put(id, "200", "SUI"), big))
	})
	t.Run("a result that is put in pays for an order", func(t *testing.T) {
		h, all := stepped(t)
		id := all[10].Manager
		in := plan.Intent{Type: "manager-deposit", From: result(1, "USDC"), Manager: id}
		settled(t, h, bundle(traded("100", "SUI", "USDC", "flowx"), in, order(id, "buy", "20")))
	})
	t.Run("what an earlier order spends is not there for the next one", func(t *testing.T) {
		h, all := stepped(t)
		id := all[10].Manager
		s := h.Compute(h.Open(bundle(limit(id, "300", "9.5"), limit(id, "300", "9.6"))))
		if c := s.State.Checks[0]; s.Reason != plan.InsufficientBalance || !strings.HasPrefix(c.Message, "Step 2: ") {
			t.Errorf("%s %+v", s.Reason, c)
		}
	})
	t.Run("an order below the least size of its market blocks", func(t *testing.T) {
		h, all := stepped(t)
		id := all[10].Manager
		s := h.Compute(h.Open(bundle(put(id, "5", "USDC"), order(id, "buy", "0.5"))))
		if c := s.State.Checks[0]; s.Status != record.Blocked ||
			!strings.Contains(c.Message, "The minimum order in SUI_USDC is") {
			t.Errorf("%s %+v", s.Status, c)
		}
	})
}
