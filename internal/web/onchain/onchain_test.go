package onchain_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/positions"
	"github.com/sayurintent/sayurintent/internal/protocol/staking"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/foreign"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/web/holdings"
	"github.com/sayurintent/sayurintent/internal/web/onchain"
)

// reader returns a Reader over a real connection and a store in a file.
func reader(t *testing.T) (*onchain.Reader, *sandbox.Sandbox) {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	coins := assets.New(assets.Config{Chain: h.Node, Cache: h.Store, Pools: h.Pools, Now: h.Clock.Now})
	found := deepbook.NewInventory(h.Pools, h.Node)
	return onchain.New(coins, found, found.Permissions(h.Node, h.Clock.Now),
		positions.NewReader(h.Node, staking.NewReader(h.Node, h.Clock.Now))), h.Sandbox
}

func inject(t *testing.T, chain *sandbox.Sandbox, f sandbox.Fault) {
	t.Helper()
	if err := chain.Inject(f); err != nil {
		t.Fatal(err)
	}
}

func TestHoldings(t *testing.T) {
	r, chain := reader(t)
	owner := sui.MustAddress("0x77")
	chain.Hold(owner, sui.SUI, 1_500_000_000, 500_000_000)
	unknown := sui.CoinType("0x00000000000000000000000000000000000000000000000000000000000000aa::odd::ODD")
	chain.Hold(owner, unknown, 7, 0)
	page, err := r.Holdings(t.Context(), owner, "", 50)
	want := []holdings.Held{
		{Coin: sui.SUI, Total: 2_000_000_000, Coins: 1_500_000_000, InAddress: 500_000_000, Amount: "2", Symbol: "SUI",
			Claimed: "SUI", Name: "SUI"},
		{Coin: unknown, Total: 7, Coins: 7, Unverified: assets.MetadataNotFound},
	}
	if diff := cmp.Diff(want, page.List); err != nil || diff != "" || page.Next != "" || page.Stalled || page.At.IsZero() {
		t.Errorf("%v, %+v\n%s", err, page, diff)
	}
	inject(t, chain, sandbox.Fault{Kind: sandbox.StuckBalances})
	first, err := r.Holdings(t.Context(), owner, "", 1)
	if err != nil || first.Next == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	if second, err := r.Holdings(t.Context(), owner, first.Next, 1); err != nil || !second.Stalled || second.Next != "" {
		t.Errorf("a list that repeats itself: %+v, %v", second, err)
	}
	inject(t, chain, sandbox.Fault{Kind: sandbox.Fail, Method: "ListBalances"})
	if _, err := r.Holdings(t.Context(), owner, "", 1); !fault.Is(err, fault.ProviderUnavailable) {
		t.Errorf("a node that is down: %v", err)
	}
}

