package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// payee is an address that the sandbox account has never paid.
var payee = "0x9c41" + strings.Repeat("5e07", 13) + "77aa01b3"

func pay(amount, symbol, to string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol, Amount: amount}, Recipient: to}
}

// show opens the link of a review, which becomes ready, and takes pictures of it.
func (j *job) show(b *tab, dir, name string, in plan.Intent, must ...string) {
	j.t.Helper()
	j.read(b, in, must...)
	j.signable(b, dir, name)
}

// showAgain is show for a request that repeats a number of recent ones.
func (j *job) showAgain(b *tab, dir, name string, in plan.Intent, others int, must ...string) {
	j.t.Helper()
	j.read(b, in, append(must, "If you continue, both execute.")...)
	const open = `[data-accept^="again:"]:not(:checked)`
	for left := others; left > 0; left-- {
		b.wait(fmt.Sprintf(`document.querySelectorAll(%q).length === %d`, open, left))
		b.elapse(1000) // longer than values must be shown before signing
		if b.eval(`document.querySelector('[data-action="sign"]').ariaDisabled`) != "true" {
			j.t.Errorf("%s can be signed with %d questions unanswered", name, left)
		}
		b.keyTo(open)
		b.press(" ")
	}
	j.signable(b, dir, name)
}

// read opens the link of a review, which becomes ready, reads it, and types the amounts that it
// requires.
func (j *job) read(b *tab, in plan.Intent, must ...string) {
	j.t.Helper()
	_, link := j.prepare(in)
	b.open(link)
	b.waitStage("ready")
	b.says(must, []string{",S", "[object", "<no value>"})
	b.types()
}

func (j *job) signable(b *tab, dir, name string) {
	j.t.Helper()
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	b.pictures(dir, name+"-review")
}

// signed signs the shown transaction with the keyboard and waits for the receipt.
func (j *job) signed(b *tab, dir, name string, must ...string) {
	j.t.Helper()
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	b.enter(`[data-action="sign"]`)
	b.waitStage("success")
	b.says(append(must, "Kept"), []string{"Not kept"})
	b.pictures(dir, name+"-receipt")
}

// types types every amount that the page requires.
func (b *tab) types() {
	b.t.Helper()
	const field = `input[type="text"][data-accept]`
	if figure := b.eval(fmt.Sprintf("(document.querySelector(%q)?.dataset.accept ?? '').split(':').pop()",
		field)); figure != `""` && figure != "" {
		b.fill(field, strings.Trim(figure, `"`))
	}
}

