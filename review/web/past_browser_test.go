package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestBrowserPastPictures opens the page of past transactions at both widths: one that succeeded,
// one that failed, and one about which nothing more is reported.
func TestBrowserPastPictures(t *testing.T) {
	inBrowser(t)
	dir := screenshotDir(t)
	past := &pastNode{t: pastSample(t)}
	r := newRig(t, func(c *config) { c.Receipts = past })
	b := newBrowser(t)
	look := func(name, words string, edit func(*sui.PastTransaction)) {
		t.Helper()
		past.t = pastSample(t)
		edit(&past.t)
		b.open(r.origin + "/receipt/" + sampleDigest(t))
		b.click(`[data-action="look"]`)
		b.waitText(words)
		b.eval(`[...document.querySelectorAll('details')].map((at) => { at.open = true; })`)
		b.pictures(dir, "past-"+name)
	}
	look("success", "The chain executed it", func(*sui.PastTransaction) {})
	look("failure", "only gas was spent", func(p *sui.PastTransaction) {
		p.Status, p.Failure = sui.PastFailed, &sui.PastFailure{Message: "MoveAbort",
			Abort: &sui.MoveAbort{Package: sui.MustAddress("0x2"), Module: "pool", Function: "swap", Code: 12, Command: 2}}
	})
	look("untold", "contradicts what the transaction cost", func(p *sui.PastTransaction) {
		p.Balances, p.BalancesRefused = sui.Listed[sui.PastBalance]{}, true
		p.Objects, p.Events, p.Gas = sui.Listed[sui.PastObject]{}, sui.Listed[sui.PastEvent]{}, nil
	})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
