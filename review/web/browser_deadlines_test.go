package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// skipping gives a page a clock that a test can advance. skip(ms) advances it and runs every timer
// that is then due; skip(ms, false) runs none. aged(run) advances it by a minute, at most once a
// second, and reports whether the values have expired.
const skipping = `(() => {
  let [ahead, last] = [0, -Infinity];
  const waits = new Map();
  const { setTimeout: set, clearTimeout: clear } = window;
  const [date, tick] = [Date.now.bind(Date), performance.now.bind(performance)];
  Date.now = () => date() + ahead;
  performance.now = () => tick() + ahead;
  window.setTimeout = (work, ms = 0, ...rest) => {
    const id = set(() => { waits.delete(id); work(...rest); }, ms);
    waits.set(id, [performance.now() + ms, () => work(...rest)]);
    return id;
  };
  window.clearTimeout = (id) => { waits.delete(id); clear(id); };
  window.skip = (ms, run = true) => {
    ahead += ms;
    for (const [id, [at, work]] of run ? [...waits] : []) {
      if (at <= performance.now() && waits.delete(id)) {
        clear(id);
        work();
      }
    }
  };
  window.aged = (run) => {
    if (document.querySelector('[data-part="over"]')?.checkVisibility()) return true;
    if (tick() - last > 1000) {
      last = tick();
      window.skip(61000, run);
    }
    return false;
  };
})()`

// ages advances only the page's clock until the values have expired. It repeats that, because a
// view that was still on its way begins a new minute.
func (b *tab) ages(run bool) {
	b.t.Helper()
	// The test polls from outside the page, because timers of a poll inside it would be advanced
	// too.
	double.Until(b.t, "the figures are too old", func() bool {
		return b.eval(fmt.Sprintf("String(aged(%t))",
			run)) == "true"
	})
	b.waitText("The price is too old.")
}

