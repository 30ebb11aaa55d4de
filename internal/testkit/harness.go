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
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx"
	flowxswap "github.com/sayurintent/sayurintent/internal/protocol/flowx/swap"
	"github.com/sayurintent/sayurintent/internal/record"
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
	"github.com/sayurintent/sayurintent/store"
)

// The wallet that a harness connects, and its network.
const (
	WalletName  = "Sandbox Test Wallet"
	WalletID    = "say-ur-intent.sandbox-test-wallet"
	WalletChain = "sui:localnet"
	Network     = "sui:sandbox"
)

// Harness is a complete back end on loopback and temporary files. Only the chain is simulated. It ends
// with its test.
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
	Clock    *double.Clock // shared by chain and program
	Data     string        // SAY_UR_INTENT_DATA_DIR of another process on the same store

	t       testing.TB
	genesis []byte // of the sandbox; random if empty
	dir     string
	config  review.Config
	stop    context.CancelFunc // stops the current watcher
}

// Pace is the sandbox's epoch schedule.
func Pace() node.Pace {
	return node.Pace{Epoch: sandbox.FirstEpoch, Length: sandbox.EpochLength, Ahead: sandbox.EpochsByHand}
}

// Start builds a harness with a running receipt watcher. Its clock follows now, usually time.Now. edit,
// if not nil, changes the service's configuration first, for example its adapters or limits. Data is in
// memory if possible; tests that kill processes use OnDisk.
func Start(t testing.TB, now func() time.Time, edit func(*review.Config)) *Harness {
	t.Helper()
	return Resume(t, now, double.Dir(t), nil, edit)
}

// OnDisk builds a harness with its data on disk.
func OnDisk(t testing.TB, now func() time.Time, edit func(*review.Config)) *Harness {
	t.Helper()
	return Resume(t, now, t.TempDir(), nil, edit)
}

// Resume builds a harness on an existing data directory and a chain with the given genesis
// (sandbox.Config.Genesis). The chain can execute transactions that the store released on a chain with
// the same genesis.
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
		Store: h.Store, Adapters: h.adapters(), Nodes: review.Nodes{Chain: h.Node, Simulator: h.Node, Executor: h.Node,
			Feed: h.Node, Pace: Pace(), Seen: h.Store},
		Active: h.active, Allowed: set.Allowance, Device: set.SignsOnDevice, Paid: h.Store.Paid, Named: h.Store.PaidName,
		Keys: h.keys, Names: h.names(), Hub: h.Hub, Now: h.Clock.Now, Network: Network,
		Unproved: h.Store.Unproved, LookedFor: h.Store.LookedFor,
	}
	h.prove()
	if edit != nil {
		edit(&h.config)
	}
	if h.config.Limits == (gate.Limits{}) {
		h.config.Limits = gate.DefaultLimits()
		h.config.Limits.FirstLook = time.Minute // slow machines need longer
	}
	h.open()
	t.Cleanup(h.close)
	return h
}

// startSandbox starts a new chain and connects to it.
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

// open starts a service and its watcher; close ends both.
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

// Gates returns the configuration of the harness's gates.
func (h *Harness) Gates() gate.Config { return h.config.Gates() }

// Restart ends the service, dropping everything in memory, and starts another on the same store, as a
// new process would.
func (h *Harness) Restart() {
	h.close()
	h.open()
}

// Twin returns a second service on the same data directory, as in another process: it has its own
// store and shares no memory.
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

// Use restarts the service with the given adapters.
func (h *Harness) Use(adapters ...plan.Adapter) {
	h.close()
	h.config.Adapters = adapters
	h.open()
}

// OtherChain restarts the service on another chain, as if the sandbox had been restarted. With a
// fixed genesis, it is the same chain at its beginning.
func (h *Harness) OtherChain() {
	h.t.Helper()
	h.close()
	h.startSandbox()
	h.config.Chain, h.config.Simulator, h.config.Executor, h.config.Feed = h.Node, h.Node, h.Node, h.Node
	h.config.Adapters, h.config.Names = h.adapters(), h.names()
	h.open()
}

// keys returns the keys that may sign for an account in addition to its own.
func (h *Harness) keys(ctx context.Context, account sui.Address) ([]sui.Address, error) {
	return standing.Reader{Chain: h.Node}.Keys(ctx, account)
}

func (h *Harness) names() suins.Resolver {
	return suins.Resolver{Chain: h.Node, Registry: suins.Mainnet, Now: h.Clock.Now}
}

// adapters returns the product's adapters on the current node, with only DeepBook for swaps of SUI and
// USDC.
func (h *Harness) adapters() []plan.Adapter {
	h.Pools = deepbook.New(deepbook.Config{Chain: h.Node, Now: h.Clock.Now})
	return h.over(h.Pools, h.Node)
}

// over is like adapters, for any node.
func (h *Harness) over(pools *deepbook.Reader, node *rpc.Client) []plan.Adapter {
	in := Swap("10", "SUI", "USDC")
	return slices.DeleteFunc(adapters.Over(node, nil, pools, nil, h.Clock.Now), func(a plan.Adapter) bool {
		_, err := a.Plan(in, h.Clock.Now())
		return a.Meta().Action == in.Type && a.Meta().Slug != "deep" && err == nil
	})
}

// Adapters returns the adapters that the harness started with.
func (h *Harness) Adapters() []plan.Adapter { return h.config.Adapters }

// FlowX returns the product's other swap adapter on the current node, without FlowX's router.
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
