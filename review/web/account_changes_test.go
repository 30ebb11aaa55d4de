package web_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestBrowserAccountChanges saves the stored changes of an account as a file.
func TestBrowserAccountChanges(t *testing.T) {
	inBrowser(t)
	const names = "timestamp,digest,coinType,amountRaw\n"
	text, more := names, false
	var asked sui.Address
	r := newRig(t, func(c *config) {
		c.Changes = func(_ context.Context, owner sui.Address) ([]byte, bool, error) {
			asked = owner
			return []byte(text), more, nil
		}
	})
	r.use(person, "Sandbox test wallet")
	if a := r.do("POST", "/api/account/"+stranger.String()+"/changes", r.token(pagetoken.Account, person.String()),
		struct{}{}); a.status != http.StatusUnauthorized {
		t.Errorf("the page of one account asks about another: %d", a.status)
	}
	if body := r.do("GET", "/api/account/"+stranger.String()+"/view", r.token(pagetoken.Account, stranger.String()),
		nil).body; strings.Contains(body, "Save as CSV") {
		t.Error("an account that no wallet gave here is offered a table")
	}
	b := newBrowser(t)
	saved := t.TempDir()
	b.saveTo(saved)
	b.open(r.link(pagetoken.Account, person.String()))
	b.click("#fold-changes > summary")
	b.click(`[data-action="changes"]`)
	b.waitText("Nothing is stored yet")
	text, more = names+"2026-11-01T12:00:00Z,x,0x2::sui::SUI,-5\n,y,0x2::sui::SUI,7\n", true
	b.click(`[data-action="changes"]`)
	b.waitText("Saved: 2 changes. There are more, which are left out.")
	b.pictures(screenshotDir(t), "account-changes")
	if got, err := os.ReadFile(savedFile(t, saved, "*.csv")); err != nil || string(got) != text || asked != person {
		t.Errorf("saved is %q of %s, %v", got, asked, err)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
