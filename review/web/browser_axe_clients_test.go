//go:build clients

package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// withAxe loads axe-core into every page of the tab.
func (b *tab) withAxe() {
	b.t.Helper()
	script, err := os.ReadFile("../../test/clients/node_modules/axe-core/axe.min.js")
	if err != nil {
		b.t.Fatalf("%v\nmake setup installs axe-core", err)
	}
	b.inject(string(script))
}

// accessible runs the rules of axe-core on the page, on a small phone in the light theme and on a
// wide screen in the dark theme: those of WCAG 2.2 AA and axe-core's best practices.
func (b *tab) accessible() {
	b.t.Helper()
	const rules = "runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
	for _, look := range []struct {
		theme string
		width int64
	}{{"light", 320}, {"dark", 1280}} {
		b.media("prefers-color-scheme", look.theme, "prefers-reduced-motion", "reduce") // no color is in transition
		b.size(look.width, 900)
		found := b.promise(`axe.run(document, { resultTypes: ['violations'], preload: false, ` + rules +
			` }).then(({ violations, passes }) => JSON.stringify(
		  { rules: passes.length, wrong: violations.map((v) => v.impact + ' ' + v.id + ': ' + v.help + '\n  '
		    + v.nodes.map((n) => n.html.slice(0, 200) + ' ' + n.failureSummary).join('\n  ')) }))`)
		var result struct {
			Rules int      `json:"rules"`
			Wrong []string `json:"wrong"`
		}
		if err := json.Unmarshal([]byte(found), &result); err != nil || result.Rules < 10 {
			b.t.Fatalf("axe-core ran %d rules, %v", result.Rules, err)
		}
		if len(result.Wrong) > 0 {
			b.t.Errorf("%s at %d pixels:\n%s", look.theme, look.width, strings.Join(result.Wrong, "\n"))
		}
		if over := b.eval("document.documentElement.scrollWidth - document.documentElement.clientWidth"); over != "0" {
			b.t.Errorf("%s at %d pixels: %s pixels too wide", look.theme, look.width, over)
		}
	}
	b.theme("light")
	b.enlarged()
	b.size(1280, 900)
}

// enlarged doubles the size of all text, on a wide screen and on half of it. Nothing may leave the
// screen, and no line may shrink to a few letters.
func (b *tab) enlarged() {
	b.t.Helper()
	b.eval(`document.documentElement.style.fontSize = '200%'`)
	for _, width := range []int64{1280, 640} {
		b.enlargedAt(width)
	}
	b.eval(`document.documentElement.style.fontSize = ''`)
}

func (b *tab) enlargedAt(width int64) {
	b.t.Helper()
	b.size(width, 900)
	wide := `[...document.querySelectorAll('body *')].filter((at) => at.checkVisibility() && !at.closest('.graph, .unseen')
	  && at.getBoundingClientRect().right > innerWidth + 1).map((at) => at.outerHTML.slice(0, 120)).join('\n')`
	if over := b.eval(wide); over != "" {
		b.t.Errorf("at %d pixels, with text of twice the size, these are cut off:\n%s", width, over)
	}
	squeezed := `[...document.querySelectorAll('p, dd, dt, td, th, li, h1, h2, button')].filter((at) => at.checkVisibility() && !at.closest('.graph, .unseen, thead')
	  && at.innerText.length > 12 && at.getBoundingClientRect().width < 5 * parseFloat(getComputedStyle(at).fontSize)).map((at) => at.outerHTML.slice(0, 120)).join('\n')`
	if narrow := b.eval(squeezed); narrow != "" {
		b.t.Errorf("at %d pixels, with text of twice the size, these are squeezed:\n%s", width, narrow)
	}
}

// TestBrowserAxeReview checks the review page in every stage with axe-core.
func TestBrowserAxeReview(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	for _, c := range stageWords {
		t.Run(c.stage, func(t *testing.T) {
			b.t = t
			s, materials := sample(t, c.status)
			b.open(r.link(pagetoken.Review, r.put(s, materials)))
			b.waitStage(c.stage)
			b.accessible()
		})
	}
	t.Run("read-only, opened twice, changed, every problem", func(t *testing.T) {
		b.t = t
		s, materials := sample(t, record.Ready)
		id := r.put(s, materials)
		r.token(pagetoken.Review, id)
		link := r.link(pagetoken.Review, id)
		b.open(link)
		b.waitText("You use this in another tab.")
		_, code, _ := strings.Cut(link, "#")
		r.do("POST", "/api/exchange", "", map[string]string{"kind": "review", "id": id, "code": code})
		b.waitText("This link was opened twice.")
		b.accessible()
		b.eval(`[...document.querySelectorAll('[data-problem], [data-part], [data-step], #lost, #gone')].map((at) => { at.hidden = false; })`)
		b.accessible()
	})
}

