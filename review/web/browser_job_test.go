package web_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/web/market"
	"github.com/sayurintent/sayurintent/internal/web/onchain"
	"github.com/sayurintent/sayurintent/review"
)

// job is a page server over a complete back end: sandbox chain, real client, real store and real
// services.
type job struct {
	*rig
	house *testkit.Harness
}

func newJob(t *testing.T, edit func(*review.Config)) *job {
	t.Helper()
	house := testkit.Start(t, time.Now, edit)
	j := &job{rig: &rig{t: t, db: house.Store, hub: house.Hub, desk: house.Passes, accounts: house.Accounts,
		reviews: house.Reviews}, house: house}
	j.serve(j.sandboxed)
	return j
}

// sandboxed configures a page server on the sandbox network.
func (j *job) sandboxed(c *config) {
	c.Sandbox, c.Now = j.house.Sandbox.ControlHandler(), j.house.Clock.Now
	coins := assets.New(assets.Config{Chain: j.house.Node, Cache: j.db, Pools: j.house.Pools, Now: j.house.Clock.Now})
	found := deepbook.NewInventory(j.house.Pools, j.house.Node)
	c.OnChain = onchain.New(coins, found, found.Permissions(j.house.Node, j.house.Clock.Now),
		positions.NewReader(j.house.Node, staking.NewReader(j.house.Node, j.house.Clock.Now)))
	past, err := rpc.NewHistory(rpc.Config{URL: j.house.URL + "/graphql", Now: j.house.Clock.Now})
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(past.Close)
	c.Receipts = onchain.NewReceipts(past)
	prices, err := indexer.New(indexer.Config{URL: j.house.URL, Now: j.house.Clock.Now})
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(prices.Close)
	pictures := market.New(j.house.Pools, prices)
	c.Pictures, c.DayBefore = pictures, pictures.DayBefore
}

// connect connects a wallet by its name on the connect page.
func (j *job) connect(b *tab, dir, wallet string) {
	j.t.Helper()
	identity, err := j.accounts.Create(context.Background())
	if err != nil {
		j.t.Fatal(err)
	}
	b.open(j.link(pagetoken.Connect, identity.ID))
	b.waitText(wallet)
	j.t.Run("R004-427 the code of the link is gone, and only loopback is asked", func(t *testing.T) {
		if at := b.eval("location.href"); strings.Contains(at, "#") || !strings.HasPrefix(at, "http://127.0.0.1:") {
			t.Errorf("the address bar reads %s", at)
		}
		if got := b.eval("performance.getEntriesByType('resource').filter(r => !r.name.startsWith(location.origin)).length"); got != "0" {
			t.Errorf("%s requests went elsewhere", got)
		}
	})
	b.clickText(".wallet", wallet)
	b.waitText("Which account?")
	if dir != "" {
		b.pictures(dir, "connect")
	}
	b.click(`[data-part="accounts"] button`)
	b.waitText("Return to your AI client")
	if dir != "" {
		b.pictures(dir, "connected")
	}
}

// withWallet makes the sandbox's account the one in use, with the sandbox's test wallet.
func (j *job) withWallet() { j.t.Helper(); j.use(sandbox.Account, "Sandbox test wallet") }

// prepare creates a review, as an AI client does, and returns its link.
func (j *job) prepare(in plan.Intent) (record.ID, string) {
	j.t.Helper()
	s, err := j.reviews.Prepare(context.Background(), in)
	if err != nil {
		j.t.Fatal(err)
	}
	return s.ID, j.link(pagetoken.Review, string(s.ID))
}

func (j *job) session(id record.ID) record.Session {
	j.t.Helper()
	s, err := j.reviews.Get(context.Background(), id)
	if err != nil {
		j.t.Fatal(err)
	}
	return s
}

// TestBrowserMainJob does the whole job in a real browser with the built-in test wallet: connect,
// review, wait, sign, receipt.
func TestBrowserMainJob(t *testing.T) {
	inBrowser(t)
	j := newJob(t, nil)
	b := newBrowser(t)
	dir := screenshotDir(t)
	j.connect(b, dir, "Sandbox test wallet")
	active, ok, err := j.accounts.Active(context.Background())
	if err != nil || !ok || active.Account != sandbox.Account || active.WalletName != "Sandbox test wallet" {
		t.Fatalf("active account %+v, %v, %v", active, ok, err)
	}

	id, link := j.prepare(testkit.Swap("10", "SUI", "USDC"))
	b.inject(`new MutationObserver(() => {
	  window.drawn ??= document.querySelector('#view[data-stage="ready"] [data-action="sign"]')?.ariaDisabled;
	}).observe(document, { childList: true, subtree: true })`)
	b.open(link)
	b.waitStage("ready")
	if b.eval("window.drawn") != "true" {
		t.Error("the button was armed as soon as the figures were shown")
	}
	shown := j.session(id)
	least := string(shown.Facts.Promise().Amount(plan.RoleOutput).Display)
	if got := b.eval(`document.querySelector('.money.hero').textContent`); got != least+" USDC" {
		t.Errorf("the guarantee reads %q, the bytes say %s", got, least)
	}
	if got := b.eval(`document.getElementById('view').dataset.commitment`); got != shown.Commitment {
		t.Errorf("the page shows commitment %q, the review has %s", got, shown.Commitment)
	}
	b.wait(`document.querySelector('[data-action="sign"]')?.ariaDisabled === 'false'`)
	b.pictures(dir, "review")
	b.click(`[data-action="sign"]`)
	b.waitStage("success")
	b.waitText("Kept")
	b.pictures(dir, "receipt")

	s := j.session(id)
	if s.Status != record.Success || len(s.Releases) != 1 || s.Releases[0].Commitment != shown.Commitment {
		t.Fatalf("status %s, %d releases", s.Status, len(s.Releases))
	}
	if got := b.eval(`document.querySelector('[data-part="tx"]').textContent`); got != s.Execution.TxDigest {
		t.Errorf("the page shows digest %s, the chain has %s", got, s.Execution.TxDigest)
	}
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}

// fund gets coins for an account from the sandbox's faucet.
func (j *job) fund(a sui.Address) {
	j.t.Helper()
	resp, err := http.Post(j.house.URL+"/sandbox/faucet", "application/json",
		bytes.NewReader(fmt.Appendf(nil, `{"address":%q}`, a)))
	if err != nil {
		j.t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		j.t.Fatal("faucet: ", resp.Status)
	}
}
