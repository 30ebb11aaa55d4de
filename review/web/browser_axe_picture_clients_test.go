//go:build clients

package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserAxePicture checks the review page with its drawings with axe-core.
func TestBrowserAxePicture(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	j.withWallet()
	_, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.open(link)
	b.waitStage("ready")
	b.wait(`document.querySelectorAll('[data-later] svg').length === 2`)
	b.accessible()
}
