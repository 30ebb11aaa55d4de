package tools_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestInventoryAfterAFill swaps against an order of the manager: its proceeds are settled, and
// locked and settled amounts are not added twice.
func TestInventoryAfterAFill(t *testing.T) {
	w := build(t, nil)
	book, err := w.Pools.OrderBook(t.Context(), "SUI_USDC", 1)
	if err != nil {
		t.Fatal(err)
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	price := book.Bids[0].Price + book.Parameters.Tick
	if price >= book.Asks[0].Price {
		t.Fatalf("there is no room between %d and %d", book.Bids[0].Price, book.Asks[0].Price)
	}
	id := w.open(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Quote.Type, Amount: 100_000_000}},
		Orders:   []sandbox.RestingOrder{{Pool: pool.Key, IsBid: true, Price: uint64(price), Quantity: 12_000_000_000}}})
	s := w.Ready(tenSUI)
	w.Send(s)
	w.reviewing(w.Until(s.ID, "the swap is on chain", func(s record.Session) bool { return s.Status == record.Success }))
	data := w.must(toolInventory, inventoryArgs(pool.Key, id))
	t.Run("R004-120 what was filled is settled, what is left stays locked", func(t *testing.T) {
		orders := each(t, data, "openOrders")
		if len(orders) != 1 {
			t.Fatalf("%v", data)
		}
		sold := digits(t, orders[0]["quantity"])
		sold.Sub(sold, digits(t, orders[0]["remaining"]))
		settled := digits(t, at(data, "accountSummary.settledBalances.base"))
		if sold.Sign() <= 0 || settled.Cmp(sold) != 0 || settled.Cmp(digits(t, at(data, "lockedBalances.base"))) != 0 {
			t.Errorf("filled %s, %v", sold.RatString(), data)
		}
		locked := digits(t, at(data, "lockedBalances.quote"))
		if want := digits(t, orders[0]["remaining"]); want.Mul(want, digits(t, orders[0]["price"])).Cmp(locked) != 0 {
			t.Errorf("%s is locked, want %s", locked.RatString(), want.RatString())
		}
	})
}