// TestBrowserUpdatesOldFigures lets the values of a review expire and requests new ones.
func TestBrowserUpdatesOldFigures(t *testing.T) {
	t.Parallel()
	j, b := newJob(t, nil), newBrowser(t)
	b.inject(skipping)
	j.withWallet()
	_, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.open(link)
	b.waitStage("ready")
	for range 2 {
		b.ages(false) // a minute in which the stream continues
		j.house.Clock.Advance(61 * time.Second)
		// A late view may have replaced the old values, and then expired in the program.
		b.click(`[data-action="update"], [data-action="refresh"]`)
		b.wait(`!document.querySelector('[data-part="over"]')?.checkVisibility() && document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
	if text := b.main(); strings.Contains(text, "Cannot read") || strings.Contains(text, "undefined") {
		t.Error(text)
	}
}

// TestBrowserDeadlines advances the clock of every page past all its deadlines. No script may fail,
// and the page must still be shown.
func TestBrowserDeadlines(t *testing.T) {
	t.Parallel()
	j, b := newJob(t, nil), newBrowser(t)
	svc := j.bundled()
	past := j.house.Settle(j.house.Ready(pay("1", "SUI", payee)))
	b.inject(skipping)
	j.useWallet(b, "hangs")
	j.connect(b, "", "Test wallet")
	identity, err := j.accounts.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made, err := svc.Ask(t.Context(), "Two payments", false, stepsOf(payOf("1", stepAlice), payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	slow, slowLink := j.prepare(testkit.Swap("5", "SUI", "USDC"))
	_, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	on := func(link, words string) func() {
		return func() {
			b.open(link)
			b.waitText(words)
		}
	}
	type shown struct {
		path  string // path of the route
		state string
		reach func()
	}
	pages := []shown{
		{"/settings/{id}", "", on(j.link(pagetoken.Settings, settingsID), "")},
		{"/console/{id}", "", on(j.link(pagetoken.Console, j.db.Bus(t.Context())), "")},
		{"/", "", on(j.link(pagetoken.Home, pagetoken.HomeSubject), "")},
		{"/book", "", on(j.link(pagetoken.Book, pagetoken.BookSubject), "")},
		{"/account/{id}", "", on(j.link(pagetoken.Account, sandbox.Account.String()), "")},
		{"/connect/{id}", "", on(j.link(pagetoken.Connect, identity.ID), "")},
		{"/receipt/{id}", "as it opens", on(j.origin+"/receipt/"+past.Execution.TxDigest, "")},
		{"/receipt/{id}", "looked up", func() { b.click(`[data-action="look"]`); b.waitText("The chain executed it") }},
		{"/review/{id}", "with a receipt", func() {
			b.open(j.link(pagetoken.Review, string(past.ID)))
			b.waitStage("success")
		}},
		{"/review/{id}", "that waits for a node", func() {
			j.house.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "SimulateTransaction", Milliseconds: 6000, Times: 1})
			b.open(slowLink)
			b.waitStage("work")
		}},
		{"/review/{id}", "that is ready", func() {
			j.house.Until(slow, "it is computed", func(s record.Session) bool { return s.Status != record.WalletConnected })
			b.open(link)
			b.waitStage("ready")
		}},
		{"/review/{id}", "whose wallet is asked", func() {
			b.do(chromedp.Reload())
			b.waitStage("ready")
			b.click(`[data-action="sign"]`)
			b.waitText("Confirm in your wallet.")
		}},
		{"/review/{id}", "that is handed out", func() { b.do(chromedp.Reload()); b.waitStage("released") }},
		{"/bundle/{id}", "to be approved", on(j.link(pagetoken.Bundle, string(made.ID)), "2 SUI, in 2 steps")},
		{"/bundle/{id}", "approved", func() {
			b.click(`[data-action="approve"]`)
			b.waitStep("ready")
			b.open(j.link(pagetoken.Bundle, string(made.ID)))
			b.waitStep("ready")
		}},
	}
	// The other pages are opened in the browser session. One whose address has an id gets an unknown
	// one, so it shows its error.
	for _, rt := range j.table() {
		listed := slices.ContainsFunc(pages, func(p shown) bool { return p.path == rt.Path })
		if rt.Open && !listed && rt.Path != "/favicon.ico" && rt.Path != "/assets/{id}" {
			address := j.origin + strings.ReplaceAll(rt.Path, "{id}", "unknown")
			pages = append(pages, shown{rt.Path, "of a browser session", on(address, "")})
		}
	}
	const heading = `document.querySelector('#view h1, #main h1') !== null`
	for _, p := range pages {
		p.reach()
		b.wait(heading)
		for _, d := range []time.Duration{time.Second, 11 * time.Second, time.Minute, 11 * time.Minute} {
			b.eval(fmt.Sprintf("skip(%d)", d.Milliseconds()))
		}
		b.wait(heading)
		if said := b.complaints(); len(said) > 0 {
			t.Fatalf("%s %s: %v", p.path, p.state, said)
		}
		text := b.eval("document.body.innerText")
		if strings.Contains(text, "Cannot read") || strings.Contains(text, "undefined") {
			t.Errorf("%s %s: %s", p.path, p.state, text)
		}
	}
}

// TestBrowserTypedFigure checks that a payment of almost everything can be signed only after typing
// the amount.
func TestBrowserTypedFigure(t *testing.T) {
	t.Parallel()
	j, b := newJob(t, lasting), newBrowser(t)
	j.withWallet()
	_, link := j.prepare(pay("990", "SUI", payee))
	b.open(link)
	b.waitStage("ready")
	b.says([]string{"99% of your SUI", "type how much SUI you send: 990"}, nil)
	const field, armed = `input[type="text"][data-accept]`,
		`document.querySelector('[data-part="sign"]').ariaDisabled === 'false'`
	b.fill(field, "99")
	b.promise(`new Promise((go) => { setTimeout(() => go(''), 1200); })`)
	if b.eval(armed) == "true" {
		t.Error("Sign is on with another amount")
	}
	b.fill(field, "0")
	b.fill(field, "990")
	b.wait(armed)
	if at := b.eval(`document.querySelector('` + strings.ReplaceAll(field, `"`, `\"`) + `').labels.length`); at != "1" {
		t.Errorf("the field has %s labels", at)
	}
	b.enter(`[data-action="sign"]`)
	b.waitStage("success")
	if text := b.main(); strings.Contains(text, "paid it from here before") || strings.Contains(text,
		"paid this address from here before") {
		t.Error("the first receipt calls it a second payment:", text)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
