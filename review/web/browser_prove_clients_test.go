//go:build clients

package web_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// TestBrowserThirdPartyProof proves an account with a wallet by other authors, which has its own
// account, key and signature.
func TestBrowserThirdPartyProof(t *testing.T) {
	inBrowser(t)
	script, err := os.ReadFile("../../test/clients/dist/burner.js")
	if err != nil {
		t.Fatalf("%v\nmake setup builds the third-party wallet", err)
	}
	j, b := newJob(t, nil), newBrowser(t)
	b.inject(string(script))
	j.connect(b, "", "Unsafe Burner Wallet")
	if a := j.inUse(); a.WalletName != "Unsafe Burner Wallet" || a.Proven {
		t.Fatalf("in use: %+v", a)
	}
	b.enter(proveButton)
	b.waitText("Proven by a signature on")
	if a := j.inUse(); !a.Proven || a.ProvenAt.IsZero() {
		t.Errorf("in use: %+v", a)
	}
	b.pictures(screenshotDir(t), "burner-proven")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserAxeProof checks the offer to prove an account, every way in which that ends, and the
// list of remembered accounts with axe-core.
func TestBrowserAxeProof(t *testing.T) {
	inBrowser(t)
	j, b := newJob(t, nil), newBrowser(t)
	j.useProver(b, person.String(), "refuses")
	j.connect(b, "", "Prover")
	b.waitText("Prove it with a signature")
	b.accessible()
	b.click(proveButton)
	b.waitText("You declined in your wallet.")
	b.accessible()
	b.eval(`[...document.querySelectorAll('[data-problem], [data-part]')].map((at) => { at.hidden = false; })`)
	b.accessible()
	j.connectAs("0x"+strings.Repeat("4", 64), "Another")
	i, err := j.accounts.Create(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.open(j.link(pagetoken.Connect, i.ID))
	b.waitText("Used here before")
	b.accessible()
	b.click(`[data-action="use"][data-account="` + person.String() + `"]`)
	b.waitText("Previously in use")
	b.accessible()

	honest := newBrowser(t)
	j.useProver(honest, person.String(), "honest")
	if i, err = j.accounts.Create(context.Background()); err != nil {
		t.Fatal(err)
	}
	honest.open(j.link(pagetoken.Connect, i.ID))
	honest.click(`[data-action="use"][data-account="` + person.String() + `"]`)
	honest.click(proveButton)
	honest.waitText("Proven by a signature on")
	honest.accessible()
	if i, err = j.accounts.Identity(context.Background(), i.ID); err != nil || i.Status != account.Connected ||
		i.ProvenAt.IsZero() {
		t.Errorf("%+v, %v", i, err)
	}
}
