// Package resting follows the orders of known accounts that rest in DeepBook's books, and reports how
// much of them was filled since the last read.
//
// It compares the resting orders with those that it stored last, possibly in an earlier process. It
// signs nothing and changes nothing on chain.
package resting

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Order is a resting order as it was last read. Price, Quantity and Remaining are raw, as in
// deepbook.OpenOrder. Held is what the manager holds, free and locked.
type Order struct {
	Account             sui.Address
	Manager             sui.ObjectID
	Pool                string
	ID                  string
	IsBid               bool
	Price               sui.Raw
	Quantity, Remaining sui.Raw
	ExpireMs            uint64 // Unix milliseconds
	Held                Pair
	SeenAt              time.Time
}

// Pair holds raw amounts of a pool's two coins.
type Pair struct{ Base, Quote sui.Raw }

func (o Order) same(p Order) bool { return o.Manager == p.Manager && o.Pool == p.Pool && o.ID == p.ID }

// Store stores the resting orders.
type Store interface {
	// Resting lists the orders that rested when they were last read.
	Resting(ctx context.Context) ([]Order, error)
	// KeepResting replaces the account's rows, which must be before, by after and appends the events,
	// in one transaction. If the stored rows are no longer before, it changes nothing and returns
	// false.
	KeepResting(ctx context.Context, account sui.Address, before, after []Order, events []bus.Event) (bool, error)
}

// Inventory reads accounts' holdings in DeepBook. deepbook.Inventory implements it.
type Inventory interface {
	Discover(ctx context.Context, account sui.Address, named sui.ObjectID) (deepbook.Discovery, error)
	Accounts(ctx context.Context, manager sui.ObjectID) ([]deepbook.PoolAccount, time.Time, error)
}

