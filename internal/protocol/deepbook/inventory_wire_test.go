package deepbook_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/loopback"
)

// inventory returns an Inventory over a real connection.
func inventory(t *testing.T) (*deepbook.Inventory, *sandbox.Sandbox) {
	t.Helper()
	client, chain := loopback.Dial(t)
	r := deepbook.New(deepbook.Config{Chain: client, Now: func() time.Time { return day }})
	return deepbook.NewInventory(r, client), chain
}

func open(t *testing.T, chain *sandbox.Sandbox, m sandbox.Manager) sui.ObjectID {
	t.Helper()
	id, err := chain.OpenManager(m)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestDiscover(t *testing.T) {
	i, chain := inventory(t)
	me, other := sandbox.Account, sui.MustAddress("0xabc")
	listed := open(t, chain, sandbox.Manager{Owner: me, Registered: true, Trader: me})
	capped := open(t, chain, sandbox.Manager{Owner: other, Registered: true, Depositor: me, Withdrawer: me})
	hidden := open(t, chain, sandbox.Manager{Owner: me, Maker: other})
	foreign := open(t, chain, sandbox.Manager{Owner: other})
	open(t, chain, sandbox.Manager{Owner: other, Maker: me})
	unlisted := open(t, chain, sandbox.Manager{Owner: me})
	found := []deepbook.Manager{
		{ID: listed, Methods: []deepbook.Method{deepbook.ByRegistry, deepbook.ByEvent, deepbook.ByTradeCap}},
		{ID: unlisted, Methods: []deepbook.Method{deepbook.ByEvent}},
		{ID: capped, Methods: []deepbook.Method{deepbook.ByDepositCap, deepbook.ByWithdrawCap}},
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	for _, c := range []struct {
		name  string
		named sui.ObjectID
		want  []deepbook.Manager
	}{
		{"R004-111 by the registry, then by events, then by caps", sui.ObjectID{}, found},
		{"what was found is not asked again", listed, found},
		{"the owner field of a named manager", hidden,
			append([]deepbook.Manager{{ID: hidden, Methods: []deepbook.Method{deepbook.ByOwner}}}, found...)},
		{"another owner's", foreign, found},
		{"an address without an object", sui.MustAddress("0xdead"), found},
		{"an object that is no manager", pool.ID, found},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := i.Discover(t.Context(), me, c.named)
			if diff := cmp.Diff(c.want, d.Managers); err != nil || diff != "" || d.Truncated {
				t.Error(err, diff)
			}
		})
	}
	if d, err := i.Discover(t.Context(), sui.MustAddress("0x7"), sui.ObjectID{}); err != nil || len(d.Managers) != 0 {
		t.Errorf("a stranger: %v, %v", d, err)
	}
	for range deepbook.MostManagers {
		open(t, chain, sandbox.Manager{Owner: other, Trader: me})
	}
	if d, err := i.Discover(t.Context(), me, hidden); err != nil || !d.Truncated ||
		len(d.Managers) != deepbook.MostManagers || d.Managers[0].ID != hidden {
		t.Errorf("too many: %d, %v, %v", len(d.Managers), d.Truncated, err)
	}
	if err := chain.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "ListOwnedObjects"}); err != nil {
		t.Fatal(err)
	}
	if _, err := i.Discover(t.Context(), me, sui.ObjectID{}); !fault.Is(err, fault.ProviderUnavailable) {
		t.Errorf("caps that cannot be listed: %v", err)
	}
}

