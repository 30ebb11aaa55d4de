package main

import (
	"context"
	"crypto/rand"
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
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
	"github.com/sayurintent/sayurintent/internal/web/market"
	"github.com/sayurintent/sayurintent/internal/worker"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/store"
)

// maxRequests is the number of requests that one client may make in ten minutes.
const maxRequests = 30

// Limits shared by all clients: the number of concurrent calls, and the total size of their
// requests. The server's memory limit is several times sharedBytes.
const (
	sharedCalls = 64
	sharedBytes = 48 << 20
)

// app holds the services of a running server. Each is built once.
type app struct {
	*setup
	external
	links
	signers
	lifetime

	hub      *events.Hub
	db       *store.DB
	calls    *calls.Recent // recent tool calls
	deepbook *deepbook.Reader
	assets   *assets.Service
	watched  *watch.Service    // coins that the user watches
	actions  *actions.Executor // executes what programs request
	names    *book.Service     // the address book
	activity *activity.Service
	reviews  *review.Service
	bundles  *request.Service  // requests of one or several steps
	plans    *plans.Service    // plans of several requests
	settings *settings.Service // the user's settings on this machine
	backup   *backup.Service
	requests *worker.Requests // responds to requests from pages
	runner   *worker.Runner   // runs tasks that tools start

	workspace *workspace.Local // works on the user's source projects

	offers offers        // tools, resources and prompts, by kind of client
	shared *stdio.Shared // limits shared by all clients
	wishes wishes        // service addresses that clients ask for
}

// signers returns the accounts that the user connected.
type signers struct{ accounts *account.Service }

// lifetime controls when a server ends.
type lifetime struct {
	started  identity                      // the program it was started from
	sessions func() (int, <-chan struct{}) // number of sessions; the channel is closed when it changes
	life     context.Context
	end      context.CancelFunc // ends life
	again    atomic.Bool        // whether to start another server when this one has ended
}

// newApp builds a server with its store, node client, services and pages. It sends no requests, so
// it works offline.
func newApp(ctx context.Context, p process, s options) (*app, error) {
	a := &app{setup: newSetup(p, s), hub: &events.Hub{}, shared: stdio.NewShared(sharedCalls, sharedBytes)}
	a.external.setup = a.setup
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
	a.openHealth(a.db.Log)
	if err := a.openNode(); err != nil {
		return err
	}
	a.calls = calls.New(a.hub, a.now)
	a.desk = pagetoken.NewDesk(a.db.Pages, a.now, rand.Reader)
	a.accounts = account.New(account.Config{
		Store: a.db.Accounts, Hub: a.hub, Now: a.now, Chain: a.options.network.walletChain,
	})
	a.deepbook = deepbook.New(deepbook.Config{Chain: a.node, Now: a.now})
	if err := a.openQuoter(); err != nil {
		return err
	}
	a.openSettings()
	if err := a.openProver(a.db.Chains); err != nil {
		return err
	}
	if err := a.openActivity(); err != nil {
		return err
	}
	a.assets = assets.New(assets.Config{Chain: a.node, Cache: a.db.CoinCache, Pools: a.deepbook, Now: a.now,
		Watched: a.db.WatchedTypes})
	a.watched = watch.NewService(a.db.WatchLists, a.assets, a.now)
	a.names = book.NewService(a.db.AddressBook, a.now)
	if err := a.openIndexer(); err != nil {
		return err
	}
	if err := a.openReviews(); err != nil {
		return err
	}
	a.openActions()
	a.watchVersions()
	a.openWorker()
	a.openWorkspace()
	return a.openPages()
}

// limits are the limits of every review. Tests extend one.
var limits = gate.DefaultLimits()

