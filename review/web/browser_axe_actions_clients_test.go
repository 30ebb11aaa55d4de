//go:build clients

package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/web"
)

// TestBrowserAxeActions lets axe-core judge reviews and receipts of actions that
// are no swaps, and a blocked payment.
func TestBrowserAxeActions(t *testing.T) {
	b := axeBrowser(t)
	j := newJob(t, nil)
	j.connect(b, "", "Sandbox test wallet")
	judge := func(name string, in review.Intent, sign bool) {
		t.Run(name, func(t *testing.T) {
			b.t = t
			_, link := j.prepare(in)
			b.open(link)
			b.waitStage("ready")
			b.accessible()
			if sign {
				b.click(`[data-action="sign"]`)
				b.waitStage("success")
				b.waitText("Kept")
				b.accessible()
			}
		})
	}
	judge("transfer", pay("12.5", "USDC", payee), true)
	judge("manager-create", review.Intent{Type: "manager-create"}, true)
	judge("manager-deposit", review.Intent{Type: "manager-deposit", From: review.IntentSource{Symbol: "SUI", Amount: "30"}}, true)
	sell := review.IntentOrder{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}
	judge("limit-order", review.Intent{Type: "limit-order", Order: &sell}, true)
	judge("manager-withdraw", review.Intent{Type: "manager-withdraw", To: review.IntentTarget{Symbol: "SUI", Amount: "3"}}, false)
	t.Run("an address that looks like another one", func(t *testing.T) {
		b.t = t
		_, link := j.prepare(pay("2", "SUI", payee[:8]+"ffff"+payee[12:]))
		b.open(link)
		b.waitText("Compare them")
		b.accessible()
	})
}

// TestBrowserAxeReceipt lets axe-core judge the receipt page, before and after the
// node was asked.
func TestBrowserAxeReceipt(t *testing.T) {
	b := axeBrowser(t)
	past := &pastNode{t: pastSample(t)}
	r := newRig(t, func(c *web.Config) { c.Receipts = past })
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
