package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
	signing "github.com/sayurintent/sayurintent/review/web"
)

// edited lets a test change a view after it arrived and before it is shown.
const edited = `(() => {
  const real = Document.prototype.importNode;
  Document.prototype.importNode = function (...all) {
    const view = real.apply(this, all);
    window.edit?.(view);
    return view;
  };
})()`

// refreshed clicks "Get fresh values" and waits for them.
func (b *tab) refreshed() {
	b.t.Helper()
	old := b.eval(`document.getElementById('view').dataset.revision`)
	b.click(`[data-action="refresh"]`)
	b.wait(fmt.Sprintf(`document.querySelector('#view[data-stage="ready"]') && document.getElementById('view').dataset.revision !== %q`, old))
}

// asksToRead reports whether the page requires the user to read fresh values before signing.
func (b *tab) asksToRead() bool { b.t.Helper(); return b.visible(`[data-action="acknowledge"]`) }

// TestBrowserDeadlineMoved gets fresh values that differ only in their deadline.
func TestBrowserDeadlineMoved(t *testing.T) {
	inBrowser(t)
	j, b := onFlowX(t), newBrowser(t)
	j.withWallet()
	_, link := j.prepare(swapOnFlowX("10", "SUI", "USDC"))
	b.open(link)
	b.waitStage("ready")
	const deadline = `[...document.querySelectorAll('dt')].find((at) => at.textContent === 'Runs until').nextElementSibling.textContent`
	before := b.eval(deadline)
	b.refreshed()
	if after := b.eval(deadline); after == before {
		t.Fatalf("the deadline is %s as before", after)
	}
	if b.asksToRead() {
		t.Errorf("a deadline that moved must be acknowledged: %s",
			b.eval(`document.querySelector('[data-part="changed"]').innerText`))
	}
	b.wait(`document.querySelector('[data-part="sign"]')?.ariaDisabled === 'false'`)
}

// TestBrowserWhatMustBeRead gets fresh values that differ in the maximum cost of gas, and in data
// that the page does not show as a fact.
func TestBrowserWhatMustBeRead(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	b.inject(edited)
	_, b, _ = readyTab(t, b, "honest", lasting)
	gas := func(mist, words string) {
		b.eval(fmt.Sprintf(`(() => { window.edit = (view) => {
		  const at = view.querySelector('[data-fact="Gas, at most"]');
		  if (!at) return;
		  at.dataset.atMost = %q;
		  (at.firstElementChild ?? at).textContent = %q;
		}; })()`, mist, words))
	}
	gas("4000000", "0.004 SUI")
	b.refreshed()
	if b.asksToRead() {
		t.Error("gas that costs at most less must be acknowledged")
	}
	gas("4000001", "0.004000001 SUI")
	b.refreshed()
	b.waitText("Gas, at most: was 0.004 SUI, is now 0.004000001 SUI")
	b.click(`[data-action="acknowledge"]`)
	b.wait(`document.querySelector('[data-part="sign"]')?.ariaDisabled === 'false'`)
	b.eval(`(() => { const before = window.edit; window.edit = (view) => { before(view); if (view.dataset.substance) view.dataset.substance += '0'; }; })()`)
	b.refreshed()
	if !b.asksToRead() {
		t.Error("another way to the same figures needs no acknowledgement")
	}
}

