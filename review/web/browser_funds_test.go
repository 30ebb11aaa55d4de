package web_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestBrowserAddressBalance pays more than the account has in coins. The rest comes from its
// address balance.
func TestBrowserAddressBalance(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	usdc, _ := coins.BySymbol("USDC")
	j.house.Sandbox.Hold(sandbox.Account, usdc.Type, 0, 2_000_000_000)
	j.withWallet()
	j.show(b, dir, "address-balance", pay("5000", "USDC", payee), "Taken from your address balance", "1,000 USDC",
		"part of what leaves", "You pay exactly")
	j.signed(b, dir, "address-balance", "Sent 5")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserCoinless does a whole job with an account without coins. Gas is paid from its address
// balance, and a payment of USDC costs no gas.
func TestBrowserCoinless(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.house.Sandbox.Deposit(sandbox.Account)
	j.withWallet()
	j.show(b, dir, "coinless", testkit.Swap("10", "SUI", "USDC"), "Gas, at most", "out of your address balance",
		"Taken from your address balance")
	j.signed(b, dir, "coinless", "Swapped")
	j.show(b, dir, "gasless", pay("25", "USDC", payee), "Gas none", "all of what leaves",
		"the chain moves this coin without gas", "You pay exactly")
	j.signed(b, dir, "gasless", "Sent 25 USDC")
	usdc, _ := coins.BySymbol("USDC")
	j.house.Sandbox.Empty(sandbox.Account)
	j.house.Sandbox.Hold(sandbox.Account, usdc.Type, 40_000_000, 0)
	j.show(b, dir, "gasless-coins", pay("24", "USDC", payee), "Gas none", "60% of your USDC",
		"lies in your address balance afterwards")
	j.signed(b, dir, "gasless-coins", "Sent 24 USDC")
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// TestBrowserOneAtATime checks that the page explains why nothing can be signed while a transaction
// without a gas coin is open, and continues once that is declined.
func TestBrowserOneAtATime(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.house.Sandbox.Deposit(sandbox.Account)
	first := j.house.Ready(testkit.Swap("10", "SUI", "USDC"))
	o := j.house.HandOff(first)
	j.withWallet()
	_, link := j.prepare(pay("2", "SUI", payee))
	b.open(link)
	b.waitText("only one transaction at a time is handed out")
	b.says([]string{"Another transaction of this account is still open", "Answer"}, []string{"Sign in"})
	b.pictures(dir, "coinless-barred")
	if _, err := j.house.Reviews.Outcome(t.Context(), first.ID, o.Nonce, record.OutcomeRejected); err != nil {
		t.Fatal(err)
	}
	b.click(`[data-action="refresh"]`)
	b.waitStage("ready")
	j.signed(b, dir, "coinless-after", "Sent 2 SUI")
}
