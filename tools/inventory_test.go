package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const toolInventory = "read.summarize_deepbook_account_inventory"

func inventoryArgs(pool string, id sui.ObjectID) string {
	return fmt.Sprintf(`{"poolKey":%q,"managerAddress":%q}`, pool, id)
}

func TestInventory(t *testing.T) {
	w := build(t, nil)
	situations["the account has a DeepBook balance manager with open orders"](w)
	data := w.must(toolInventory, inventoryArgs("sui_usdc", manager))
	t.Run("R004-17 R004-453 of the active account, by one simulated transaction of the pinned package",
		func(t *testing.T) {
			same(t, data, map[string]any{"accountScope.account": sandbox.Account.String(),
				"accountScope.source": "active_account",
				"source.simulation":   "client.core.simulateTransaction", "source.method": "one_simulated_transaction",
				"source.packageId": registry.Packages()[0].ID.String(), "managerOwnedByActiveAccount": true})
			stranger := build(t, nil)
			_, refusal := stranger.call(toolInventory, `{}`)
			same(t, refusal, map[string]any{"kind": "active_account_not_set"})
		})
	t.Run("R004-111 managers are found for it, saying how, and never as all there are", func(t *testing.T) {
		same(t, data, map[string]any{"managerAddresses": []any{manager.String()},
			"discovery.discoveryMethod": "registry_and_events_and_caps",
			"discovery.mayBeIncomplete": true, "discovery.tried": []any{"registry", "events", "caps"},
			"discovery.notTried": []any{}, "discovery.events": "read",
			"discovery.managers": []any{map[string]any{"address": manager.String(), "discoveredBy": []any{"registry", "event",
				"trade_cap"}}}})
		refuses(t, data, "complete_list_of_balance_managers", "complete_list_of_deepbook_positions")
	})
	t.Run("R004-112 R004-113 R004-120 with pool and manager, what the manager holds, exact", func(t *testing.T) {
		nothing := map[string]any{"base": "0", "quote": "0", "deep": "0"}
		same(t, data, map[string]any{"detailStatus": "available", "accountExists": true, "requested.poolKey": "SUI_USDC",
			"managerBalances":                        map[string]any{"base": "4.845678901", "quote": "67.000001", "deep": "1.5"},
			"accountSummary.settledBalances":         nothing,
			"accountSummary.owedBalances":            nothing,
			"accountSummary.unclaimedRebateBalances": nothing})
	})
	t.Run("R004-114 R004-120 what its open orders lock", func(t *testing.T) {
		same(t, data, map[string]any{"lockedBalances": map[string]any{"base": "7.5", "quote": "32", "deep": "0"}})
	})
	t.Run("R004-115 R004-121 its open orders, decoded, and how many there are", func(t *testing.T) {
		orders := each(t, data, "openOrders")
		same(t, data, map[string]any{"openOrderCount": float64(3), "openOrderIdsTruncated": false})
		if len(orders) != 3 || len(data["openOrderIds"].([]any)) != 3 {
			t.Fatalf("%v", data)
		}
		tomorrow := w.Clock.Now().UTC()
		for i, want := range []map[string]any{
			{"side": "bid", "price": "1.1", "quantity": "20", "remaining": "20", "expired": false},
			{"side": "bid", "price": "1", "quantity": "10", "remaining": "10", "expiresAt": "never", "expired": false},
			{"side": "ask", "price": "5", "quantity": "7.5", "remaining": "7.5", "expiresAt": "never", "feeInDeep": false},
		} {
			same(t, orders[i], want)
			id, err := clob.ParseOrderID(orders[i]["orderId"].(string))
			if err != nil || id.IsBid() != (want["side"] == "bid") || data["openOrderIds"].([]any)[i] != orders[i]["orderId"] {
				t.Errorf("%v: %v", orders[i], err)
			}
		}
		at, err := time.Parse(time.RFC3339, orders[0]["expiresAt"].(string))
		if err != nil || at.Sub(tomorrow) > 24*time.Hour || at.Sub(tomorrow) < 23*time.Hour {
			t.Error(orders[0]["expiresAt"], err)
		}
	})
	t.Run("R004-116 evidence only where the details are there", func(t *testing.T) {
		const claim = "deepbook_pool_account_inventory_when_pool_and_manager_are_supplied"
		if can := fmt.Sprint(at(data, "userAnswerUse.canAnswer")); !strings.Contains(can, claim) {
			t.Error(can)
		}
		refuses(t, w.must(toolInventory, `{}`), claim)
	})
	t.Run("R004-123 decimal strings, and presentation only", func(t *testing.T) {
		same(t, data, map[string]any{"quantitySemantics.kind": "deepbook_display_number",
			"quantitySemantics.allowedUse": "presentation_inventory_facts_only"})
	})
	t.Run("R004-124 nothing that pays, routes, withdraws or signs", func(t *testing.T) {
		refuses(t, data, "raw_balance", "route_liquidity", "funding_source", "withdrawal_readiness",
			"transaction_building_input", "signing_data", "signing_readiness")
	})
}

