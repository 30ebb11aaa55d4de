package web_test

import (
	"context"
	"crypto/rand"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/plan"
)

// bundled serves pages with bundles, and carries these on until the test ends.
func (j *job) bundled() *request.Service {
	j.t.Helper()
	svc := request.New(request.Config{Store: j.db, Make: j.reviews, Active: j.active, Hub: j.hub, Now: j.house.Clock.Now, Rand: rand.Reader})
	j.server.Shutdown(context.Background())
	j.host = "" // another port
	j.serve(func(c *config) { j.sandboxed(c); c.Bundles = svc })
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); svc.Run(ctx, func(err error) { j.t.Log(err) }) }()
	j.t.Cleanup(func() { stop(); <-done })
	return svc
}

// stepsOf are steps as an AI client asks for them.
func stepsOf(list ...plan.Intent) (out []request.Wanted) {
	for i, in := range list {
		out = append(out, request.Wanted{ID: string(rune('a' + i)), Sequence: int64(i), Chain: "Sui", Intent: in, Wait: true, Timeout: request.DefaultReceipt})
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

// TestBrowserSteps approves a bundle of two steps and signs both with the test wallet, each
// on its own page, led by the page of the bundle.
func TestBrowserSteps(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.connect(b, "", "Sandbox test wallet")
	if err := j.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: stepAlice}
	made, err := svc.Ask(t.Context(), "Swap, then send it to Alice", false, stepsOf(testkit.Swap("10", "SUI", "USDC"), fed))
	if err != nil {
		t.Fatal(err)
	}
	page := b.another()
	page.open(j.link(pagetoken.Bundle, string(made.ID)))
	t.Run("R000-23 R000-37 R000-46 the page of the approval says all of it", func(t *testing.T) {
		for _, words := range []string{"Approve 2 transactions, one after another?", "Swap, then send it to Alice", "Swap 10 SUI to USDC", "all USDC that step 1 results in",
			"Until then this step cannot be simulated", "Leaves your account at most", "10 SUI", "all USDC that step 1 brings", "Paid in step 2", "0x5afe",
			"Type its password there alone"} {
			page.waitText(words)
		}
	})
	page.pictures(dir, "steps-fresh")
	console := b.another()
	console.open(j.link(pagetoken.Console, j.db.Bus(t.Context())))
	console.waitText("Approve 2 transactions, one after another?")
	console.pictures(dir, "steps-console")
	page.click(`[data-action="approve"]`)
	page.waitStage("ready") // the first step, in the same tab
	page.pictures(dir, "steps-review")
	console.waitText("0 of 2 done")
	console.waitText("1. Swap 10 SUI to USDC, at most 0.5% below the quote: Ready for you")
	console.pictures(dir, "steps-console-running")
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.waitText("Step 1 of 2 is ready for you")
	b.pictures(dir, "steps-running")
	page.click(`[data-action="sign"]`)
	page.waitStage("success")
	page.click(`[data-action="bundle"]`) // on to the next step
	page.waitStage("ready")
	b.waitText("Step 2 of 2 is ready for you")
	page.click(`[data-action="sign"]`)
	page.waitStage("success")
	page.waitText("Go on")
	page.pictures(dir, "steps-review-done")
	b.waitText("Both steps are done")
	b.waitText("Swapped 9.9")
	b.pictures(dir, "steps-done")
	b.do(chromedp.Reload())
	b.waitText("Both steps are done")
	got, err := svc.Get(t.Context(), made.ID)
	if err != nil || got.State != request.Completed {
		t.Errorf("%v: %s %+v", err, got.State, got.Steps)
	}
	page.click(`[data-action="bundle"]`)
	page.waitText("Both steps are done")
	console.waitText("Sign transaction bundle is done")
	for _, tab := range []*tab{b, page, console} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}

// TestBrowserStepsStopped declines a step, and is asked before the same is done again.
func TestBrowserStepsStopped(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.connect(b, "", "Sandbox test wallet")
	j.house.Settle(j.house.Ready(payOf("2", stepBob)))
	made, err := svc.Ask(t.Context(), "", false, stepsOf(payOf("1", stepAlice), payOf("1", stepAlice), payOf("2", stepBob)))
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
	page.waitStage("ready")
	page.click(`[data-action="bundle"]`) // see all steps
	page.waitText("Step 1 of 3 is ready for you")
	page.click(`[data-action="open"]`)
	page.waitStage("ready")
	page.click(`[data-action="decline"]`)
	page.waitStage("failure")
	page.click(`[data-action="bundle"]`)
	page.waitText("Stopped at step 1 of 3")
	page.waitText("You declined, here or in your wallet.")
	page.waitText("Nothing was done. Later steps were not begun.")
	page.waitText("Paid in step 1 and step 2")
	page.pictures(dir, "steps-stopped")
	if said := page.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserStepsAtOnce has all steps signed as one transaction, chosen on the page.
func TestBrowserStepsAtOnce(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.connect(b, "", "Sandbox test wallet")
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
	page.click(`[data-mode="atomic"]`)
	page.waitText("Prepare one transaction of 2 steps?")
	late.waitText("All steps are one transaction with one signature")
	page.pictures(dir, "steps-at-once-fresh")
	page.click(`[data-mode="steps"]`)
	page.waitText("Approve 2 transactions, one after another?")
	page.click(`[data-mode="atomic"]`)
	page.waitText("Prepare one transaction of 2 steps?")
	page.click(`[data-action="approve"]`)
	page.waitStage("ready")
	page.waitText("All 2 steps in one transaction, as you chose")
	b.open(j.link(pagetoken.Bundle, string(made.ID)))
	b.waitText("The transaction is ready for you")
	b.pictures(dir, "steps-at-once-running")
	page.click(`[data-action="sign"]`)
	page.waitStage("success")
	b.waitText("Both steps are done")
	b.waitText("Sent 1")
	b.pictures(dir, "steps-at-once-done")
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

// TestBrowserStepsClicks counts what a person clicks for three payments, in one tab.
func TestBrowserStepsClicks(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	b := newBrowser(t)
	j.connect(b, "", "Sandbox test wallet")
	for _, c := range []struct {
		name  string
		steps []plan.Intent
		do    []string // what is clicked, in order
		most  int
	}{
		{"one signature for each step", []plan.Intent{payOf("1", stepAlice), payOf("2", stepAlice), payOf("3", stepBob)},
			[]string{"approve", "sign", "bundle", "sign", "bundle", "sign"}, 7},
		{"one signature for all of it", []plan.Intent{payOf("4", stepAlice), payOf("5", stepAlice), payOf("6", stepBob)},
			[]string{"mode", "approve", "sign"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			made, err := svc.Ask(t.Context(), "", false, stepsOf(c.steps...))
			if err != nil {
				t.Fatal(err)
			}
			page := b.another()
			page.open(j.link(pagetoken.Bundle, string(made.ID)))
			for _, action := range c.do {
				switch action {
				case "mode":
					page.click(`[data-mode="atomic"]`)
					page.waitText("Prepare one transaction of 3 steps?")
				case "sign":
					page.waitStage("ready")
					page.click(`[data-action="sign"]`)
					page.waitStage("success")
				default:
					page.click(`[data-action="` + action + `"]`)
				}
			}
			j.until(svc, made.ID, func(b request.Request) bool { return b.State == request.Completed })
			if len(c.do) > c.most {
				t.Errorf("%d clicks", len(c.do))
			}
			if said := page.complaints(); len(said) > 0 {
				t.Error(said)
			}
		})
	}
}
