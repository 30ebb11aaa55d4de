package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// plain returns the text of a fragment as a user reads it.
func plain(fragment string) string {
	fragment = regexp.MustCompile(`<q>(<bdi>)?`).ReplaceAllString(fragment, "“")
	fragment = regexp.MustCompile(`(</bdi>)?</q>`).ReplaceAllString(fragment, "”")
	text := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(strings.ReplaceAll(fragment, "</span><wbr><span>", ""), " ")
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

// mustSay checks that text contains all of must and none of never.
func mustSay(t *testing.T, text string, must, never []string) {
	t.Helper()
	for _, w := range must {
		if !strings.Contains(text, w) {
			t.Errorf("it does not say %q:\n%s", w, text)
		}
	}
	for _, w := range never {
		if strings.Contains(text, w) {
			t.Errorf("it says %q:\n%s", w, text)
		}
	}
}

// accountPage is the page of one account.
type accountPage struct {
	*job
	path, token string
}

func (j *job) account(a sui.Address) accountPage {
	j.t.Helper()
	return accountPage{j, "/api/account/" + a.String(), j.token(pagetoken.Account, a.String())}
}

// part returns a part that is read from the chain, as plain text and as HTML.
func (p accountPage) part(name string, ask any) (string, string) {
	p.t.Helper()
	a := p.do("POST", p.path+"/"+name, p.token, ask)
	if a.status != http.StatusOK {
		p.t.Fatalf("%s: %d %s", name, a.status, a.body)
	}
	return plain(a.body), a.body
}

const oddCoin = "0x00000000000000000000000000000000000000000000000000000000000000aa::odd::ODD"

// TestAccountHoldings reads coins over a real connection: known ones, imitations, ones with unknown
// decimals, and more than one page.
func TestAccountHoldings(t *testing.T) {
	j := newJob(t, nil)
	owner := sui.MustAddress("0x77")
	chain := j.house.Sandbox
	chain.Hold(owner, sui.SUI, 1_234_567_890_123, 0)
	chain.Hold(owner, usdcCoin.CoinType, 0, 5_000_001)
	chain.Hold(owner, oddCoin, 1_000_000, 7)
	fake := sui.CoinType("0x00000000000000000000000000000000000000000000000000000000000000ab::usdc::USDC")
	chain.Hold(owner, fake, 99_000_000, 0)
	chain.Describe(sui.Metadata{Type: fake, Decimals: 6, Symbol: "USDC", Name: "Visit <b>evil.test</b>\u202e"})
	p := j.account(owner)
	text, raw := p.part("holdings", struct{}{})
	mustSay(t, text, []string{"1,234.56 7890123", "5.00 0001", "≈ 1,", "without 2 coins", "1.2929 each",
		"1,000,007 smallest units", "How many of these make one coin is not known",
		"All of it lies in the address balance", "Part of it lies in the address balance",
		"Carries the symbol of a known coin and is another one.",
		"“USDC” “Visit", "99 of these", "2 coins we do not know · one copies the name “USDC”",
		"is only what the coin’s creator wrote", "⟦U+202E⟧"}, []string{"\u202e", "could not be read", "More coins"})
	if strings.Contains(raw, "<b>evil") || strings.Index(raw, "1,234.56") > strings.Index(raw, "smallest units") {
		t.Error("a coin's name is markup, or known coins do not come first")
	}
	for i := range 520 {
		chain.Hold(owner, sui.CoinType(fmt.Sprintf("0x%064x::m::C", 0x1000+i)), 5, 0)
	}
	seen := map[string]bool{}
	cursor, pages := "", 0
	for ; pages < 5; pages++ {
		_, raw := p.part("holdings", struct{}{})
		if cursor != "" {
			_, raw = p.part("more", map[string]string{"cursor": cursor})
		}
		rows := regexp.MustCompile(`<bdi>(0x[^<]*::[^<]*)</bdi>`).FindAllStringSubmatch(raw, -1)
		if len(rows) > 50 && cursor != "" || len(rows) > 500 {
			t.Errorf("%d coins on one page", len(rows))
		}
		for _, row := range rows {
			seen[row[1]] = true
		}
		next := regexp.MustCompile(`data-cursor="([^"]+)"`).FindStringSubmatch(raw)
		if next == nil {
			break
		}
		cursor = html.UnescapeString(next[1])
	}
	if len(seen) != 523 || pages != 1 {
		t.Errorf("%d coins on %d pages", len(seen), pages+1)
	}
	text, _ = p.part("more", map[string]string{"cursor": "made-up"})
	mustSay(t, text, []string{"could not be read", "cursor"}, nil)
	text, _ = j.account(sui.MustAddress("0x78")).part("holdings", struct{}{})
	mustSay(t, text, []string{"This account is empty"}, nil)
}

// TestAccountInsideDeepBook finds balance managers and reads their holdings in pools.
func TestAccountInsideDeepBook(t *testing.T) {
	j := newJob(t, nil)
	p := j.account(person)
	text, _ := p.part("holdings", struct{}{})
	mustSay(t, text, []string{"No balance manager was found", "There may still be one"}, nil)
	pool, _ := registry.PoolByKey("SUI_USDC")
	open := func(m sandbox.Manager) sui.ObjectID {
		t.Helper()
		id, err := j.house.Sandbox.OpenManager(m)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	mine := open(sandbox.Manager{Owner: person, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 12_345_678_901}, {Coin: pool.Quote.Type,
			Amount: 99_000_001},
			{Coin: coins.DEEP, Amount: 1_500_000}},
		Orders: []sandbox.RestingOrder{{Pool: "SUI_USDC", IsBid: true, Price: 1_000_000, Quantity: 10_000_000_000},
			{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000, Expire: 4_102_444_800_000}}})
	foreign := open(sandbox.Manager{Owner: stranger, Trader: person})
	text, raw := p.part("holdings", struct{}{})
	mustSay(t, text, []string{"DeepBook lists it for this account.", "which may have been revoked", "Open orders 2",
		"Sell 7.5 SUI at 5 USDC",
		"2 open orders"}, nil)
	if !strings.Contains(raw, `id="fold-`+mine.String()) || !strings.Contains(raw, `data-id="`+foreign.String()) {
		t.Error("a manager is missing")
	}
	text, _ = p.part("inside", map[string]string{"manager": mine.String()})
	mustSay(t, text, []string{"Free in the manager 4.845678901 SUI 89.000001 USDC 1.5 DEEP",
		"SUI_USDC Tied up 7.5 SUI, 10 USDC",
		"Buy 10 SUI at 1 USDC, no end", "Sell 7.5 SUI at 5 USDC, until 1 Jan 2100"}, []string{"another account",
		"did not answer"})
	text, _ = p.part("inside", map[string]string{"manager": foreign.String()})
	mustSay(t, text, []string{"It belongs to another account:", stranger.String(), "no account in the pools"}, nil)
	text, _ = p.part("inside", map[string]string{"manager": pool.ID.String()})
	mustSay(t, text, []string{"could not be read", "is not a DeepBook balance manager"}, nil)
	for _, bad := range []any{struct{}{}, map[string]string{"manager": "0x"}, map[string]string{"manager": "x"},
		map[string]string{"pool": "x"}} {
		if a := p.do("POST", p.path+"/inside", p.token, bad); a.status != http.StatusBadRequest {
			t.Errorf("%v: %d %s", bad, a.status, a.body)
		}
	}
}

