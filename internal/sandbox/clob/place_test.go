package clob

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sui"
)

var taker = sui.MustAddress("0x55")

// place places an order, which never expires by default.
func place(t *testing.T, p *Pool, of sui.ObjectID, w LimitOrder) Entry {
	t.Helper()
	if w.Expire == 0 {
		w.Expire = ^uint64(0)
	}
	e, stopped := p.Place(of, w, false, 9, 100)
	if stopped != nil {
		t.Fatal(stopped)
	}
	return e
}

func aborts(t *testing.T, got, want *Abort) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it ends otherwise:\n%s", diff)
	}
}

func TestPlaceRests(t *testing.T) {
	p := small(t)
	p.MakerFee, p.TakerFee = scaling/10, scaling/5 // an eighth and a quarter, as paid in that coin
	bid := place(t, p, maker, LimitOrder{IsBid: true, Price: 2 * scaling, Quantity: 40, Client: 7})
	if !bid.Rested || bid.In != (Totals{Quote: 80 + 10}) || bid.Out != (Totals{}) || len(bid.Taken.Fills) != 0 {
		t.Errorf("a bid: %+v", bid)
	}
	ask := place(t, p, second, LimitOrder{Price: 3 * scaling, Quantity: 16})
	if !ask.Rested || ask.In != (Totals{Base: 16 + 2}) || ask.Out != (Totals{}) {
		t.Errorf("an ask: %+v", ask)
	}
	if open := p.Open(maker); len(open) != 1 || open[0].Order != bid.Order || open[0].Client != 7 || open[0].Epoch != 9 {
		t.Errorf("%+v", open)
	}
	behind := place(t, p, second, LimitOrder{IsBid: true, Price: 2 * scaling, Quantity: 1})
	if p.Bids[0].ID != bid.Order.ID || p.Bids[1].ID != behind.Order.ID {
		t.Errorf("who came first is not first: %+v", p.Bids)
	}
}

func TestPlaceTrades(t *testing.T) {
	filled := func() *Pool {
		p := small(t)
		rest(t, p, maker, LimitOrder{Price: 5 * scaling, Quantity: 8})
		rest(t, p, second, LimitOrder{Price: 6 * scaling, Quantity: 20})
		p.TakerFee, p.MakerFee = scaling/5, scaling/10
		return p
	}
	t.Run("wholly, at the makers' prices", func(t *testing.T) {
		p := filled()
		e := place(t, p, taker, LimitOrder{IsBid: true, Price: 7 * scaling, Quantity: 12})
		// 8 at 5 and 4 at 6 cost 64; the fee is a quarter of that.
		if e.Rested || e.Taken.Base != 12 || e.Taken.Quote != 64 || e.In != (Totals{Quote: 64 + 16}) ||
			e.Out != (Totals{Base: 12}) {
			t.Errorf("%+v", e)
		}
		if len(p.Asks) != 1 || p.Asks[0].Remaining() != 16 || len(p.Open(maker)) != 0 || len(p.Open(taker)) != 0 {
			t.Errorf("%+v", p.Asks)
		}
		if p.Accounts[maker].Settled != (Totals{Quote: 40}) || p.Accounts[second].Settled != (Totals{Quote: 24}) {
			t.Errorf("the makers have %+v", p.Accounts)
		}
	})
	t.Run("in part, and the rest stays at its price", func(t *testing.T) {
		p := filled()
		e := place(t, p, taker, LimitOrder{IsBid: true, Price: 5 * scaling, Quantity: 24})
		// 8 at 5 plus a quarter, then 16 at 5 locked plus an eighth.
		if !e.Rested || e.Taken.Base != 8 || e.In != (Totals{Quote: 40 + 10 + 80 + 10}) || e.Out != (Totals{Base: 8}) {
			t.Errorf("%+v", e)
		}
		if e.Order.Quantity != 24 || e.Order.Remaining() != 16 || p.Bids[0] != e.Order || len(p.Asks) != 1 {
			t.Errorf("%+v", p.Bids)
		}
	})
	t.Run("selling pays in base", func(t *testing.T) {
		p := small(t)
		rest(t, p, maker, LimitOrder{IsBid: true, Price: 5 * scaling, Quantity: 8})
		p.TakerFee, p.MakerFee = scaling/5, scaling/10
		e := place(t, p, taker, LimitOrder{Price: 4 * scaling, Quantity: 16})
		if !e.Rested || e.In != (Totals{Base: 8 + 2 + 8 + 1}) || e.Out != (Totals{Quote: 40}) ||
			p.Accounts[maker].Settled != (Totals{Base: 8}) {
			t.Errorf("%+v %+v", e, p.Accounts)
		}
	})
	t.Run("not at a price beyond its own", func(t *testing.T) {
		p := filled()
		if e := place(t, p, taker, LimitOrder{IsBid: true, Price: 5*scaling - 1, Quantity: 8}); !e.Rested ||
			e.Taken.Base != 0 || len(p.Asks) != 2 {
			t.Errorf("%+v", e)
		}
	})
	t.Run("with an order of its own", func(t *testing.T) {
		p := filled()
		e := place(t, p, maker, LimitOrder{IsBid: true, Price: 5 * scaling, Quantity: 8})
		if e.Rested || e.In != (Totals{Quote: 50}) || e.Out != (Totals{Base: 8, Quote: 40}) ||
			p.Accounts[maker].Settled != (Totals{}) {
			t.Errorf("it pays its own order, and what that earned comes out at once: %+v", e)
		}
	})
}

