package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

const changedLead = "Your wallet signed something else. This program sent nothing; what the wallet did is not known."

const anotherSigned = "Another account signed. This program sent nothing."

const walletDeclined = "Your wallet reports that you declined. This program sent nothing."

// waitHeading waits until the page's first heading has this text.
func (b *tab) waitHeading(words string) {
	b.t.Helper()
	b.wait(fmt.Sprintf(headingOf+"?.textContent === %q", words))
}

// visible reports whether an element exists and is visible.
func (b *tab) visible(selector string) bool {
	b.t.Helper()
	return b.eval(fmt.Sprintf("Boolean(document.querySelector(%q)?.checkVisibility())", selector)) == "true"
}

// TestBrowserAnotherAccountSigned lets a wallet sign with another zkLogin account. The page says
// which one, and offers a way out with and without a reload.
func TestBrowserAnotherAccountSigned(t *testing.T) {
	inBrowser(t)
	browser := newBrowser(t)
	wrong := func(t *testing.T) (*job, *tab, record.ID) {
		browser.t = t
		j, b, id := readyTab(t, browser.another(), "zklogin", nil)
		b.click(`[data-action="sign"]`)
		b.waitHeading(anotherSigned)
		b.waitText(testkit.ZkLoginAddress(5, true).String())
		if s := j.session(id); s.Status != record.Ready || s.Execution != nil ||
			s.Releases[0].Outcome != record.OutcomeSignerMismatch {
			t.Fatalf("%s %+v %q", s.Status, s.Execution, s.Releases[0].Outcome)
		}
		return j, b, id
	}
	t.Run("signs again with the right account", func(t *testing.T) {
		j, b, id := wrong(t)
		b.pictures(screenshotDir(t), "another-account")
		b.eval("window.mannersNow = 'honest'")
		b.click(`[data-action="resign"]`)
		b.waitStage("success")
		if s := j.session(id); s.Status != record.Success || len(s.Releases) != 1 {
			t.Errorf("%s, %d releases", s.Status, len(s.Releases))
		}
		if said := b.complaints(); len(said) > 0 {
			t.Error(said)
		}
	})
	t.Run("builds again after a reload", func(t *testing.T) {
		j, b, id := wrong(t)
		b.open(b.eval("location.href"))
		b.waitHeading(anotherSigned)
		if b.visible(`[data-action="resign"]`) {
			t.Error("a tab without the bytes offers to ask the wallet again")
		}
		b.pictures(screenshotDir(t), "another-account-reloaded")
		b.click(`[data-action="refresh"]`)
		b.waitStage("ready")
		b.eval("window.mannersNow = 'honest'")
		b.click(`[data-action="sign"]`)
		b.waitStage("success")
		if s := j.session(id); s.Status != record.Success || len(s.Releases) != 2 ||
			s.Releases[0].GasCoin != s.Releases[1].GasCoin {
			t.Errorf("%s, releases %+v", s.Status, s.Releases)
		}
	})
}

// TestBrowserWalletChanged lets a wallet return another transaction. The page says so first and in
// red, after a reload, and in every later state.
func TestBrowserWalletChanged(t *testing.T) {
	inBrowser(t)
	_, b, _ := readyPage(t, "gas", nil)
	b.click(`[data-action="sign"]`)
	b.waitHeading(changedLead)
	b.pictures(screenshotDir(t), "changed-transaction")
	b.open(b.eval("location.href"))
	b.waitHeading(changedLead)
	if b.eval(`document.querySelector('[data-part="verdict"]').classList.contains('bad')`) != "true" {
		t.Error("it is not said in red")
	}
	if b.visible(`[data-action="resign"]`) {
		t.Error("a wallet that changed the transaction is asked again")
	}
	b.click(`[data-action="refresh"]`)
	b.waitStage("ready")
	first := `document.querySelector('[data-part="verdict"]')`
	if got := b.eval(first + ".innerText"); !strings.Contains(got, changedLead) ||
		b.eval(first+".classList.contains('bad')") != "true" {
		t.Errorf("over the new figures the page says first: %s", got)
	}
	b.pictures(screenshotDir(t), "changed-transaction-ready")
	b.eval("window.mannersNow = 'honest'")
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	b.waitText(changedLead)
}

// TestBrowserDidNotSign says after a vanished prompt that nothing was signed, in the tab that asked
// and in one that took over.
func TestBrowserDidNotSign(t *testing.T) {
	inBrowser(t)
	browser := newBrowser(t)
	for name, other := range map[string]bool{"after a reload": false, "in another tab": true} {
		t.Run(name, func(t *testing.T) {
			browser.t = t
			j, b, id := readyTab(t, browser.another(), "hangs", nil)
			b.click(`[data-action="sign"]`)
			b.waitText("Confirm in your wallet.")
			if other {
				b = b.another()
				b.open(j.link("review", string(id)))
				b.click(`[data-action="continue"]`)
			} else {
				b.open(b.eval("location.href"))
			}
			b.waitHeading("Not known whether it was signed")
			b.clickText(`[data-action="decline"]`, "I did not sign")
			b.waitStage("refresh")
			s := j.session(id)
			if s.Status != record.RefreshRequired || s.Releases[0].Outcome != record.OutcomeDeclined || s.Releases[0].Dead {
				t.Errorf("%s %+v", s.Status, s.Releases[0])
			}
			b.click(`[data-action="refresh"]`)
			b.waitStage("ready")
			if again := j.session(id); again.Facts.Gas.Payment[0] != s.Releases[0].GasCoin {
				t.Error("the new transaction does not exclude the released one")
			}
		})
	}
}

// TestBrowserAsksAgain asks a wallet again, after an error, for the same bytes, which the tab still
// has.
func TestBrowserAsksAgain(t *testing.T) {
	inBrowser(t)
	j, b, id := readyPage(t, "breaks", nil)
	b.click(`[data-action="sign"]`)
	b.waitText("Your wallet reported an error.")
	b.eval("window.mannersNow = 'late'")
	b.click(`[data-action="resign"]`)
	b.waitText("Confirm in your wallet.")
	b.pictures(screenshotDir(t), "asking-again")
	b.eval("answerNow()")
	b.waitStage("success")
	if s := j.session(id); len(s.Releases) != 1 || b.eval("window.asked") != "2" {
		t.Errorf("%d releases, asked %s times", len(s.Releases), b.eval("window.asked"))
	}
}

// TestBrowserTooOldOnTheWay lets a minute pass while the bytes are on their way to the page. The
// wallet is not asked.
func TestBrowserTooOldOnTheWay(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	b.inject(`(() => {
	  const real = window.fetch;
	  window.fetch = async (path, options) => {
	    const answer = await real(path, options);
	    if (String(path).endsWith('/handoff')) {
	      const now = Date.now;
	      Date.now = () => now() + 63000;
	    }
	    return answer;
	  };
	})()`)
	j, b, id := readyTab(t, b, "honest", nil)
	b.click(`[data-action="sign"]`)
	b.waitText("The price became too old.")
	if asked := b.eval("window.asked"); asked != "0" {
		t.Errorf("the wallet was asked %s times", asked)
	}
	if s := j.session(id); s.Status != record.RefreshRequired || s.Releases[0].Outcome != record.OutcomeDeclined {
		t.Errorf("%s %q", s.Status, s.Releases[0].Outcome)
	}
}
