package main

import (
	"context"
	"crypto/rand"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/onchain"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/market"
	"github.com/sayurintent/sayurintent/review/web"
)

// served are the pages.
type served struct {
	pages  *web.Server
	origin string
	note   string // what a person should know of the port, "" for nothing
}

// openPages serves the pages until close.
func (a *app) openPages() error {
	ln, note, err := a.listen()
	if err != nil {
		return err
	}
	found := deepbook.NewInventory(a.deepbook, a.node)
	s, sharing := &served{origin: "http://" + ln.Addr().String(), note: note}, &sharer{app: a}
	s.pages, err = web.New(web.Config{
		Network: a.options.network.answer, WalletChain: a.options.network.walletChain, Sandbox: a.local,
		Desk: a.desk, Accounts: a.accounts, Reviews: a.reviews, Hub: a.hub,
		Bus: a.db, Calls: a.calls, Actions: a.actions, Bundles: a.bundles, Requests: a.requests,
		Keys:    pagetoken.NewKeys(a.db, a.now, rand.Reader),
		Remotes: a.db, Sharing: sharing.State, Folders: a.db, Edits: a.workspace,
		PaidNames: a.db, Journal: a.db.JournalHead, Waiting: a.db.WaitingReviews, Past: a.db.ReviewActivity,
		RequestNumber: a.db.RequestNumber,
		Booked:        a.db.Receipts, Now: a.now, Log: a.log, Locate: a.workspace.Locate,
		Settings: a.settings, Backup: a.backup, Names: a.names, HomeCommand: a.options.homeCommand(), HomeNote: a.options.homeNote(),
		Changes: a.changes, ProofFile: a.proofFile,
		Workspace: a.protocol(), Restart: a.restart(), ManualTest: a.manualTest(),
		Receipts: onchain.NewReceipts(a.past, labels()...),
		OnChain:  onchain.New(a.assets, found, found.Permissions(a.node, a.now)),
		Pictures: market.New(a.deepbook, a.prices),
	})
	if err != nil {
		_ = ln.Close()
		return err
	}
	go func() {
		if err := s.pages.Serve(ln); err != nil {
			a.log.Error("the pages ended", "cause", err)
		}
	}()
	ending := a.watchReceipts()
	settling, orders, bundles, unshare := a.settleTasks(), a.followOrders(), a.runBundles(), sharing.start()
	a.later(func() {
		unshare()
		_ = s.pages.Shutdown(context.Background())
		bundles()
		ending()
		settling()
		orders()
	})
	a.served = s
	return nil
}

// watchReceipts follows signed transactions until ending is called.
func (a *app) watchReceipts() (ending func()) {
	watching, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := a.reviews.Run(watching); err != nil && watching.Err() == nil {
			a.log.Error("the receipt watcher ended", "cause", err)
		}
	}()
	return func() { stop(); <-done }
}

// portFree is how long a port may take to become free after its process ended.
const portFree = 300 * time.Millisecond

// listen takes the port that the person names, or the installation's; and another one,
// with a note that says so, if another program has it.
func (a *app) listen() (ln net.Listener, note string, err error) {
	kept := keptPort(a.options.dataDir)
	for _, port := range slices.Compact([]int{a.options.port, kept}) {
		if port == 0 {
			continue
		}
		if ln, err = loopback(port, portFree); err == nil {
			return ln, "", nil
		}
		a.log.Warn("another program has the port of the pages; another port is used this time", "port", port, "cause", err)
		note = "Port " + strconv.Itoa(port) + " is used by another program, so the pages are at another port this time. " +
			"A wallet may ask again whether it should connect."
	}
	if ln, err = loopback(0, 0); err != nil {
		return nil, "", err
	}
	if kept == 0 && a.options.port == 0 {
		if err := keepPort(a.options.dataDir, ln.Addr().(*net.TCPAddr).Port); err != nil {
			a.log.Warn("the port of the pages could not be kept for the next start", "cause", err)
		}
	}
	return ln, note, nil
}

// loopback listens on a port of 127.0.0.1, waiting a while for it to be free.
func loopback(port int, wait time.Duration) (net.Listener, error) {
	const pause = 10 * time.Millisecond
	for ; ; wait -= pause {
		ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil || wait <= 0 {
			return ln, err
		}
		time.Sleep(pause)
	}
}

// link makes a one-time link to a page.
func (a *app) link(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
	page, err := a.address(ctx, kind, id)
	if err != nil {
		return "", err
	}
	code, err := a.desk.Link(ctx, kind, id, 0)
	if err != nil {
		return "", err
	}
	return page + "#" + code.Reveal(), nil
}

// address returns the address of a page, without a right to it.
func (a *app) address(_ context.Context, kind pagetoken.Kind, id string) (string, error) {
	if kind == pagetoken.Home {
		return a.served.origin + "/", nil
	}
	return a.served.origin + "/" + string(kind) + "/" + id, nil
}

// withdrawLink takes back a link that nobody was given.
func (a *app) withdrawLink(ctx context.Context, kind pagetoken.Kind, id, link string) error {
	_, code, _ := strings.Cut(link, "#")
	return a.desk.Withdraw(ctx, kind, id, code)
}
