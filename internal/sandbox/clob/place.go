package clob

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Aborts of placing and canceling, with the codes of DeepBook's package 8.
func abortOrderPrice() *Abort    { return abort("order_info", 0) }
func abortOrderMin() *Abort      { return abort("order_info", 1) }
func abortOrderLot() *Abort      { return abort("order_info", 2) }
func abortOrderExpiry() *Abort   { return abort("order_info", 3) }
func abortPostOnly() *Abort      { return abort("order_info", 5) }
func abortNotWhole() *Abort      { return abort("order_info", 6) }
func abortTooManyOrders() *Abort { return abort("state", 2) }
func abortNoOrder() *Abort       { return abort("big_vector", 5) }
func abortForeignOrder() *Abort  { return abort("pool", 9) }
func abortDeepPrice() *Abort     { return abort("pool", 21) }
func abortNewBelowMin() *Abort   { return abort("book", 5) }
func abortNewLot() *Abort        { return abort("book", 6) }
func abortNotSmaller() *Abort    { return abort("book", 7) }

// MostOpen is the maximum number of a manager's open orders in one pool.
const MostOpen = 100

// Entry is the result of a limit order. Taken is the part that traded immediately, and Order the
// part that rests if Rested is set. In is what the manager pays, and Out what it receives,
// including amounts settled before.
type Entry struct {
	Taken   Swap
	Order   Order
	Rested  bool
	In, Out Totals
}

// Place implements place_limit_order. It changes the book unless it aborts. The caller must check
// whether the manager can pay.
func (p *Pool) Place(manager sui.ObjectID, w LimitOrder, postOnly bool, epoch, nowMs uint64) (Entry, *Abort) {
	if stopped := p.checkOrder(w, nowMs); stopped != nil {
		return Entry{}, stopped
	}
	e := Entry{Taken: Swap{IsBid: w.IsBid, Ordered: w.Quantity, Limit: w.Price}}
	s := &e.Taken
	if w.FeeIsDeep {
		var stopped *Abort
		if s.Deep, stopped = p.OrderDeepPrice(); stopped != nil {
			return Entry{}, stopped
		}
		if s.Deep.PerAsset == 0 && !p.Whitelisted {
			return Entry{}, abortDeepPrice()
		}
	}
	var c checked
	p.match(&c, s, nowMs)
	if postOnly && s.Base > 0 {
		return Entry{}, abortPostOnly()
	}
	if w.Whole && s.Base < w.Quantity {
		return Entry{}, abortNotWhole()
	}
	p.charge(&c, s)
	e.exchange(&c, w.FeeIsDeep)
	if e.Rested = s.Base < w.Quantity && !s.LimitReached && !w.Immediate && !w.Whole; e.Rested {
		if len(p.Accounts[manager].Placed) >= MostOpen {
			return Entry{}, abortTooManyOrders()
		}
		locked := p.lock(&c, Order{ID: NewOrderID(w.IsBid, w.Price, 0), Quantity: w.Quantity, Filled: s.Base},
			Placed{FeeIsDeep: w.FeeIsDeep, Deep: s.Deep})
		e.In.Base, e.In.Quote, e.In.Deep = c.add(e.In.Base, locked.Base), c.add(e.In.Quote, locked.Quote), c.add(e.In.Deep,
			locked.Deep)
	}
	if err := c.abort(); err != nil {
		return Entry{}, err
	}
	p.apply(*s)
	if e.Rested {
		e.Order = p.insert(manager, w, s.Base, epoch, s.Deep)
	}
	e.Out = e.Out.plus(p.Settle(manager))
	return e, nil
}

// checkOrder checks an order's price, quantity and expiry.
func (p *Pool) checkOrder(w LimitOrder, nowMs uint64) *Abort {
	switch {
	case !w.Market && (w.Price < MinPrice || w.Price > MaxPrice || w.Price%p.Tick != 0):
		return abortOrderPrice()
	case w.Quantity < p.Min:
		return abortOrderMin()
	case w.Quantity%p.Lot != 0:
		return abortOrderLot()
	case w.Expire < nowMs:
		return abortOrderExpiry()
	}
	return nil
}

