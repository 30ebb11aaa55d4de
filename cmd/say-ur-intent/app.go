package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/health"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/market"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/internal/watch"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
	"github.com/sayurintent/sayurintent/store"
)

// mostRequests limits the requests of one client in ten minutes.
const mostRequests = 30

// Limits for the calls of all clients together: how many run at once, and the bytes of their
// requests. A server's memory limit is several times that.
const (
	sharedCalls = 64
	sharedBytes = 48 << 20
)

// app is every value of a running server, built once.
type app struct {
	options options
	process process // that it runs in
	log     *slog.Logger
	now     func() time.Time

	hub      *events.Hub
	db       *store.DB
	calls    *calls.Recent // of tools
	desk     *pagetoken.Desk
	accounts *account.Service
	health   *health.Monitor // of the services outside
	node     *rpc.Client
	second   *rpc.Client // confirms what node reports; nil if none is set
	deepbook *deepbook.Reader
	assets   *assets.Service
	watched  *watch.Service    // coins that the user wants to see
	actions  *actions.Executor // of everything that programs ask for
	names    *book.Service     // the address book
	prices   *indexer.Client
	router   *quoter.Client
	proofs   *prover.Chain // follows the chain's validators
	past     *rpc.History  // reports past transactions
	activity *activity.Service
	reviews  *review.Service
	bundles  *request.Service  // of several reviews, one after another
	plans    *plans.Service    // of several bundles
	settings *settings.Service // the user's settings on this machine
	backup   *backup.Service
	requests *worker.Requests // answers requests of pages
	runner   *worker.Runner   // runs tasks started by tools

	workspace *workspace.Local // works on the user's source projects

	served *served      // the pages
	local  http.Handler // serves /sandbox/ on the pages; nil on a real network

	offers offers        // what is offered to clients
	shared *stdio.Shared // bounds all of them together

	started  identity                      // the program
	sessions func() (int, <-chan struct{}) // that it serves
	life     context.Context               // its life
	end      context.CancelFunc            // ends that
	again    atomic.Bool                   // start the next server when it has ended
	wishes   wishes                        // addresses that clients name

	undo []func() // what close does, in reverse order
}

// newApp builds a server: store, node client, services and pages. It sends no request, so it works
// offline.
func newApp(ctx context.Context, p process, s options) (*app, error) {
	a := &app{options: s, process: p, log: newLog(p.Stderr), now: p.Now, hub: &events.Hub{},
		shared: stdio.NewShared(sharedCalls, sharedBytes)}
	a.life, a.end = context.WithCancel(ctx)
	a.later(a.end)
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
	if err := a.own(ctx); err != nil {
		return err
	}
	a.useStored(ctx)
	a.openHealth()
	if err := a.openNode(); err != nil {
		return err
	}
	a.calls = calls.New(a.hub, a.now)
	a.desk = pagetoken.NewDesk(a.db, a.now, rand.Reader)
	a.accounts = account.New(account.Config{
		Store: a.db, Hub: a.hub, Now: a.now, Chain: a.options.network.walletChain,
	})
	a.deepbook = deepbook.New(deepbook.Config{Chain: a.node, Now: a.now})
	if err := a.openQuoter(); err != nil {
		return err
	}
	a.openSettings()
	if err := a.openProver(); err != nil {
		return err
	}
	if err := a.openActivity(); err != nil {
		return err
	}
	a.assets = assets.New(assets.Config{Chain: a.node, Cache: a.db, Pools: a.deepbook, Now: a.now,
		Watched: a.db.WatchedTypes})
	a.watched = watch.NewService(a.db, a.assets, a.now)
	a.names = book.NewService(a.db, a.now)
	if err := a.openIndexer(); err != nil {
		return err
	}
	second, err := a.openSecond()
	if err != nil {
		return err
	}
	a.reviews = review.New(review.Config{
		Store: a.db, Adapters: adapters.Over(a.node, a.second, a.deepbook, a.router, a.now),
		Chain: a.node, Simulator: a.node, Executor: a.node, Feed: a.node, Second: second,
		Active: a.activeAccount, Allowed: a.settings.Allowance, Paid: a.db.Paid, Named: a.db.PaidName,
		Keys:   standing.Reader{Chain: a.node}.Keys,
		Device: a.settings.SignsOnDevice, Names: a.suins(), Known: a.knownAddresses, Stages: a.db.TellStages,
		Recent:  market.New(a.deepbook, a.prices).Recent,
		Request: func(ctx context.Context, id record.ID) ([]plan.Given, error) { return a.bundles.Given(ctx, id) },
		Hub:     a.hub, Now: a.now, Rand: rand.Reader,
		Network: a.options.network.answer, Log: a.log,
		Pace: a.options.network.pace, Seen: a.db, Prover: a.proofs, Unproved: a.db.Unproved, LookedFor: a.db.LookedFor,
	})
	a.later(a.reviews.Close)
	a.bundles = request.New(request.Config{Booked: a.bookedAddress, Store: a.db, Make: a.reviews, Active: a.activeAccount,
		Hub: a.hub,
		Now: a.now, Rand: rand.Reader})
	a.plans = plans.New(plans.Config{Store: a.db, Requests: a.bundles, Make: a.reviews, Book: a.names, Now: a.now})
	a.later(a.plans.Close)
	a.openActions()
	a.watchVersions()
	a.openWorker()
	a.openWorkspace()
	return a.openPages()
}

