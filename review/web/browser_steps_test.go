package web_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// bundled serves pages with bundles, which progress until the test ends.
func (j *job) bundled() *request.Service {
	j.t.Helper()
	svc := request.New(request.Config{Store: j.db, Make: j.reviews, Active: j.active, Hub: j.hub, Now: j.house.Clock.Now,
		Rand: rand.Reader})
	j.server.Shutdown(context.Background())
	j.host = "" // use another port
	j.serve(func(c *config) { j.sandboxed(c); c.Bundles = svc })
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); svc.Run(ctx, func(err error) { j.t.Log(err) }) }()
	j.t.Cleanup(func() { stop(); <-done })
	return svc
}

// stepsOf returns steps as an AI client requests them.
func stepsOf(list ...plan.Intent) (out []request.Wanted) {
	for i, in := range list {
		out = append(out, request.Wanted{ID: string(rune('a' + i)), Sequence: int64(i), Chain: "Sui", Intent: in, Wait: true,
			Timeout: request.DefaultReceipt})
	}
	return out
}

const (
	stepAlice = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
	stepBob   = "0x5afe0000000000000000000000000000000000000000000000000000000000bb"
)

func payOf(amount, to string) plan.Intent {
	return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", Amount: amount}, Recipient: to}
}

// waitStep waits until the review on the page of its bundle is in a stage.
func (b *tab) waitStep(stage string) {
	b.t.Helper()
	b.wait(fmt.Sprintf("document.getElementById('step')?.dataset.stage === %q", stage))
}

// stepTitle is the headline of the step that is open on the page of its bundle.
const stepTitle = `document.querySelector("#step .headline").textContent.replace(/\s+/g, " ")`

// TestBrowserSteps approves a bundle of two steps and signs both with the test wallet on the page
// of the bundle. Another tab follows.
func TestBrowserSteps(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	if err := j.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: stepAlice}
	made, err := svc.Ask(t.Context(), "Swap, then send it to Alice", false, stepsOf(testkit.Swap("10", "SUI", "USDC"),
		fed))
	if err != nil {
		t.Fatal(err)
	}
	page := b.another()
	page.open(j.link(pagetoken.Bundle, string(made.ID)))
	t.Run("R000-23 R000-37 R000-46 the page of the approval says all of it", func(t *testing.T) {
		page.unfoldBundle()
		for _, words := range []string{"Spend up to 10 SUI and pay 0x5afe 0000 … 0000 00aa the USDC of step 1, in 2 steps",
			"Swap, then send it to Alice", "Swap 10 SUI to USDC",
			"all USDC that step 1 results in", "Until then this step cannot be simulated", "Leaves, at most 10 SUI",
			"all USDC that step 1 brings", "Paid in step 2",
			"0x5afe", "Enter a password only in your wallet"} {
			page.waitText(words)
		}
	})
	page.pictures(dir, "steps-fresh")
	console := b.another()
	console.open(j.link(pagetoken.Console, j.db.Bus(t.Context())))
	console.waitText("in 2 steps")
	console.pictures(dir, "steps-console")
	page.click(`[data-action="approve"]`)
	page.waitStep("ready") // the first step is on the same page
	page.waitText("Step 1 of 2 needs you")
	page.wait(`document.activeElement.matches('#step .headline')`)
	page.pictures(dir, "steps-review")
	console.waitText("0 of 2 done")
	console.waitText("1. Swap 10 SUI to USDC, at most 0.5% below the quote: Ready for you")
	console.pictures(dir, "steps-console-running")
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.waitText("Use it here")
	b.waitText("Step 1 of 2 needs you")
	if b.visible(`[data-action="sign"]`) {
		t.Error("a tab that looks on can sign")
	}
	page.click(`[data-action="sign"]`)
	b.waitText("Step 2 of 2 needs you")
	page.waitText("Step 2 of 2 needs you")
	page.waitStep("ready")
	page.wait(`document.activeElement.matches('#step .headline') && ` + stepTitle + `.startsWith('Step 2 of 2: Send')`)
	page.waitText("Swapped 9.9")
	page.waitText("more than guaranteed")
	page.pictures(dir, "steps-middle")
	page.click(`[data-action="sign"]`)
	page.waitText("Both steps are done")
	page.waitStep("success")
	page.pictures(dir, "steps-done")
	b.waitText("Both steps are done")
	b.waitText("Swapped 9.9")
	b.do(chromedp.Reload())
	b.waitText("Both steps are done")
	got, err := svc.Get(t.Context(), made.ID)
	if err != nil || got.State != request.Completed {
		t.Errorf("%v: %s %+v", err, got.State, got.Steps)
	}
	page.do(chromedp.Reload())
	page.waitStep("success") // the last receipt remains visible
	console.waitText("Sign transaction bundle is done")
	for _, tab := range []*tab{b, page, console} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}