func TestPlaceMeetsExpiredOrders(t *testing.T) {
	p := small(t)
	rest(t, p, maker, LimitOrder{Price: 5 * scaling, Quantity: 8, Expire: 99}) // now is 100
	rest(t, p, second, LimitOrder{Price: 5 * scaling, Quantity: 4, Expire: 100})
	e := place(t, p, taker, LimitOrder{IsBid: true, Price: 5 * scaling, Quantity: 4})
	if e.Rested || e.Taken.Base != 4 || len(e.Taken.Fills) != 2 || !e.Taken.Fills[0].Expired || e.Taken.Fills[1].Expired {
		t.Errorf("%+v", e)
	}
	if p.Accounts[maker].Settled != (Totals{Base: 8}) || len(p.Open(maker)) != 0 || len(p.Asks) != 0 {
		t.Errorf("what expired is not given back: %+v", p.Accounts)
	}
	t.Run("post only may sweep expired orders away", func(t *testing.T) {
		p := small(t)
		rest(t, p, maker, LimitOrder{Price: 5 * scaling, Quantity: 8, Expire: 99})
		e, stopped := p.Place(taker, LimitOrder{IsBid: true, Price: 5 * scaling, Quantity: 4, Expire: 100}, true, 9, 100)
		if stopped != nil || !e.Rested || len(p.Asks) != 0 || e.In != (Totals{Quote: 20}) {
			t.Errorf("%v %+v", stopped, e)
		}
	})
}