// How long a start waits for a server of the same data directory that is just ending.
const (
	ownMost  = time.Second
	ownPause = 5 * time.Millisecond
)

// own makes this process the server of the data directory.
func (a *app) own(ctx context.Context) error {
	end := a.now().Add(ownMost)
	for {
		owned, err := a.db.Own(ctx)
		if owned || err != nil {
			return err
		}
		if a.now().After(end) || ctx.Err() != nil {
			return fault.New(fault.Blocked, "Another Say Ur Intent process serves the data directory %s. "+
				"End it first: say-ur-intent stop.", a.options.dataDir)
		}
		time.Sleep(ownPause)
	}
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
	if a.options.dataDir == "" {
		dir, err := os.MkdirTemp("", "say-ur-intent-sandbox-")
		if err != nil {
			return err
		}
		a.options.dataDir = dir
		a.later(func() { _ = os.RemoveAll(dir) })
	}
	db, err := store.Open(ctx, store.Config{Dir: a.options.dataDir, Now: a.now, Hub: a.hub, Requests: mostRequests})
	if err != nil {
		return err
	}
	a.db = db
	a.later(func() { _ = db.Close() })
	a.later(a.trim())
	return nil
}

// How often old events are removed, and when first, for servers that live shortly.
const (
	trimPause = time.Hour
	firstTrim = time.Minute
)

// trim periodically removes expired entries of the log, until ending is called.
func (a *app) trim() (ending func()) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		next := time.NewTimer(firstTrim)
		defer next.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-next.C:
			}
			if err := a.db.Trim(ctx, bus.DefaultPolicy()); err != nil && ctx.Err() == nil {
				a.log.Warn("old events were not removed; it is tried again in an hour", "cause", err)
			}
			next.Reset(trimPause)
		}
	}()
	return func() { stop(); <-done }
}

// openNode creates the node client, embedding a sandbox if the network is one and no node is set.
func (a *app) openNode() error {
	if a.options.network.services[settings.GRPC] == "" {
		if err := a.openSandbox(); err != nil {
			return err
		}
	}
	a.options.useNode()
	node, err := a.nodeAt(settings.GRPC)
	if err != nil {
		return err
	}
	a.node = node
	return nil
}

// nodeAt returns a client of a full node, or nil if none is set. The node must be of the program's
// network.
func (a *app) nodeAt(w settings.Which) (*rpc.Client, error) {
	url := a.options.services[w].URL
	if url == "" {
		return nil, nil
	}
	node, err := rpc.New(rpc.Config{URL: url, Now: a.now, Admit: a.options.network.admit, Reach: a.options.reach(w),
		Heard: a.heard(w)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	a.later(func() { _ = node.Close() })
	return node, nil
}

// openIndexer makes the client of past prices.
func (a *app) openIndexer() error {
	const w = settings.Indexer
	client, err := indexer.New(indexer.Config{URL: a.options.services[w].URL, Now: a.now, Reach: a.options.reach(w),
		Heard: a.heard(w)})
	if err != nil {
		return fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	a.prices = client
	a.later(client.Close)
	return nil
}

// openSecond creates the client of a second node for comparison, or nil if none is set.
func (a *app) openSecond() (*gate.Second, error) {
	node, err := a.nodeAt(settings.Second)
	if node == nil {
		return nil, err
	}
	a.second = node
	pools := deepbook.New(deepbook.Config{Chain: node, Now: a.now})
	return &gate.Second{Chain: node, Simulator: node, Executor: node,
		Adapters: adapters.Over(node, a.node, pools, nil, a.now),
		Keys:     standing.Reader{Chain: node}.Keys}, nil
}

// knownAddresses returns the addresses that wallets gave on this machine.
func (a *app) knownAddresses(ctx context.Context) ([]sui.Address, error) {
	known, err := a.accounts.Known(ctx)
	var all []sui.Address
	for _, k := range known {
		all = append(all, k.Account)
	}
	return all, err
}

func (a *app) activeAddress(ctx context.Context) (sui.Address, bool, error) {
	active, ok, err := a.accounts.Active(ctx)
	return active.Account, ok, err
}

func (a *app) activeAccount(ctx context.Context) (record.Account, bool, error) {
	active, ok, err := a.accounts.Active(ctx)
	if err != nil || !ok {
		return record.Account{}, ok, err
	}
	members, err := a.accounts.MultiSig(ctx, active.Account)
	return record.Account{Address: active.Account, WalletName: active.WalletName, WalletID: active.WalletID,
		MultiSig: members}, ok, err
}

// suins finds names through the node.
func (a *app) suins() suins.Resolver {
	return suins.Resolver{Chain: a.node, Registry: suins.Mainnet, Now: a.now}
}