// TestInventoryOfTheOnlyManager checks that managerAddress can be omitted if the account has only
// one manager.
func TestInventoryOfTheOnlyManager(t *testing.T) {
	w := build(t, nil)
	situations["the account has a DeepBook balance manager with open orders"](w)
	same(t, w.must(toolInventory, `{"poolKey":"SUI_USDC"}`), map[string]any{"detailStatus": "available",
		"openOrderCount":   3.0,
		"managerAddresses": []any{manager.String()}})
}

func TestInventoryWithoutDetails(t *testing.T) {
	w := build(t, nil)
	situations["the account has a DeepBook balance manager with open orders"](w)
	unlisted := w.open(sandbox.Manager{Owner: sandbox.Account, Maker: sui.MustAddress("0xabc")})
	several := build(t, nil)
	situations["the account has a DeepBook balance manager with open orders"](several)
	several.open(sandbox.Manager{Owner: sandbox.Account, Registered: true})
	for _, c := range []struct {
		status, args string
		exists       any
	}{
		{"manager_discovery_only", `{}`, nil},
		{"pool_key_required", fmt.Sprintf(`{"managerAddress":%q}`, manager), nil},
		{"manager_address_required", `{"poolKey":"SUI_USDC"}`, nil},
		{"manager_address_not_discovered_for_active_account", inventoryArgs("SUI_USDC", otherManager), nil},
		{"manager_address_not_discovered_for_active_account", inventoryArgs("SUI_USDC", sui.MustAddress("0xdead")), nil},
		{"account_not_found", inventoryArgs("DEEP_SUI", manager), false},
		{"account_not_found", inventoryArgs("SUI_USDC", unlisted), false},
	} {
		asked := w
		if c.status == "manager_address_required" {
			asked = several
		}
		data := asked.must(toolInventory, c.args)
		t.Run("R004-117 R004-118 "+c.status, func(t *testing.T) {
			want := []any{"detailStatus", "managerAddresses", "requested"}
			switch {
			case c.exists != nil:
				want = append(want, "accountExists")
			case data["holdings"] != nil:
				want = append(want, "holdings")
			}
			if diff := cmp.Diff(want, at(data, "userAnswerUse.answerFields")); diff != "" || data["detailStatus"] != c.status {
				t.Error(data["detailStatus"], diff)
			}
			if data["accountExists"] != c.exists || len(data["managerAddresses"].([]any)) == 0 {
				t.Errorf("%v", data)
			}
		})
		t.Run("R004-119 "+c.status+" has no details", func(t *testing.T) {
			for _, field := range []string{"accountSummary", "lockedBalances", "managerBalances", "openOrderIds",
				"openOrderCount",
				"openOrderIdsTruncated", "openOrders", "pool"} {
				if v, ok := data[field]; ok {
					t.Errorf("%s is %v", field, v)
				}
			}
		})
	}
	t.Run("R004-122 a manager that no list has, by its address", func(t *testing.T) {
		data := w.must(toolInventory, inventoryArgs("SUI_USDC", unlisted))
		same(t, data, map[string]any{"discovery.discoveryMethod": "registry_and_events_and_caps_and_owner_field",
			"requested.managerAddress": unlisted.String()})
	})
}

func TestInventoryOfManyOrders(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	pool, _ := registry.PoolByKey("SUI_USDC")
	m := sandbox.Manager{Owner: sandbox.Account, Trader: sandbox.Account,
		Deposits: []sandbox.Deposit{{Coin: pool.Quote.Type, Amount: 1 << 40}}}
	for n := range uint64(60) {
		m.Orders = append(m.Orders, sandbox.RestingOrder{Pool: pool.Key, IsBid: true, Price: 1_000_000 + 100*n,
			Quantity: 1_000_000_000})
	}
	data := w.must(toolInventory, inventoryArgs(pool.Key, w.open(m)))
	t.Run("R004-115 R004-121 the ids are capped, the count is not", func(t *testing.T) {
		same(t, data, map[string]any{"openOrderCount": float64(60), "openOrderIdsTruncated": true,
			"discovery.discoveryMethod": "events_and_caps"})
		if len(data["openOrderIds"].([]any)) != 50 || len(each(t, data, "openOrders")) != 50 {
			t.Errorf("%v", data["openOrderIds"])
		}
	})
}

