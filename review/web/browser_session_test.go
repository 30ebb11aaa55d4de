package web_test

import (
	"fmt"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestBrowserSession checks that, after the user's own link, every tab of the browser opens all
// pages by their plain addresses, the newest tab of a page is active, and one stream serves all
// tabs.
func TestBrowserSession(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Sandbox test wallet")
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Review, id))
	b.wait(`document.body.dataset.session === 'one' && document.getElementById('view')`)
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.wait(`document.body.dataset.session === 'wide' && document.getElementById('view')`)
	b.click(`nav a[href="/book"]`)
	b.waitText("Add a name")
	b.open(r.origin + "/review/" + id)
	b.waitText("Sign in Sandbox")
	second := b.another()
	second.open(r.origin + "/review/" + id)
	second.waitText("Sign in Sandbox")
	b.waitText("You use this in another tab.")
	home := b.another()
	home.open(r.origin + "/")
	home.wait(`document.getElementById('view')`)
	double.Until(t, "one stream serves all tabs", func() bool { return r.server.Connected() == 1 })
	before := home.eval(`document.getElementById('view').dataset.revision`)
	more, materials := sample(t, record.Blocked)
	more.ID = "another"
	r.put(more, materials)
	home.wait(fmt.Sprintf(`document.getElementById('view').dataset.revision !== %q`, before))
	if n := r.server.Connected(); n != 1 {
		t.Errorf("%d streams", n)
	}
	b.click(`[data-action="continue"]`)
	second.waitText("You use this in another tab.")
	home.open(r.origin + "/settings")
	home.click("#tab-access")
	home.click("#fold-browser summary")
	home.pictures(screenshotDir(t), "settings-browser")
	home.click(`[data-action="lock"]`)
	home.wait(`document.body.dataset.session === 'one'`)
	home.waitText("can no longer act")
	b.wait(`document.body.dataset.session === 'one'`) // this applies to every tab
	for _, tab := range []*tab{b, second, home} {
		if said := tab.complaints(); len(said) > 0 {
			t.Error(said)
		}
	}
}