// TestBrowserAxeSigning checks the page with axe-core during a computation, while the wallet is
// asked, and when it is unknown whether the wallet signed.
func TestBrowserAxeSigning(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	j, b, _ := readyTab(t, b, "hangs", nil)
	b.click(`[data-action="sign"]`)
	b.waitText("Confirm in your wallet.")
	b.accessible()
	b.open(b.eval("location.href"))
	b.waitStage("released")
	b.accessible()
	slow := record.WalletConnected
	s, materials := sample(t, slow)
	id := j.put(s, materials)
	j.token(pagetoken.Review, id)
	b.open(j.link(pagetoken.Review, id))
	b.waitStage("work")
	b.accessible()
	if _, link := j.prepare(testkit.Swap("10", "SUI", "USDC")); link != "" {
		b.open(link)
		b.waitStage("ready")
		b.accessible()
	}
}

// TestBrowserAxeConnect checks the connect page in every state with axe-core.
func TestBrowserAxeConnect(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	t.Run("choosing", func(t *testing.T) {
		b.t = t
		chooser := b.another()
		j.useWallet(chooser, "honest")
		i, err := j.accounts.Create(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		chooser.open(j.link(pagetoken.Connect, i.ID))
		chooser.waitText("Test wallet")
		chooser.accessible()
		chooser.clickText(".wallet", "Test wallet")
		chooser.waitText("Which account?")
		chooser.accessible()
	})
	r := newRig(t, nil)
	for _, c := range connectWords {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			i, err := r.accounts.Create(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			b.open(r.link(pagetoken.Connect, i.ID))
			b.waitText("No usable wallet found in this browser")
			if c.report.Status == account.Connected {
				b.accessible() // the browser has no wallet
			}
			r.connectState(i.ID, c.report)
			b.waitText(c.must[0])
			b.accessible()
		})
	}
}

// TestBrowserAxeAccount uses axe-core to check the account page in every state, the home page with
// accounts, and a review of an account that is not in use.
func TestBrowserAxeAccount(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.use(stranger, "Old wallet")
	j.use(person, "Sandbox test wallet")
	b.open(j.link(pagetoken.Account, stranger.String()))
	b.says([]string{"This is a remembered account", "This account is empty", "No balance manager was found"}, nil)
	b.accessible()
	j.rich()
	j.house.Sandbox.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "ListBalances", Milliseconds: 15000, Times: 1})
	j.house.Sandbox.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "SimulateTransaction", Milliseconds: 3000, Times: 1})
	b.open(j.link(pagetoken.Account, person.String()))
	b.waitText("Asking a Sui node…")
	b.accessible()
	account := "/api/account/" + person.String()
	if a := j.do("POST", account+"/continue", j.token(pagetoken.Account, person.String()),
		struct{}{}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	b.waitText("Use it here")
	b.wait(`document.querySelector('.unlisted') && document.querySelector('[data-part="manager"] .rows') && !document.querySelector('[aria-busy="true"]')`)
	b.accessible()
	// A response that arrives meanwhile shows new folds, which are closed.
	b.wait(`([...document.querySelectorAll('main details:not(.unlisted)')].forEach((at) => { at.open = true; }),
		document.body.innerText.includes("Tied up"))`)
	b.accessible()
	b.click(`[data-action="continue"]`)
	b.wait(`document.querySelector('main a[href^="/review/"]')`)
	b.accessible()
	for _, method := range []string{"ListBalances", "SimulateTransaction"} {
		if err := j.house.Sandbox.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: method}); err != nil {
			t.Fatal(err)
		}
	}
	b.do(chromedp.Reload())
	b.says([]string{"What this account holds could not be read", "Try again"}, nil)
	b.accessible()
	if err := j.house.Sandbox.Inject(sandbox.Fault{Kind: sandbox.ClearFaults}); err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.waitText("At DeepBook prices")
	b.eval(`[...document.querySelectorAll('details')].map((at) => { at.open = true; })`)
	b.says([]string{"Old wallet", "Use this one"}, nil)
	b.accessible()
	s, materials := sample(t, record.Ready)
	id := j.put(s, materials)
	j.use(stranger, "Old wallet")
	b.open(j.link(pagetoken.Review, id))
	b.waitText("for another account than the one in use")
	b.accessible()
}

// TestBrowserAxeRest checks the home page and error pages with axe-core.
func TestBrowserAxeRest(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.waitText("Connect a wallet to start")
	b.accessible()
	for _, status := range []record.Status{record.Ready, record.Blocked, record.RefreshRequired,
		record.SignedPendingResult} {
		s, materials := sample(t, status)
		r.put(s, materials)
	}
	b.waitText("3 things need you")
	b.accessible()
	for path, words := range map[string]string{"/nothing": "no page at this address",
		"/review/nobodys": "no review with this id", "/": "3 things need you"} {
		b.open(r.origin + path)
		b.waitText(words)
		b.accessible()
	}
}