// exchange sets In and Out to what the immediate trade costs, including the fee, and pays.
func (e *Entry) exchange(c *checked, feeIsDeep bool) {
	s := e.Taken
	e.In, e.Out = Totals{Base: s.Base}, Totals{Quote: s.Quote}
	if s.IsBid {
		e.In, e.Out = Totals{Quote: s.Quote}, Totals{Base: s.Base}
	}
	switch {
	case feeIsDeep:
		e.In.Deep = s.Fee
	case s.IsBid:
		e.In.Quote = c.add(e.In.Quote, s.Fee)
	default:
		e.In.Base = c.add(e.In.Base, s.Fee)
	}
}

// Cancel removes a manager's order from the book. It returns the order, and the amounts that it
// locked plus the manager's settled amounts. Expired orders can be canceled too.
func (p *Pool) Cancel(manager sui.ObjectID, id OrderID) (Order, Totals, *Abort) {
	side, i, n, stopped := p.own(manager, id)
	if stopped != nil {
		return Order{}, Totals{}, stopped
	}
	a := p.Accounts[manager]
	gone, as := (*side)[i], a.Placed[n]
	*side = slices.Delete(slices.Clone(*side), i, i+1)
	a.Placed = slices.Delete(a.Placed, n, n+1)
	p.keep(manager, a)
	return gone, p.locks(gone, as).plus(p.Settle(manager)), nil
}

// own finds a manager's order: its side and index in the book, and its index in the manager's
// account.
func (p *Pool) own(manager sui.ObjectID, id OrderID) (side *[]Order, i, n int, stopped *Abort) {
	side = p.ownSide(id.IsBid())
	if i = slices.IndexFunc(*side, func(o Order) bool { return o.ID == id }); i < 0 {
		return nil, 0, 0, abortNoOrder()
	}
	if n = slices.IndexFunc(p.Accounts[manager].Placed, func(o Placed) bool { return o.ID == id }); n < 0 {
		return nil, 0, 0, abortForeignOrder()
	}
	return side, i, n, nil
}

// Shrink reduces the quantity of a manager's order, which keeps its place in the book. It returns
// the previous order, and the released amounts plus the manager's settled amounts.
func (p *Pool) Shrink(manager sui.ObjectID, id OrderID, quantity uint64) (Order, Totals, *Abort) {
	side, i, n, stopped := p.own(manager, id)
	if stopped != nil {
		return Order{}, Totals{}, stopped
	}
	before, as := (*side)[i], p.Accounts[manager].Placed[n]
	switch {
	case quantity >= before.Quantity:
		return Order{}, Totals{}, abortNotSmaller()
	case quantity < p.Min || quantity <= before.Filled:
		return Order{}, Totals{}, abortNewBelowMin()
	case quantity%p.Lot != 0:
		return Order{}, Totals{}, abortNewLot()
	}
	after := before
	after.Quantity = quantity
	*side = slices.Clone(*side)
	(*side)[i] = after
	return before, p.locks(before, as).minus(p.locks(after, as)).plus(p.Settle(manager)), nil
}

// Settle returns and clears a manager's settled amounts.
func (p *Pool) Settle(manager sui.ObjectID) Totals {
	a := p.Accounts[manager]
	out := a.Settled
	a.Settled = Totals{}
	p.keep(manager, a)
	return out
}

func (t Totals) plus(o Totals) Totals {
	return Totals{Base: t.Base + o.Base, Quote: t.Quote + o.Quote, Deep: t.Deep + o.Deep}
}

func (t Totals) minus(o Totals) Totals {
	return Totals{Base: t.Base - o.Base, Quote: t.Quote - o.Quote, Deep: t.Deep - o.Deep}
}
