package web_test

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	orders "github.com/sayurintent/sayurintent/internal/protocol/deepbook/resting"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/web/holdings"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// rich gives the sample account coins of every kind, a balance manager and reviews.
func (j *job) rich() {
	j.t.Helper()
	chain := j.house.Sandbox
	chain.Hold(person, oddCoin, 1_000_000, 7)
	fake := sui.CoinType("0x00000000000000000000000000000000000000000000000000000000000000ab::usdc::USDC")
	chain.Hold(person, fake, 99_000_000, 0)
	chain.Describe(sui.Metadata{Type: fake, Decimals: 6, Symbol: "USDC", Name: "Claim at evil.test"})
	for i := range 520 {
		chain.Hold(person, sui.CoinType(fmt.Sprintf("0x%064x::m::C", 0x1000+i)), 5, 0)
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	if _, err := chain.OpenManager(sandbox.Manager{Owner: person, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 12_345_678_901}, {Coin: pool.Quote.Type,
			Amount: 99_000_001}},
		Orders: []sandbox.RestingOrder{{Pool: "SUI_USDC", IsBid: true, Price: 1_000_000, Quantity: 10_000_000_000},
			{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000, Expire: 4_102_444_800_000}}}); err != nil {
		j.t.Fatal(err)
	}
	usdc, _ := registry.PoolByKey("SUI_USDC")
	chain.Permit(ledger.Allowance{Funder: person, Spender: stranger, Coin: usdc.Quote.Type, Cap: 100_000_000,
		Taken: 30_000_000, End: 4_102_444_800_000})
	chain.Permit(ledger.Allowance{Funder: person, Spender: stranger, Coin: usdc.Quote.Type, Cap: 5, Taken: 5})
	chain.Alias(person, stranger)
	for _, status := range []record.Status{record.Success, record.Failure, record.Blocked} {
		s, materials := sample(j.t, status)
		j.put(s, materials)
	}
}

// TestBrowserAccount opens the account page from the home page with the keyboard and reads all of
// it. It makes the node unavailable for a while, and checks that a new review appears without a
// reload.
func TestBrowserAccount(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	dir := screenshotDir(t)
	j.use(stranger, "Old wallet")
	j.use(person, "Sandbox test wallet")
	j.rich()
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.wait(`document.querySelector("main details")`)
	b.eval(`[...document.querySelectorAll('details')].map((at) => { at.open = true; })`)
	b.says([]string{"Sandbox test wallet In use", "Old wallet", "Use this one"}, nil)
	b.pictures(dir, "home-accounts")
	b.enter(fmt.Sprintf(`main .button[href="/account/%s"]`, person))
	b.says([]string{"Holdings", "≈ ", "At DeepBook prices", "1,000 12.345678901", "coins we do not know",
		"one copies the name “USDC”", "More coins", "Sell 7.5 SUI at 5 USDC",
		"Buy 10 SUI at 1 USDC", "may take up to 70 USDC now, until", "Nothing can be taken any more",
		"signs for this account in everything", "Account in use 0x0881"}, []string{"could not be"})
	if at := b.eval("location.href"); at != j.origin+"/account/"+person.String() {
		t.Errorf("the address bar reads %s", at)
	}
	b.pictures(dir, "account")
	b.enter(`[data-action="more"]`)
	b.wait(`document.querySelectorAll('[data-part="more"] .held').length === 1 && !document.querySelector('[data-action="more"]')`)
	if got := b.eval(`document.activeElement.closest('[data-part]')?.dataset.part`); got != "more" {
		t.Errorf("after more coins the focus is in %s", got)
	}
	b.eval(`[...document.querySelectorAll('main details')].forEach((at) => { at.open = true; })`)
	b.says([]string{"Tied up", "7.5 SUI, 10 USDC", "Free in the manager", "Claimed: the wallet said so",
		"Done: the chain executed it."}, nil)
	b.pictures(dir, "account-unfolded")
	j.prepare(testkit.Swap("3", "SUI", "USDC"))
	b.says([]string{"Swap 3 SUI to USDC", "Tied up", "Not opened yet."}, nil)
	t.Run("another account comes into use", func(t *testing.T) {
		b.t = t
		if _, err := j.accounts.Use(context.Background(), stranger); err != nil {
			t.Fatal(err)
		}
		b.says([]string{"This is a remembered account.", "Account in use 0x5712", "Tied up"}, nil)
		b.pictures(dir, "account-remembered")
		if _, err := j.accounts.Use(context.Background(), person); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("without a node", func(t *testing.T) {
		b.t = t
		for _, method := range []string{"ListBalances", "SimulateTransaction"} {
			if err := j.house.Sandbox.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: method}); err != nil {
				t.Fatal(err)
			}
		}
		b.do(chromedp.Reload())
		b.says([]string{"What this account holds could not be read", "What others may do could not be read", "Try again"},
			[]string{"account is empty", "No balance manager"})
		b.pictures(dir, "account-outage")
		if err := j.house.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
			t.Fatal(err)
		}
		b.click(`[data-part="holdings"] [data-action="again"]`)
		b.wait(`document.querySelector('.unlisted') && !document.querySelector('[aria-busy="true"]')`)
		b.click(`[data-part="permissions"] [data-action="again"]`)
		b.waitText("may take up to 70 USDC now, until")
		b.says([]string{"≈ ", "DeepBook manager"}, []string{"could not be read"})
	})
	t.Run("without the program", func(t *testing.T) {
		b.t = t
		b.inject(`XMLHttpRequest.prototype.send = ((send) => function (body) {
		  if (body && window.deaf) this.onerror(); else send.call(this, body); })(XMLHttpRequest.prototype.send); window.deaf = true;`)
		b.do(chromedp.Reload())
		b.says([]string{"This could not be loaded."}, []string{"Asking a Sui node"})
		b.eval("window.deaf = false")
		b.click(`[data-part="holdings"] [data-action="again"]`)
		b.waitText("At DeepBook prices")
	})
	t.Run("opens a review that is over", func(t *testing.T) {
		b.t = t
		b.eval(`document.getElementById('fold-past').open = true`)
		b.clickText(`.past li.good`, "Done: the chain executed it.")
		b.click(`.past li.good a[href^="/review/"]`)
		b.waitStage("success")
		b.do(chromedp.NavigateBack())
		b.waitText("This account")
	})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserHoldings limits the number of words on the page of a typical account, which has some
