package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// What is the same wish, by the product's own adapters.
func TestWishes(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(append(h.Adapters(), h.FlowX())...)
	manager := "0x" + strings.Repeat("7", 64)
	order := func(edit func(*plan.Order)) plan.Intent {
		o := plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}
		edit(&o)
		return plan.Intent{Type: "limit-order", Protocol: "deep", Order: &o}
	}
	swap := func(edit func(*plan.Intent)) plan.Intent {
		in := testkit.Swap("10", "SUI", "USDC")
		in.Protocol = "deep"
		edit(&in)
		return in
	}
	withdraw := func(amount string) plan.Intent {
		return plan.Intent{Type: "manager-withdraw", Protocol: "deep", To: plan.IntentTarget{Symbol: "SUI", Amount: amount}}
	}
	cancel := func(id string) plan.Intent {
		return plan.Intent{Type: "cancel-order", Protocol: "deep", Order: &plan.Order{Pool: "SUI_USDC"},
			Own: plan.Own{"orderId": id}}
	}
	pays := func(amount, symbol, to string) plan.Intent {
		return plan.Intent{Type: "transfer", Protocol: "sui", From: plan.IntentSource{Symbol: symbol, Amount: amount},
			Recipient: to}
	}
	deposit := func(m string) plan.Intent {
		return plan.Intent{Type: "manager-deposit", Protocol: "deep", From: plan.IntentSource{Symbol: "SUI", Amount: "1"},
			Manager: m}
	}
	read := func(in plan.Intent) []record.StepWish {
		t.Helper()
		list := h.Reviews.WishesOf(in, nil)
		for _, w := range list {
			if !w.Read {
				t.Fatalf("no adapter reads %+v", in)
			}
		}
		return list
	}
	all := func(list ...plan.Intent) plan.Intent { return plan.Intent{Type: plan.Bundle, Steps: list} }
	fed := func(in plan.Intent) plan.Intent { in.From.Amount, in.From.ResultOf = "", 1; return in }
	collide := func(a, b []record.StepWish) bool { return len(record.Collide(a, b)) > 0 }
	plain, other := "0x"+strings.Repeat("5a", 32), "0x"+strings.Repeat("5b", 32)
	for name, c := range map[string]struct {
		a, b plan.Intent
		same bool
	}{
		"slippage": {swap(func(*plan.Intent) {}), swap(func(i *plan.Intent) { i.MaxSlippageBps = 100 }), true},
		"fee mode": {swap(func(*plan.Intent) {}), swap(func(i *plan.Intent) { i.FeeMode = "deep" }), true},
		"venue": {swap(func(*plan.Intent) {}),
			swap(func(i *plan.Intent) { i.Protocol = h.FlowX().Meta().Slug }), true},
		"written otherwise": {swap(func(*plan.Intent) {}), swap(func(i *plan.Intent) { i.From.Amount = "10.000" }),
			true},
		"more": {swap(func(*plan.Intent) {}), swap(func(i *plan.Intent) { i.From.Amount = "10.1" }),
			false},
		"another coin arrives": {swap(func(*plan.Intent) {}), swap(func(i *plan.Intent) { i.To.Symbol = "DEEP" }), false},
		"a payment":            {pays("1", "SUI", plain), pays("1.0", "SUI", plain), true},
		"to somebody else":     {pays("1", "SUI", plain), pays("1", "SUI", other), false},
		"of another coin":      {pays("1", "SUI", plain), pays("1", "USDC", plain), false},
		"an order's other time": {order(func(*plan.Order) {}), order(func(o *plan.Order) {
			o.ExpiresAt,
				o.PostOnly = "2199-01-01T00:00:00Z", true
		}), true},
		"price with zeros": {order(func(*plan.Order) {}), order(func(o *plan.Order) {
			o.Price, o.Quantity = "9.500",
				"10.0"
		}), true},
		"another price":    {order(func(*plan.Order) {}), order(func(o *plan.Order) { o.Price = "9.6" }), false},
		"another quantity": {order(func(*plan.Order) {}), order(func(o *plan.Order) { o.Quantity = "11" }), false},
		"the other side":   {order(func(*plan.Order) {}), order(func(o *plan.Order) { o.Side = "buy" }), false},
		"another pool": {order(func(*plan.Order) {}),
			order(func(o *plan.Order) { o.Pool = "DEEP_USDC"; o.Price = "1" }), false},
		"a withdrawal":         {withdraw("1"), withdraw("1.0"), false},
		"a cancellation":       {cancel("23058430092136939520000000001"), cancel("23058430092136939520000000001"), false},
		"the manager is named": {deposit(""), deposit(manager), true},
		"another manager":      {deposit(plain), deposit(manager), false},
		"a new manager": {plan.Intent{Type: "manager-create", Protocol: "deep"}, plan.Intent{Type: "manager-create",
			Protocol: "deep"}, true},
		"a part of several": {pays("1", "SUI", plain), all(pays("2", "SUI", plain), pays("1", "SUI", plain)), true},
		"several and several": {all(swap(func(*plan.Intent) {}), pays("1", "SUI", plain)), all(pays("1", "SUI", plain),
			deposit("")), true},
		"several others": {all(swap(func(*plan.Intent) {}), withdraw("1")), all(pays("1", "SUI", plain),
			withdraw("1")), false},
		"of a result":             {fed(pays("", "USDC", plain)), pays("7", "USDC", plain), true},
		"of a result, to another": {fed(pays("", "USDC", plain)), pays("7", "USDC", other), false},
		"of a result, otherwise":  {fed(pays("", "USDC", plain)), pays("7", "SUI", plain), false},
		"of two results":          {fed(pays("", "USDC", plain)), all(fed(pays("", "USDC", plain))), true},
		"a swap of a result":      {fed(swap(func(i *plan.Intent) {})), swap(func(*plan.Intent) {}), true},
		"another action":          {deposit(""), withdraw("1"), false},
	} {
		if got := collide(read(c.a), read(c.b)); got != c.same || collide(read(c.b), read(c.a)) != got {
			t.Errorf("%s: called the same wish: %t", name, got)
		}
	}
	found := h.Reviews.WishesOf(deposit(""),
		&plan.Facts{Steps: []plan.StepFacts{{Holder: &plan.Holder{ID: sui.MustAddress(manager)}}}})
	if collide(found, read(deposit(plain))) || !collide(found, read(deposit(manager))) {
		t.Error("the manager that the bytes name is not the wish's")
	}
	if w := h.Reviews.WishesOf(plan.Intent{Type: "swap", Protocol: "gone"}, nil); !collide(w,
		read(swap(func(*plan.Intent) {}))) || collide(w, read(deposit(""))) {
		t.Error("a wish that no adapter reads is called another one, or one of another action")
	}
}