func TestPlaceRefuses(t *testing.T) {
	p := small(t)
	p.Tick, p.Lot, p.Min = 10, 4, 8
	rest(t, p, maker, LimitOrder{Price: 5 * scaling, Quantity: 8})
	good := LimitOrder{IsBid: true, Price: 5 * scaling, Quantity: 8, Expire: 100}
	for name, c := range map[string]struct {
		edit     func(*LimitOrder)
		postOnly bool
		want     *Abort
	}{
		"no price":                  {func(w *LimitOrder) { w.Price = 0 }, false, abortOrderPrice()},
		"a price between the ticks": {func(w *LimitOrder) { w.Price++ }, false, abortOrderPrice()},
		"a price beyond the top":    {func(w *LimitOrder) { w.Price = MaxPrice + 3 }, false, abortOrderPrice()},
		"below the minimum":         {func(w *LimitOrder) { w.Quantity = 4 }, false, abortOrderMin()},
		"between the lots":          {func(w *LimitOrder) { w.Quantity = 9 }, false, abortOrderLot()},
		"over already":              {func(w *LimitOrder) { w.Expire = 99 }, false, abortOrderExpiry()},
		"post only that would meet": {func(*LimitOrder) {}, true, abortPostOnly()},
		"a sum that does not fit": {func(w *LimitOrder) { w.Quantity, w.Price = 1<<63, MaxPrice-MaxPrice%10 }, false,
			&Abort{Module: "math", Arithmetic: true}},
	} {
		t.Run(name, func(t *testing.T) {
			before, w := p.Clone(), good
			c.edit(&w)
			_, stopped := p.Place(taker, w, c.postOnly, 9, 100)
			if c.want.Arithmetic {
				if stopped == nil || !stopped.Arithmetic {
					t.Errorf("%v", stopped)
				}
			} else {
				aborts(t, stopped, c.want)
			}
			if diff := cmp.Diff(before, p); diff != "" {
				t.Errorf("the book changed:\n%s", diff)
			}
		})
	}
}

func TestPlaceMeetsAtMostAHundred(t *testing.T) {
	p := small(t)
	for range 101 {
		rest(t, p, maker, LimitOrder{Price: 5 * scaling, Quantity: 1})
	}
	e := place(t, p, taker, LimitOrder{IsBid: true, Price: 5 * scaling, Quantity: 150})
	if e.Rested || !e.Taken.LimitReached || e.Taken.Base != 100 || e.In != (Totals{Quote: 500}) || len(p.Asks) != 1 ||
		len(p.Bids) != 0 {
		t.Errorf("what was not traded may not rest: %+v", e.In)
	}
}

func TestAManagerHasAtMostAHundredOrders(t *testing.T) {
	p := small(t)
	var last Order
	for i := range uint64(MostOpen) {
		last = place(t, p, maker, LimitOrder{IsBid: true, Price: (1 + i) * 1000, Quantity: 1}).Order
	}
	over := LimitOrder{IsBid: true, Price: 1000, Quantity: 1, Expire: 100}
	_, stopped := p.Place(maker, over, false, 9, 100)
	aborts(t, stopped, abortTooManyOrders())
	if len(p.Bids) != MostOpen {
		t.Errorf("%d orders", len(p.Bids))
	}
	if e := place(t, p, second, over); !e.Rested {
		t.Error("it counts the orders of others")
	}
	if _, _, stopped := p.Cancel(maker, last.ID); stopped != nil {
		t.Fatal(stopped)
	}
	if e := place(t, p, maker, over); !e.Rested {
		t.Error("a cancelled order counts still")
	}
}

func TestCancel(t *testing.T) {
	p := small(t)
	p.MakerFee = scaling / 10
	bid := place(t, p, maker, LimitOrder{IsBid: true, Price: 2 * scaling, Quantity: 40}).Order
	ended := place(t, p, maker, LimitOrder{Price: 9 * scaling, Quantity: 16, Expire: 100}).Order
	if _, stopped := p.SwapExact(20, 0, 0, 0, 100); stopped != nil { // partly fills the bid
		t.Fatal(stopped)
	}
	before := p.Clone()
	_, _, stopped := p.Cancel(second, bid.ID)
	aborts(t, stopped, abortForeignOrder())
	_, _, stopped = p.Cancel(maker, OrderID{bid.ID.Hi, bid.ID.Lo - 5})
	aborts(t, stopped, abortNoOrder())
	if diff := cmp.Diff(before, p); diff != "" {
		t.Errorf("a refused cancellation changed the book:\n%s", diff)
	}
	gone, back, stopped := p.Cancel(maker, bid.ID)
	// 20 at 2 plus an eighth come back, and the 20 that were bought.
	if stopped != nil || gone.Remaining() != 20 || back != (Totals{Base: 20, Quote: 40 + 5}) || len(p.Bids) != 0 {
		t.Errorf("%v %+v %+v", stopped, gone, back)
	}
	_, _, stopped = p.Cancel(maker, bid.ID)
	aborts(t, stopped, abortNoOrder())
	if _, back, stopped := p.Cancel(maker, ended.ID); stopped != nil || back != (Totals{Base: 16 + 2}) {
		t.Errorf("past its end: %v %+v", stopped, back)
	}
	if len(p.Open(maker)) != 0 || p.Locked(maker) != (Totals{}) {
		t.Errorf("%+v", p.Accounts[maker])
	}
}