// TestInventoryWithoutEvents uses nodes that do not list events.
func TestInventoryWithoutEvents(t *testing.T) {
	for _, c := range []struct {
		fault  sandbox.Fault
		events string
	}{
		{sandbox.Fault{Kind: sandbox.LackEvents}, "not_offered_by_node"},
		{sandbox.Fault{Kind: sandbox.Refuse, Method: "ListEvents"}, "refused_by_node"},
	} {
		w := build(t, nil)
		situations["the account has a DeepBook balance manager with open orders"](w)
		w.open(sandbox.Manager{Owner: sandbox.Account})
		if err := w.Sandbox.Inject(c.fault); err != nil {
			t.Fatal(err)
		}
		data := w.must(toolInventory, `{}`)
		t.Run("R004-111 registry and caps answer, and that events did not is said: "+c.events, func(t *testing.T) {
			same(t, data, map[string]any{"managerAddresses": []any{manager.String()},
				"discovery.discoveryMethod": "registry_and_caps",
				"discovery.tried":           []any{"registry", "caps"}, "discovery.notTried": []any{"events"},
				"discovery.events": c.events})
			if limits := at(data, "discovery.limitations").([]any); limits[1] != "events_"+c.events {
				t.Error(limits)
			}
		})
	}
	t.Run("R004-111 what a lying node tells of other packages and other senders is refused", func(t *testing.T) {
		for _, kind := range []sandbox.FaultKind{sandbox.ForeignEvent, sandbox.OtherSender, sandbox.StuckEvents} {
			w := build(t, nil)
			situations["the account has a DeepBook balance manager with open orders"](w)
			if err := w.Sandbox.Inject(sandbox.Fault{Kind: kind, Method: "ListEvents"}); err != nil {
				t.Fatal(err)
			}
			_, refusal := w.call(toolInventory, `{}`)
			if refusal["kind"] != "provider_mismatch" {
				t.Errorf("%s: %v", kind, refusal)
			}
		}
	})
}

// TestOpenOrders checks that the open orders of all own managers in all markets are listed with the
// fields of an intent. A manager that the account may only trade for does not count as its own.
func TestOpenOrders(t *testing.T) {
	const name = "read.list_deepbook_open_orders"
	w := build(t, nil)
	w.manager()
	second, foreign := sui.MustAddress("0x"+strings.Repeat("55", 32)), sui.MustAddress("0x"+strings.Repeat("66", 32))
	deposit := []sandbox.Deposit{{Coin: coins.DEEP, Amount: 500_000_000}}
	order := []sandbox.RestingOrder{{Pool: "DEEP_USDC", Price: 9_000_000_000, Quantity: 100_000_000}}
	w.open(sandbox.Manager{ID: second, Owner: sandbox.Account, Registered: true, Deposits: deposit, Orders: order})
	w.open(sandbox.Manager{ID: foreign, Owner: sui.MustAddress("0xabc"), Trader: sandbox.Account, Deposits: deposit,
		Orders: order})
	got := w.must(name, `{}`)
	same(t, got, map[string]any{"count": 4.0, "nextOffset": nil, "mayBeIncomplete": true,
		"marketsRead": float64(len(registry.Pools()))})
	type row struct{ pool, side, price, unit, quantity, remaining, symbol, manager string }
	var rows []row
	for _, o := range each(t, got, "orders") {
		rows = append(rows, row{o["pool"].(string), o["side"].(string), o["price"].(string), o["unit"].(string),
			o["quantity"].(string),
			o["remaining"].(string), o["symbol"].(string), o["managerAddress"].(string)})
	}
	unit, first := "USDC per SUI", manager.String()
	want := []row{
		{"SUI_USDC", "buy", "1.1", unit, "20", "20", "SUI", first},
		{"SUI_USDC", "buy", "1", unit, "10", "10", "SUI", first},
		{"SUI_USDC", "sell", "5", unit, "7.5", "7.5", "SUI", first},
		{"DEEP_USDC", "sell", "9", "USDC per DEEP", "100", "100", "DEEP", second.String()},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
	t.Run("of one manager", func(t *testing.T) {
		same(t, w.must(name, `{"managerAddress":"`+second.String()+`"}`), map[string]any{"count": 1.0})
		_, refusal := w.call(name, `{"managerAddress":"`+foreign.String()+`"}`)
		same(t, refusal, map[string]any{"kind": "input_invalid", "details.field": "managerAddress"})
	})
}
