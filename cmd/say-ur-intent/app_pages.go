package main

import (
	"context"
	"crypto/rand"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/onchain"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/market"
	"github.com/sayurintent/sayurintent/review/web"
	"github.com/sayurintent/sayurintent/tools"
)

// openPages serves the pages, unless another process of this data directory
// does: then this one hands out links to those, and takes over when that process
// has gone.
func (a *app) openPages(owned bool) error {
	a.later(a.closePages)
	a.front.endSuccession = func() {}
	if owned {
		err := a.servePages(0)
		a.options.manualTest = ""
		return err
	}
	a.options.manualTest = "" // it is for the start: who takes the pages over later opens no window
	a.log.Info("another Say Ur Intent process serves the pages of this data directory; this one gives links to them")
	a.startSuccession()
	return nil
}

// closePages ends serving, and waiting to serve.
func (a *app) closePages() {
	a.front.endSuccession()
	a.stopServing()
}

// servePages serves the pages from now on, at the port of the process before
// where that is known. It must own them.
func (a *app) servePages(previous int) error {
	ln, note, err := a.listen(previous)
	if err != nil {
		return err
	}
	found := deepbook.NewInventory(a.deepbook, a.node)
	s, sharing := &served{origin: "http://" + ln.Addr().String(), note: note}, &sharer{app: a}
	if s.card, err = a.newCard(s.origin); err == nil {
		s.pages, err = web.New(web.Config{
			Network: a.options.network.answer, WalletChain: a.options.network.walletChain, Sandbox: a.local,
			Desk: a.desk, Accounts: a.accounts, Reviews: a.reviews, Hub: a.hub,
			Bus: a.db, Actions: a.actions, Bundles: a.bundles, Requests: a.requests,
			Keys:    pagetoken.NewKeys(a.db, a.now, rand.Reader),
			Remotes: a.db, Sharing: sharing.State, Folders: a.db, Edits: a.workspace,
			PaidNames: a.db, Journal: a.db.JournalHead, Waiting: a.db.WaitingReviews, Past: a.db.ReviewActivity,
			RequestNumber: a.db.RequestNumber,
			Booked:        a.db.Receipts, Prove: s.card.Prove, Now: a.now, Log: a.log, Locate: a.workspace.Locate,
			Settings: a.settings, Backup: a.backup, Names: a.names, HomeCommand: a.options.homeCommand(), HomeNote: a.options.homeNote(),
			Changes: a.changes, ProofFile: a.proofFile,
			Workspace: a.protocol(), Sealed: s.card.Sealed, ManualTest: a.manualTest(),
			Receipts: onchain.NewReceipts(a.past, labels()...),
			OnChain:  onchain.New(a.assets, found, found.Permissions(a.node, a.now)),
			Pictures: market.New(a.deepbook, a.prices),
		})
	}
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
	s.stop = func() {
		unshare()
		_ = s.pages.Shutdown(context.Background())
		bundles()
		ending()
		settling()
		orders()
	}
	text, err := s.card.Text()
	if err == nil {
		err = a.db.Announce(text)
	}
	if err != nil { // the pages are good; only other processes cannot know it
		a.log.Error("other processes cannot use these pages", "cause", err)
	}
	a.front.mu.Lock()
	a.front.served = s
	a.front.mu.Unlock()
	return nil
}

// stopServing ends the pages of this process, where it serves them.
func (a *app) stopServing() {
	a.front.mu.Lock()
	s := a.front.served
	a.front.served = nil
	a.front.mu.Unlock()
	if s != nil {
		s.stop()
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

// portFree is how long a port may take to become free after its process ended.
const portFree = 300 * time.Millisecond

// listen takes the port where the pages were served before, that of the person,
// or the installation's; and another one, with a note that says so, when a
// foreign program has it.
func (a *app) listen(previous int) (ln net.Listener, note string, err error) {
	kept := keptPort(a.options.dataDir)
	tried := map[int]bool{0: true}
	for _, port := range []int{previous, a.options.port, kept} {
		if tried[port] {
			continue
		}
		tried[port] = true
		wait := time.Duration(0)
		if port == previous {
			wait = portFree
		}
		if ln, err = loopback(port, wait); err == nil {
			return ln, note, nil
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

// portOf returns the port of an origin, 0 when it has none.
func portOf(origin string) int {
	u, err := url.Parse(origin)
	if err != nil {
		return 0
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return 0
	}
	return int(port)
}

// link makes a one-time link to a page, of whichever process serves it and has
// proved so.
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
func (a *app) address(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
	at, err := a.serving(ctx, patience)
	if err != nil {
		return "", err
	}
	if kind == pagetoken.Home {
		return at.card.Origin + "/", nil
	}
	return at.card.Origin + "/" + string(kind) + "/" + id, nil
}

// withdrawLink takes back a link that nobody was given.
func (a *app) withdrawLink(ctx context.Context, kind pagetoken.Kind, id, link string) error {
	_, code, _ := strings.Cut(link, "#")
	return a.desk.Withdraw(ctx, kind, id, code)
}

// whoServes says where the pages are, for those who ask about the server.
func (a *app) whoServes(ctx context.Context) tools.Pages {
	at, err := a.serving(ctx, 0)
	switch {
	case err != nil:
		return tools.Pages{Note: fault.As(err).Text}
	case at.here:
		return tools.Pages{Origin: at.card.Origin, Here: true, Note: at.note}
	}
	return tools.Pages{Origin: at.card.Origin}
}
