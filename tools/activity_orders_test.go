package tools_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestActivityOfOrders checks that the venue's events describe what happened to orders.
func TestActivityOfOrders(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	usdc, _ := coins.BySymbol("USDC")
	if _, err := w.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Deposits: []sandbox.Deposit{
			{Coin: sui.SUI, Amount: 500_000_000_000}, {Coin: usdc.Type, Amount: 900_000_000}, {Coin: coins.DEEP,
				Amount: 100_000_000}}}); err != nil {
		t.Fatal(err)
	}
	run := func(in plan.Intent) record.Session {
		t.Helper()
		s := w.Settle(w.Ready(in))
		if s.Status != record.Success {
			t.Fatalf("%s: %s", in.Type, s.Status)
		}
		return s
	}
	// The answers for one digest, for the latest row of a scan and for stored rows must be the
	// same.
	says := func(s record.Session, want string) {
		t.Helper()
		same(t, w.must("read.inspect_sui_transaction", `{"digest":"`+s.Execution.TxDigest+`"}`), map[string]any{"what": want})
		same(t, w.must("read.scan_sui_account_activity", `{"limit":1}`), map[string]any{"transactions.0.what": want})
		same(t, w.must("read.summarize_sui_account_activity", `{}`), map[string]any{"transactions.0.what": want})
	}
	const at = " at DeepBook V3"
	placed := run(plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5",
		Quantity: "10"}})
	says(placed, "placed an order to sell 10 SUI at 9.5 USDC per SUI"+at)
	changed := run(plan.Intent{Type: "modify-order",
		Own: plan.Own{"orderId": orderNumber(t, placed)}, Order: &plan.Order{Pool: "SUI_USDC",
			Price: "9.7"}})
	says(changed, "changed an order to sell 10 SUI at 9.7 USDC per SUI"+at)
	says(run(plan.Intent{Type: "cancel-order",
		Own: plan.Own{"orderId": orderNumber(t, changed)}, Order: &plan.Order{Pool: "SUI_USDC"}}),
		"cancelled an order to sell 10 SUI at 9.7 USDC per SUI"+at)
	sold := run(plan.Intent{Type: "market-order", MaxSlippageBps: 100, Order: &plan.Order{Pool: "SUI_USDC", Side: "sell",
		Quantity: "20"}})
	says(sold, "sold 20 SUI for 25.852 USDC with an order"+at)

	t.Run("without the events' contents a change is still a change", func(t *testing.T) {
		w.retells = func(p *sui.PastTransaction) {
			for i := range p.Events.Items {
				p.Events.Items[i].Contents = nil
			}
		}
		defer func() { w.retells = nil }()
		for range 20 { // the result must not depend on the order of the functions
			same(t, w.must("read.inspect_sui_transaction", `{"digest":"`+changed.Execution.TxDigest+`"}`),
				map[string]any{"what": "changed an order" + at})
		}
	})
	t.Run("fees of gas and of the market are sums of their own", func(t *testing.T) {
		fee := objectAt(t, w.must("read.scan_sui_account_activity", `{}`), "feesPaid")
		for _, name := range []string{"read.summarize_sui_activity_scan", "read.summarize_sui_account_activity"} {
			same(t, w.must(name, `{}`), map[string]any{"feesPaid": fee})
		}
		same(t, fee, map[string]any{"gas": "0.01171392 SUI", "market.0": "0.0025 SUI", "totalCost.0": "0.01421392 SUI"})
	})
}

func objectAt(t *testing.T, v map[string]any, path string) map[string]any {
	t.Helper()
	m, ok := at(v, path).(map[string]any)
	if !ok {
		t.Fatalf("%s is not there", path)
	}
	return m
}

// orderNumber returns the order number in a review's result.
func orderNumber(t *testing.T, s record.Session) string {
	t.Helper()
	for _, term := range s.Execution.Receipt.Outcome {
		if term.Name == "Order number" {
			return term.Value
		}
	}
	t.Fatal("no order number")
	return ""
}
