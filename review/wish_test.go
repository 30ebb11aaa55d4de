package review_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review"
)

// What is the same wish, by the product's own adapters.
func TestWishes(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	h.Use(append(h.Adapters(), h.FlowX())...)
	manager := "0x" + strings.Repeat("7", 64)
	order := func(edit func(*review.Order)) review.Intent {
		o := review.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}
		edit(&o)
		return review.Intent{Type: "limit-order", Protocol: "deep", Order: &o}
	}
	swap := func(edit func(*review.Intent)) review.Intent {
		in := testkit.Swap("10", "SUI", "USDC")
		in.Protocol = "deep"
		edit(&in)
		return in
	}
	withdraw := func(amount string) review.Intent {
		return review.Intent{Type: "manager-withdraw", Protocol: "deep", To: review.IntentTarget{Symbol: "SUI", Amount: amount}}
	}
	cancel := func(id string) review.Intent {
		return review.Intent{Type: "cancel-order", Protocol: "deep", Order: &review.Order{Pool: "SUI_USDC"}, OrderID: id}
	}
	pays := func(amount, symbol, to string) review.Intent {
		return review.Intent{Type: "transfer", Protocol: "sui", From: review.IntentSource{Symbol: symbol, Amount: amount}, Recipient: to}
	}
	deposit := func(m string) review.Intent {
		return review.Intent{Type: "manager-deposit", Protocol: "deep", From: review.IntentSource{Symbol: "SUI", Amount: "1"}, Manager: m}
	}
	read := func(in review.Intent) review.Wish {
		t.Helper()
		w := h.Reviews.WishOf(in, nil)
		if (review.Wish{Action: in.Type}) == w {
			t.Fatalf("no adapter reads %+v", in)
		}
		return w
	}
	plain, other := "0x"+strings.Repeat("5a", 32), "0x"+strings.Repeat("5b", 32)
	for name, c := range map[string]struct {
		a, b review.Intent
		same bool
	}{
		"slippage":              {swap(func(*review.Intent) {}), swap(func(i *review.Intent) { i.MaxSlippageBps = 100 }), true},
		"fee mode":              {swap(func(*review.Intent) {}), swap(func(i *review.Intent) { i.FeeMode = "deep" }), true},
		"venue":                 {swap(func(*review.Intent) {}), swap(func(i *review.Intent) { i.Protocol = h.FlowX().Meta().Slug }), true},
		"written otherwise":     {swap(func(*review.Intent) {}), swap(func(i *review.Intent) { i.From.Amount = "10.000" }), true},
		"more":                  {swap(func(*review.Intent) {}), swap(func(i *review.Intent) { i.From.Amount = "10.1" }), false},
		"another coin arrives":  {swap(func(*review.Intent) {}), swap(func(i *review.Intent) { i.To.Symbol = "DEEP" }), false},
		"a payment":             {pays("1", "SUI", plain), pays("1.0", "SUI", plain), true},
		"to somebody else":      {pays("1", "SUI", plain), pays("1", "SUI", other), false},
		"of another coin":       {pays("1", "SUI", plain), pays("1", "USDC", plain), false},
		"an order's other time": {order(func(*review.Order) {}), order(func(o *review.Order) { o.ExpiresAt, o.PostOnly = "2199-01-01T00:00:00Z", true }), true},
		"price with zeros":      {order(func(*review.Order) {}), order(func(o *review.Order) { o.Price, o.Quantity = "9.500", "10.0" }), true},
		"another price":         {order(func(*review.Order) {}), order(func(o *review.Order) { o.Price = "9.6" }), false},
		"another quantity":      {order(func(*review.Order) {}), order(func(o *review.Order) { o.Quantity = "11" }), false},
		"the other side":        {order(func(*review.Order) {}), order(func(o *review.Order) { o.Side = "buy" }), false},
		"another pool":          {order(func(*review.Order) {}), order(func(o *review.Order) { o.Pool = "DEEP_USDC"; o.Price = "1" }), false},
		"a withdrawal":          {withdraw("1"), withdraw("1.0"), true},
		"another withdrawal":    {withdraw("1"), withdraw("2"), false},
		"a cancellation":        {cancel("23058430092136939520000000001"), cancel("23058430092136939520000000001"), true},
		"of another order":      {cancel("23058430092136939520000000001"), cancel("23058430092136939520000000002"), false},
		"the manager is named":  {deposit(""), deposit(manager), true},
		"another manager":       {deposit(plain), deposit(manager), false},
		"a new manager":         {review.Intent{Type: "manager-create", Protocol: "deep"}, review.Intent{Type: "manager-create", Protocol: "deep"}, true},
		"another deed":          {deposit(""), withdraw("1"), false},
	} {
		if got := read(c.a).Same(read(c.b)); got != c.same {
			t.Errorf("%s: called the same wish: %t", name, got)
		}
	}
	found := h.Reviews.WishOf(deposit(""), &review.Facts{Steps: []review.StepFacts{{Holder: &review.Holder{ID: sui.MustAddress(manager)}}}})
	if found.Same(read(deposit(plain))) || !found.Same(read(deposit(manager))) {
		t.Error("the manager that the bytes name is not the wish's")
	}
	if w := h.Reviews.WishOf(review.Intent{Type: "swap", Protocol: "gone"}, nil); !w.Same(read(swap(func(*review.Intent) {}))) || w.Same(read(deposit(""))) {
		t.Error("a wish that no adapter reads is called another one, or one of another action")
	}
}