func TestAccount(t *testing.T) {
	i, chain := inventory(t)
	pool, _ := registry.PoolByKey("SUI_USDC")
	bids := clob.Generate(1, day)
	var book *clob.Pool
	for _, p := range bids {
		if p.Key == pool.Key {
			book = p
		}
	}
	bid, ask := book.Bids[len(book.Bids)-1].Price(), book.Asks[len(book.Asks)-1].Price()
	id := open(t, chain, sandbox.Manager{
		Owner: sandbox.Account, Registered: true,
		Deposits: []sandbox.Deposit{{Coin: pool.Base.Type, Amount: 50_000_000_000}, {Coin: pool.Quote.Type,
			Amount: 90_000_000}, {Coin: coins.DEEP, Amount: 5}},
		Orders: []sandbox.RestingOrder{
			{Pool: pool.Key, IsBid: true, Price: bid, Quantity: 10_000_000_000, ClientID: 7,
				Expire: uint64(day.UnixMilli()) - 1},
			{Pool: pool.Key, Price: ask, Quantity: 3_000_000_000, ClientID: 8},
			{Pool: pool.Key, Price: ask - book.Tick, Quantity: 2_000_000_000},
		},
	})
	t.Run("R004-112 R004-113 R004-114 R004-115 balances, locked balances and orders of one state", func(t *testing.T) {
		a, err := i.Account(t.Context(), pool.Key, id)
		if err != nil {
			t.Fatal(err)
		}
		locked := deepbook.Amounts{Base: 5_000_000_000, Quote: sui.Raw(10 * bid)}
		free := deepbook.Amounts{Base: 45_000_000_000, Quote: 90_000_000 - sui.Raw(10*bid), Deep: 5}
		if !a.Exists || a.Owner != sandbox.Account || a.Locked != locked || a.Free != free ||
			a.Settled != (deepbook.Amounts{}) {
			t.Errorf("%+v", a)
		}
		if len(a.Orders) != 3 || len(a.Functions) != 8 {
			t.Fatalf("%+v", a)
		}
		first := a.Orders[0]
		if !first.IsBid || uint64(first.Price) != bid || first.Quantity != 10_000_000_000 ||
			first.Remaining != 10_000_000_000 ||
			first.ClientID != 7 || first.ExpireMs != uint64(day.UnixMilli())-1 {
			t.Errorf("%+v", first)
		}
		if uint64(a.Orders[1].Price) != ask-book.Tick || a.Orders[2].ClientID != 8 || a.Orders[2].ExpireMs != 1<<64-1 ||
			a.Orders[1].IsBid {
			t.Errorf("%+v", a.Orders)
		}
		if parsed, err := clob.ParseOrderID(first.ID); err != nil || parsed.Price() != bid || !parsed.IsBid() {
			t.Errorf("%s: %v", first.ID, err)
		}
	})
	t.Run("R004-117 no account in another pool", func(t *testing.T) {
		a, err := i.Account(t.Context(), "DEEP_SUI", id)
		if err != nil || a.Exists || a.Owner != sandbox.Account || a.Orders != nil || len(a.Functions) != 2 {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("in a pool of DEEP the coin is counted once", func(t *testing.T) {
		deep, _ := registry.PoolByKey("DEEP_USDC")
		low := uint64(1)
		for _, p := range bids {
			if p.Key == deep.Key {
				low = p.Tick
			}
		}
		id := open(t, chain, sandbox.Manager{Owner: sandbox.Account, Deposits: []sandbox.Deposit{
			{Coin: coins.DEEP, Amount: 9}, {Coin: pool.Quote.Type, Amount: 1_000_000_000}},
			Orders: []sandbox.RestingOrder{{Pool: deep.Key, IsBid: true, Price: low, Quantity: 10_000_000}}})
		a, err := i.Account(t.Context(), deep.Key, id)
		if err != nil || a.Free.Base != 9 || a.Free.Deep != 0 {
			t.Errorf("%+v, %v", a, err)
		}
	})
	for name, c := range map[string]struct {
		pool string
		id   sui.ObjectID
		code fault.Code
	}{
		"no manager":      {pool.Key, pool.ID, fault.InputInvalid},
		"no object":       {pool.Key, sui.MustAddress("0xdead"), fault.InputInvalid},
		"an unknown pool": {"NOPE", id, fault.RegistryMiss},
	} {
		if _, err := i.Account(t.Context(), c.pool, c.id); !fault.Is(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Run("an older package where the newest is off, and a sentence where all are", func(t *testing.T) {
		for v := range uint64(9) {
			version := 8 - v
			if err := chain.Inject(sandbox.Fault{Kind: sandbox.DisableVersion, Version: version}); err != nil {
				t.Fatal(err)
			}
			if version == 8 {
				a, err := i.Account(t.Context(), pool.Key, id)
				d, also := i.Discover(t.Context(), sandbox.Account, sui.ObjectID{})
				if err != nil || also != nil || a.Package != registry.Packages()[1].ID || d.Package != a.Package || !d.Has(id) {
					t.Errorf("%s %v, %+v %v", a.Package, err, d, also)
				}
			}
		}
		_, err := i.Account(t.Context(), pool.Key, id)
		_, also := i.Discover(t.Context(), sandbox.Account, sui.ObjectID{})
		for n, e := range []error{err, also} {
			if fault.As(e).Detail.Get("reason") != deepbook.NoVersion {
				t.Error(strconv.Itoa(n), e)
			}
		}
	})
}
