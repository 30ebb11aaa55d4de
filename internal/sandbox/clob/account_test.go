package clob

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var (
	maker  = sui.MustAddress("0x33")
	second = sui.MustAddress("0x44")
)

// small returns an empty whitelisted pool with integer prices.
func small(t *testing.T) *Pool {
	t.Helper()
	pinned, ok := registry.PoolByKey("DEEP_USDC")
	if !ok {
		t.Fatal("no pool")
	}
	return &Pool{Key: pinned.Key, Base: pinned.Base, Quote: pinned.Quote, Tick: 1, Lot: 1, Min: 1, Whitelisted: true}
}

func rest(t *testing.T, p *Pool, of sui.ObjectID, w LimitOrder) Totals {
	t.Helper()
	if w.Expire == 0 {
		w.Expire = ^uint64(0)
	}
	locked, err := p.Rest(of, w, 9)
	if err != nil {
		t.Fatal(err)
	}
	return locked
}

func TestRest(t *testing.T) {
	p := small(t)
	if l := rest(t, p, maker, LimitOrder{IsBid: true, Price: 2 * scaling, Quantity: 10}); l != (Totals{Quote: 20}) {
		t.Errorf("a bid locks %+v", l)
	}
	if l := rest(t, p, second, LimitOrder{Price: 5 * scaling, Quantity: 7}); l != (Totals{Base: 7}) {
		t.Errorf("an ask locks %+v", l)
	}
	rest(t, p, maker, LimitOrder{IsBid: true, Price: 2 * scaling, Quantity: 1, Client: 77})
	if p.Bids[0].Quantity != 10 || p.Bids[1].Quantity != 1 || !p.Bids[0].ID.IsBid() || p.Asks[0].ID.IsBid() {
		t.Errorf("price, then time: %+v", p.Bids)
	}
	if open := p.Open(maker); len(open) != 2 || open[0].Client != 77 || open[0].Epoch != 9 {
		t.Errorf("%+v", open)
	}
	for name, w := range map[string]LimitOrder{
		"a bid that would buy":   {IsBid: true, Price: 5 * scaling, Quantity: 1},
		"an ask that would sell": {Price: 2 * scaling, Quantity: 1},
		"below the minimum":      {Price: 6 * scaling},
		"no price":               {Quantity: 1},
		"a price beyond the top": {Price: MaxPrice + 1, Quantity: 1},
	} {
		if _, err := p.Rest(maker, w, 0); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	p.MakerFee = scaling / 10
	if l := p.Locked(second); l != (Totals{Base: 7}) { // an eighth of 7 is less than one
		t.Errorf("%+v", l)
	}
	if l := p.Locked(maker); l != (Totals{Quote: 20 + 2 + 2}) {
		t.Errorf("with the maker's fee: %+v", l)
	}
}

func TestMakersAreCredited(t *testing.T) {
	p := small(t)
	rest(t, p, maker, LimitOrder{IsBid: true, Price: 3 * scaling, Quantity: 4, Expire: 50})
	rest(t, p, maker, LimitOrder{IsBid: true, Price: 2 * scaling, Quantity: 10})
	rest(t, p, second, LimitOrder{Price: 5 * scaling, Quantity: 7})
	untouched := p.Clone()
	if _, err := p.SwapExact(6, 0, 0, 0, 100); err != nil { // the best bid has expired, the next is partly filled
		t.Fatal(err)
	}
	if got := p.Locked(maker); got != (Totals{Base: 6, Quote: 12 + 8}) || len(p.Open(maker)) != 1 {
		t.Errorf("%+v, %+v", got, p.Open(maker))
	}
	if _, err := p.SwapExact(0, 35, 0, 0, 100); err != nil {
		t.Fatal(err)
	}
	if got := p.Locked(second); got != (Totals{Quote: 35}) || len(p.Open(second)) != 0 {
		t.Errorf("%+v, %+v", got, p.Open(second))
	}
	if _, ok := p.Accounts[second]; !ok {
		t.Error("an account without orders is gone")
	}
	if got := untouched.Locked(maker); got != (Totals{Quote: 12 + 20}) || len(untouched.Open(second)) != 1 {
		t.Errorf("the copy changed: %+v", got)
	}
	before := untouched.Asks[0].ID
	untouched.Asks[0].ID = NewOrderID(false, 6*scaling, 1)
	untouched.Renamed(before, untouched.Asks[0].ID)
	if diff := cmp.Diff([]OpenOrder{{untouched.Asks[0], Placed{ID: untouched.Asks[0].ID, Epoch: 9}}},
		untouched.Open(second)); diff != "" {
		t.Error(diff)
	}
}
