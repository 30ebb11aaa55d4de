package testkit

import (
	"context"
	"crypto/rand"
	"net"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	flowxswap "github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/standing"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/prover"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/gate"
	"github.com/sayurintent/sayurintent/review/node"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
	"github.com/sayurintent/sayurintent/store"
)

// The wallet words that a harness connects its account with.
const (
	WalletName  = "Sandbox Test Wallet"
	WalletID    = "say-ur-intent.sandbox-test-wallet"
	WalletChain = "sui:localnet"
	Network     = "sui:sandbox"
)

// Harness is a whole back end on loopback and temporary files. Everything in it is
// real; only the chain is a stand-in. It ends with its test.
type Harness struct {
	Sandbox  *sandbox.Sandbox
	URL      string // of the sandbox, http://127.0.0.1:port
	Node     *rpc.Client
	Prover   *prover.Chain
	Pools    *deepbook.Reader
	Hub      *events.Hub
	Store    *store.DB
	Accounts *account.Service
	Passes   *pagetoken.Desk
	Reviews  *review.Service
	Clock    *double.Clock // that chain and program share
	Data     string        // what SAY_UR_INTENT_DATA_DIR is for a process over the same store

	t       testing.TB
	genesis []byte // of the sandbox; random when empty
	dir     string
	config  review.Config
	stop    context.CancelFunc // of the present watcher
}

// Pace is how the epochs of the sandbox turn.
func Pace() node.Pace {
	return node.Pace{Epoch: sandbox.FirstEpoch, Length: sandbox.EpochLength, Ahead: sandbox.EpochsByHand}
}

// Start builds a harness whose clock starts from now, usually time.Now. edit may
// change the service's configuration before it is used, for example its
// adapters or limits; it may be nil. The receipt watcher runs. The data is in
// memory where that can be: a test that ends processes takes OnDisk.
func Start(t testing.TB, now func() time.Time, edit func(*review.Config)) *Harness {
	t.Helper()
	return Resume(t, now, double.Dir(t), nil, edit)
}

// OnDisk builds a harness whose data is on a disk.
func OnDisk(t testing.TB, now func() time.Time, edit func(*review.Config)) *Harness {
	t.Helper()
	return Resume(t, now, t.TempDir(), nil, edit)
}

// Resume builds a harness over a data directory that exists, on a chain that
// begins with genesis (sandbox.Config.Genesis): the store's releases from such a
// chain can be executed on it.
func Resume(t testing.TB, now func() time.Time, data string, genesis []byte, edit func(*review.Config)) *Harness {
	t.Helper()
	h := &Harness{t: t, Data: data, genesis: genesis, Clock: double.Running(now), Hub: &events.Hub{}}
	h.dir = filepath.Join(h.Data, "sandbox")
	h.startSandbox()
	storekit.Make(t, h.dir)
	ctx := context.Background()
	var err error
	if h.Store, err = store.Open(ctx, store.Config{Dir: h.dir, Now: h.Clock.Now, Hub: h.Hub}); err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() { h.Store.Close() })
	h.Accounts = account.New(account.Config{Store: h.Store, Hub: h.Hub, Now: h.Clock.Now, Chain: WalletChain})
	h.Passes = pagetoken.NewDesk(h.Store, h.Clock.Now, rand.Reader)
	set := settings.New(settings.Config{Store: h.Store})
	h.config = review.Config{
		Store: h.Store, Adapters: h.adapters(), Chain: h.Node, Simulator: h.Node, Executor: h.Node, Feed: h.Node,
		Active: h.active, Allowed: set.Allowance, Device: set.SignsOnDevice, Paid: h.Store.Paid, Named: h.Store.PaidName,
		Keys: h.keys, Names: h.names(), Hub: h.Hub, Now: h.Clock.Now, Network: Network,
		Pace: Pace(), Seen: h.Store, Unproved: h.Store.Unproved, LookedFor: h.Store.LookedFor,
	}
	h.prove()
	if edit != nil {
		edit(&h.config)
	}
	if h.config.Limits == (gate.Limits{}) {
		h.config.Limits = gate.DefaultLimits()
		h.config.Limits.FirstLook = time.Minute // however slow the machine is
	}
	h.open()
	t.Cleanup(h.close)
	return h
}

