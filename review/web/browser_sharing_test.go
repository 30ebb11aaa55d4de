package web_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/settings"
	settingspage "github.com/sayurintent/sayurintent/internal/web/settings"
)

// TestBrowserSharing turns sharing on and off on the settings page, which shows its current state.
func TestBrowserSharing(t *testing.T) {
	inBrowser(t)
	var now atomic.Pointer[settingspage.Shared]
	now.Store(&settingspage.Shared{})
	r := newRig(t, func(c *config) { c.Sharing = func() settingspage.Shared { return *now.Load() } })
	becomes := func(s settingspage.Shared) {
		now.Store(&s)
		r.hub.Changed(events.Subject{Kind: events.Settings})
	}
	stored := func() settings.Sharing {
		s, err := r.db.Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Sharing
	}
	dir := screenshotDir(t)
	b := newBrowser(t)
	b.open(r.link(pagetoken.Settings, settingsID))
	b.waitText("Spending limits")
	b.unfold("access", "remotes")
	b.waitText("Nothing is shared.")
	b.pictures(dir, "settings-sharing-off")
	b.fill(`[data-form="sharing"] [name="url"]`, "nats://me:secret@nats.example:4222")
	b.click(`[data-form="sharing"] button`)
	b.waitText("Remove the name and password from the address")
	b.fill(`[data-form="sharing"] [name="url"]`, "nats://nats.example:4222")
	b.click(`[data-form="sharing"] button`)
	b.waitText("Not shared yet.")
	if stored().On {
		t.Fatal("it is on without a second word")
	}
	b.pictures(dir, "settings-sharing-asks")
	b.click(`[data-answer="sharing"] [data-part="yes"]`)
	b.waitText("Sharing as home: connecting")
	if got := stored(); !got.On || got.URL != "nats://nats.example:4222" || got.Profile != "home" {
		t.Fatalf("stored is %+v", got)
	}
	becomes(settingspage.Shared{Trouble: "dial tcp: lookup nats.example: no such host"})
	b.waitText("not connected: dial tcp: lookup nats.example: no such host")
	b.pictures(dir, "settings-sharing-trouble")
	becomes(settingspage.Shared{Server: "nats://nats.example:4222"})
	b.waitText("connected to nats://nats.example:4222")
	b.pictures(dir, "settings-sharing-on")
	b.click(`[data-action="unshare"]`)
	b.waitText("Nothing is shared.")
	if stored().On {
		t.Error("it is still on")
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(strings.Join(said, "\n"))
	}
}

// TestBrowserHomeLeads opens the console of an AI client from the home page, even if the client's
// name is very long.
func TestBrowserHomeLeads(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	if err := r.db.Converse(t.Context(), "claude-code-"+strings.Repeat("in-the-cloud-", 5)); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.waitText("AI clients")
	b.pictures(screenshotDir(t), "home-leads")
	b.eval(`[...document.querySelectorAll('details')].map((at) => { at.open = true; })`)
	b.click(`main a[href^="/console/"]`)
	b.waitText("Nothing waits for you")
	b.wait(`location.pathname.startsWith("/console/")`)
	if said := b.complaints(); len(said) > 0 {
		t.Error(strings.Join(said, "\n"))
	}
}
