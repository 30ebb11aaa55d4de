package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pass"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/web"
	"github.com/sayurintent/sayurintent/store"
)

// app is every value of a running server, built once.
type app struct {
	settings settings
	log      *slog.Logger
	now      func() time.Time

	hub      *events.Hub
	db       *store.DB
	desk     *pass.Desk
	accounts *account.Service
	node     *rpc.Client
	deepbook *deepbook.Reader
	assets   *assets.Service
	prices   *indexer.Client
	reviews  *review.Service

	pages  *web.Server // nil when another process owns the pages
	origin string      // of the pages, "" without them

	undo []func() // what close does, last first
}

// newApp builds a server: store, node client, services and pages. It asks no
// node, so it works offline.
func newApp(ctx context.Context, p process, s settings) (*app, error) {
	a := &app{settings: s, log: newLog(p.Stderr), now: p.Now, hub: &events.Hub{}}
	if err := a.build(ctx); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *app) build(ctx context.Context) error {
	if err := a.openStore(ctx); err != nil {
		return err
	}
	local, err := a.openNode()
	if err != nil {
		return err
	}
	a.desk = pass.NewDesk(a.db, a.now, rand.Reader)
	a.accounts = account.New(account.Config{
		Store: a.db, Hub: a.hub, Now: a.now, Chain: a.settings.network.walletChain,
	})
	a.deepbook = deepbook.New(deepbook.Config{Chain: a.node, Now: a.now})
	a.assets = assets.New(assets.Config{Chain: a.node, Cache: a.db, Pools: a.deepbook, Now: a.now})
	if err := a.openIndexer(); err != nil {
		return err
	}
	second, err := a.openSecond()
	if err != nil {
		return err
	}
	a.reviews = review.New(review.Config{
		Store: a.db, Adapters: []review.Adapter{swap.New(a.deepbook)},
		Chain: a.node, Simulator: a.node, Executor: a.node, Second: second,
		Active: a.activeAccount, Hub: a.hub, Now: a.now, Rand: rand.Reader,
		Network: a.settings.network.answer,
	})
	a.later(a.reviews.Close)
	return a.openPages(ctx, local)
}

// later registers what close must do.
func (a *app) later(f func()) { a.undo = append(a.undo, f) }

// close ends everything in the opposite order of its beginning.
func (a *app) close() {
	for i := len(a.undo) - 1; i >= 0; i-- {
		a.undo[i]()
	}
	a.undo = nil
}

func (a *app) openStore(ctx context.Context) error {
	if a.settings.dataDir == "" {
		dir, err := os.MkdirTemp("", "say-ur-intent-sandbox-")
		if err != nil {
			return err
		}
		a.settings.dataDir = dir
		a.later(func() { _ = os.RemoveAll(dir) })
	}
	db, err := store.Open(ctx, store.Config{Dir: a.settings.dataDir, Now: a.now, Hub: a.hub})
	if err != nil {
		return err
	}
	a.db = db
	a.later(func() { _ = db.Close() })
	following, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); db.Follow(following) }()
	a.later(func() { stop(); <-done })
	return nil
}

// openNode makes the node client, embedding a sandbox where the network is one
// and none is named. It gives what serves /sandbox/ on the pages, nil on a real
// network.
func (a *app) openNode() (http.Handler, error) {
	var local http.Handler
	if a.settings.network.grpcURL == "" {
		var err error
		if local, err = a.openSandbox(); err != nil {
			return nil, err
		}
	}
	node, err := rpc.New(rpc.Config{URL: a.settings.grpcURL, Now: a.now, Admit: a.settings.network.admit})
	if err != nil {
		return nil, err
	}
	a.node = node
	a.later(func() { _ = node.Close() })
	return local, nil
}

// openIndexer makes the client of past prices; a sandbox has its own.
func (a *app) openIndexer() error {
	url := a.settings.indexer
	if url == "" {
		url = a.settings.grpcURL
	}
	client, err := indexer.New(indexer.Config{URL: url, Now: a.now})
	if err != nil {
		return fmt.Errorf("DEEPBOOK_INDEXER_URL: %w", err)
	}
	a.prices = client
	a.later(client.Close)
	return nil
}

// openSecond makes the client of a second node that reviews are compared with,
// nil when none is named. It must be of the same network.
func (a *app) openSecond() (*review.Second, error) {
	if a.settings.secondURL == "" {
		return nil, nil
	}
	node, err := rpc.New(rpc.Config{URL: a.settings.secondURL, Now: a.now, Admit: a.settings.network.admit})
	if err != nil {
		return nil, fmt.Errorf("SUI_GRPC_URL_2: %w", err)
	}
	a.later(func() { _ = node.Close() })
	pools := deepbook.New(deepbook.Config{Chain: node, Now: a.now})
	return &review.Second{Chain: node, Simulator: node, Adapters: []review.Adapter{swap.New(pools)}}, nil
}