// TestHoldingsPrepare clicks the buttons of the page. Each creates the same review as an AI
// client's tool, and only for the account in use.
func TestHoldingsPrepare(t *testing.T) {
	j := newJob(t, nil)
	p := j.account(person)
	pool, _ := registry.PoolByKey("SUI_USDC")
	id, err := j.house.Sandbox.OpenManager(sandbox.Manager{Owner: person, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 12_345_678_901}},
		Orders:   []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	_, raw := p.part("holdings", struct{}{})
	if strings.Contains(raw, "data-wish") {
		t.Error("an account that is not in use has buttons")
	}
	prepare := func(wish any) answer { return p.do("POST", p.path+"/prepare", p.token, wish) }
	j.use(stranger, "Old wallet")
	if a := prepare(map[string]string{"do": "withdraw", "manager": id.String()}); a.status != http.StatusConflict {
		t.Errorf("of an account that is not in use: %d %s", a.status, a.body)
	}
	j.use(person, "Sandbox test wallet")
	_, raw = p.part("holdings", struct{}{})
	wishes := regexp.MustCompile(`data-wish="([^"]+)"`).FindAllStringSubmatch(raw, -1)
	if len(wishes) != 2 {
		t.Fatalf("%d buttons in\n%s", len(wishes), raw)
	}
	for i, want := range []string{"cancel-order", "manager-withdraw-all"} {
		a := prepare(json.RawMessage(html.UnescapeString(wishes[i][1])))
		at, _, _ := strings.Cut(strings.TrimPrefix(a.text("url"), j.origin+"/review/"), "#")
		s, err := j.reviews.Get(t.Context(), record.ID(at))
		if a.status != http.StatusOK || err != nil || s.Intent.Type != want || s.Account != person {
			t.Errorf("%s: %d %s, %v, %+v", want, a.status, a.body, err, s.Intent)
		}
	}
	for _, bad := range []string{"sell", ""} {
		if a := prepare(map[string]string{"do": bad}); a.status != http.StatusBadRequest {
			t.Errorf("%q: %d %s", bad, a.status, a.body)
		}
	}
}