// unfoldBundle opens the folds on the page of a bundle.
func (b *tab) unfoldBundle() {
	b.t.Helper()
	b.wait(`document.querySelector('[data-part="limits"]')`)
	b.eval(`document.querySelectorAll('.bundled details').forEach((at) => { at.open = true; })`)
}

// TestBrowserStepsStopped declines a step, and is then asked before repeating it.
func TestBrowserStepsStopped(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.house.Settle(j.house.Ready(payOf("2", stepBob)))
	j.withWallet()
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("1", stepAlice),
		payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	page := b.another()
	page.open(j.link(pagetoken.Bundle, string(made.ID)))
	page.waitText("2 × Send 1 SUI")
	page.waitText("it was done less than 10 minutes ago")
	if page.eval(`document.querySelector('[data-action="approve"]').disabled`) != "true" {
		t.Error("what was just done is done again without a tick")
	}
	page.pictures(dir, "steps-again")
	page.click(`[data-accept]`)
	page.click(`[data-action="approve"]`)
	page.waitStep("ready")
	page.waitText("If you stop, nothing happens.")
	page.click(`[data-action="sign"]`)
	page.waitText("Step 2 of 3 needs you")
	page.waitStep("ready")
	page.waitText("Stopping keeps step 1. Steps 2 and 3 will not happen.")
	page.click(`[data-action="decline"]`)
	page.waitText("Stopped at step 2 of 3")
	page.waitText("You declined. Nothing was signed, and nothing was sent.")
	page.waitText("Confirmed steps stay. Later steps were not begun.")
	page.waitText("Paid in step 1 and step 2")
	if page.visible(".bundled .bad") {
		t.Error("a decline is red")
	}
	page.pictures(dir, "steps-stopped")
	if said := page.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserStepFails lets a step fail on chain. The rest does not start, and the page says why.
func TestBrowserStepFails(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), testkit.Swap("10", "SUI", "USDC"),
		payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	page := b.another()
	page.open(j.link(pagetoken.Bundle, string(made.ID)))
	page.click(`[data-action="approve"]`)
	page.waitStep("ready")
	page.click(`[data-action="sign"]`)
	page.waitText("Step 2 of 3 needs you")
	page.waitStep("ready")
	j.house.Inject(sandbox.Fault{Kind: sandbox.ShiftPrice, Pool: "SUI_USDC", BasisPoints: -500})
	page.click(`[data-action="sign"]`)
	page.waitText("Stopped at step 2 of 3")
	page.waitStep("failure")
	page.waitText("Only gas was spent.")
	page.pictures(dir, "steps-failed")
	if got, err := svc.Get(t.Context(), made.ID); err != nil || got.Steps[0].State != request.Confirmed ||
		got.Steps[1].State != request.Failed ||
		got.Steps[2].State != request.Waiting {
		t.Errorf("%v: %+v", err, got.Steps)
	}
	if said := page.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserStepReloaded reloads the page while the wallet is asked, and takes it over in another
// tab. Both show the released transaction.
func TestBrowserStepReloaded(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	j.useWallet(b, "hangs")
	j.connect(b, "", "Test wallet")
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.click(`[data-action="approve"]`)
	b.waitStep("ready")
	b.click(`[data-action="sign"]`)
	b.waitText("Confirm in your wallet.")
	digest := b.eval(`document.querySelector('[data-part="digest-text"]').textContent`)
	b.do(chromedp.Reload())
	b.waitStep("released")
	other := b.another()
	j.useWallet(other, "honest")
	other.open(j.link(pagetoken.Bundle, string(made.ID)))
	other.click(`[data-action="continue"]`)
	other.waitStep("released")
	b.waitText("Use it here")
	b.wait(`document.getElementById('step') === null`)
	other.click(`[data-action="refresh"]`) // built again so that only one of the two can execute
	other.waitStep("ready")
	if !other.visible(`[data-part="steps"]`) && other.eval(`document.getElementById('step').dataset.commitment`) == "" {
		t.Error("nothing is to be signed")
	}
	other.click(`[data-action="sign"]`)
	other.waitText("Step 2 of 2 needs you")
	b.waitText("Step 2 of 2 needs you")
	got, err := svc.Get(t.Context(), made.ID)
	if err != nil || got.Steps[0].State != request.Confirmed || got.Steps[0].TxHash == digest {
		t.Errorf("%v: %+v", err, got.Steps[0])
	}
	for _, tab := range []*tab{b, other} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}

// TestBrowserStepEndsBeforeItsWallet settles a step while the wallet that executed it has not
// answered. After the answer, the page shows the next step.
func TestBrowserStepEndsBeforeItsWallet(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	j.useWallet(b, "executesLate")
	j.connect(b, "", "Test wallet")
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("2", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.click(`[data-action="approve"]`)
	b.waitStep("ready")
	b.click(`[data-action="sign"]`)
	b.waitText("Step 2 of 2 needs you")
	b.wait(stepTitle + `.startsWith('Step 1 of 2')`) // the wallet can still be read
	b.eval("window.answerNow()")
	b.wait(stepTitle + `.startsWith('Step 2 of 2')`)
	b.waitStep("ready")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserStepsOfASession opens a bundle in two tabs of one session. The newest one is active,
// and the other follows.
func TestBrowserStepsOfASession(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	j.withWallet()
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("2", stepBob), payOf("3", stepBob)))
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.click(`main a[href^="/bundle/"]`)
	b.click(`[data-action="approve"]`)
	b.waitStep("ready")
	b.click(`[data-action="sign"]`)
	b.waitText("Step 2 of 3 needs you")
	b.waitStep("ready")
	b.wait(`document.activeElement.matches('#step .headline')`)
	other := b.another()
	other.open(j.origin + "/bundle/" + string(made.ID))
	other.waitStep("ready")
	b.waitText("Use it here")
	b.wait(`document.getElementById('step') === null`)
	other.click(`[data-action="sign"]`)
	b.waitText("Step 3 of 3 needs you")
	b.click(`[data-action="continue"]`)
	b.waitStep("ready")
	other.waitText("Use it here")
	b.click(`[data-action="sign"]`)
	b.waitText("All 3 steps are done")
	other.waitText("All 3 steps are done")
	for _, tab := range []*tab{b, other} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}

// TestBrowserStepsAtOnce signs all steps as one transaction, after choosing that on the page.
func TestBrowserStepsAtOnce(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: stepAlice}
	made, err := svc.Ask(t.Context(), "Swap, then send it to Alice", false,
		stepsOf(testkit.Swap("10", "SUI", "USDC"), fed))
	if err != nil {
		t.Fatal(err)
	}
	page, late := b.another(), b.another()
	page.open(j.link(pagetoken.Bundle, string(made.ID)))
	page.waitText("How you sign")
	late.open(j.link(pagetoken.Bundle, string(made.ID)))
	late.waitText("Use it here")
	if first := page.eval(`document.querySelector('[data-mode]').dataset.mode`); first != "atomic" {
		t.Errorf("%s is offered first", first)
	}
	page.click(`[data-mode="atomic"]`)
	page.waitText("in one transaction of 2 steps")
	late.waitText("in one transaction of 2 steps")
	page.pictures(dir, "steps-at-once-fresh")
	page.click(`[data-mode="steps"]`)
	page.waitText(", in 2 steps")
	page.click(`[data-mode="atomic"]`)
	page.waitText("in one transaction of 2 steps")
	page.click(`[data-action="approve"]`)
	page.waitStep("ready")
	page.waitText("The transaction needs you")
	page.pictures(dir, "steps-at-once-running")
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.waitText("The transaction needs you")
	page.click(`[data-action="sign"]`)
	page.waitStep("success")
	page.waitText("Both steps are done")
	page.pictures(dir, "steps-at-once-done")
	b.waitText("Both steps are done")
	b.waitText("Sent 1")
	got, err := svc.Get(t.Context(), made.ID)
	if err != nil || got.State != request.Completed || got.Steps[0].TxHash == "" ||
		got.Steps[0].TxHash != got.Steps[1].TxHash {
		t.Errorf("%v: %s %+v", err, got.State, got.Steps)
	}
	for _, tab := range []*tab{b, page, late} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}

