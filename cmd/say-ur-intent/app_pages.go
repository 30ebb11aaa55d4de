package main

import (
	"context"
	"crypto/rand"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/book"
	"github.com/sayurintent/sayurintent/internal/web/connect"
	"github.com/sayurintent/sayurintent/internal/web/console"
	"github.com/sayurintent/sayurintent/internal/web/doors"
	"github.com/sayurintent/sayurintent/internal/web/editor"
	"github.com/sayurintent/sayurintent/internal/web/holdings"
	"github.com/sayurintent/sayurintent/internal/web/home"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/market"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
	"github.com/sayurintent/sayurintent/internal/web/onchain"
	"github.com/sayurintent/sayurintent/internal/web/receipts"
	reviewspage "github.com/sayurintent/sayurintent/internal/web/reviews"
	"github.com/sayurintent/sayurintent/internal/web/settings"
	signing "github.com/sayurintent/sayurintent/review/web"
)

// served holds what newApp needs to know of the served pages.
type served struct {
	pages  *web.Server
	editor *editor.Editor
	origin string
	note   string // a remark about the port for the user, or ""
}

// openPages serves the pages until close.
func (a *app) openPages() error {
	ln, note, err := a.listen()
	if err != nil {
		return err
	}
	sharing := &sharer{app: a}
	s := &served{origin: "http://" + ln.Addr().String(), note: note}
	var list []web.Page
	var waiting func(context.Context) (int, error)
	list, waiting, s.editor = a.pages(sharing)
	s.pages, err = web.New(web.Config{
		Network: a.options.network.answer, WalletChain: a.options.network.walletChain, Desk: a.desk, Accounts: a.accounts,
		Frozen: a.settings.Frozen, Hub: a.hub, Journal: a.db.JournalHead, Now: a.now, Log: a.log, Waiting: waiting,
		Sandbox: a.local, HomeCommand: a.options.homeCommand(), HomeNote: a.options.homeNote(),
	}, list...)
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

// pages returns every page, and a function that counts pending requests. Add new pages here. Error
// messages list them in this order.
func (a *app) pages(sharing *sharer) ([]web.Page, func(context.Context) (int, error), *editor.Editor) {
	keys := pagetoken.NewKeys(a.db.PageKeys, a.now, rand.Reader)
	lists := &listing.Lists{Accounts: a.accounts, Book: a.names, Reviews: a.reviews, Waiting: a.db.WaitingReviews,
		Past:   a.db.PastReviews,
		Orders: onchain.Orders(a.db.Resting), Deed: signing.Deed, Now: a.now, Log: a.log}
	bundles := signing.NewBundles(signing.BundleConfig{Requests: a.bundles, Reviews: a.reviews, Bus: a.db.SystemBus,
		Lists: lists, Nth: a.db.RequestNumber, Client: a.db.ClientOf, Now: a.now})
	lists.Bundles = bundles.Live
	projects := editor.New(editor.Config{Folders: a.db.Workspace, Edits: a.workspace, Workspace: a.protocol(), Keys: keys,
		Bus: a.db.SystemBus, Now: a.now, ManualTest: a.manualTest()})
	found := deepbook.NewInventory(a.deepbook, a.node)
	chain := onchain.New(a.assets, found, found.Permissions(a.node, a.now), a.positions())
	waits := home.Config{Lists: lists, Bus: a.db.SystemBus, Today: home.Limits(a.settings),
		Worth: holdings.NewValuer(chain, chain).Worth}
	return []web.Page{
		signing.NewReview(signing.ReviewConfig{Reviews: a.reviews, Requests: a.bundles, Settings: a.settings, Lists: lists,
			Nth: a.db.RequestNumber, Payments: a.db.Payments, Client: a.db.ClientOf, ProofFile: a.proofFile,
			Locate:   a.workspace.Locate,
			Pictures: market.New(a.deepbook, a.prices), Now: a.now}),
		signing.NewCosign(signing.CosignConfig{Lists: lists, Held: a.reviews.Held, Now: a.now,
			Read: readerOver(a.node, a.deepbook, a.options.network.answer, a.now, func(string) bool { return true }).Read}),
		connect.New(a.accounts, a.db.Clients),
		home.New(waits),
		reviewspage.New(lists),
		holdings.New(holdings.Config{Lists: lists, OnChain: chain, Prices: chain,
			DayBefore: market.New(a.deepbook, a.prices).DayBefore, Past: a.db.ReviewActivity, Changes: a.changes,
			OnDevice: a.settings.SignsOnDevice, Mark: a.settings.SetHardware}),
		settings.New(settings.Config{Settings: a.settings, Backup: a.backup, Record: a.db.Record, Accounts: a.accounts,
			Keys: keys, Clients: a.db.Clients, Prices: chain,
			Remotes: a.db.RemoteAccess, Sharing: sharing.State, Editor: projects, Now: a.now, Restart: a.restart()}),
		book.New(book.Config{Names: a.names, PaidNames: a.db.Payees, Lists: lists, Journal: a.db.JournalHead}),
		console.New(console.Config{Lists: lists, Bus: a.db.SystemBus, Bundle: bundles.OfTask, Editor: projects}),
		bundles.Page(),
		receipts.New(receipts.Config{Source: onchain.NewReceipts(a.past, labels()...), Booked: a.db.Receipts}),
		doors.New(doors.Config{Bus: a.db.SystemBus, Calls: a.calls, Desk: a.desk, Keys: keys, Actions: a.actions, Hub: a.hub,
			Now: a.now, Requests: a.requests}),
		projects.Page(),
		mcphttp.New(mcphttp.Config{Keys: keys, On: a.overHTTP,
			Toolsets: func(text string) error { _, err := httpToolsets(text); return err },
			Serve:    a.serveHTTP, Life: a.life, Log: a.log}),
	}, waits.Waiting, projects
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

// portFree limits how long a port may take to become free after its process ended.
const portFree = 300 * time.Millisecond

// listen listens on the port that the user chose, or else the installation's. If another program
// uses it, listen picks another port and returns a note about that.
func (a *app) listen() (ln net.Listener, note string, err error) {
	kept := keptPort(a.options.dataDir)
	for _, port := range slices.Compact([]int{a.options.port, kept}) {
		if port == 0 {
			continue
		}
		if ln, err = loopback(port, portFree); err == nil {
			return ln, "", nil
		}
		a.log.Warn("another program is using the pages' port; using a different port this time", "port", port, "cause", err)
		note = "Port " + strconv.Itoa(port) + " is used by another program, so the pages are at another port this time. " +
			"A wallet may ask again whether it should connect."
	}
	if ln, err = loopback(0, 0); err != nil {
		return nil, "", err
	}
	if kept == 0 && a.options.port == 0 {
		if err := keepPort(a.options.dataDir, ln.Addr().(*net.TCPAddr).Port); err != nil {
			a.log.Warn("cannot save the pages' port for the next start", "cause", err)
		}
	}
	return ln, note, nil
}

// loopback listens on a port of 127.0.0.1, waiting briefly for it to become free.
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
