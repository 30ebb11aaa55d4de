package lies_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/indexer"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// moment is the fixed start time of these chains, so that repeated honest answers are equal.
var moment = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// world is the product on a chain that it can reach directly and through the liar.
type world struct {
	*testkit.Harness
	t      testing.TB
	liar   *lies.Proxy
	lying  string      // URL of the lying proxy
	honest *rpc.Client // client of the same chain without the proxy
	calls  map[string]tool.Tool
	close  []func()
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{Harness: testkit.Start(t, func() time.Time { return moment }, nil), t: t}
	w.liar = lies.New(w.Sandbox.Handler())
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: w.liar, Protocols: &protocols, ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	w.lying = "http://" + ln.Addr().String()
	if w.honest, err = rpc.New(rpc.Config{URL: w.URL, Now: w.Clock.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.honest.Close() })
	w.Connect(sandbox.Account)
	t.Cleanup(w.end)
	return w
}

// anew clears the caches of node clients between cases.
func (w *world) anew() {
	w.t.Helper()
	w.end()
	w.Ask(w.lying)
}

func (w *world) end() {
	for _, f := range w.close {
		f()
	}
	w.close = nil
	w.calls = nil
}

// call calls a tool.
func (w *world) call(name, args string) tool.Answer {
	w.t.Helper()
	if w.calls == nil {
		w.calls = map[string]tool.Tool{}
		for _, d := range tools.All(w.deps()) {
			w.calls[d.Name] = d
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return w.calls[name].Call(tool.NewCall(ctx, nil, tool.Client{}), json.RawMessage(args))
}

// deps returns the dependencies of the tools, all on the lying node.
func (w *world) deps() tools.Deps {
	w.t.Helper()
	keep := func(err error, end func()) {
		if err != nil {
			w.t.Fatal(err)
		}
		w.close = append(w.close, end)
	}
	past, err := rpc.NewHistory(rpc.Config{URL: w.lying + "/graphql", Now: w.Clock.Now})
	keep(err, func() { past.Close() })
	prices, err := indexer.New(indexer.Config{URL: w.lying, Now: w.Clock.Now})
	keep(err, func() { prices.Close() })
	router, err := quoter.New(quoter.Config{URL: w.lying, Now: w.Clock.Now})
	keep(err, func() { router.Close() })
	desk := pagetoken.NewDesk(w.Store, w.Clock.Now, rand.Reader)
	return tools.Deps{
		Prices: prices, Router: router,
		About: tools.About{Version: "test", Network: testkit.Network,
			Pages: tools.Pages{Origin: "http://127.0.0.1:1"}},
		Accounts: w.Accounts, Reviews: w.Reviews, Book: w.Pools, History: w.Store, Now: w.Clock.Now,
		Assets: assets.New(assets.Config{Chain: w.Node, Cache: noCache{}, Pools: w.Pools, Now: w.Clock.Now}),
		ChainReaders: tools.ChainReaders{Positions: positions.NewReader(w.Node, staking.NewReader(w.Node, w.Clock.Now)),
			Staking: staking.NewReader(w.Node, w.Clock.Now)},
		Inventory: deepbook.NewInventory(w.Pools, w.Node),
		Names:     book.NewService(w.Store, w.Clock.Now),
		Activity: activity.New(activity.Config{
			Source: past, Chain: w.Node.ChainIdentifier, Store: w.Store, Accounts: w.Accounts, Now: w.Clock.Now,
			Balances: func(ctx context.Context, owner sui.Address) ([]sui.Balance, error) {
				list, _, err := w.Node.Balances(ctx, owner, nil, 100)
				return list, err
			},
			Labels: append([]sui.Label{deepbook.Label(), flowx.Label()}, sui.ChainLabels()...),
		}),
		PageLinks: tools.PageLinks{Link: func(ctx context.Context, kind pagetoken.Kind, id string) (string, error) {
			code, err := desk.Link(ctx, kind, id, pagetoken.LinkLife)
			return "http://127.0.0.1:1/" + string(kind) + "/" + id + "#" + code.Reveal(), err
		}},
	}
}

// noCache stores no coin metadata, so every case queries the node.
type noCache struct{}

func (noCache) Descriptions(context.Context, sui.Digest, []sui.CoinType, time.Time) ([]assets.Described, error) {
	return nil, nil
}

func (noCache) KeepDescriptions(context.Context, sui.Digest, []assets.Described, time.Time) error {
	return nil
}

// Objects and coins of these chains, in addition to those of every sandbox.
var (
	friend   = sui.MustAddress("0x5afe0000000000000000000000000000000000000000000000000000000000aa")
	manager  = sui.MustAddress("0x3333333333333333333333333333333333333333333333333333333333333333")
	gem      = sui.CoinType("0x0000000000000000000000000000000000000000000000000000000000000fed::gem::GEM")
	usdc, _  = coins.BySymbol("USDC")
	patience = double.Patience
)

// furnish gives the account a manager with funds and orders, and an unpinned coin. It returns the
// number of an order that can be canceled.
func (w *world) furnish() (order string) {
	w.t.Helper()
	w.Sandbox.ShowHoldings()
	w.Sandbox.Describe(sui.Metadata{Type: gem, Decimals: 4, Symbol: "GEM", Name: "A gem"})
	for range 2 {
		w.Sandbox.Hold(sandbox.Account, gem, 150_000, 0)
	}
	_, err := w.Sandbox.OpenManager(sandbox.Manager{ID: manager, Owner: sandbox.Account, Registered: true,
		Trader: sandbox.Account,
		Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 500_000_000_000}, {Coin: usdc.Type, Amount: 900_000_000},
			{Coin: coins.DEEP, Amount: 50_000_000}},
		Orders: []sandbox.RestingOrder{
			{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000},
			{Pool: "SUI_USDC", IsBid: true, Price: 1_000_000, Quantity: 10_000_000_000},
		}})
	if err != nil {
		w.t.Fatal(err)
	}
	resting, err := deepbook.NewInventory(w.Pools, w.Node).Account(w.t.Context(), "SUI_USDC", manager)
	if err != nil || len(resting.Orders) != 2 {
		w.t.Fatalf("%v %+v", err, resting)
	}
	return resting.Orders[0].ID
}

// swapOn returns a swap intent for a protocol.
func swapOn(protocol, amount, from, to string) plan.Intent {
	in := testkit.Swap(amount, from, to)
	in.Protocol = protocol
	return in
}