// TestBrowserStepsClicks counts the user's clicks for three payments in a single tab on the page of
// the bundle.
func TestBrowserStepsClicks(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	j.house.Settle(j.house.Ready(payOf("0.5", stepAlice))) // the recipient was paid before, so no check is needed
	j.house.Settle(j.house.Ready(payOf("0.6", stepBob)))
	j.withWallet()
	for _, c := range []struct {
		name  string
		steps []plan.Intent
		do    []string // elements to click, in order
		most  int
	}{
		{"one signature for each step", []plan.Intent{payOf("1", stepAlice), payOf("2", stepAlice), payOf("3", stepBob)},
			[]string{"approve", "sign 1", "sign 2", "sign 3"}, 7},
		{"one signature for all of it", []plan.Intent{payOf("4", stepAlice), payOf("5", stepAlice), payOf("6", stepBob)},
			[]string{"mode", "approve", "sign 0"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, err := svc.Ask(t.Context(), "", false, stepsOf(c.steps...))
			if err != nil {
				t.Fatal(err)
			}
			page := b.another()
			page.size(390, 844)
			page.open(j.link(pagetoken.Bundle, string(made.ID)))
			clicks := 0
			click := func(selector string) {
				clicks++
				page.enter(selector) // on a phone, the tabs cover the element to which the page scrolls
			}
			for _, action := range c.do {
				what, step, _ := strings.Cut(action, " ")
				switch {
				case what == "mode":
					page.waitText("How you sign")
					page.wordBudget(t, "a bundle of 3 steps to approve", 160)
					click(`[data-mode="atomic"]`)
					page.waitText("in one transaction of 3 steps")
				case step == "0":
					page.waitStep("ready")
					click(`[data-action="sign"]`)
				case what == "sign":
					page.waitText("Step " + step + " of 3 needs you")
					page.waitStep("ready")
					page.wait(stepTitle + `.startsWith('Step ` + step + ` of 3')`)
					page.wordBudget(t, "a bundle at step "+step, 160)
					click(`[data-action="sign"]`)
				default:
					click(`[data-action="` + action + `"]`)
				}
			}
			page.waitText("All 3 steps are done")
			page.waitStep("success")
			if at := page.eval("location.pathname"); at != "/bundle/"+string(made.ID) {
				t.Errorf("the last receipt is on %s", at)
			}
			j.until(svc, made.ID, func(b request.Request) bool { return b.State == request.Completed })
			if clicks > c.most {
				t.Errorf("%d clicks", clicks)
			}
			t.Logf("%s: %d clicks", c.name, clicks)
			if said := page.complaints(); len(said) > 0 {
				t.Error(said)
			}
		})
	}
}