func TestManagers(t *testing.T) {
	r, chain := reader(t)
	me, other := sandbox.Account, sui.MustAddress("0xabc")
	open := func(m sandbox.Manager) sui.ObjectID {
		t.Helper()
		id, err := chain.OpenManager(m)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	mine, foreign := open(sandbox.Manager{Owner: me, Registered: true, Trader: me}), open(sandbox.Manager{Owner: other,
		Trader: me, Registered: true})
	found, err := r.Managers(t.Context(), me)
	if diff := cmp.Diff([]holdings.Manager{{ID: mine, Owned: true}, {ID: foreign}}, found.List); err != nil ||
		diff != "" || found.More || found.At.IsZero() {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestInside(t *testing.T) {
	r, chain := reader(t)
	pool, _ := registry.PoolByKey("SUI_USDC")
	id, err := chain.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 12_000_000_000}, {Coin: pool.Quote.Type,
			Amount: 99_000_001}, {Coin: coins.DEEP, Amount: 1_500_000}},
		Orders: []sandbox.RestingOrder{
			{Pool: "SUI_USDC", IsBid: true, Price: 1_000_000, Quantity: 10_000_000_000, Expire: 4_102_444_800_000},
			{Pool: "SUI_USDC", Price: 5_000_000, Quantity: 7_500_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	want := holdings.Inside{Owner: sandbox.Account, Looked: len(registry.Pools()),
		Free: []holdings.Sum{{Symbol: "SUI", Amount: "4.5"}, {Symbol: "USDC", Amount: "89.000001"}, {Symbol: "DEEP",
			Amount: "1.5"}},
		Pools: []holdings.PoolShare{{Pool: "SUI_USDC", Locked: []holdings.Sum{{Symbol: "SUI", Amount: "7.5"}, {Symbol: "USDC",
			Amount: "10"}},
			Orders: []holdings.Resting{
				{Bid: true, Price: "1", Remaining: "10", Base: "SUI", Quote: "USDC", Expires: time.UnixMilli(4_102_444_800_000)},
				{Price: "5", Remaining: "7.5", Base: "SUI", Quote: "USDC"}}}}}
	got, err := r.Inside(t.Context(), id)
	if got.At.IsZero() {
		t.Error("no time is told")
	}
	got.At = time.Time{}
	for _, pool := range got.Pools {
		for i := range pool.Orders {
			if pool.Orders[i].ID == "" {
				t.Errorf("an order without its number: %+v", pool.Orders[i])
			}
			pool.Orders[i].ID = ""
		}
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	t.Run("pools that give no answer are counted", func(t *testing.T) {
		inject(t, chain, sandbox.Fault{Kind: sandbox.Fail, Method: "SimulateTransaction", Times: 3})
		got, err := r.Inside(t.Context(), id)
		if err != nil || got.Unread == 0 || got.Unread > 3 || got.Looked != want.Looked {
			t.Errorf("%d of %d unread, %v", got.Unread, got.Looked, err)
		}
	})
	t.Run("no answer at all is an error, and so is what is no manager", func(t *testing.T) {
		if _, err := r.Inside(t.Context(), pool.ID); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("a pool: %v", err)
		}
		inject(t, chain, sandbox.Fault{Kind: sandbox.Fail})
		if _, err := r.Inside(t.Context(), id); !fault.Is(err, fault.ProviderUnavailable) {
			t.Errorf("a node that is down: %v", err)
		}
	})
}

func TestReceiptNames(t *testing.T) {
	pool, _ := registry.PoolByKey("SUI_USDC")
	r := onchain.NewReceipts(nil, append(sui.ChainLabels(), flowx.Label())...)
	for id, want := range map[sui.ObjectID]string{
		sui.MustAddress("0x2"): "Sui’s framework", sui.Clock: "the chain’s clock", sui.MustAddress("0xdee9"): "DeepBook V2",
		flowx.Package: "FlowX CLMM", flowx.OriginalPackage: "FlowX CLMM", registry.OriginalPackage: "DeepBook V3",
		pool.ID:                 "market SUI_USDC",
		sui.MustAddress("0x77"): "",
	} {
		if name, ok := r.Name(id); name != want || ok != (want != "") {
			t.Errorf("%s is %q, want %q", id, name, want)
		}
	}
}

func TestStaked(t *testing.T) {
	r, chain := reader(t)
	if none, err := r.Staked(t.Context(), sandbox.Account); err != nil || len(none.Stakes) != 0 || none.At.IsZero() {
		t.Fatalf("an account without stakes: %+v, %v", none, err)
	}
	chain.ShowHoldings()
	found, err := r.Staked(t.Context(), sandbox.Account)
	if err != nil || len(found.Stakes) != 2 || found.Epoch != sandbox.FirstEpoch {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, s := range found.Stakes {
		switch s.Validator {
		case "Elm":
			if s.Starts != sandbox.FirstEpoch+1 || s.Principal != "30" || s.Reward != "0" || s.Pays != "30" {
				t.Errorf("the stake that is not active: %+v", s)
			}
		case "Birch":
			if s.Starts != 0 || s.Principal != "120" || s.Reward == "" || s.Reward == "0" {
				t.Errorf("the active stake: %+v", s)
			}
		default:
			t.Errorf("a stake with %q", s.Validator)
		}
	}
}

// TestLent checks that lending positions, and amounts that a protocol holds for the account, are
// reported with the stakes.
func TestLent(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	foreign.Position(h.Sandbox.Ledger, sandbox.Account, sui.SUI, 4_000_000_000, 1_000_000_000)
	found := positions.NewReader(h.Node, staking.NewReader(h.Node, h.Clock.Now))
	found.Supplies = func(context.Context, sui.Address) ([]positions.Supply, error) {
		return []positions.Supply{{Protocol: "NAVI", Coin: sui.SUI, Amount: 2_000_000_000}}, nil
	}
	held := deepbook.NewInventory(h.Pools, h.Node)
	r := onchain.New(assets.New(assets.Config{Chain: h.Node, Cache: h.Store, Pools: h.Pools, Now: h.Clock.Now}), held,
		held.Permissions(h.Node, h.Clock.Now), found)
	got, err := r.Staked(t.Context(), sandbox.Account)
	want := []holdings.Lent{{Protocol: "NAVI", Coin: sui.SUI, Supplied: "2"},
		{Protocol: "Suilend", Coin: sui.SUI, Supplied: "4", Receipts: true},
		{Protocol: "Suilend", Coin: sui.SUI, Borrowed: "1"}}
	if err != nil || !slices.Equal(got.Lent, want) || len(got.Positions) != 1 {
		t.Errorf("%+v, %v", got.Lent, err)
	}
}