// look reads an account's resting orders, and the holdings of each manager in each pool.
func look(ctx context.Context, inv Inventory, account sui.Address) (now []Order, held map[place]Pair, err error) {
	held = map[place]Pair{}
	found, err := inv.Discover(ctx, account, sui.ObjectID{})
	if err != nil {
		return nil, nil, err
	}
	for _, m := range found.Managers {
		if !m.Own() {
			continue
		}
		accounts, at, err := inv.Accounts(ctx, m.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, a := range accounts {
			if a.Owner != account {
				continue
			}
			has := Pair{a.Free.Base + a.Locked.Base, a.Free.Quote + a.Locked.Quote}
			held[place{m.ID, a.Pool.Key}] = has
			for _, o := range a.Orders {
				now = append(now, Order{Account: account, Manager: m.ID, Pool: a.Pool.Key, ID: o.ID, IsBid: o.IsBid, Price: o.Price,
					Quantity: o.Quantity, Remaining: o.Remaining, ExpireMs: o.ExpireMs, Held: has, SeenAt: at})
			}
		}
	}
	return now, held, nil
}

// place identifies a manager in a pool.
type place struct {
	manager sui.ObjectID
	pool    string
}

// Fate is the outcome of an order since it was last read.
type Fate string

// Fates of orders. Gone means that the order no longer rests, and that the manager's holdings do not
// show why.
const (
	Filled Fate = "filled"
	Partly Fate = "partly_filled"
	Unsold Fate = "left_unfilled" // canceled, or expired
	Gone   Fate = "gone"
)

// Change is an order and its outcome. Filled is in raw base units, since the last read.
type Change struct {
	Order  Order // as last read
	Fate   Fate
	Filled sui.Raw
	Rests  sui.Raw // the part that still rests
}

// compare returns the outcomes of the orders in before. held contains the current holdings of each
// manager that was read.
func compare(before, now []Order, held map[place]Pair) []Change {
	var out []Change
	for _, b := range before {
		i := slices.IndexFunc(now, b.same)
		switch {
		case i < 0:
			out = append(out, Change{Order: b, Fate: Gone})
		case now[i].Remaining < b.Remaining:
			out = append(out, Change{Order: b, Fate: Partly, Filled: b.Remaining - now[i].Remaining, Rests: now[i].Remaining})
		}
	}
	for p, change := range expected(out, held) {
		why := change.fate()
		for i, c := range out {
			if c.Fate == Gone && (place{c.Order.Manager, c.Order.Pool}) == p {
				if out[i].Fate = why; why == Filled {
					out[i].Filled = c.Order.Remaining
				}
			}
		}
	}
	return out
}

// movement is one manager's holdings in one pool before and now. bought and sold are what the manager
// would have bought and sold, in raw base units, if every order that no longer rests was filled.
type movement struct {
	known        bool
	before, now  Pair
	bought, sold sui.Raw // total of all changed orders
}

// expected returns the totals of the changed orders, by manager and pool.
func expected(changes []Change, held map[place]Pair) map[place]movement {
	out := map[place]movement{}
	for _, c := range changes {
		p := place{c.Order.Manager, c.Order.Pool}
		m := out[p]
		m.before = c.Order.Held
		m.now, m.known = held[p]
		n := c.Filled
		if c.Fate == Gone {
			n = c.Order.Remaining
		}
		if c.Order.IsBid {
			m.bought += n
		} else {
			m.sold += n
		}
		out[p] = m
	}
	return out
}

// fate returns the outcome of the orders that no longer rest. It is conclusive in two cases: one coin
// arrived as if all of the orders were filled while the other left, or the holdings did not change.
// Amounts may differ by one percent, because fees in a coin are smaller than that.
func (m movement) fate() Fate {
	switch {
	case !m.known || m.bought > 0 && m.sold > 0:
		return Gone // purchases and sales may cancel each other out
	//mutant:always `m.now == m.before` ./internal/protocol/deepbook/resting TestCompare
	case m.now == m.before:
		return Unsold
	}
	want, paid := m.bought, m.before.Quote > m.now.Quote
	moved := m.now.Base - min(m.now.Base, m.before.Base)
	if m.sold > 0 {
		want, paid = m.sold, m.now.Quote > m.before.Quote
		moved = m.before.Base - min(m.now.Base, m.before.Base)
	}
	near := want / 100
	//mutant:always ./internal/protocol/deepbook/resting TestCompare
	if paid && moved+near >= want && moved <= want+near {
		return Filled
	}
	return Gone
}

// words describes an order's outcome for the user and the agent.
func (c Change) words(now time.Time) string {
	o := c.Order
	pool, err := registry.FindPool(o.Pool)
	if err != nil {
		return "An order in " + o.Pool + " no longer rests."
	}
	base, side := pool.Base, "sell"
	if o.IsBid {
		side = "buy"
	}
	amount := func(r sui.Raw) string { return string(r.Decimal(base.Decimals)) + " " + base.Symbol }
	what := fmt.Sprintf("Your order to %s %s at %s %s per %s", side, amount(o.Quantity),
		o.Price.Decimal(pool.PriceDecimals()),
		pool.Quote.Symbol, base.Symbol)
	lies := fmt.Sprintf(" The proceeds are in your balance manager %s.", o.Manager.Short())
	switch {
	case c.Fate == Filled:
		return what + " is filled." + lies
	case c.Fate == Partly:
		return fmt.Sprintf("%s is filled in part: %s now, %s still waits.", what, amount(c.Filled), amount(c.Rests)) + lies
	case c.Fate == Unsold && o.ExpireMs != 0 && uint64(now.UnixMilli()) >= o.ExpireMs:
		return what + " has expired and left the book. The rest of it was not filled."
	case c.Fate == Unsold:
		return what + " left the book without being filled further: it was cancelled."
	}
	return what + " no longer rests. Whether it was filled is not clear from the holdings of your balance manager " +
		o.Manager.Short() + " holds."
}

// event returns the log entry for a change. It is addressed to the agent of a conversation or, without
// a session, to the pages.
func (c Change) event(now time.Time, session string) (bus.Event, error) {
	update, err := bus.Update(bus.OrderChanged{Status: string(c.Fate), Message: c.words(now), Pool: c.Order.Pool,
		Order:   c.Order.ID,
		Manager: c.Order.Manager.String()}, session != "")
	if err != nil {
		return bus.Event{}, err
	}
	e, err := bus.NewEvent(session, "order/"+c.Order.Pool+"/"+c.Order.ID, update)
	e.Dedup = c.Order.Pool + " " + c.Order.ID + " " + string(c.Fate) + " " + c.Rests.String()
	return e, err
}

// Follower follows the orders of the known accounts. Every field is required.
type Follower struct {
	Inventory Inventory
	Store     Store
	// Accounts lists the accounts whose wallets connected here.
	Accounts func(ctx context.Context) ([]sui.Address, error)
	// Conversations lists the AI clients' conversations to notify.
	Conversations func(ctx context.Context) ([]string, error)
	Now           func() time.Time
}

// Look reads the orders of every known account once, stores them, and reports changes. It returns the
// number of resting orders. If an account cannot be read, its stored orders stay unchanged, and the
// other accounts are still read.
func (f *Follower) Look(ctx context.Context) (resting int, err error) {
	kept, err := f.Store.Resting(ctx)
	if err != nil {
		return 0, err
	}
	accounts, err := f.Accounts(ctx)
	if err != nil {
		return len(kept), err
	}
	var failed error
	for _, account := range accounts {
		before := slices.DeleteFunc(slices.Clone(kept), func(o Order) bool { return o.Account != account })
		n, err := f.lookAt(ctx, account, before)
		resting, failed = resting+n, cmp.Or(failed, err)
	}
	return resting, failed
}

func (f *Follower) lookAt(ctx context.Context, account sui.Address, before []Order) (int, error) {
	now, held, err := look(ctx, f.Inventory, account)
	if err != nil {
		return len(before), err
	}
	events, err := f.events(ctx, compare(before, now, held))
	if err != nil {
		return len(before), err
	}
	_, err = f.Store.KeepResting(ctx, account, before, now, events)
	return len(now), err
}

// told returns the log entries for changes.
func (f *Follower) events(ctx context.Context, changes []Change) (out []bus.Event, err error) {
	if len(changes) == 0 {
		return nil, nil
	}
	sessions, err := f.Conversations(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		hear := append([]string{""}, sessions...)
		if c.Fate == Unsold {
			hear = hear[:1] // the agent learns of a cancellation from the cancellation's review
		}
		for _, session := range hear {
			e, err := c.event(f.Now(), session)
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
	}
	return out, nil
}
