package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/remotes"
)

// TestBrowserRemotes grants access to another machine on the settings page by its code, and revokes
// it there.
func TestBrowserRemotes(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	key := remotes.Key{1}
	if err := r.db.AskRemote(t.Context(), remotes.Remote{Key: key, Profile: "home", Code: "ABC-DEF",
		AskedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	state := func() remotes.State {
		m, _, err := r.db.Remote(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return m.State(time.Now())
	}
	dir := screenshotDir(t)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("A machine wants to connect.")
	b.click(`[data-action="meet"]`)
	b.pictures(dir, "settings-machine-asks")
	b.fill(`[data-form="remote"] [name="name"]`, "Cloud workspace")
	b.fill(`[data-form="remote"] [name="code"]`, "ABC-DEG")
	b.click(`[data-form="remote"] button.main`)
	b.waitText("someone may be intercepting the connection")
	if got := state(); got != remotes.Waiting {
		t.Fatalf("with another code it is %s", got)
	}
	b.pictures(dir, "settings-machine-other-code")
	b.fill(`[data-form="remote"] [name="code"]`, "abc def")
	b.click(`[data-form="remote"] button.main`)
	b.wait(`!document.querySelector('[data-form="remote"]')`)
	b.waitText("may read · until")
	if got := state(); got != remotes.Admitted {
		t.Fatalf("admitted, it is %s", got)
	}
	b.pictures(dir, "settings-machine-admitted")
	b.click(`[data-action="dismiss"]`)
	b.wait(`!document.querySelector('[data-action="dismiss"]')`)
	if got := state(); got != remotes.Revoked {
		t.Errorf("revoked, it is %s", got)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(strings.Join(said, "\n"))
	}
}