func (a *app) openSandbox() (http.Handler, error) {
	if a.settings.grpcURL != "" {
		return sandboxProxy(a.settings.grpcURL)
	}
	chain, err := sandbox.New(sandbox.Config{Now: a.now})
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		if err := chain.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			a.log.Error("the sandbox ended", "cause", err)
		}
	}()
	a.later(chain.Close)
	a.settings.grpcURL = "http://" + ln.Addr().String()
	return chain.ControlHandler(), nil
}

// openPages serves the pages, unless another process of this data directory
// does; then this one serves tools alone, and says so.
func (a *app) openPages(ctx context.Context, local http.Handler) error {
	owner, err := a.db.Own(ctx)
	if err != nil {
		return err
	}
	if !owner {
		a.log.Warn("another Say Ur Intent process serves the pages of this data directory; this one serves tools without pages")
		return nil
	}
	ln, err := a.listen()
	if err != nil {
		return err
	}
	a.pages, err = web.New(web.Config{
		Network: a.settings.network.answer, WalletChain: a.settings.network.walletChain, Sandbox: local,
		Desk: a.desk, Accounts: a.accounts, Reviews: a.reviews, Hub: a.hub,
		Journal: a.db.JournalHead, Waiting: a.db.WaitingReviews, Now: a.now, Log: a.log,
	})
	if err != nil {
		_ = ln.Close()
		return err
	}
	a.origin = "http://" + ln.Addr().String()
	go func() {
		if err := a.pages.Serve(ln); err != nil {
			a.log.Error("the pages ended", "cause", err)
		}
	}()
	a.later(func() { _ = a.pages.Shutdown(context.Background()) })

	watching, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := a.reviews.Run(watching); err != nil && watching.Err() == nil {
			a.log.Error("the receipt watcher ended", "cause", err)
		}
	}()
	a.later(func() { stop(); <-done })
	return nil
}

// listen takes the installation's port, or another one when a foreign program
// has it. A port named by the person is used or refused, never replaced.
func (a *app) listen() (net.Listener, error) {
	loopback := func(port int) (net.Listener, error) {
		return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	}
	if a.settings.port != 0 {
		ln, err := loopback(a.settings.port)
		if err != nil {
			return nil, fmt.Errorf("port %d of SAY_UR_INTENT_REVIEW_PORT cannot be used: %w", a.settings.port, err)
		}
		return ln, nil
	}
	kept := keptPort(a.settings.dataDir)
	if kept != 0 {
		if ln, err := loopback(kept); err == nil {
			return ln, nil
		}
		a.log.Warn("another program has the port of the pages; another port is used this time", "port", kept)
		return loopback(0)
	}
	ln, err := loopback(0)
	if err != nil {
		return nil, err
	}
	if err := keepPort(a.settings.dataDir, ln.Addr().(*net.TCPAddr).Port); err != nil {
		a.log.Warn("the port of the pages could not be kept for the next start", "cause", err)
	}
	return ln, nil
}

func (a *app) activeAccount(ctx context.Context) (review.Account, bool, error) {
	active, ok, err := a.accounts.Active(ctx)
	return review.Account{Address: active.Account, WalletName: active.WalletName, WalletID: active.WalletID}, ok, err
}

// link makes a one-time link to a page of this process.
func (a *app) link(ctx context.Context, kind pass.Kind, id string) (string, error) {
	if a.pages == nil {
		return "", fault.New(fault.Blocked,
			"Another Say Ur Intent process serves the pages of this data directory. Close the other AI client, "+
				"or ask it for the link.")
	}
	code, err := a.desk.Link(ctx, kind, id, 0)
	if err != nil {
		return "", err
	}
	path := string(kind) + "/" + id
	if kind == pass.Home {
		path = ""
	}
	return a.origin + "/" + path + "#" + code.Reveal(), nil
}

// busy reports whether something of the person still hangs on this process: an
// unsettled release, an open page, or a fresh link that nobody opened yet.
func (a *app) busy(ctx context.Context) bool {
	if a.pages == nil {
		return false
	}
	if a.pages.Connected() > 0 {
		return true
	}
	if unsettled, err := a.db.Unsettled(ctx); err != nil || len(unsettled) > 0 {
		return err == nil
	}
	fresh, err := a.desk.Unopened(ctx, freshLink)
	return err == nil && fresh
}
