//go:build clients

package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
)

// TestBrowserAxeActions checks reviews and receipts of actions other than swaps, and a blocked
// payment, with axe-core.
func TestBrowserAxeActions(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	j := newJob(t, lasting)
	j.withWallet()
	// judge checks a review and its receipt with axe-core and with the Tab key. It returns the
	// value that the receipt shows next to a name.
	judge := func(name string, in plan.Intent, told string) (value string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			b.t = t
			_, link := j.prepare(in)
			b.open(link)
			b.waitStage("ready")
			b.accessible()
			b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
			b.keyed()
			b.click(`[data-action="sign"]`)
			b.waitStage("success")
			b.waitText("Kept")
			b.accessible()
			b.keyed()
			if told != "" {
				value = b.eval(fmt.Sprintf(`[...document.querySelectorAll('.receipt .row')].find(at => at.textContent.startsWith(%q)).querySelector('dd').textContent.trim()`, told))
			}
		})
		return value
	}
	judge("transfer", pay("12.5", "USDC", payee), "")
	judge("manager-create", plan.Intent{Type: "manager-create"}, "")
	judge("manager-deposit", plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "30"}},
		"")
	sell := plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}
	number := judge("limit-order", plan.Intent{Type: "limit-order", Order: &sell}, "Order number")
	judge("cancel-order", plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
		Own: plan.Own{"orderId": number}}, "")
	judge("manager-withdraw", plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "SUI", Amount: "3"}}, "")
	t.Run("an address that looks like another one", func(t *testing.T) {
		b.t = t
		_, link := j.prepare(pay("2", "SUI", payee[:8]+"ffff"+payee[12:]))
		b.open(link)
		b.waitText("Compare all characters, not just the ends")
		b.accessible()
	})
}

// TestBrowserAxeElsewhere checks a swap on FlowX and a proposal with axe-core.
func TestBrowserAxeElsewhere(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	j := onFlowX(t)
	j.withWallet()
	_, link := j.prepare(swapOnFlowX("10", "SUI", "USDC"))
	b.open(link)
	b.waitStage("ready")
	b.accessible()
	r := proposing(t)
	s, err := r.reviews.PrepareProposal(t.Context(), proposed(time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	b.open(r.link(pagetoken.Review, string(s.ID)))
	b.waitText("Somebody’s proposal, to be read")
	b.accessible()
}

// TestBrowserAxeReceipt checks the receipt page with axe-core, before and after querying the node.
func TestBrowserAxeReceipt(t *testing.T) {
	inBrowser(t)
	b := newBrowser(t)
	past := &pastNode{t: pastSample(t)}
	r := newRig(t, func(c *config) { c.Receipts = past })
	b.open(r.origin + "/receipt/" + sampleDigest(t))
	b.waitText("Show what happened")
	b.accessible()
	b.click(`[data-action="look"]`)
	b.waitText("The chain executed it")
	b.eval(`[...document.querySelectorAll('details')].map((at) => { at.open = true; })`)
	b.accessible()
	past.none = true
	b.click(`[data-action="look"]`)
	b.waitText("This node does not have it")
	b.accessible()
	b.open(r.origin + "/receipt/none")
	b.waitText("This is not the digest")
	b.accessible()
}