// startSandbox serves a fresh chain and dials it.
func (h *Harness) startSandbox() {
	h.t.Helper()
	s, err := sandbox.New(sandbox.Config{Now: h.Clock.Now, Genesis: h.genesis})
	if err != nil {
		h.t.Fatalf("make the sandbox: %v", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatalf("listen: %v", err)
	}
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(ln) }()
	h.t.Cleanup(func() { s.Close(); <-served })
	h.Sandbox, h.URL = s, "http://"+ln.Addr().String()
	if h.Node, err = rpc.New(rpc.Config{URL: h.URL, Now: h.Clock.Now}); err != nil {
		h.t.Fatalf("make the client: %v", err)
	}
	node := h.Node
	h.t.Cleanup(func() { node.Close() })
}

// open starts a service with its watcher; close ends both.
func (h *Harness) open() {
	h.Reviews = review.New(h.config)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	service := h.Reviews
	go func() { defer close(done); _ = service.Run(ctx) }()
	h.stop = func() { stop(); <-done }
}

func (h *Harness) close() {
	h.stop()
	h.Reviews.Close()
}

// Gates returns what the gates of the harness work with.
func (h *Harness) Gates() gate.Config { return h.config.Gates() }

// Restart ends the service with everything it kept in memory and starts another
// one over the same store, as a new process would.
func (h *Harness) Restart() {
	h.close()
	h.open()
}

// Twin returns a second service over the same data directory, as another process
// has it: with a store of its own and nothing shared in memory.
func (h *Harness) Twin() *review.Service {
	h.t.Helper()
	hub := &events.Hub{}
	db, err := store.Open(context.Background(), store.Config{Dir: h.dir, Now: h.Clock.Now, Hub: hub})
	if err != nil {
		h.t.Fatalf("open the store a second time: %v", err)
	}
	config := h.config
	config.Store, config.Hub, config.Seen = db, hub, db
	twin := review.New(config)
	h.t.Cleanup(func() {
		twin.Close()
		db.Close()
	})
	return twin
}

// Use restarts the service with these adapters instead of the product's.
func (h *Harness) Use(adapters ...plan.Adapter) {
	h.close()
	h.config.Adapters = adapters
	h.open()
}

// OtherChain puts another chain behind the service, as a restarted sandbox is,
// and restarts it. Of a harness with a fixed genesis it is the same chain at its
// beginning.
func (h *Harness) OtherChain() {
	h.t.Helper()
	h.close()
	h.startSandbox()
	h.config.Chain, h.config.Simulator, h.config.Executor, h.config.Feed = h.Node, h.Node, h.Node, h.Node
	h.config.Adapters, h.config.Names = h.adapters(), h.names()
	h.open()
}

// names finds names through the present node.
// keys lists the keys besides its own that may sign for an account.
func (h *Harness) keys(ctx context.Context, account sui.Address) ([]sui.Address, error) {
	return standing.Reader{Chain: h.Node}.Keys(ctx, account)
}

func (h *Harness) names() suins.Resolver {
	return suins.Resolver{Chain: h.Node, Registry: suins.Mainnet, Now: h.Clock.Now}
}

// adapters returns the product's own adapters over the present node, with one
// protocol for swaps.
func (h *Harness) adapters() []plan.Adapter {
	h.Pools = deepbook.New(deepbook.Config{Chain: h.Node, Now: h.Clock.Now})
	return h.over(h.Pools, h.Node)
}

// over returns those adapters over any node.
func (h *Harness) over(pools *deepbook.Reader, node *rpc.Client) []plan.Adapter {
	return slices.DeleteFunc(adapters.Over(node, nil, pools, nil, h.Clock.Now), func(a plan.Adapter) bool {
		return a.Meta().Action == "swap" && slices.Contains([]string{"flowx", "cetus", "momentum"}, a.Meta().Slug)
	})
}

// Adapters returns the adapters of the product that the harness began with.
func (h *Harness) Adapters() []plan.Adapter { return h.config.Adapters }

// FlowX returns the product's other adapter for swaps, over the present node and
// without FlowX's router.
func (h *Harness) FlowX() plan.Adapter { return h.flowx(h.Node) }

func (h *Harness) flowx(node *rpc.Client) plan.Adapter {
	return flowxswap.New(flowx.New(node, h.Clock.Now), nil)
}

func (h *Harness) active(ctx context.Context) (record.Account, bool, error) {
	a, ok, err := h.Accounts.Active(ctx)
	if err != nil || !ok {
		return record.Account{}, ok, err
	}
	members, err := h.Accounts.MultiSig(ctx, a.Account)
	return record.Account{Address: a.Account, WalletName: a.WalletName, WalletID: a.WalletID, MultiSig: members}, ok, err
}