// address returns the address in an element of the page, without the gaps between its groups.
func (b *tab) address(selector string) string {
	b.t.Helper()
	return b.eval(fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// TestBrowserPayment makes a payment with the test wallet, repeats it, and tries to pay an address
// that imitates the one that was paid.
func TestBrowserPayment(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	const never, before = "You never paid this address from here.", "You paid this address from here before."
	j.show(b, dir, "transfer", pay("12.5", "USDC", payee), "You pay exactly", "to somebody else",
		"A payment cannot be taken back", "On chain the gas can differ")
	t.Run("C15 the first payment to an address is said to be one, beside the whole address", func(t *testing.T) {
		if got := b.address(`.deal .payee`); got != payee {
			t.Errorf("the page shows %q", got)
		}
		if got := b.eval(`document.querySelector('.verdict .caution p').textContent`); !strings.HasPrefix(got, never) {
			t.Errorf("beside the address stands %q", got)
		}
		if got := b.eval(`getSelection().selectAllChildren(document.querySelector('.deal .payee')) ?? getSelection().toString()`); got != payee {
			t.Errorf("copied, the address is %q", got)
		}
	})
	j.signed(b, dir, "transfer", "Sent 12.5 USDC", "which is not yours")
	if got := b.address(`.lead .address`); got != payee {
		t.Errorf("the receipt names %q", got)
	}
	t.Run("C15 a second payment is said to be one", func(t *testing.T) {
		b.t = t
		j.show(b, dir, "transfer-again", pay("2", "SUI", payee), before)
		b.says(nil, []string{never})
	})
	t.Run("C17 C18 a coin that is not known is shown by its whole type, which wraps, beside what it calls itself",
		func(t *testing.T) {
			b.t = t
			kind := sui.CoinType("0x" + strings.Repeat("0fed", 16) + "::" + strings.Repeat("longmodule", 6) + "::" +
				strings.Repeat("LongCoin", 8))
			j.house.Sandbox.Describe(sui.Metadata{Type: kind, Decimals: 4, Symbol: "USDC", Name: "USD Coin"})
			j.house.Sandbox.Hold(sandbox.Account, kind, 1_000_000, 0)
			j.show(b, dir, "transfer-any-coin", pay("12.5", string(kind), payee), "You pay exactly 12.5 “USDC”", "The coin is "+
				string(kind),
				"nobody vouches for what it calls itself", "like one of the coins that are known here, but is a different one")
			j.signed(b, dir, "transfer-any-coin", "Sent 12.5 “USDC”", string(kind))
		})
	t.Run("C16 an address that only looks like a known one blocks, and both are set beside each other",
		func(t *testing.T) {
			b.t = t
			other := payee[:8] + strings.Repeat("0", 50) + payee[58:]
			_, link := j.prepare(pay("2", "SUI", other))
			b.open(link)
			b.waitStage("blocked")
			b.says([]string{"Do not sign. This address resembles one you know.", "Compare all characters"},
				[]string{"Sign in", "Another account is connected"})
			if given, known := b.address(".alike .payee"), b.address(".alike .payee ~ .payee"); given != other ||
				known != payee {
				t.Errorf("the page compares %q and %q", given, known)
			}
			if marks := b.eval(`[...document.querySelectorAll('.alike mark')].map(at => at.textContent).join(' ')`); !strings.HasPrefix(marks, "5e00 0000") ||
				strings.Contains(marks, "9c41") || strings.Contains(marks, "01b3") {
				t.Errorf("marked is %s", marks)
			}
			b.pictures(dir, "transfer-lookalike")
		})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserOrders creates a balance manager, funds it, places an order, cancels it and withdraws
// everything, each with the test wallet.
func TestBrowserOrders(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	const nothing = "othing but gas"
	do := func(name string, in plan.Intent, must, happened []string) {
		t.Helper()
		j.show(b, dir, name, in, must...)
		j.signed(b, dir, name, happened...)
	}
	do("manager-create", plan.Intent{Type: "manager-create"}, []string{"Create a DeepBook balance manager", nothing},
		[]string{"Created a balance manager", "It is empty", "What holds now", "Balance manager 0x"})
	made := b.eval(`[...document.querySelectorAll('.receipt .row')].find(at => at.textContent.startsWith('Balance manager')).querySelector('dd').textContent.trim()`)
	do("manager-deposit", plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "30"},
		Manager: made},
		[]string{"You pay exactly 30 SUI", "into your own balance manager", "To undo it, withdraw it"},
		[]string{"Put 30 SUI into your balance manager", "not in your account", "ask your AI client to withdraw it",
			"What changed in your balance manager SUI +30 SUI"})
	sell := plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10", ExpiresAt: "2199-01-01T00:00:00Z"}
	do("limit-order", plan.Intent{Type: "limit-order", Order: &sell},
		[]string{"Sell 10 SUI at 9.5 USDC per SUI or better", nothing, "It waits: nobody pays this price now.",
			"above the mid price",
			"Free in your balance manager Coin Now After SUI 30 20", "It is paid out of your own balance manager",
			"Ends 2199-01-01 00:00:00 UTC", "Market SUI_USDC", "To undo it, ask your AI client to cancel this order"},
		[]string{"Order placed: 10 SUI waits to be sold at 9.5 USDC per SUI", "set aside for this order", "Order number",
			"the gas, and nothing else",
			"What holds now", "Waits until 2199", "use your Holdings page"})
	number := b.eval(`[...document.querySelectorAll('.receipt .row')].find(at => at.textContent.startsWith('Order number')).querySelector('dd').textContent.trim()`)
	do("cancel-order", plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
		Own: plan.Own{"orderId": number}},
		[]string{"Cancel an order in SUI_USDC: sell SUI for USDC at 9.5 USDC per SUI", nothing, "This frees 10 SUI there.",
			"It cannot be undone", number},
		[]string{"Order cancelled: 10 SUI will not be sold", "free again in your balance manager", "SUI +10 SUI free again"})
	do("manager-withdraw", plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "SUI", Amount: "30"}},
		[]string{"You get exactly 30 SUI", "out of your own balance manager"},
		[]string{"Took 30 SUI out of your balance manager", "It is in your own account",
			"What changed in your balance manager SUI −30 SUI"})
	t.Run("an order whose fee is in DEEP says what of it is tied up", func(t *testing.T) {
		b.t = t
		for _, in := range []plan.IntentSource{{Symbol: "SUI", Amount: "9"}, {Symbol: "DEEP", Amount: "5"}} {
			_, link := j.prepare(plan.Intent{Type: "manager-deposit", From: in})
			b.open(link)
			b.waitStage("ready")
			j.signed(b, dir, "before-deep", "Put "+in.Amount+" "+in.Symbol+" into your balance manager")
		}
		far := plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "9"}
		do("order-deep", plan.Intent{Type: "limit-order", FeeMode: "deep", Order: &far},
			[]string{"Fee In DEEP", "Its fee is taken from the DEEP there", "Up to 9 SUI, and for its fee up to"},
			[]string{"9 SUI waits to be sold", "has the same terms that you agreed to"})
	})
	t.Run("an order that trades at once says what it traded", func(t *testing.T) {
		b.t = t
		_, link := j.prepare(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "31"}})
		b.open(link)
		b.waitStage("ready")
		j.signed(b, dir, "again")
		cheap := plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "1.2", Quantity: "10"}
		do("order-at-once", plan.Intent{Type: "limit-order", Order: &cheap}, []string{"Ends When you cancel it",
			"It fills now: about 10 SUI at about", "below the mid price"},
			[]string{"Sold 10 SUI for", "is in your balance manager, not in your account", "ask your AI client to withdraw",
				"What changed in your balance manager", "for the fee"})
	})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