// coins, one of them unknown, a balance manager and an order.
func TestBrowserHoldings(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.use(person, "Sandbox test wallet")
	j.house.Sandbox.Hold(person, oddCoin, 1_000_000, 7)
	pool, _ := registry.PoolByKey("SUI_USDC")
	if _, err := j.house.Sandbox.OpenManager(sandbox.Manager{Owner: person, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 12_345_678_901}, {Coin: pool.Quote.Type,
			Amount: 99_000_001}},
		Orders: []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000}}}); err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Account, person.String()))
	b.says([]string{"≈ ", "At DeepBook prices", "without 1 coin", "1 coin we do not know", "Sell 7.5 SUI at 5 USDC",
		"Withdraw", "Nobody. No such permission"}, nil)
	b.pictures(screenshotDir(t), "holdings")
	b.wordBudget(t, "the holdings", 140)
	b.size(1280, 900) // on a phone, the tabs can cover the button
	b.click(`[data-wish*="cancel"]`)
	b.waitStage("ready")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserOthersMayTake checks that the first screen of a phone says that others may take from
// the account, and follows the link to their list.
func TestBrowserOthersMayTake(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.use(person, "Sandbox test wallet")
	j.rich()
	dir := screenshotDir(t)
	const visible = `(({ top, bottom }) => top >= document.querySelector('.rail').getBoundingClientRect().bottom && bottom <= document.querySelector('.pages').getBoundingClientRect().top)(document.querySelector(%q).getBoundingClientRect())`
	b.open(j.link(pagetoken.Account, person.String()))
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		b.phone()
		b.eval(`scrollTo(0, 0)`)
		b.says([]string{"≈ ", "Others may take: 2 permissions"}, nil)
		if got := b.eval(fmt.Sprintf(visible, ".taking a")); got != "true" {
			t.Errorf("%s: the permissions are not on the first screen", theme)
		}
		if dir != "" {
			picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "others-may-take-"+theme+".png"), picture, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		b.click(".taking a")
		b.wait(fmt.Sprintf(visible, "#h-standing"))
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserHomeCancels cancels an order from its row on the home page, which creates a review.
func TestBrowserHomeCancels(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.withWallet()
	pool, _ := registry.PoolByKey("SUI_USDC")
	manager, err := j.house.Sandbox.OpenManager(sandbox.Manager{Owner: person, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 12_345_678_901}},
		Orders:   []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	_, raw := j.account(person).part("holdings", struct{}{})
	_, id, found := strings.Cut(html.UnescapeString(raw), `"order":"`)
	if !found {
		t.Fatal(raw)
	}
	id, _, _ = strings.Cut(id, `"`)
	order := orders.Order{Account: person, Manager: manager, Pool: "SUI_USDC", ID: id, Price: 5_000_000,
		Quantity: 7_500_000_000, Remaining: 7_500_000_000, SeenAt: time.Now()}
	if _, err := j.db.KeepResting(t.Context(), person, nil, []orders.Order{order}, nil); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"/", "/reviews"} {
		b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
		b.waitText("Sell 7.5 SUI at 5 USDC")
		if at != "/" {
			b.open(j.origin + at)
		}
		b.pictures(screenshotDir(t), "running"+strings.ReplaceAll(at, "/", "-"))
		b.click(`[data-action="prepare"][data-wish*="cancel"]`)
		b.waitStage("ready")
		b.says([]string{"Cancel an order in SUI_USDC: sell SUI for USDC at 5 USDC per SUI"}, nil)
		b.click(`[data-action="decline"]`)
		b.waitStage("failure")
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// holdFirst holds back the first request for holdings until lose() fails it.
const holdFirst = `(() => {
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (...all) { this.path = all[1]; return open.apply(this, all); };
  XMLHttpRequest.prototype.send = function (body) {
    if (window.lose || !this.path.endsWith('/holdings')) return send.call(this, body);
    window.lose = () => this.onerror();
  };
})()`

// TestBrowserLateReading reads the page again before an earlier request for holdings has a
// response. The earlier one fails after the later one succeeded, and the page keeps the later
// result.
func TestBrowserLateReading(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.use(person, "Sandbox test wallet")
	j.rich()
	b.inject(holdFirst)
	b.open(j.link(pagetoken.Account, person.String()))
	b.wait(`window.lose && document.querySelector('[data-part="permissions"] .standing')`)
	account := "/api/account/" + person.String()
	if a := j.do("POST", account+"/continue", j.token(pagetoken.Account, person.String()),
		struct{}{}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	b.waitText("Use it here")
	const read = `Boolean(document.querySelector('[data-part="holdings"] .coins') && document.querySelector('[data-part="manager"] .managing') &&
		document.querySelector('[data-part="orders"] .rows'))`
	b.wait(read + ` && !document.querySelector('[aria-busy="true"]')`)
	said := b.eval(`document.getElementById('status').textContent`)
	b.eval(`window.lose()`)
	b.elapse(50)
	if b.eval(read) != "true" {
		t.Errorf("after a late answer the page says\n%s", b.eval("document.body.innerText"))
	}
	if now := b.eval(`document.getElementById('status').textContent`); now != said {
		t.Errorf("a late answer is announced: %q after %q", now, said)
	}
}

// evilChain is a chain that returns hostile texts in every field that can contain text: one text per
// page of coins, and all of them in every other list.
type evilChain struct{ texts []string }

// each returns what one returns for each of the texts.
func each[T any](e evilChain, one func(text string) []T) (all []T) {
	for _, text := range e.texts {
		all = append(all, one(text)...)
	}
	return all
}

func (e evilChain) Holdings(_ context.Context, _ sui.Address, cursor string, _ int) (holdings.Holdings, error) {
	page := slices.Index(e.texts, cursor) + 1 // the cursor of a page is its text
	text := e.texts[min(page, len(e.texts)-1)]
	coin := func(h holdings.Held) holdings.Held { h.Coin = sui.CoinType("0x2::" + text); return h }
	return holdings.Holdings{Next: text, Stalled: true, List: []holdings.Held{
		coin(holdings.Held{Claimed: text, Name: text, Flags: []string{text, "imitation"}, Unverified: text, Total: 1,
			InAddress: 1}),
		coin(holdings.Held{Symbol: text, Amount: sui.Decimal(text)}),
	}}, nil
}

func (e evilChain) Permissions(context.Context, sui.Address) (holdings.Permissions, error) {
	return holdings.Permissions{List: each(e, func(text string) []holdings.Permission {
		return []holdings.Permission{{Kind: "alias", Says: text, Danger: true}, {Kind: text, Says: text}}
	})}, nil
}

func (e evilChain) Staked(context.Context, sui.Address) (holdings.Staked, error) {
	return holdings.Staked{More: true, Stakes: each(e, func(text string) []holdings.Stake {
		amount := sui.Decimal(text)
		return []holdings.Stake{{Validator: text, Address: text, Principal: amount, Reward: amount, Pays: amount},
			{Validator: text, Pays: amount}}
	}), Positions: each(e, func(text string) []holdings.Position {
		return []holdings.Position{{ID: stranger, Kind: text, Protocol: text}}
	})}, nil
}

func (e evilChain) Managers(context.Context, sui.Address) (holdings.Managers, error) {
	return holdings.Managers{List: []holdings.Manager{{ID: stranger}}}, nil
}

func (e evilChain) Inside(_ context.Context, m sui.ObjectID) (holdings.Inside, error) {
	if m == person {
		return holdings.Inside{}, fault.New(fault.ProviderRefused, "%s", e.texts[0])
	}
	sums := each(e, func(text string) []holdings.Sum {
		return []holdings.Sum{{Symbol: text, Amount: sui.Decimal(text)}}
	})
	return holdings.Inside{Owner: stranger, Free: sums, Pools: each(e, func(text string) []holdings.PoolShare {
		amount := sui.Decimal(text)
		return []holdings.PoolShare{{Pool: text, Locked: sums, Rebates: sums, Owed: sums, Staked: amount,
			Orders: []holdings.Resting{{Price: amount, Remaining: amount, Base: text, Quote: text}}}}
	})}, nil
}

// TestBrowserHostileAccount shows every hostile text in every field of the account page and of the
// list of accounts on the home page, at the width of a small phone.
func TestBrowserHostileAccount(t *testing.T) {
	inBrowser(t)
	chain := &evilChain{}
	r := newRig(t, func(c *config) { c.OnChain = chain })
	b := newBrowser(t)
	b.size(320, 640)
	spaced := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	shown := func(evil string) string { return spaced(strings.TrimSuffix(words.Shown(evil, 16), "…")) }
	const batch = 10 // the account page reads this many pages of coins
	for texts := range slices.Chunk(hostile, batch) {
		b.open("about:blank") // the last page must not read the next texts
		for i, evil := range texts {
			chain.texts = []string{evil}
			r.use(sui.Address{byte(i + 1)}, evil)
			r.use(person, evil)
			s, materials := poisoned(t, record.Blocked, evil)
			r.put(s, materials)
			token := r.token(pagetoken.Account, person.String())
			if body := r.do("POST", "/api/account/"+person.String()+"/inside", token,
				map[string]string{"manager": person.String()}).body; strings.Contains(body, "<script") ||
				strings.Contains(body, "\u202e") || !strings.Contains(body, "could not be read") {
				t.Errorf("%.40q: the failure shows it:\n%s", evil, body)
			}
			// A page has one wallet in use, so the names of the others are checked in its source.
			body := r.do("GET", "/api/account/"+person.String()+"/view", token, nil).body
			if strings.ContainsAny(evil, `<"'`) && strings.Contains(body, evil) || strings.Contains(body, "\u202e") ||
				!strings.Contains(spaced(html.UnescapeString(body)), shown(evil)) {
				t.Errorf("%.40q: the wallet's name is not escaped, or not shown:\n%s", evil, body)
			}
		}
		chain.texts = texts
		r.use(person, texts[0])
		what := fmt.Sprintf("the page with %.40q", texts)
		b.open(r.link(pagetoken.Account, person.String()))
		b.wait(`document.querySelectorAll('.held tbody tr').length === 20 && document.querySelector('[data-action="inside"]')`)
		b.eval(`document.querySelectorAll('details').forEach((at) => { at.open = true; })`)
		b.click(`[data-action="inside"]`)
		b.wait(`document.querySelector('.orders')`)
		b.eval(`[...document.querySelectorAll('details')].map((at) => { at.open = true; })`)
		b.unharmed("account: " + what)
		got := spaced(b.eval("document.body.textContent"))
		for _, evil := range texts {
			if !strings.Contains(got, shown(evil)) {
				t.Errorf("%.40q: %q cannot be read", evil, shown(evil))
			}
		}
		b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
		b.waitText("Accounts")
		b.unharmed("home: " + what)
	}
}
