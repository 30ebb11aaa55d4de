package ledger

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// account owns everything in these tests.
var account = sui.MustAddress("0xacc")

func TestOpenManagerRefuses(t *testing.T) {
	s, err := New(Config{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }, Seed: 1, Account: account})
	if err != nil {
		t.Fatal(err)
	}
	pool, _ := registry.PoolByKey("SUI_USDC")
	paid := []Deposit{{Coin: pool.Quote.Type, Amount: 10_000_000}}
	bid := RestingOrder{Pool: "SUI_USDC", IsBid: true, Price: 1_000_000, Quantity: 10_000_000_000}
	id := sui.MustAddress("0x33")
	if made, err := s.OpenManager(Manager{ID: id, Owner: account, Registered: true, Deposits: paid,
		Orders: []RestingOrder{bid}}); err != nil || made != id {
		t.Fatal(made, err)
	}
	book, version := len(s.objects[pool.ID].Book.Bids), s.objects[pool.ID].Version
	for name, m := range map[string]Manager{
		"an id in use": {ID: id, Owner: account},
		"an order beyond its means": {Owner: account, Registered: true, Trader: account, Deposits: paid,
			Orders: []RestingOrder{bid, bid}},
		"an unknown pool": {Owner: account, Orders: []RestingOrder{{Pool: "NOPE"}}},
	} {
		if _, err := s.OpenManager(m); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	o := s.objects[pool.ID]
	if len(o.Book.Bids) != book || o.Version != version || len(s.managers[account]) != 1 {
		t.Error("what was refused left something behind")
	}
	if o.Vault.Quote < 10_000_000 || len(o.Book.Open(id)) != 1 {
		t.Errorf("the order that stands: %+v", o.Vault)
	}
}

// TestCapsAreNoCoins: a cap is an owned object, but not a coin.
func TestCapsAreNoCoins(t *testing.T) {
	s, err := New(Config{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }, Seed: 1, Account: account})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.OpenManager(Manager{Owner: account, Trader: account}); err != nil {
		t.Fatal(err)
	}
	list := s.owned(account)
	held := list[len(list)-1]
	if held.Coin != "" || len(list) != len(s.coins(account, ""))+1 {
		t.Fatalf("%d objects, the last is a %s", len(list), held.Type)
	}
	r := &run{ledger: s}
	if _, f := r.coinArg(sui.InputArg(0), 0); f == nil {
		t.Error("nothing is taken as a coin")
	}
	r.inputs = []*slot{r.input(sui.OwnedInput{Ref: held.Ref()})}
	if _, f := r.coinArg(sui.InputArg(0), 0); f == nil {
		t.Error("a cap is taken as a coin")
	}
}
