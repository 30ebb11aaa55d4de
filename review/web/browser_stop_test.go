package web_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// TestBrowserStopAndToken pauses and resumes signing on the settings page, and creates and revokes
// an access token there.
func TestBrowserStopAndToken(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	if err := r.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	dir := screenshotDir(t)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.click(`[data-action="freeze"]`)
	b.waitText("Everything is stopped")
	b.pictures(dir, "settings-stopped")
	b.click(`[data-action="lift"]`)
	b.wait(`!document.querySelector('[data-action="lift"]') || Boolean(document.querySelector('[data-answer="freeze"] [data-part="yes"]'))`)
	b.pictures(dir, "settings-lifting")
	if b.eval(`Boolean(document.querySelector('[data-answer="freeze"] [data-part="yes"]'))`) == "true" {
		b.click(`[data-answer="freeze"] [data-part="yes"]`)
	}
	b.wait(`Boolean(document.querySelector('[data-action="freeze"]'))`)
	b.unfold("access", "keys")
	b.fill("#token-name", "My own page")
	b.fill("#token-client", "claude-code")
	b.click(`[data-form="token"] button.main`)
	b.wait(`Boolean(document.querySelector('[data-answer="token"] [data-part="token"]')?.textContent)`)
	b.waitText("My own page")
	// The user's own change is not reported as someone else's, and nothing is unsaved.
	b.wait(`document.querySelector('[data-part="stale"]').hidden && !document.querySelector('[data-form="token"]').checkVisibility()`)
	b.pictures(dir, "settings-token")
	if got := b.eval(`(box => box.querySelector('[data-copy]').dataset.copy === box.querySelector('[data-part="token"]').textContent)(document.querySelector('[data-answer="token"]'))`); got != "true" {
		t.Error("the copy button has another text than the token")
	}
	b.click(`[data-answer="token"] [data-part="yes"]`)
	b.click(`[data-action="revoke"]`)
	b.wait(`!document.querySelector('[data-action="revoke"]')`)
	if said := b.complaints(); len(said) > 0 {
		t.Error(strings.Join(said, "\n"))
	}
}
