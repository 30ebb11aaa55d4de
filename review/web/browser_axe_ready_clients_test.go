//go:build clients

package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// TestBrowserAxeReady lets axe-core judge every page before a signature, closed and
// with every fold open.
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
