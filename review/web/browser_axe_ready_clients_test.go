//go:build clients

package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// TestBrowserAxeReady checks every page before a signature with axe-core, with all folds closed and
// all open.
func TestBrowserAxeReady(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	b := newBrowser(t)
	for _, c := range readyCases() {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			s, materials := sample(t, c.status)
			c.change(&s)
			b.open(r.link(pagetoken.Review, r.putOpened(s, materials)))
			b.says(c.must, nil)
			b.eval(`document.querySelectorAll('details').forEach((at) => { at.open = true; })`)
			b.accessible()
		})
	}
}
