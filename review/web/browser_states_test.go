package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// headingOf finds the text that states a review's state: its verdict, or else its headline.
const headingOf = `(document.querySelector('#view [data-part="verdict"] > strong') ?? document.querySelector('main h1'))`

// heading returns the text that states the page's state, and its tone.
func (b *tab) heading() string {
	b.t.Helper()
	return b.eval(headingOf + `?.textContent + ' [' +
	  ['good', 'warn', 'bad'].filter((tone) => (document.querySelector('#view [data-part="verdict"]') ?? document.querySelector('#view .lead'))?.classList.contains(tone)).join(' ') + ']'`)
}

// same waits for a heading and its tone, reloads the page twice, and checks that both are
// unchanged. reloaded, if not nil, runs after the first reload.
func (b *tab) same(title, tone string, reloaded func()) {
	b.t.Helper()
	want := title + " [" + tone + "]"
	for i := range 3 {
		if i > 0 {
			b.do(chromedp.Reload())
		}
		b.wait(fmt.Sprintf(headingOf+`?.textContent.startsWith(%q)`, title))
		if got := b.heading(); got != want && !strings.HasPrefix(got, title) || !strings.HasSuffix(got, "["+tone+"]") {
			b.t.Errorf("after %d reloads the page says %s, want %s", i, got, want)
		}
		if i == 1 && reloaded != nil {
			reloaded()
		}
	}
}

// sameAsNow is same for the heading that the page has now.
func (b *tab) sameAsNow(reloaded func()) {
	b.t.Helper()
	title, tone, _ := strings.Cut(strings.TrimSuffix(b.heading(), "]"), " [")
	b.same(title, tone, reloaded)
}

// TestBrowserEveryStateReadsTheSame goes through every state of a review, and checks that heading
// and tone are the same right after the change and after each of two reloads.
func TestBrowserEveryStateReadsTheSame(t *testing.T) {
	inBrowser(t)
	dir := screenshotDir(t) // every state has its own browser, whose time is limited
	t.Run("opening", func(t *testing.T) {
		r, b := newRig(t, nil), newBrowser(t)
		b.inject(`(() => { const real = window.fetch; window.fetch = async (...all) => {
		  await new Promise((go) => { window.goOn = go; }); return real(...all); }; })()`)
		s, materials := sample(t, record.Ready)
		b.open(r.link(pagetoken.Review, r.put(s, materials)))
		b.waitText("Opening…")
		b.same(b.eval(`document.querySelector('main h1').textContent`), "", nil)
	})
	t.Run("work and ready", func(t *testing.T) {
		j, b := newJob(t, nil), newBrowser(t)
		j.house.Connect(sandbox.Account)
		j.house.Inject(sandbox.Fault{Kind: sandbox.Slow, Method: "SimulateTransaction", Milliseconds: 6000})
		_, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
		b.open(link)
		b.waitStage("work")
		b.sameAsNow(nil)
		j.house.Inject(sandbox.Fault{Kind: sandbox.ClearFaults})
		b.wait(`['ready', 'refresh'].includes(document.getElementById('view')?.dataset.stage)`)
		if b.eval(`document.getElementById('view').dataset.stage`) == "refresh" { // a slow node may be too slow
			b.click(`[data-action="refresh"]`)
		}
		b.waitStage("ready")
		b.sameAsNow(nil)
	})
	for _, c := range []struct{ name, manners, title, tone, stage string }{
		{"released, not known", "hangs", "Not known whether it was signed", "warn", "released"},
		{"declined in the wallet", "refuses", walletDeclined, "", "refresh"},
		{"wallet error", "breaks", "Your wallet reported an error. Not known whether it was signed", "warn", "released"},
		{"other bytes signed", "gas", changedLead, "bad", "released"},
		{"wrong signer", "zklogin", anotherSigned, "bad", "released"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, b, _ := readyPage(t, c.manners, nil)
			b.click(`[data-action="sign"]`)
			if c.manners == "hangs" {
				b.waitText("Confirm in your wallet.")
				b.do(chromedp.Reload())
			}
			b.waitStage(c.stage)
			b.same(c.title, c.tone, func() { b.pictures(dir, "state-"+strings.ReplaceAll(c.name, " ", "-")) })
			switch c.manners {
			case "hangs": // the prompt vanished, and the user said that nothing was signed
				b.clickText(`[data-action="decline"]`, "I did not sign")
				b.waitStage("refresh")
				b.same("Recorded as not signed. This program sent nothing.", "", func() { b.pictures(dir, "state-not-signed") })
			case "gas": // what a wallet did comes first, whatever happens later
				b.clickText(`[data-action="decline"]`, "I did not sign")
				b.waitStage("refresh")
				b.same(changedLead, "bad", nil)
			}
		})
	}
	t.Run("stored states", func(t *testing.T) { walkStored(t, newBrowser(t), dir) })
	t.Run("declined on the page", func(t *testing.T) {
		_, b, _ := readyPage(t, "honest", nil)
		b.click(`[data-action="decline"]`)
		b.same("You declined. Nothing was signed, and nothing was sent.", "", nil)
	})
	t.Run("results", func(t *testing.T) { walkResults(t, newBrowser(t), dir) })
}

