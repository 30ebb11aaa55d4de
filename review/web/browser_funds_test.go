package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestBrowserAddressBalance pays more than the account has in coins, with the rest out of
// its address balance.
func TestBrowserAddressBalance(t *testing.T) {
	t.Parallel()
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	usdc, _ := coins.BySymbol("USDC")
	j.house.Sandbox.Hold(sandbox.Account, usdc.Type, 0, 2_000_000_000)
	j.connect(b, "", "Sandbox test wallet")
	j.show(b, dir, "address-balance", pay("5000", "USDC", payee), "Taken from your address balance", "1,000 USDC", "part of what leaves", "Leaves your account: exactly")
	j.signed(b, dir, "address-balance", "Sent 5")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
