package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestBrowserBundle signs one transaction with the test wallet, which swaps coins and sends the
// result to another account.
func TestBrowserBundle(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	const alice = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
	in := plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{
		{Type: "swap", Protocol: "deep", From: plan.IntentSource{Symbol: "SUI", Amount: "10"},
			To: plan.IntentTarget{Symbol: "USDC"}, MaxSlippageBps: 50},
		{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: alice},
	}}
	j.show(b, dir, "bundle", in, "Swap up to 10 SUI for at least", "Send all USDC of step 1, at least", "Step by step",
		"either all of them happen, or none", "Leaves your account at most 10 SUI",
		"Goes on to step 2", "all USDC that step 1 results in: at least", "Somebody else gets at least", "Paid to")
	j.signed(b, dir, "bundle", "Step 1: 9.9", "went on to step 2", "Step 2: took all that step 1 resulted in")
	half := plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{
		{Type: "swap", Protocol: "deep", From: plan.IntentSource{Symbol: "SUI", Amount: "20"},
			To: plan.IntentTarget{Symbol: "USDC"}, MaxSlippageBps: 50},
		{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1, Share: "1/2"}, Recipient: alice},
	}}
	// The amount is a result, which could equal the payment that Alice just got.
	j.showAgain(b, dir, "bundle-share", half, 1, "Swap up to 20 SUI for at least", "of step 1 to",
		"a part of the USDC that step 1 results in: exactly", "Goes on to step 2",
		"Arrives in your account at least", "1/2 of the USDC that step 1 results in")
	j.signed(b, dir, "bundle-share", "went on to step 2", "Step 2: took a part of what step 1 resulted in")
	j.bundled()
	j.showAgain(b, dir, "bundle-parts", in, 2, "You can sign each step separately instead")
	b.click(`[data-action="steps"]`)
	b.waitText("the USDC of step 1, in 2 steps")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserHomeBundle checks that a bundle appears on the home page without a reload, and opens
// its page from there.
func TestBrowserHomeBundle(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	svc := j.bundled()
	j.house.Connect(sandbox.Account)
	b := newBrowser(t)
	b.open(j.link(pagetoken.Home, pagetoken.HomeSubject))
	b.says([]string{"Nothing needs you"}, nil)
	if _, err := svc.Ask(t.Context(), "Two payments", false,
		stepsOf(payOf("1", stepAlice), payOf("2", stepBob))); err != nil {
		t.Fatal(err)
	}
	b.says([]string{"1 thing needs you", "Called “Two payments”. The requester’s words, not checked."}, nil)
	b.pictures(screenshotDir(t), "home-bundle")
	b.click(`main a[href^="/bundle/"]`)
	b.waitText("2 SUI, in 2 steps")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