// A DEEP fee is computed at the pool's current DEEP price, both for what trades and for what rests.
// Unused DEEP comes back.
func TestPlaceInDeep(t *testing.T) {
	begin := func(price *DeepPrice) *Pool {
		p := small(t)
		p.DeepPrice, p.Whitelisted = price, false
		rest(t, p, maker, LimitOrder{Price: 5 * scaling, Quantity: 8})
		p.TakerFee, p.MakerFee = scaling/5, scaling/10
		return p
	}
	t.Run("counted in the quote coin", func(t *testing.T) {
		p := begin(&DeepPrice{PerAsset: 3 * scaling})
		e := place(t, p, second, LimitOrder{IsBid: true, FeeIsDeep: true, Price: 6 * scaling, Quantity: 18})
		// 8 trade at 5: 40 quote, 120 DEEP, a fifth of that. 10 rest at 6: 60 quote, 180 DEEP, a
		// tenth of that.
		if e.In != (Totals{Quote: 40 + 60, Deep: 24 + 18}) || e.Out != (Totals{Base: 8}) || e.Taken.Fee != 24 ||
			!e.Taken.FeeIsDeep || !e.Rested {
			t.Errorf("%+v", e)
		}
		if got := p.Locked(second); got != (Totals{Quote: 60, Deep: 18}) {
			t.Errorf("locked %+v", got)
		}
		p.DeepPrice.PerAsset = 9 * scaling // the fee was computed when the order was placed
		if _, back, stopped := p.Cancel(second, e.Order.ID); stopped != nil || back != (Totals{Quote: 60, Deep: 18}) {
			t.Errorf("%v %+v", stopped, back)
		}
	})
	t.Run("counted in the base coin, and partly filled", func(t *testing.T) {
		p := begin(&DeepPrice{AssetIsBase: true, PerAsset: 3 * scaling})
		e := place(t, p, second, LimitOrder{IsBid: true, FeeIsDeep: true, Price: 4 * scaling, Quantity: 20})
		if e.In != (Totals{Quote: 80, Deep: 6}) {
			t.Errorf("%+v", e)
		}
		place(t, p, taker, LimitOrder{Price: 4 * scaling, Quantity: 10})
		if got := p.Locked(second); got != (Totals{Base: 10, Quote: 40, Deep: 3}) {
			t.Errorf("locked %+v", got)
		}
	})
	t.Run("a pool without a price of DEEP", func(t *testing.T) {
		wish := LimitOrder{IsBid: true, FeeIsDeep: true, Price: 4 * scaling, Quantity: 20, Expire: ^uint64(0)}
		_, stopped := begin(nil).Place(second, wish, false, 9, 100)
		aborts(t, stopped, abortNoDeepPrice())
		_, stopped = begin(&DeepPrice{}).Place(second, wish, false, 9, 100)
		aborts(t, stopped, abortDeepPrice())
	})
	t.Run("a whitelisted pool takes nothing", func(t *testing.T) {
		p := begin(nil)
		p.Whitelisted, p.TakerFee, p.MakerFee = true, 0, 0
		if e := place(t, p, second, LimitOrder{IsBid: true, FeeIsDeep: true, Price: 6 * scaling,
			Quantity: 18}); e.In != (Totals{Quote: 100}) {
			t.Errorf("%+v", e)
		}
	})
}
