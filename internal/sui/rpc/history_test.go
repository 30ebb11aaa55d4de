package rpc_test

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/sandboxtest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// era is a chain with its own clock and history, and the queries that it received.
type era struct {
	*rpc.History
	chain *sandbox.Sandbox
	url   string
	node  *rpc.Client

	mu    sync.Mutex
	clock time.Time
	asked []string
}

func (e *era) now() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.clock
}

func (e *era) pass(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clock = e.clock.Add(d)
}

// questions returns the queries since the last call.
func (e *era) questions() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	asked := e.asked
	e.asked = nil
	return asked
}

// newEra serves a chain and validates GraphQL queries against the official schema.
func newEra(t *testing.T, c sandbox.Config) *era {
	t.Helper()
	e := &era{clock: time.Date(2026, 1, 30, 12, 0, 0, 0, time.UTC)}
	judge := checkQuery(t)
	c.Now, c.Seed = e.now, 1
	c.CheckQuery = func(query string, variables []byte) error {
		e.mu.Lock()
		e.asked = append(e.asked, query)
		e.mu.Unlock()
		if judge == nil {
			return nil
		}
		err := judge(query, variables)
		if err != nil {
			t.Errorf("%s %s: %v", query, variables, err)
		}
		return err
	}
	e.chain, e.url = sandboxtest.Serve(t, c)
	var err error
	if e.History, err = rpc.NewHistory(rpc.Config{URL: e.url + "/graphql", Now: e.now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	if e.node, err = rpc.New(rpc.Config{URL: e.url, Now: e.now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.node.Close() })
	return e
}

func (e *era) inject(t *testing.T, f sandbox.Fault) {
	t.Helper()
	if err := e.chain.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// pay sends amounts of SUI to an address in one transaction and returns its digest. An amount above the
// balance fails on chain.
func (e *era) pay(t *testing.T, to sui.Address, amounts ...uint64) sui.Digest {
	t.Helper()
	tx := &sui.Transaction{Inputs: []sui.Input{sui.PureAddress(to)}}
	var made []sui.Argument
	for i, amount := range amounts {
		tx.Inputs = append(tx.Inputs, sui.PureU64(amount))
		tx.Commands = append(tx.Commands, sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(i + 1)}})
		made = append(made, sui.NestedArg(i, 0))
	}
	tx.Commands = append(tx.Commands, sui.TransferObjects{Objects: made, Recipient: sui.InputArg(0)})
	return e.send(t, tx)
}

// scatter sends one amount of SUI to each of many addresses, in one transaction.
func (e *era) scatter(t *testing.T, amount uint64, to []sui.Address) sui.Digest {
	t.Helper()
	tx := &sui.Transaction{Inputs: []sui.Input{sui.PureU64(amount)}}
	for i, a := range to {
		tx.Inputs = append(tx.Inputs, sui.PureAddress(a))
		tx.Commands = append(tx.Commands,
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(2*i, 0)}, Recipient: sui.InputArg(i + 1)})
	}
	return e.send(t, tx)
}

// swap sells SUI on DeepBook and returns the digest.
func (e *era) swap(t *testing.T, amount uint64) sui.Digest {
	t.Helper()
	p, ok := registry.PoolByKey("SUI_USDC")
	if !ok {
		t.Fatal("no pool")
	}
	return e.send(t, &sui.Transaction{
		Inputs: []sui.Input{
			sui.PureU64(amount), sui.SharedInput{ID: p.ID, InitialVersion: p.InitialSharedVersion, Mutable: true},
			sui.PureU64(1),
			sui.ClockInput(), sui.PureAddress(sandbox.Account),
		},
		Commands: []sui.Command{
			sui.SplitCoins{Coin: sui.GasCoin, Amounts: []sui.Argument{sui.InputArg(0)}},
			sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero",
				TypeArgs: []sui.TypeTag{coins.DEEP.Tag()}},
			sui.MoveCall{
				Package: registry.Packages()[0].ID, Module: "pool", Function: "swap_exact_base_for_quote",
				TypeArgs:  []sui.TypeTag{p.Base.Type.Tag(), p.Quote.Type.Tag()},
				Arguments: []sui.Argument{sui.InputArg(1), sui.NestedArg(0, 0), sui.ResultArg(1), sui.InputArg(2), sui.InputArg(3)},
			},
			sui.TransferObjects{Objects: []sui.Argument{sui.NestedArg(2, 0), sui.NestedArg(2, 1), sui.NestedArg(2, 2)},
				Recipient: sui.InputArg(4)},
		},
	})
}

