package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// asksFor finds the requests that end permissions, as the account page shows them.
const asksFor = `JSON.stringify([...document.querySelectorAll('[data-part="permissions"] q')].map(at => at.textContent))`

// TestBrowserEndsPermissions reads permissions on the account page, sends the page's requests that
// end an allowance and a cap, and follows each to its receipt. After that the page lists neither.
// It also lists a session of a trading account, which cannot be ended here.
func TestBrowserEndsPermissions(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	usdc, _ := coins.BySymbol("USDC")
	id, _ := j.house.Sandbox.Permit(ledger.Allowance{Funder: sandbox.Account, Spender: sandbox.Spender, Coin: usdc.Type,
		Cap: 100_000_000,
		End: uint64(j.house.Clock.Now().UnixMilli()) + 30*86_400_000})
	manager, err := j.house.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Trader: sandbox.Spender})
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.wait(`document.querySelector("main .folds details")`)
	b.eval(`document.querySelectorAll('main .folds details').forEach((at) => { at.open = true; })`)
	b.enter(fmt.Sprintf(`main .button[href="/account/%s"]`, sandbox.Account))
	b.waitText("may take up to 100 USDC now")
	b.eval(`document.querySelectorAll('main details').forEach((at) => { at.open = true; })`)
	b.says([]string{"may trade everything in this account's balance manager", "You can end it: ask your AI client",
		"Searched: allowances, caps of the balance managers found, the account’s DeepBook trading account and its " +
			"sessions, and aliases."}, nil)
	asks := strings.ReplaceAll(b.eval(asksFor), " ", "")
	capID := capOf(t, asks)
	if !strings.Contains(asks, "Endtheallowance"+id.String()) {
		t.Errorf("the page asks for %s", asks)
	}
	b.pictures(dir, "account-permissions")
	b.click(fmt.Sprintf(`[data-action="prepare"][data-wish*="%s"]`, id)) // the "End" button
	b.waitStage("ready")
	b.says([]string{"to take up to 100 USDC", "A node reports its holder and amount"}, nil)
	b.click(`[data-action="decline"]`)
	b.waitStage("failure")
	j.show(b, dir, "allowance-end", plan.Intent{Type: "permission_revoke", Permission: id.String()},
		"to take up to 100 USDC", "A node reports its holder and amount", "Can take until then", "othing but gas",
		"It cannot be undone")
	if h1 := b.eval(`document.querySelector('h1').textContent.replaceAll('\u00a0', ' ')`); !strings.HasPrefix(h1,
		"End the permission of 0x4893 6240 … 1ce7 e45f to take up to 100 USDC") {
		t.Errorf("the page is headed %q", h1)
	}
	j.signed(b, dir, "allowance-end", "Ended the permission to take USDC", "nobody can take USDC with it any longer",
		"the chain no longer has the allowance", "Gas came back")
	j.show(b, dir, "cap-end", plan.Intent{Type: "permission_revoke", Permission: capID, Manager: manager.String()},
		"to trade everything in your balance manager", "Has the right until then",
		"Orders that were placed with it stay in the book")
	j.signed(b, dir, "cap-end", "Ended a right to your balance manager",
		"the balance manager no longer lists the cap")
	b.open(j.origin + "/account/" + sandbox.Account.String())
	b.says([]string{"No such permission was found."}, []string{"You can end it"})
	if err := j.house.Sandbox.OpenTrading(sandbox.Account, sandbox.Spender, uint64(j.house.Clock.Now().UnixMilli())+
		3_600_000); err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.Reload())
	b.waitText("may trade everything in this account's DeepBook trading account")
	b.eval(`document.querySelectorAll('main details').forEach((at) => { at.open = true; })`)
	b.says([]string{"It cannot be ended here yet. The app that made it can end it",
		"It exists, and cannot be ended or emptied here yet"}, []string{"You can end it"})
	if asks := b.eval(asksFor); asks != "[]" ||
		b.eval(`document.querySelectorAll('[data-part="permissions"] [data-action="prepare"]').length`) != "0" {
		t.Errorf("the page offers to end what cannot be ended here: %s", asks)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// capOf returns the cap's id in the request that ends it.
func capOf(t *testing.T, asks string) string {
	t.Helper()
	_, rest, ok := strings.Cut(asks, "Endthecap")
	if !ok || len(rest) < 66 {
		t.Fatalf("no cap in %s", asks)
	}
	return sui.MustAddress(rest[:66]).String()
}
