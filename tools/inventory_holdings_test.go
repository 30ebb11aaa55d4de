package tools_test

import (
	"fmt"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestHoldings checks that one call without a pool returns the holdings of all the account's
// managers in all pools.
func TestHoldings(t *testing.T) {
	w := build(t, nil)
	situations["the account has a DeepBook balance manager with open orders"](w)
	coin := func(symbol, amount string) any { return map[string]any{"symbol": symbol, "amount": amount} }
	t.Run("R004-111 balances, and open orders of every pool", func(t *testing.T) {
		data := w.must(toolInventory, `{}`)
		same(t, data, map[string]any{"detailStatus": "manager_discovery_only", "notRead.openOrders": nil,
			"notRead.managerAddresses": nil})
		refuses(t, data, "complete_list_of_balance_managers", "raw_balance",
			"deepbook_pool_account_inventory_when_pool_and_manager_are_supplied")
		all := each(t, data, "holdings")
		if len(all) != 1 {
			t.Fatalf("%v", all)
		}
		same(t, all[0], map[string]any{"managerAddress": manager.String(),
			"free": []any{coin("DEEP", "1.5"), coin("SUI", "4.845678901"), coin("USDC", "67.000001")}})
		pools := each(t, all[0], "pools")
		if len(pools) != 1 {
			t.Fatalf("%v", pools)
		}
		same(t, pools[0], map[string]any{"poolKey": "SUI_USDC", "openOrderCount": 3.0, "locked": []any{coin("SUI", "7.5"),
			coin("USDC", "32")}})
		if orders := each(t, pools[0], "openOrders"); len(orders) != 3 || orders[2]["side"] != "ask" ||
			orders[2]["price"] != "5" {
			t.Errorf("%v", orders)
		}
	})
	t.Run("managers beyond five are named, and read by name", func(t *testing.T) {
		var last sui.ObjectID
		for range 5 {
			last = w.open(sandbox.Manager{Owner: sandbox.Account, Registered: true,
				Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 3_000_000_000}}})
		}
		data := w.must(toolInventory, `{}`)
		if all, left := each(t, data, "holdings"), at(data, "notRead.managerAddresses").([]any); len(all) != 5 ||
			len(left) != 1 {
			t.Errorf("%d are read, %v are not", len(all), left)
		}
		data = w.must(toolInventory, fmt.Sprintf(`{"managerAddress":%q}`, last))
		same(t, data, map[string]any{"detailStatus": "pool_key_required", "managerOwnedByActiveAccount": true,
			"notRead.managerAddresses": nil})
		if all := each(t, data, "holdings"); len(all) != 1 || all[0]["managerAddress"] != last.String() {
			t.Errorf("%v", all)
		}
	})
	t.Run("orders beyond fifty are counted", func(t *testing.T) {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		pool, _ := registry.PoolByKey("SUI_USDC")
		m := sandbox.Manager{Owner: sandbox.Account, Registered: true, Deposits: []sandbox.Deposit{{Coin: pool.Quote.Type,
			Amount: 1 << 40}}}
		for n := range uint64(60) {
			m.Orders = append(m.Orders, sandbox.RestingOrder{Pool: pool.Key, IsBid: true, Price: 1_000_000 + 100*n,
				Quantity: 1_000_000_000})
		}
		w.open(m)
		data := w.must(toolInventory, `{}`)
		same(t, data, map[string]any{"notRead.openOrders": 10.0})
		if one := each(t, each(t, data, "holdings")[0], "pools")[0]; one["openOrderCount"] != 60.0 ||
			len(each(t, one, "openOrders")) != 50 {
			t.Errorf("%v", one)
		}
	})
}
