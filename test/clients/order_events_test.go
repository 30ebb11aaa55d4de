//go:build clients

package clients_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// What the chain tells of every action on a manager reads with the layouts of the
// official DeepBook package, and as this program reads it.
func TestEventsOfOrders(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	usdc, _ := coins.BySymbol("USDC")
	id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true, Deposits: []sandbox.Deposit{
		{Coin: sui.SUI, Amount: 500_000_000_000}, {Coin: usdc.Type, Amount: 900_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	order := func(side, price string) plan.Intent {
		return plan.Intent{Type: "limit-order", Manager: id.String(), Order: &plan.Order{
			Pool: "SUI_USDC", Side: side, Price: price, Quantity: "10", ExpiresAt: "2199-01-01T00:00:00Z"}}
	}
	told := func(in plan.Intent) (names []string, values []map[string]any) {
		t.Helper()
		s := h.Settle(h.Ready(in))
		digest, err := sui.ParseDigest(s.Execution.TxDigest)
		if err != nil {
			t.Fatal(err)
		}
		e, ok, err := h.Node.Transaction(t.Context(), digest)
		if err != nil || !ok {
			t.Fatal(err)
		}
		var list []map[string]string
		for _, one := range e.Events {
			list = append(list, map[string]string{"name": one.Type[strings.LastIndex(one.Type, ":")+1:],
				"bcs": base64.StdEncoding.EncodeToString(one.Contents)})
		}
		for _, one := range readEvents(t, list) {
			if !one.Same {
				t.Errorf("%s: %s does not read back", in.Type, one.Name)
			}
			names, values = append(names, one.Name), append(values, one.Value)
		}
		return names, values
	}
	has := func(what string, names []string, want string, value map[string]any, fields map[string]any) {
		t.Helper()
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
		for name, field := range fields {
			if fmt.Sprint(value[name]) != fmt.Sprint(field) {
				t.Errorf("%s: %s is %v, want %v", what, name, value[name], field)
			}
		}
	}
	names, values := told(order("sell", "9.5"))
	has("an order that rests", names, "OrderPlaced OrderInfo", values[1], map[string]any{"price": 9_500_000,
		"is_bid": false, "original_quantity": 10_000_000_000,
		"expire_timestamp": 7_226_582_400_000, "order_type": 0, "self_matching_option": 0, "fee_is_deep": false,
		"order_inserted":     true,
		"balance_manager_id": id, "trader": sandbox.Account, "executed_quantity": 0})
	has("what rests", names, "OrderPlaced OrderInfo", values[0], map[string]any{"price": 9_500_000, "is_bid": false,
		"placed_quantity":  10_000_000_000,
		"expire_timestamp": 7_226_582_400_000, "balance_manager_id": id})
	resting, err := deepbook.NewInventory(h.Pools, h.Node).Account(t.Context(), "SUI_USDC", id)
	if err != nil || len(resting.Orders) != 1 || fmt.Sprint(values[0]["order_id"]) != resting.Orders[0].ID {
		t.Fatalf("%v %+v %v", err, resting.Orders, values[0]["order_id"])
	}
	names, values = told(plan.Intent{Type: "cancel-order", Manager: id.String(), Order: &plan.Order{Pool: "SUI_USDC"},
		Own: plan.Own{"orderId": resting.Orders[0].ID}})
	has("a cancellation", names, "OrderCanceled", values[0], map[string]any{"order_id": resting.Orders[0].ID,
		"price": 9_500_000, "is_bid": false,
		"original_quantity": 10_000_000_000, "base_asset_quantity_canceled": 10_000_000_000, "balance_manager_id": id,
		"trader": sandbox.Account})
	names, values = told(order("sell", "1.2"))
	if len(names) < 3 || names[0] != "OrderInfo" || names[len(names)-1] != "OrderFullyFilled" {
		t.Fatal(names)
	}
	has("an order that trades", names[:1], "OrderInfo", values[0], map[string]any{"executed_quantity": 10_000_000_000,
		"order_inserted": false})
	has("its end", nil, "", values[len(names)-1], map[string]any{"original_quantity": 10_000_000_000, "is_bid": false,
		"balance_manager_id": id})
	names, values = told(plan.Intent{Type: "manager-deposit", Manager: id.String(), From: plan.IntentSource{Symbol: "USDC",
		Amount: "12.5"}})
	has("a deposit", names, "BalanceEvent", values[0], map[string]any{"amount": 12_500_000, "deposit": true,
		"balance_manager_id": id})
	names, values = told(plan.Intent{Type: "manager-withdraw", Manager: id.String(), To: plan.IntentTarget{Symbol: "SUI",
		Amount: "1"}})
	has("a withdrawal", names, "BalanceEvent", values[0], map[string]any{"amount": 1_000_000_000, "deposit": false,
		"balance_manager_id": id})
	names, values = told(plan.Intent{Type: "manager-create"})
	has("a manager", names, "BalanceManagerEvent", values[0], map[string]any{"owner": sandbox.Account})
}
