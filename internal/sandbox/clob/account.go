package clob

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Totals are amounts of a pool's two coins and of DEEP, in raw units.
type Totals struct{ Base, Quote, Deep uint64 }

// Account is a balance manager's account in a pool. Settled holds proceeds and refunds of its
// orders that it has not withdrawn.
type Account struct {
	Placed  []Placed
	Settled Totals
}

// Placed is the part of an order that the account of its manager records. The book has the rest.
type Placed struct {
	ID            OrderID
	Client, Epoch uint64
	FeeIsDeep     bool
	Deep          DeepPrice // price at which its DEEP fee was computed
}

// LimitOrder is an order for the book. An Immediate order never rests. A Whole order trades completely
// and immediately, or aborts. A Market order takes any price, and its Price is not checked.
type LimitOrder struct {
	IsBid, FeeIsDeep                bool
	Price, Quantity, Expire, Client uint64
	Immediate, Whole, Market        bool
}

// OpenOrder is an account's order with its current state in the book.
type OpenOrder struct {
	Order
	Placed
}

// Rest adds a manager's order to the book, with its fee in the coin that it locks, and returns the
// locked amounts. It rejects an order that would trade immediately or violate the pool's sizes.
func (p *Pool) Rest(manager sui.ObjectID, w LimitOrder, epoch uint64) (Totals, error) {
	if w.Price < MinPrice || w.Price > MaxPrice || w.Price%p.Tick != 0 || w.Quantity < p.Min || w.Quantity%p.Lot != 0 {
		return Totals{}, fmt.Errorf("the pool %s takes no order of %d at %d", p.Key, w.Quantity, w.Price)
	}
	for _, o := range p.side(w.IsBid) {
		if (w.IsBid && o.Price() <= w.Price) || (!w.IsBid && o.Price() >= w.Price) {
			return Totals{}, fmt.Errorf("an order at %d would trade immediately in the pool %s", w.Price, p.Key)
		}
	}
	w.FeeIsDeep = false
	return p.locks(p.insert(manager, w, 0, epoch, DeepPrice{}), Placed{}), nil
}

// insert puts a manager's order behind others at its price.
func (p *Pool) insert(manager sui.ObjectID, w LimitOrder, filled, epoch uint64, deep DeepPrice) Order {
	own, sequence := p.ownSide(w.IsBid), uint64(0)
	for _, o := range *own {
		last := o.ID.Lo
		if w.IsBid {
			last = ^last
		}
		sequence = max(sequence, last)
	}
	if sequence++; w.IsBid {
		sequence = ^sequence
	}
	o := Order{ID: NewOrderID(w.IsBid, w.Price, sequence), Quantity: w.Quantity, Filled: filled, Expire: w.Expire}
	*own = append(*own, o)
	p.Sort()
	a := p.Accounts[manager]
	a.Placed = append(a.Placed, Placed{o.ID, w.Client, epoch, w.FeeIsDeep, deep})
	p.keep(manager, a)
	return o
}

// Open returns a manager's open orders, sorted by id.
func (p *Pool) Open(manager sui.ObjectID) []OpenOrder {
	var open []OpenOrder
	for _, placed := range p.Accounts[manager].Placed {
		side := *p.ownSide(placed.ID.IsBid())
		if i := slices.IndexFunc(side, func(o Order) bool { return o.ID == placed.ID }); i >= 0 {
			open = append(open, OpenOrder{side[i], placed})
		}
	}
	slices.SortFunc(open, func(a, b OpenOrder) int { return a.Order.ID.Compare(b.Order.ID) })
	return open
}

// Order finds an order in the book. manager is zero if no balance manager on chain has the order, as in
// generated or recorded books.
func (p *Pool) Order(id OrderID) (o OpenOrder, manager sui.ObjectID, stopped *Abort) {
	side := *p.ownSide(id.IsBid())
	i := slices.IndexFunc(side, func(o Order) bool { return o.ID == id })
	if i < 0 {
		return o, manager, abortNoOrder()
	}
	o.Order, o.Placed.ID = side[i], id
	for owner, a := range p.Accounts {
		if n := slices.IndexFunc(a.Placed, func(o Placed) bool { return o.ID == id }); n >= 0 {
			manager, o.Placed = owner, a.Placed[n]
		}
	}
	return o, manager, nil
}

// Locked returns the amounts that a manager's open orders lock, plus its settled amounts.
func (p *Pool) Locked(manager sui.ObjectID) Totals {
	total := p.Accounts[manager].Settled
	for _, o := range p.Open(manager) {
		total = total.plus(p.locks(o.Order, o.Placed))
	}
	return total
}

// locks returns the amounts that an order in the book locks.
func (p *Pool) locks(o Order, as Placed) Totals {
	var c checked
	return p.lock(&c, o, as)
}

// lock is like locks, but records an overflow in c.
func (p *Pool) lock(c *checked, o Order, as Placed) Totals {
	fee := func(n uint64) uint64 { return c.mul(c.mul(n, feePenalty), p.MakerFee) }
	quote := c.mul(o.Remaining(), o.Price())
	switch {
	case as.FeeIsDeep:
		t := Totals{Base: o.Remaining(), Deep: c.mul(c.inDeep(as.Deep, o.Remaining(), quote), p.MakerFee)}
		if o.IsBid() {
			t.Base, t.Quote = 0, quote
		}
		return t
	case !o.IsBid():
		return Totals{Base: c.add(o.Remaining(), fee(o.Remaining()))}
	}
	return Totals{Quote: c.add(quote, fee(quote))}
}

// Renamed updates the account of an order whose id changes.
func (p *Pool) Renamed(from, to OrderID) { p.follow(from, func(_ *Account, o *Placed) { o.ID = to }) }

// credit adds the proceeds of a fill, or the refund of an expired order, to the maker's settled
// amounts.
func (p *Pool) credit(f Fill) {
	p.follow(f.Order.ID, func(a *Account, as *Placed) {
		switch {
		case f.Expired:
			a.Settled = a.Settled.plus(p.locks(f.Order, *as))
		case f.Order.IsBid():
			a.Settled.Base += f.Base
		default:
			a.Settled.Quote += f.Quote
		}
		if f.Expired || f.Completed {
			a.Placed = slices.DeleteFunc(a.Placed, func(o Placed) bool { return o.ID == f.Order.ID })
		}
	})
}

// follow applies change to the account that has an order, if any.
func (p *Pool) follow(id OrderID, change func(*Account, *Placed)) {
	for manager, a := range p.Accounts {
		if i := slices.IndexFunc(a.Placed, func(o Placed) bool { return o.ID == id }); i >= 0 {
			change(&a, &a.Placed[i])
			p.keep(manager, a)
			return
		}
	}
}

func (p *Pool) keep(manager sui.ObjectID, a Account) {
	if p.Accounts == nil {
		p.Accounts = map[sui.ObjectID]Account{}
	}
	p.Accounts[manager] = a
}

// cloneAccounts returns a deep copy of the accounts.
func (p *Pool) cloneAccounts() map[sui.ObjectID]Account {
	accounts := maps.Clone(p.Accounts)
	for manager, a := range accounts {
		a.Placed = slices.Clone(a.Placed)
		accounts[manager] = a
	}
	return accounts
}