// TestAccountOutage makes the node unavailable. The page still shows what this computer knows, says
// what is unknown, and works again on retry.
func TestAccountOutage(t *testing.T) {
	j := newJob(t, nil)
	j.use(person, "Sandbox test wallet")
	id, _ := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	p := j.account(person)
	down := func(kind sandbox.FaultKind) {
		t.Helper()
		for _, method := range []string{"ListBalances", "SimulateTransaction"} {
			if err := j.house.Sandbox.Inject(sandbox.Fault{Kind: kind, Method: method}); err != nil {
				t.Fatal(err)
			}
		}
	}
	down(sandbox.Fail)
	view := j.do("GET", p.path+"/view", p.token, nil).body
	mustSay(t, plain(view), []string{"Holdings", person.String(), "Swap 10 SUI to USDC", "Claimed"}, nil)
	if !strings.Contains(view, `data-id="`+string(id)) {
		t.Error("the review cannot be opened")
	}
	for part, what := range map[string]string{"holdings": "What this account holds could not be read, so its contents are unknown."} {
		text, raw := p.part(part, struct{}{})
		mustSay(t, text, []string{what, "Try again"}, []string{"is empty", "No balance manager"})
		if !strings.Contains(raw, `data-action="again"`) {
			t.Errorf("%s: no way to try again", part)
		}
	}
	if err := j.house.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
		t.Fatal(err)
	}
	text, _ := p.part("holdings", struct{}{})
	mustSay(t, text, []string{"SUI", "USDC"}, []string{"could not be read"})
}

// TestAccountPage checks what the page says about an account's owner, which reviews it lists, and
// who can open which page from it.
func TestAccountPage(t *testing.T) {
	r := newRig(t, nil)
	r.use(stranger, "Old wallet")
	r.use(person, "Sandbox test wallet")
	ids := map[record.Status]string{}
	for _, status := range []record.Status{record.Ready, record.Success, record.Failure, record.Expired,
		record.SignedPendingResult} {
		s, materials := sample(t, status)
		ids[status] = r.put(s, materials)
	}
	path, token := "/api/account/"+person.String(), r.token(pagetoken.Account, person.String())
	view := func() string { t.Helper(); return r.do("GET", path+"/view", token, nil).body }
	mustSay(t, plain(view()), []string{"Holdings", "Sandbox test wallet Connected ", "Claimed: the wallet said so",
		"In use Yes.",
		"5 reviews", "Ready to be read.", "Done: the chain executed it.",
		"The chain ran it, and it failed. Only gas was spent.", "Expired. Nothing was signed.",
		"Signed. The result on chain is not known yet.", "Other accounts 1 Old wallet"}, []string{"Proven"})
	for status, id := range ids {
		if body := r.do("GET", path+"/view", token, nil).body; !strings.Contains(body, `href="/review/`+id+`"`) {
			t.Errorf("%s: no way to the review", status)
		}
	}
	t.Run("another one is in use", func(t *testing.T) {
		if _, err := r.accounts.Use(context.Background(), stranger); err != nil {
			t.Fatal(err)
		}
		mustSay(t, plain(view()), []string{"This is a remembered account.", "In use No.", "Account in use 0x5712"}, nil)
	})
	t.Run("forgotten", func(t *testing.T) {
		if err := r.accounts.Forget(context.Background(), person); err != nil {
			t.Fatal(err)
		}
		mustSay(t, plain(view()), []string{"No wallet gave this account here, or it was forgotten."},
			[]string{"test wallet Connected"})
	})
	t.Run("a second tab looks on", func(t *testing.T) {
		second := r.token(pagetoken.Account, person.String())
		if body := r.do("GET", path+"/view", second, nil).body; strings.Contains(body, `href="/review/`) ||
			!strings.Contains(body, "You use this in another tab.") {
			t.Error("the second tab does not look on")
		}
	})
	if a := r.do("GET", "/api/account/"+stranger.String()+"/view", token, nil); a.status != http.StatusUnauthorized {
		t.Errorf("another account with this page's token: %d", a.status)
	}
}

// TestHomeAccounts checks that the home page lists remembered accounts, takes one of them into use,
// and links to their pages.
func TestHomeAccounts(t *testing.T) {
	r := newRig(t, nil)
	token := r.token(pagetoken.Home, pagetoken.HomeSubject)
	view := func() string { t.Helper(); return plain(r.do("GET", "/api/home/view", token, nil).body) }
	mustSay(t, view(), []string{"No account is connected or remembered."}, nil)
	r.use(stranger, "Old wallet")
	r.use(person, "Sandbox test wallet")
	mustSay(t, view(), []string{"Sandbox test wallet In use " + person.String(), "Old wallet " + stranger.String()},
		[]string{"Old wallet In use"})
	post := func(what string, a sui.Address) answer {
		return r.do("POST", "/api/home/"+what, token, map[string]string{"id": a.String()})
	}
	if a := post("use", stranger); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	mustSay(t, view(), []string{"Old wallet In use " + stranger.String()}, []string{"Sandbox test wallet In use"})
	for _, a := range []sui.Address{person, stranger} {
		if body := r.do("GET", "/api/home/view", token, nil).body; !strings.Contains(body, `href="/account/`+a.String()+`"`) {
			t.Errorf("no way to the page of %s", a)
		}
	}
	if a := post("use", sui.MustAddress("0x99")); a.status != http.StatusBadRequest {
		t.Errorf("an unknown account: %d %s", a.status, a.body)
	}
	r.token(pagetoken.Home, pagetoken.HomeSubject)
	if a := r.do("POST", "/api/home/use", token,
		map[string]string{"id": person.String()}); a.status != http.StatusConflict {
		t.Errorf("a tab that looks on chose an account: %d", a.status)
	}
}