// send has the account sign and execute a transaction.
func (e *era) send(t *testing.T, tx *sui.Transaction) sui.Digest {
	t.Helper()
	ctx := context.Background()
	coins, err := e.node.Coins(ctx, sandbox.Account, sui.SUI, 1)
	if err != nil {
		t.Fatal(err)
	}
	tx.Sender, tx.Expiration = sandbox.Account, sui.NoExpiration{}
	tx.Gas = sui.Gas{Owner: sandbox.Account, Price: 500, Budget: 900_000_000, Payment: []sui.ObjectRef{coins[0].Ref}}
	raw, signature, err := e.chain.Sign(tx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.node.Execute(ctx, raw, signature); err != nil {
		t.Fatal(err)
	}
	return sui.TransactionDigest(raw)
}

var payee = sui.MustAddress("0xf41e4d")

// whole follows the cursor to the end and returns the pages.
func (e *era) whole(t *testing.T, q sui.PastQuery) (pages [][]sui.Digest) {
	t.Helper()
	for range 50 {
		page, err := e.Transactions(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		var digests []sui.Digest
		for _, p := range page.Transactions {
			digests = append(digests, p.Digest)
		}
		pages = append(pages, digests)
		if page.Cursor == "" {
			return pages
		}
		q.Cursor = page.Cursor
	}
	t.Fatal("no end")
	return nil
}

func TestHistory(t *testing.T) {
	e := newEra(t, sandbox.Config{})
	ctx := context.Background()
	var paid []sui.Digest
	for i := range 7 {
		e.pass(10 * time.Second)
		paid = append(paid, e.pay(t, payee, uint64(i+1)*1_000_000))
	}
	slices.Reverse(paid)
	account := sandbox.Account
	t.Run("the newest first, over pages, each once", func(t *testing.T) {
		want := [][]sui.Digest{paid[:3], paid[3:6], paid[6:]}
		if d := cmp.Diff(want, e.whole(t, sui.PastQuery{Sent: &account, Most: 3})); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([][]sui.Digest{paid}, e.whole(t, sui.PastQuery{Affected: &payee, Most: 50})); d != "" {
			t.Error(d)
		}
		if got := e.whole(t, sui.PastQuery{Sent: &payee, Most: 50}); len(got) != 1 || len(got[0]) != 0 {
			t.Errorf("the payee sent %v", got)
		}
	})
	t.Run("what one of them did", func(t *testing.T) {
		page, err := e.Transactions(ctx, sui.PastQuery{Sent: &account, Most: 1})
		if err != nil || len(page.Transactions) != 1 {
			t.Fatalf("%+v %v", page, err)
		}
		read, ok, err := e.node.Transaction(ctx, paid[0])
		if err != nil || !ok {
			t.Fatal(err)
		}
		p := page.Transactions[0]
		if p.Status != sui.PastSuccess || *p.Sender != account || *p.GasPayer != account || *p.Gas != read.Gas ||
			*p.Epoch != read.Epoch ||
			p.Kind != "ProgrammableTransaction" || !p.Timestamp.Equal(e.now()) || p.Checkpoint == nil || p.Bytes != nil {
			t.Errorf("%+v", p)
		}
		var balances []sui.BalanceChange
		for _, b := range p.Balances.Items {
			balances = append(balances, sui.BalanceChange{Owner: *b.Owner, Coin: b.Coin, Amount: b.Amount})
		}
		if d := cmp.Diff(read.Balances, balances); d != "" || !p.Balances.Whole() {
			t.Errorf("balances: %s", d)
		}
		kinds := map[string]int{}
		for _, o := range p.Objects.Items {
			kinds[o.Change]++
			if o.Owner == nil || o.Type != "0x"+strings.Repeat("0", 63)+"2::coin::Coin<0x"+strings.Repeat("0", 63)+
				"2::sui::SUI>" {
				t.Errorf("%+v", o)
			}
		}
		if d := cmp.Diff(map[string]int{"created": 1, "mutated": 1}, kinds); d != "" || !p.Objects.Whole() ||
			!p.Calls.Whole() || !p.Events.Whole() || !p.Shared.Whole() {
			t.Errorf("%s, %+v", d, p)
		}
	})
	t.Run("bounds are inclusive", func(t *testing.T) {
		all, err := e.Transactions(ctx, sui.PastQuery{Sent: &account, Most: 50})
		if err != nil {
			t.Fatal(err)
		}
		got := e.whole(t, sui.PastQuery{Sent: &account, Most: 50, From: all.Transactions[4].Checkpoint,
			To: all.Transactions[1].Checkpoint})
		if d := cmp.Diff([][]sui.Digest{paid[1:5]}, got); d != "" {
			t.Error(d)
		}
		if got := e.whole(t, sui.PastQuery{Sent: &account, Most: 50, From: new(uint64)}); len(got[0]) != 7 {
			t.Errorf("from the beginning: %v", got)
		}
	})
	t.Run("limits are asked for once an hour", func(t *testing.T) {
		e.questions()
		for range 2 {
			if _, err := e.Transactions(ctx, sui.PastQuery{Sent: &account, Most: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if asked := e.questions(); len(asked) != 2 {
			t.Errorf("%d questions", len(asked))
		}
		e.pass(time.Hour)
		l, err := e.Limits(ctx)
		if asked := e.questions(); err != nil || len(asked) != 1 {
			t.Errorf("%d questions, %v", len(asked), err)
		}
		want := sui.PastLimits{Transactions: 50, Calls: 50, Inputs: 50, Balances: 50, Objects: 100, Events: 50,
			Checkpoints: 32}
		if d := cmp.Diff(want, l); d != "" {
			t.Error(d)
		}
	})
	t.Run("questions that make no sense are not asked", func(t *testing.T) {
		for _, q := range []sui.PastQuery{
			{}, {Sent: &account, Affected: &account}, {Affected: &account, Function: "0x2::coin::zero"},
			{Sent: &account, From: ptr(uint64(3)), To: ptr(uint64(2))}, {Sent: &account, Cursor: strings.Repeat("x", 2000)},
		} {
			if _, err := e.Transactions(ctx, q); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("%+v: %v", q, err)
			}
		}
	})
	t.Run("a cursor of elsewhere is refused by the service, with its words", func(t *testing.T) {
		// the longest cursor that fits the service's limit on a query
		for _, cursor := range []string{"bm90IG91cnM=", strings.Repeat("c", 1024), "\"}){__typename}"} {
			_, err := e.Transactions(ctx, sui.PastQuery{Sent: &account, Cursor: cursor, Function: payee.String() + "::" +
				strings.Repeat("m", 64) + "::" + strings.Repeat("f", 64)})
			if f := fault.As(err); f.Code != fault.ProviderRefused || f.Detail.Get("code") != "BAD_USER_INPUT" {
				t.Errorf("%+v", err)
			}
		}
	})
}

func ptr[T any](v T) *T { return &v }

func TestHistoryOfOne(t *testing.T) {
	e := newEra(t, sandbox.Config{})
	ctx := context.Background()
	t.Run("its bytes, and lists beyond one page of the service", func(t *testing.T) {
		amounts := make([]uint64, 130)
		for i := range amounts {
			amounts[i] = 1000
		}
		digest := e.pay(t, payee, amounts...)
		p, ok, err := e.Transaction(ctx, digest)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if sui.TransactionDigest(p.Bytes) != digest || len(p.Objects.Items) != 131 || !p.Objects.Whole() ||
			!p.Calls.Whole() || !p.Shared.Whole() {
			t.Errorf("%d bytes, %d objects", len(p.Bytes), len(p.Objects.Items))
		}
		want := new(big.Int)
		for _, b := range p.Balances.Items {
			if *b.Owner == payee {
				want = b.Amount.Big()
			}
		}
		if want.Int64() != 130_000 {
			t.Errorf("the payee got %s", want)
		}
		page, err := e.Transactions(ctx, sui.PastQuery{Affected: &payee, Most: 10})
		if err != nil || len(page.Transactions[0].Objects.Items) != 100 || !page.Transactions[0].Objects.More {
			t.Errorf("in a list it is not cut: %v", err)
		}
	})
	t.Run("more balances than one page of the service", func(t *testing.T) {
		var friends []sui.Address
		for i := range 70 {
			friends = append(friends, sui.Address{0xf0, byte(i)})
		}
		p, ok, err := e.Transaction(ctx, e.scatter(t, 3000, friends))
		if err != nil || !ok || len(p.Balances.Items) != 71 || !p.Balances.Whole() {
			t.Fatalf("%d balances, %v", len(p.Balances.Items), err)
		}
		page, err := e.Transactions(ctx, sui.PastQuery{Affected: &friends[5], Most: 10})
		if err != nil || len(page.Transactions) != 1 || len(page.Transactions[0].Balances.Items) != 50 ||
			!page.Transactions[0].Balances.More {
			t.Errorf("in a list it is not cut: %+v, %v", page, err)
		}
	})
	t.Run("a failed one says why", func(t *testing.T) {
		digest := e.pay(t, payee, 1<<62)
		p, ok, err := e.Transaction(ctx, digest)
		if err != nil || !ok || p.Status != sui.PastFailed || p.Failure == nil || p.Failure.Message == "" ||
			p.Failure.Abort != nil {
			t.Fatalf("%+v %v", p, err)
		}
		if len(p.Balances.Items) != 1 || p.Balances.Items[0].Amount.Big().Cmp(new(big.Int).Neg(p.Gas.Net().Big())) != 0 {
			t.Errorf("it cost %v and took %+v", p.Gas, p.Balances)
		}
	})
	t.Run("one that is not there is not found", func(t *testing.T) {
		if _, ok, err := e.Transaction(ctx, sui.Digest{7}); ok || err != nil {
			t.Errorf("%v %v", ok, err)
		}
	})
}

// TestHistoryOfCalls lists the account's transactions that call a function.
func TestHistoryOfCalls(t *testing.T) {
	e := newEra(t, sandbox.Config{})
	ctx := context.Background()
	e.pay(t, payee, 1000)
	sold := e.swap(t, 5_000_000_000)
	e.pay(t, payee, 1000)
	account := sandbox.Account
	pkg := registry.Packages()[0].ID
	for function, want := range map[string]int{
		pkg.String() + "::pool::swap_exact_base_for_quote": 1,
		pkg.String() + "::pool::swap_exact_quote_for_base": 0,
		"0x2::coin::zero": 1,
	} {
		page, err := e.Transactions(ctx, sui.PastQuery{Sent: &account, Function: function, Most: 10})
		if err != nil || len(page.Transactions) != want {
			t.Errorf("%s: %+v, %v", function, page, err)
		}
	}
	p, ok, err := e.Transaction(ctx, sold)
	if err != nil || !ok {
		t.Fatal(err)
	}
	calls := []sui.PastCall{
		{Command: 1, Package: sui.MustAddress("0x2"), Module: "coin", Function: "zero"},
		{Command: 2, Package: pkg, Module: "pool", Function: "swap_exact_base_for_quote"},
	}
	if d := cmp.Diff(calls, p.Calls.Items); d != "" {
		t.Error(d)
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	if d := cmp.Diff([]sui.ObjectID{pool.ID, sui.Clock}, p.Shared.Items); d != "" || !p.Shared.Whole() {
		t.Error(d)
	}
	owners := map[sui.OwnerKind]int{}
	for _, o := range p.Objects.Items {
		owners[o.Owner.Kind]++
		if o.ID == pool.ID && (o.Change != "mutated" || *o.Owner != sui.Owner{Kind: sui.OwnerShared,
			InitialVersion: pool.InitialSharedVersion}) {
			t.Errorf("the pool: %+v", o)
		}
	}
	if owners[sui.OwnerShared] != 1 || owners[sui.OwnerAddress] < 3 {
		t.Errorf("owners %v", owners)
	}
	if len(p.Events.Items) == 0 || !p.Events.Whole() || *p.Events.Items[0].Sender != account ||
		p.Events.Items[0].Module == "" ||
		!strings.Contains(p.Events.Items[0].Type, "::") {
		t.Errorf("events %+v", p.Events)
	}
}
