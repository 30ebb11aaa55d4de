package resting_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/resting"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

var maker = sui.MustAddress("0xabc")

// market is a sandbox chain on which maker has the best bid, for 4 SUI, and others can sell into it.
type market struct {
	*testkit.Harness
	t       *testing.T
	follow  *resting.Follower
	cursor  bus.Cursor
	manager sui.ObjectID
}

func open(t *testing.T) *market {
	t.Helper()
	m := &market{Harness: testkit.Start(t, time.Now, nil), t: t}
	pools := deepbook.New(deepbook.Config{Chain: m.Node, Now: m.Clock.Now})
	m.follow = &resting.Follower{Inventory: deepbook.NewInventory(pools, m.Node), Store: m.Store, Now: m.Clock.Now,
		Accounts:      func(context.Context) ([]sui.Address, error) { return []sui.Address{maker}, nil },
		Conversations: func(context.Context) ([]string, error) { return []string{"any"}, nil }}
	book, err := pools.OrderBook(t.Context(), "SUI_USDC", 1)
	if err != nil {
		t.Fatal(err)
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	m.manager, err = m.Sandbox.OpenManager(sandbox.Manager{Owner: maker, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Quote.Type, Amount: 90_000_000}, {Coin: coins.DEEP, Amount: 5_000_000}},
		Orders: []sandbox.RestingOrder{{Pool: pool.Key, IsBid: true, Price: uint64(book.Bids[0].Price) +
			uint64(book.Parameters.Tick),
			Quantity: 4_000_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *market) look() int {
	m.t.Helper()
	n, err := m.follow.Look(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}

// sell has another account sell SUI at the market price.
func (m *market) sell(amount string) {
	m.t.Helper()
	m.Connect(sandbox.Account)
	s := m.Ready(testkit.Swap(amount, "SUI", "USDC"))
	m.Send(s)
	m.Until(s.ID, "the swap is on chain", func(s record.Session) bool { return s.Status == record.Success })
}

// told returns the texts sent to an agent since the last call.
func (m *market) told() []string {
	m.t.Helper()
	page, err := m.Store.Since(m.t.Context(), m.cursor, bus.Filter{Session: "any", Sees: bus.Agent,
		Types: []bus.Type{bus.TypeAsyncUpdate}}, 10)
	if err != nil {
		m.t.Fatal(err)
	}
	m.cursor = page.Next
	var lines []string
	for _, e := range page.Events {
		line, _ := bus.LineOf(e)
		lines = append(lines, line.Text)
	}
	return lines
}

// TestFills reports each fill once: while the program runs, after a restart, and if several processes
// read it.
func TestFills(t *testing.T) {
	m := open(t)
	if n := m.look(); n != 1 || len(m.told()) != 0 {
		t.Fatalf("%d orders rest", n)
	}
	m.sell("2")
	if n := m.look(); n != 1 {
		t.Fatalf("%d orders rest", n)
	}
	if got := m.told(); len(got) != 1 || !strings.Contains(got[0], "filled in part: 1.9 SUI now, 2.1 SUI still waits") {
		t.Errorf("%q", got)
	}
	if m.look(); len(m.told()) != 0 {
		t.Error("told twice")
	}
	// The order is filled while no process is running.
	m.sell("5")
	m.Restart()
	m.follow.Store = m.Store
	if n := m.look(); n != 0 {
		t.Errorf("%d orders rest", n)
	}
	got := m.told()
	if len(got) != 1 || !strings.Contains(got[0], "Your order to buy 4 SUI at ") || !strings.Contains(got[0],
		"is filled. The proceeds are in your balance manager") {
		t.Errorf("%q", got)
	}
	if m.look(); len(m.told()) != 0 {
		t.Error("told twice")
	}
}

// behind is a store that returns an outdated list of resting orders, as a process may see it while
// another process writes.
type behind struct {
	resting.Store
	list []resting.Order
}

func (b behind) Resting(context.Context) ([]resting.Order, error) { return b.list, nil }

// TestTwoLook has two processes find the same fill. Only one of them reports it.
func TestTwoLook(t *testing.T) {
	m := open(t)
	m.look()
	list, err := m.Store.Resting(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	second := *m.follow
	second.Store = behind{m.Store, list}
	m.sell("2")
	m.look()
	if _, err := second.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := m.told(); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// heads counts subscriptions, and passes on what the node reports.
type heads struct {
	resting.Node
	begun, ended chan struct{}
}

func (h heads) Executed(ctx context.Context, each func(uint64, []sui.Digest) error) error {
	h.begun <- struct{}{}
	err := h.Node.Executed(ctx, each)
	h.ended <- struct{}{}
	return err
}

// TestRun subscribes only while an order rests, and reads the orders when a checkpoint arrives.
func TestRun(t *testing.T) {
	m := open(t)
	node := heads{m.Node, make(chan struct{}, 9), make(chan struct{}, 9)}
	placed := make(chan struct{}, 1)
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); m.follow.RunFast(ctx, node, placed) }()
	select {
	case <-node.begun:
		t.Fatal("it subscribes before it knows of an order")
	case <-time.After(50 * time.Millisecond):
	}
	placed <- struct{}{}
	double.Next(t, "it subscribes while an order rests", node.begun)
	m.sell("5")
	double.Next(t, "it unsubscribes, for nothing rests any more", node.ended)
	if got := m.told(); len(got) == 0 || !strings.Contains(got[len(got)-1], "is filled") {
		t.Errorf("%q", got)
	}
	stop()
	<-over
}
