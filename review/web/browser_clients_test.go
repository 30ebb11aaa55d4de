//go:build clients

package web_test

import (
	"os"
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserThirdPartyWallet does the whole job with a wallet by other authors. It reads the JSON
// with the official SDK, builds the bytes from it, and signs those. They must equal the reviewed
// bytes.
func TestBrowserThirdPartyWallet(t *testing.T) {
	inBrowser(t)
	const bundle = "../../test/clients/dist/burner.js"
	script, err := os.ReadFile(bundle)
	if err != nil {
		t.Fatalf("%v\nmake setup builds the third-party wallet", err)
	}
	j, b := newJob(t, nil), newBrowser(t)
	b.inject(string(script))
	j.connect(b, "", "Unsafe Burner Wallet")
	active, ok, err := j.accounts.Active(t.Context())
	if err != nil || !ok || active.WalletName != "Unsafe Burner Wallet" {
		t.Fatalf("active account %+v, %v, %v", active, ok, err)
	}
	j.fund(active.Account)

	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.open(link)
	b.waitStage("ready")
	b.pictures(screenshotDir(t), "burner-review")
	// Use only the keyboard: move to the button and press Enter.
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	b.enter(`[data-action="sign"]`)
	b.waitStage("success")
	s := j.session(id)
	if s.Status != record.Success || s.Account != active.Account || s.WalletName != "Unsafe Burner Wallet" {
		t.Fatalf("status %s, account %s, wallet %s", s.Status, s.Account, s.WalletName)
	}
	for _, p := range s.Execution.Receipt.Promises {
		if !p.Kept {
			t.Errorf("%s: promised %s, was %s", p.Label, p.Promised, p.Actual)
		}
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