// TestSubstance checks that two transactions have the same substance if they differ only in
// reported amounts, times and gas.
func TestSubstance(t *testing.T) {
	s, _ := sample(t, record.Ready)
	base := *s.Facts
	change := func(edit func(*plan.Facts)) string {
		f := base
		f.Steps = append([]plan.StepFacts(nil), base.Steps...)
		edit(&f)
		return signing.Substance(&f)
	}
	own := signing.Substance(&base)
	for name, edit := range map[string]func(*plan.Facts){
		"gas": func(f *plan.Facts) { f.Gas.Budget, f.Gas.Payment, f.LastEpoch = 1, nil, 7 },
		"a time": func(f *plan.Facts) {
			f.Steps[0].Terms = []plan.Term{{Name: "Runs until", Value: "2026-01-01 00:00:00"}}
		},
		"expected": func(f *plan.Facts) { f.Steps[0].Expected.Raw++ },
	} {
		if change(edit) != own {
			t.Errorf("%s makes another substance", name)
		}
	}
	for name, edit := range map[string]func(*plan.Facts){
		"the payer of gas": func(f *plan.Facts) { f.Gas.Owner[0]++ },
		"a package":        func(f *plan.Facts) { f.Steps[0].Package[0]++ },
		"a function":       func(f *plan.Facts) { f.Steps[0].Function = "pool::other" },
		"the pool":         func(f *plan.Facts) { f.Steps[0].RouteID[0]++ },
		"a type":           func(f *plan.Facts) { f.Steps[0].TypeArgs = nil },
		"the recipient":    func(f *plan.Facts) { f.Steps[0].Sends[0]++ },
		"the promise":      func(f *plan.Facts) { f.Steps[0].Promise = plan.Promise{} },
	} {
		if change(edit) == own {
			t.Errorf("%s makes no other substance", name)
		}
	}
}

// focus returns the focused element, and whether the headline is visible.
const focus = `(() => {
  const box = document.querySelector('#view h1').getBoundingClientRect();
  return document.activeElement.tagName + ' ' + (box.top >= 0 && box.bottom <= innerHeight);
})()`

// TestBrowserHeadline signs with the keyboard on a phone. The result scrolls into view and gets the
// focus. A reload does not move the focus, nor does a view with the same text.
func TestBrowserHeadline(t *testing.T) {
	inBrowser(t)
	_, b, _ := readyPage(t, "late", lasting)
	b.size(390, 700)
	b.wait(`document.querySelector('[data-part="sign"]')?.ariaDisabled === 'false'`)
	b.keyTo(`[data-part="sign"]`)
	b.press("\r")
	b.wait("typeof answerNow === 'function'")
	b.eval("scrollTo(0, document.body.scrollHeight)")
	b.eval("answerNow()")
	b.waitStage("success")
	b.wait(focus + " === 'H1 true'") // it scrolls into view with the next frame
	b.open(b.eval("location.href"))
	b.waitStage("success")
	if got := b.eval("document.activeElement.tagName"); got != "BODY" {
		t.Errorf("after a reload %s has the focus", got)
	}
	t.Run("the same again", func(t *testing.T) {
		r := newRig(t, nil)
		b.t = t
		s, materials := sample(t, record.Ready)
		id := r.put(s, materials)
		link := r.link(pagetoken.Review, id)
		b.open(link)
		b.waitStage("ready")
		b.eval(`document.querySelector('[data-action="decline"]').focus()`)
		_, code, _ := strings.Cut(link, "#")
		if a := r.do("POST", "/api/exchange", "", map[string]string{"kind": "review", "id": id,
			"code": code}); a.status != http.StatusConflict {
			t.Fatalf("%d", a.status)
		}
		b.waitText("opened twice")
		if got := b.eval("document.activeElement.dataset.action"); got != "decline" {
			t.Errorf("the focus went from the button to %s", got)
		}
	})
}

// TestBrowserMissingWallet opens a review whose wallet or account is not available. The page says
// so before the user clicks anything, until that changes.
func TestBrowserMissingWallet(t *testing.T) {
	inBrowser(t)
	j, first := newJob(t, lasting), newBrowser(t)
	j.useWallet(first, "honest")
	j.connect(first, "", "Test wallet")
	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	t.Run("until it comes", func(t *testing.T) {
		b := first.another()
		b.t = t
		b.inject(`(() => {
		  let late;
		  const app = 'wallet-standard:app-ready';
		  addEventListener(app, (event) => {
		    if (window.come) return;
		    late = event.detail;
		    event.stopImmediatePropagation();
		  });
		  window.comeNow = () => { window.come = true; dispatchEvent(new CustomEvent(app, { detail: late })); };
		})()`)
		j.useWallet(b, "honest")
		b.open(link)
		b.waitStage("ready")
		b.waitText("is not in this browser.")
		b.shots(screenshotDir(t), "no-wallet")
		b.eval("comeNow()")
		b.wait(`!document.querySelector('[data-problem="no-wallet"]').checkVisibility()`)
		if asked := b.eval("window.asked"); asked != "0" {
			t.Errorf("the wallet was asked %s times", asked)
		}
	})
	t.Run("without the account", func(t *testing.T) {
		b := first.another()
		b.t = t
		b.inject(fmt.Sprintf(walletScript, "0x"+strings.Repeat("9", 64), "honest"))
		b.open(j.link(pagetoken.Review, string(id)))
		b.waitText("You use this in another tab.")
		if b.visible(`[data-problem="no-account"]`) {
			t.Error("a page that cannot sign complains about the wallet")
		}
		b.click(`[data-action="continue"]`)
		b.waitText("Your wallet does not offer this account.")
	})
}

