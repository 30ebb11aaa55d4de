package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// skipping gives a page a clock that a test can put forward: skip(ms) runs every
// timer that is due by then, skip(ms, false) none.
const skipping = `(() => {
  let ahead = 0;
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
})()`

// TestBrowserUpdatesOldFigures lets the figures of a review become too old, and asks for
// new ones, for a swap and for a payment.
func TestBrowserUpdatesOldFigures(t *testing.T) {
	t.Parallel()
	j, b := newJob(t, nil), newBrowser(t)
	b.inject(skipping)
	j.connect(b, "", "Sandbox test wallet")
	_, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.open(link)
	b.waitStage("ready")
	for range 2 {
		b.eval("skip(61000, false)") // a minute in which the stream goes on
		b.waitText("These figures are too old to sign.")
		j.house.Clock.Advance(61 * time.Second)
		b.click(`[data-action="update"]`)
		b.wait(`!document.querySelector('[data-part="over"]')?.checkVisibility() && document.querySelector('[data-action="sign"]')?.disabled === false`)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
	if text := b.main(); strings.Contains(text, "Cannot read") || strings.Contains(text, "undefined") {
		t.Error(text)
	}
}

// TestBrowserDeadlines waits past every deadline of every other page: no script fails, and
// the page is still there.
func TestBrowserDeadlines(t *testing.T) {
	t.Parallel()
	j, b := newJob(t, nil), newBrowser(t)
	b.inject(skipping)
	j.connect(b, "", "Sandbox test wallet")
	identity, err := j.accounts.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, link := range map[string]string{
		"settings": j.link(pagetoken.Settings, settingsID),
		"console":  j.link(pagetoken.Console, j.db.Bus(t.Context())),
		"home":     j.link(pagetoken.Home, pagetoken.HomeSubject),
		"book":     j.link(pagetoken.Book, pagetoken.BookSubject),
		"account":  j.link(pagetoken.Account, sandbox.Account.String()),
		"connect":  j.link(pagetoken.Connect, identity.ID),
	} {
		b.open(link)
		b.wait(`document.querySelector('#view h1, #main h1') !== null`)
		for _, d := range []time.Duration{time.Second, 11 * time.Second, time.Minute, 11 * time.Minute} {
			b.eval(fmt.Sprintf("skip(%d)", d.Milliseconds()))
		}
		b.wait(`document.querySelector('#view h1, #main h1') !== null`)
		if said := b.complaints(); len(said) > 0 {
			t.Errorf("%s: %v", name, said)
		}
	}
}

// TestBrowserTypedFigure signs a payment of almost everything only once the amount is
// typed.
func TestBrowserTypedFigure(t *testing.T) {
	t.Parallel()
	j, b := newJob(t, lasting), newBrowser(t)
	j.connect(b, "", "Sandbox test wallet")
	_, link := j.prepare(pay("990", "SUI", payee))
	b.open(link)
	b.waitStage("ready")
	b.says([]string{"99% of the SUI in your account", "type how much SUI you send: 990"}, nil)
	const field, armed = `input[type="text"][data-accept]`, `document.querySelector('[data-part="sign"]').disabled === false`
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
	if text := b.main(); strings.Contains(text, "paid it from here before") || strings.Contains(text, "paid this address from here before") {
		t.Error("the first receipt calls it a second payment:", text)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
