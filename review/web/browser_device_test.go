package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserDevice marks the account as being on a hardware wallet. From then on, its payments in
// SUI have the form that a device can show, and the code is shown next to the button.
func TestBrowserDevice(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.withWallet()
	code := func(id record.ID) string {
		t.Helper()
		row, err := j.db.ReviewRow(t.Context(), id)
		if err != nil || row.Present() == nil {
			t.Fatal(err)
		}
		return "0x " + row.Present().Bytes.SigningHash().Grouped()
	}
	look := func(name, label string, in func() (record.ID, string), apart bool) {
		t.Helper()
		id, link := in()
		b.open(link)
		b.waitStage("ready")
		b.wait(`document.querySelector('[data-action="sign"]')?.disabled === false`)
		b.eval(`document.querySelector('[data-part="technical"]').open = true`)
		if got := strings.Join(strings.Fields(b.eval(`document.querySelector('[data-part="device"]').innerText`)),
			" "); got != code(id) {
			t.Errorf("%s: the code is %q, not %q", name, got, code(id))
		}
		if got := b.eval(`document.querySelectorAll('[data-part="device"]').length + ' ' + !!document.querySelector('.on-device [data-part="device"]')`); got != fmt.Sprint("1 ", apart) {
			t.Errorf("%s: codes, beside the button: %s", name, got)
		}
		b.waitText(label)
		b.pictures(dir, name)
	}
	payment := func() (record.ID, string) { return j.prepare(pay("10", "SUI", payee)) }
	swap := func() (record.ID, string) { return j.prepare(testkit.Swap("10", "SUI", "USDC")) }
	look("code-of-any-wallet", "Your device will show only this code.", payment, false)

	b.open(j.link(pagetoken.Account, person.String()))
	b.wait(`document.getElementById('fold-who')`)
	b.eval(`document.getElementById('fold-who').open = true`)
	b.click(`[data-action="hardware"]`)
	b.waitText("Unmark as hardware wallet")
	b.pictures(dir, "account-device")
	if on, err := j.db.Settings(t.Context()); err != nil || !on.Hardware.Has(person) {
		t.Fatalf("%+v, %v", on.Hardware, err)
	}
	look("code-amounts", "Your device will show amounts.", payment, true)
	look("code-only", "Your device will show only this code.", swap, true)

	id, link := payment()
	b.open(link)
	b.waitStage("ready")
	b.wait(`document.querySelector('[data-action="sign"]')?.disabled === false`)
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	s := j.session(id)
	if f := s.Releases[0].Facts.Steps[0]; s.Status != record.Success || f.Function != "TransferObjects" ||
		f.Sends != sui.MustAddress(payee) {
		t.Errorf("%s: %+v", s.Status, f)
	}
	b.open(j.link(pagetoken.Account, person.String()))
	b.wait(`document.getElementById('fold-who')`)
	b.eval(`document.getElementById('fold-who').open = true`)
	b.click(`[data-action="hardware"]`)
	b.waitText("Mark as hardware wallet")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
