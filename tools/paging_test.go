package tools_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestPages checks that the pages of a list together are the complete list, and that each has the
// total count.
func TestPages(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	pool, _ := registry.PoolByKey("SUI_USDC")
	m := sandbox.Manager{Owner: sandbox.Account, Trader: sandbox.Account,
		Deposits: []sandbox.Deposit{{Coin: pool.Quote.Type, Amount: 1 << 40}}}
	for n := range uint64(45) {
		m.Orders = append(m.Orders, sandbox.RestingOrder{Pool: pool.Key, IsBid: true, Price: 1_000_000 + 100*n,
			Quantity: 1_000_000_000})
	}
	w.open(m)
	ids := map[any]bool{}
	var sizes []int
	for offset := any(0.0); offset != nil; {
		page := w.must("read.list_deepbook_open_orders", fmt.Sprintf(`{"offset":%v}`, offset))
		same(t, page, map[string]any{"count": 45.0})
		rows := each(t, page, "orders")
		for _, order := range rows {
			ids[order["orderId"]] = true
		}
		sizes, offset = append(sizes, len(rows)), page["nextOffset"]
	}
	if diff := cmp.Diff([]int{20, 20, 5}, sizes); diff != "" || len(ids) != 45 {
		t.Errorf("%d orders, %s", len(ids), diff)
	}
	for _, list := range []struct{ tool, rows string }{
		{"read.list_deepbook_pools", "pools"},
		{"read.list_deepbook_tokens", "tokens"},
		{"read.list_standing_permissions", "permissions"},
		{"read.list_validators", "validators"},
	} {
		t.Run(list.tool, func(t *testing.T) {
			whole := w.must(list.tool, `{}`)
			rows := each(t, whole, list.rows)
			same(t, whole, map[string]any{"count": float64(len(rows)), "nextOffset": nil})
			rest := w.must(list.tool, `{"offset":1}`)
			if diff := cmp.Diff(rows[1:], each(t, rest, list.rows)); diff != "" {
				t.Error(diff)
			}
			same(t, rest, map[string]any{"count": float64(len(rows)), "nextOffset": nil})
			same(t, w.must(list.tool, `{"offset":9223372036854775807}`), map[string]any{list.rows: []any{},
				"nextOffset": nil})
		})
	}
}