// TestBrowserHangs checks that, while the page waits for a prompt that has vanished, the user can
// say that nothing was signed.
func TestBrowserHangs(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	b.inject(hurried)
	j, b, id := readyTab(t, b, "hangs", lasting)
	b.click(`[data-part="sign"]`)
	b.waitText("Your wallet has not answered yet.")
	b.shots(screenshotDir(t), "hanging")
	b.clickText(`[data-action="unsigned"]`, "I did not sign")
	b.waitStage("refresh")
	if s := j.session(id); s.Releases[0].Outcome != record.OutcomeDeclined || s.Releases[0].Dead {
		t.Errorf("%s %+v", s.Status, s.Releases[0])
	}
}

// TestBrowserBrokenPrompt checks that the page offers "I did not sign" after an error of the
// wallet, and shows no technical terms of the program.
func TestBrowserBrokenPrompt(t *testing.T) {
	inBrowser(t)
	_, b, _ := readyPage(t, "breaks", lasting)
	b.click(`[data-part="sign"]`)
	b.says([]string{"Your wallet reported an error.", "If you did not sign, press the button", "I did not sign"},
		[]string{"wallet_provider_error", "signing_disconnected", "provider"})
	b.shots(screenshotDir(t), "wallet-error")
}

// TestBrowserLaterParts lets a part of the page arrive late, or never.
func TestBrowserLaterParts(t *testing.T) {
	inBrowser(t)
	r, b := newRig(t, nil), newBrowser(t)
	r.use(person, "Sandbox test wallet")
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	b.inject(edited + fmt.Sprintf(`;window.edit = (view) => {
	  if (view.id !== 'view' || window.drawn) return;
	  window.drawn = true;
	  for (const [name, path] of [['there', '/api/review/%[1]s/view'], ['none', '/api/review/%[1]s/none']]) {
	    const at = document.createElement('div');
	    Object.assign(at.dataset, { later: path, test: name });
	    view.append(at);
	  }
	}`, id))
	b.open(r.link(pagetoken.Review, id))
	b.wait(`document.querySelector('[data-test="there"] h1')?.checkVisibility()`)
	b.wait(`document.querySelector('[data-part="sign"]')?.ariaDisabled === 'false'`)
	if b.visible(`[data-test="none"]`) {
		t.Error("a part that never came takes a place")
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserConnectInUse opens the connect page while an account is in use. The page says what a
// choice does to that account before it lists the choices.
func TestBrowserConnectInUse(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.withWallet()
	identity, err := j.accounts.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Connect, identity.ID))
	b.waitText("An account is already in use")
	b.eval(`[...document.querySelectorAll('main details')].map((at) => { at.open = true; })`)
	b.says([]string{"An account is already in use", "Sandbox test wallet", "0x0881c075…1cb2e207",
		"your AI client switches to it", "It learns its address and the wallet’s name",
		"reads what is public about it", "It cannot sign, and it cannot move anything"}, []string{"nothing else"})
	if b.eval(`Boolean(document.querySelector('.in-use').compareDocumentPosition(document.querySelector('[data-part="wallets"]')) & 4)`) != "true" {
		t.Error("the choices come before what a choice replaces")
	}
	b.shots(screenshotDir(t), "connect-in-use")
}
