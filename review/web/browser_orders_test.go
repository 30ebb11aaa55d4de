package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
)

// TestBrowserEverydayOrders sells at the market price, changes an order, cancels all orders and
// withdraws everything, each with the test wallet.
func TestBrowserEverydayOrders(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	do := func(name string, in plan.Intent, must, happened []string) {
		t.Helper()
		j.show(b, dir, name, in, must...)
		j.signed(b, dir, name, happened...)
	}
	ready := func(in plan.Intent) {
		t.Helper()
		_, link := j.prepare(in)
		b.open(link)
		b.waitStage("ready")
		j.signed(b, dir, "before")
	}
	ready(plan.Intent{Type: "manager-create"})
	ready(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "60"}})
	do("market-order", plan.Intent{Type: "market-order", MaxSlippageBps: 100, Order: &plan.Order{Pool: "SUI_USDC",
		Side: "sell", Quantity: "20"}},
		[]string{"Sell 20 SUI at", "or better", "It fills now: about 20 SUI at about", "nothing of it rests",
			"Ends At once: what does not trade is dropped", "othing but gas"},
		[]string{"Sold 20 SUI for", "is in your balance manager, not in your account", "ask your AI client to withdraw"})
	ready(plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5",
		Quantity: "10"}})
	number := b.eval(`[...document.querySelectorAll('.receipt .row')].find(at => at.textContent.startsWith('Order number')).querySelector('dd').textContent.trim()`)
	do("modify-order", plan.Intent{Type: "modify-order",
		Own: plan.Own{"orderId": number}, Order: &plan.Order{Pool: "SUI_USDC",
			Price: "9.7"}},
		[]string{"Change an order in SUI_USDC: sell 10 SUI at 9.7 USDC per SUI or better",
			"Cancelled order Sell SUI for USDC at 9.5 USDC per SUI", number,
			"The old order is taken out of the book and the new one is placed, or the transaction fails",
			"regardless of the old one", "It waits: nobody pays this price now."},
		[]string{"Order changed: order placed: 10 SUI waits to be sold at 9.7 USDC per SUI",
			"The old order is out of the book", "set aside for this order", "SUI +10 SUI free again"})
	ready(plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.9",
		Quantity: "5"}})
	do("cancel-all-orders", plan.Intent{Type: "cancel-all-orders"},
		[]string{"Cancel all orders: every order in SUI_USDC", "2 orders in SUI_USDC",
			"This frees 15 SUI there.", "It cannot be undone", "othing but gas"},
		[]string{"Cancelled 2 orders in SUI_USDC",
			"15 SUI, and what was set aside for fees, is free again in your balance manager", "SUI +15 SUI free again"})
	do("manager-withdraw-all", plan.Intent{Type: "manager-withdraw-all", To: plan.IntentTarget{Symbol: "USDC"}},
		[]string{"You get exactly", "USDC", "out of your own balance manager"},
		[]string{"out of your balance manager", "It is in your own account", "What changed in your balance manager USDC −"})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserLadder checks that the page shows an order's price among the offers of its market in
// few words, and queries no market after the transaction was sent to the wallet.
func TestBrowserLadder(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.useWallet(b, "hangs")
	j.connect(b, "", "Test wallet")
	j.house.Settle(j.house.Ready(plan.Intent{Type: "manager-create"}))
	j.house.Settle(j.house.Ready(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI",
		Amount: "60"}}))
	const own = `document.querySelector('.ladder .own').innerText.replace(/\s+/g, ' ').trim()`
	for _, c := range []struct{ name, price, says, own string }{
		{"ladder-waits", "1.32", "% above the market.", "1.32 Your order "},
		{"ladder-fills", "1.2", "Fills now at about 1.2", "1.2 Your order "},
		{"ladder-far", "9.5", "% above the market.", "9.5 Your order "},
	} {
		id, link := j.prepare(plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell",
			Price: c.price, Quantity: "10"}})
		b.size(390, 844)
		b.open(link)
		b.waitStage("ready")
		b.wait(`document.querySelector('.ladder .own')`)
		b.waitText(c.says)
		if got := b.eval(own); !strings.HasPrefix(got, c.own) {
			t.Errorf("%s: %s", c.name, got)
		}
		b.eval(`document.querySelectorAll('[data-problem]').forEach((at) => at.remove())`)
		b.wordBudget(t, c.name, 150)
		b.pictures(dir, c.name)
		api, token := "/api/review/"+string(id), j.token(pagetoken.Review, string(id))
		if a := j.do("GET", api+"/ladder", token, nil); a.status != http.StatusOK || !strings.Contains(a.body, "<caption") {
			t.Errorf("%d %s", a.status, a.body)
		}
		j.house.HandOff(j.session(id))
		if a := j.do("GET", api+"/ladder", token, nil); a.status != http.StatusNoContent {
			t.Errorf("after the hand-out: %d %s", a.status, a.body)
		}
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