// openReviews creates the services of reviews, requests and plans.
func (a *app) openReviews() error {
	second, err := a.openSecond()
	if err != nil {
		return err
	}
	a.reviews = review.New(review.Config{
		Store:    reviewRows{a.db.Reviews, a.db.Freeze},
		Limits:   limits,
		Adapters: adapters.Over(a.node, a.second, a.deepbook, a.router, a.now),
		Nodes: review.Nodes{Chain: a.node, Simulator: a.node, Executor: a.node, Feed: a.node, Second: second,
			Pace: a.options.network.pace, Seen: a.db.Chains, Prover: a.proofs},
		Active: a.activeAccount, Allowed: a.settings.Allowance, Paid: a.db.Paid, Named: a.db.PaidName,
		Keys:   standing.Reader{Chain: a.node}.Keys,
		Device: a.settings.SignsOnDevice, Names: a.suins(), Known: a.knownAddresses, Stages: a.db.TellStages,
		Recent:  market.New(a.deepbook, a.prices).Recent,
		Request: func(ctx context.Context, id record.ID) ([]plan.Given, error) { return a.bundles.Given(ctx, id) },
		Hub:     a.hub, Now: a.now, Rand: rand.Reader,
		Network: a.options.network.answer, Log: a.log,
		Unproved: a.db.Unproved, LookedFor: a.db.LookedFor,
	})
	a.later(a.reviews.Close)
	a.bundles = request.New(request.Config{Booked: a.bookedAddress, Store: requestRows{a.db.Requests, a.db.Reviews},
		Make: a.reviews, Active: a.activeAccount, Hub: a.hub, Now: a.now, Rand: rand.Reader})
	a.plans = plans.New(plans.Config{Store: planRows{a.db.Plans, a.db.Conversations}, Requests: a.bundles, Make: a.reviews,
		Book: a.names, Now: a.now})
	a.later(a.plans.Close)
	return nil
}

// How long, and how often, a start checks whether another server of the data directory has ended.
const (
	ownMost  = time.Second
	ownPause = 5 * time.Millisecond
)

// own makes this process the server of the data directory. It fails if another process still is.
func (a *app) own(ctx context.Context) error {
	end := a.now().Add(ownMost)
	for {
		owned, err := a.db.Own(ctx)
		if owned || err != nil {
			return err
		}
		if a.now().After(end) || ctx.Err() != nil {
			return fault.New(fault.Blocked, "Another Say Ur Intent process is using the data directory %s. Stop it first: "+
				"say-ur-intent stop.", a.options.dataDir)
		}
		time.Sleep(ownPause)
	}
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
	db, err := store.Open(ctx, store.Config{Dir: a.options.dataDir, Now: a.now, Hub: a.hub, Requests: maxRequests})
	if err != nil {
		return err
	}
	a.db = db
	a.later(func() { _ = db.Close() })
	a.later(a.trim())
	return nil
}

// Old events are removed every trimPause. The first removal is early, in case the server ends soon.
const (
	trimPause = time.Hour
	firstTrim = time.Minute
)

// trim periodically removes expired entries of the log, until ending is called.
func (a *app) trim() (ending func()) {
	return every(firstTrim, trimPause, func(ctx context.Context) {
		if err := a.db.Trim(ctx, bus.DefaultPolicy()); err != nil && ctx.Err() == nil {
			a.log.Warn("cannot remove old events; retrying in an hour", "cause", err)
		}
	})
}

// knownAddresses returns the addresses of all accounts that were connected on this machine.
func (s *signers) knownAddresses(ctx context.Context) ([]sui.Address, error) {
	known, err := s.accounts.Known(ctx)
	var all []sui.Address
	for _, k := range known {
		all = append(all, k.Account)
	}
	return all, err
}

func (s *signers) activeAddress(ctx context.Context) (sui.Address, bool, error) {
	active, ok, err := s.accounts.Active(ctx)
	return active.Account, ok, err
}

func (s *signers) activeAccount(ctx context.Context) (record.Account, bool, error) {
	active, ok, err := s.accounts.Active(ctx)
	if err != nil || !ok {
		return record.Account{}, ok, err
	}
	members, err := s.accounts.MultiSig(ctx, active.Account)
	return record.Account{Address: active.Account, WalletName: active.WalletName, WalletID: active.WalletID,
		MultiSig: members}, ok, err
}