// resting sets how the result of a review is known.
func resting(p record.Proof) func(*record.Session) {
	return func(s *record.Session) { s.Execution.Proved = &p }
}

// walkStored opens reviews stored in states that require a certain node, time or failure.
func walkStored(t *testing.T, b *tab, dir string) {
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	for _, c := range []struct {
		name, title, tone string
		status            record.Status
		edit              func(*record.Session)
	}{
		{"signed, pending", "Signed, waiting for the chain", "", record.SignedPendingResult,
			func(s *record.Session) { s.Execution.Submission = record.SubmissionNone }},
		{"sent, unanswered", "Signed, and not known whether it arrived", "warn", record.SignedPendingResult, nil},
		{"refused by a node", "Signed, and a node refused it", "warn", record.SignedPendingResult,
			func(s *record.Session) { s.Execution.Submission = record.SubmissionRefused }},
		{"failed on chain", "The chain ran it, and it failed. Only gas was spent.", "bad", record.Failure, nil},
		{"cannot execute", "It was never executed, and never can be", "bad", record.Failure, func(s *record.Session) {
			s.Execution = &record.Execution{Status: s.Status, FailureReason: record.FailureCannotExecute, FinalAt: time.Now(),
				Note: "It can never execute, and nothing was spent by it: its last epoch is over."}
		}},
		{"expired", "This review has expired", "warn", record.Expired, nil},
		{"blocked", "", "", record.Blocked, nil},
		{"refresh", "", "", record.RefreshRequired, nil},
		{"a receipt of an earlier version", "Swapped 10 SUI for 12.97 USDC", "", record.Success, nil},
		{"proved", "Swapped 10 SUI for 12.97 USDC", "good", record.Success, resting(record.Proof{State: record.Proved,
			Checkpoint: 20_958_462, Signers: 63, Members: 106})},
		{"told", "Swapped 10 SUI for 12.97 USDC", "", record.Success, resting(record.Proof{State: record.Reported,
			Reason: "this program's anchor is too old."})},
		{"not what was signed", "The node contradicts the validators. Do not trust its result.", "bad", record.Success,
			resting(record.Proof{State: record.Mismatched})},
		{"told, being checked", "Executed, as one node reports", "", record.SignedPendingResult, func(s *record.Session) {
			resting(record.Proof{State: record.ReportedNow})(s)
			s.Execution.Submission, s.Execution.Reported, s.Execution.Note = record.SubmissionWallet, true,
				s.Execution.Proof().Sentence()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			s, materials := sample(t, c.status)
			if c.edit != nil {
				c.edit(&s)
			}
			b.open(r.link(pagetoken.Review, r.put(s, materials)))
			look := func() { b.pictures(dir, "state-"+strings.ReplaceAll(c.name, " ", "-")) }
			if c.title == "" { // an action and a verdict
				b.waitStage(c.name)
				b.sameAsNow(look)
				return
			}
			b.same(c.title, c.tone, look)
		})
	}
}

// walkResults signs one action of every kind and checks what the page says about it.
func walkResults(t *testing.T, b *tab, dir string) {
	j := newJob(t, nil)
	b.t = t
	j.withWallet()
	sell := func(price string) plan.Intent {
		return plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: price,
			Quantity: "10"}}
	}
	number := ""
	for _, c := range []struct {
		name, title string
		in          func() plan.Intent
	}{
		{"swap", "Swapped 9.91 SUI for ", func() plan.Intent { return testkit.Swap("10", "SUI", "USDC") }},
		{"payment", "Sent 12.5 USDC", func() plan.Intent { return pay("12.5", "USDC", payee) }},
		{"manager", "Created a balance manager", func() plan.Intent { return plan.Intent{Type: "manager-create"} }},
		{"deposit", "Put 50 SUI into your balance manager", func() plan.Intent {
			return plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "50"}}
		}},
		{"order that waits", "Order placed: 10 SUI waits to be sold at 9.5 USDC per SUI",
			func() plan.Intent { return sell("9.5") }},
		{"cancelled order", "Order cancelled: 10 SUI will not be sold", func() plan.Intent {
			return plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"}, Own: plan.Own{"orderId": number}}
		}},
		{"order that fills", "Sold 10 SUI for ", func() plan.Intent { return sell("1.2") }},
		{"withdrawal", "Took 3 SUI out of your balance manager", func() plan.Intent {
			return plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "SUI", Amount: "3"}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			_, link := j.prepare(c.in())
			b.open(link)
			b.waitStage("ready")
			b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
			b.click(`[data-action="sign"]`)
			b.waitStage("success")
			b.same(c.title, "good", func() { b.pictures(dir, "result-"+strings.ReplaceAll(c.name, " ", "-")) })
			b.says(nil, []string{"Not kept", "Trades at once", "Ends When you cancel it"})
			number = b.eval(`[...document.querySelectorAll('.receipt .row')].find(at => at.textContent.startsWith('Order number'))?.querySelector('dd').textContent.trim() ?? ''`)
		})
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
