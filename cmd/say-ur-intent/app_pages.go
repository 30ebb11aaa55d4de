package main

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/pages"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/editor"
	"github.com/sayurintent/sayurintent/internal/web/market"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
	"github.com/sayurintent/sayurintent/internal/web/onchain"
)

// served holds the parts of the page server that other code needs.
type served struct {
	pages  *web.Server
	editor *editor.Editor
	origin string
	note   string // a remark about the port for the user, or ""
}

// openPages starts serving the pages. They are served until close.
func (a *app) openPages() error {
	ln, note, err := a.listen()
	if err != nil {
		return err
	}
	sharing := &sharer{app: a}
	s := &served{origin: "http://" + ln.Addr().String(), note: note}
	s.pages, s.editor, err = pages.New(a.pages(sharing))
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

// pages returns what the pages use.
func (a *app) pages(sharing *sharer) pages.Config {
	keys := pagetoken.NewKeys(a.db.PageKeys, a.now, rand.Reader)
	found := deepbook.NewInventory(a.deepbook, a.node)
	chain := onchain.New(a.assets, found, found.Permissions(a.node, a.now), a.positions())
	prices := market.New(a.deepbook, a.prices)
	return pages.Config{
		Config: web.Config{
			Network: a.options.network.answer, WalletChain: a.options.network.walletChain, Desk: a.desk,
			Accounts: a.accounts, Frozen: a.settings.Frozen, Hub: a.hub, Journal: a.db.JournalHead, Now: a.now,
			Sandbox: a.local, HomeCommand: a.options.homeCommand(), HomeNote: a.options.homeNote(), Log: a.log,
		},
		Sources: pages.Sources{
			OnChain: chain, Prices: chain, DayBefore: prices.DayBefore, Pictures: prices, Changes: a.changes,
			Receipts: onchain.NewReceipts(a.past, labels()...), Booked: a.db.Receipts, ProofFile: a.proofFile,
			Held:    a.reviews.Held,
			Reading: readerOver(a.node, a.deepbook, a.options.network.answer, a.now, func(string) bool { return true }).Read,
		},
		DB: a.db, Reviews: a.reviews, Bundles: a.bundles, Names: a.names, Settings: a.settings, Backup: a.backup,
		Actions: a.actions, Keys: keys, Calls: a.calls, Edits: a.workspace, Protocol: a.protocol(),
		Locate: a.workspace.Locate, Nth: a.db.RequestNumber, Sharing: sharing.State, Requests: a.requests,
		Restart: a.restart(), ManualTest: a.manualTest(),
		More: []web.Page{mcphttp.New(mcphttp.Config{Keys: keys, On: a.overHTTP,
			Toolsets: func(text string) error { _, err := httpToolsets(text); return err },
			Serve:    a.serveHTTP, Life: a.life, Log: a.log})},
	}
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

// portFree is how long to wait for a port whose process has just ended.
const portFree = 300 * time.Millisecond

// listen listens on the port that the user chose, or else on the installation's. If another program
// uses that port, listen picks a free one and returns a note for the user.
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
	if ln, err = ownPort(); err != nil {
		return nil, "", err
	}
	if kept == 0 && a.options.port == 0 {
		if err := keepPort(a.options.dataDir, ln.Addr().(*net.TCPAddr).Port); err != nil {
			a.log.Warn("cannot save the pages' port for the next start", "cause", err)
		}
	}
	return ln, note, nil
}

// ownPort listens on a random port below those that systems assign, because no other program can get
// it by chance while this one is off.
func ownPort() (net.Listener, error) {
	for range 100 {
		if ln, err := loopback(20_000+mathrand.IntN(12_000), 0); err == nil {
			return ln, nil
		}
	}
	return loopback(0, 0)
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
