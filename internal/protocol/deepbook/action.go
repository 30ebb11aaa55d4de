package deepbook

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// OrderID is the chain's 128-bit number of an order. It encodes the order's side and price.
type OrderID struct{ Hi, Lo uint64 }

// askBit marks the ids of asks. The bits below it are the price.
const askBit = uint64(1) << 63

// String returns decimal digits.
func (id OrderID) String() string {
	n := new(big.Int).SetUint64(id.Hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(id.Lo)).String()
}

// IsBid reports whether the order buys.
func (id OrderID) IsBid() bool { return id.Hi&askBit == 0 }

// Price returns the raw price.
func (id OrderID) Price() sui.Raw { return sui.Raw(id.Hi &^ askBit) }

// PlacedOrder is an order as reported by DeepBook's events order_info::OrderInfo and
// order_info::OrderPlaced. Numbers are raw, and times are Unix milliseconds.
type PlacedOrder struct {
	Pool, Manager      sui.ObjectID
	ID                 OrderID
	ClientID           uint64
	Kind, SelfMatching byte
	IsBid, FeeInDeep   bool
	Price, Quantity    sui.Raw
	Expire             uint64
	Traded, TradedFor  sui.Raw // base and quote coins traded immediately
	Fee                sui.Raw // for the part that traded immediately; in DEEP, or in the coin that the order pays
	Rests              sui.Raw // base coin in the book; 0 if nothing rests
	At                 int     // index of its OrderInfo among the events
}

// CanceledOrder is the content of order::OrderCanceled.
type CanceledOrder struct {
	Pool, Manager  sui.ObjectID
	ID             OrderID
	Quantity, Gone sui.Raw // of the order, and its unfilled part
	At             int     // index of the event
}

// ModifiedOrder is the content of order::OrderModified, for an order that was reduced.
type ModifiedOrder struct {
	Pool, Manager sui.ObjectID
	ID            OrderID
	Quantity      sui.Raw // of the order after the change
	At            int     // index of the event
}

// BalanceMove is the content of balance_manager::BalanceEvent: an amount that entered or left a
// manager.
type BalanceMove struct {
	Manager sui.ObjectID
	Coin    sui.CoinType
	Amount  sui.Raw
	In      bool
	At      int // index of the event
}

// MadeManager is the content of balance_manager::BalanceManagerEvent.
type MadeManager struct {
	ID     sui.ObjectID
	Owner  sui.Address
	Direct bool // created by the transaction's own command, not by another DeepBook function
	At     int  // index of the event
}

// Actions are the sender's actions in one transaction according to DeepBook's events, each kind in
// order. They exclude events that the sender did not cause, such as the removal of a maker's expired
// order, and the actions of a swap's temporary manager.
type Actions struct {
	Moves    []BalanceMove
	Canceled []CanceledOrder
	Made     []MadeManager
	Modified []ModifiedOrder
	Swaps    int // swaps that created a temporary manager

	orders []PlacedOrder
	placed []placed
	fills  []filled
}

// placed is order_info::OrderPlaced.
type placed struct {
	manager, pool         sui.ObjectID
	id                    OrderID
	isBid                 bool
	price, rests          sui.Raw
	client, expire, stamp uint64
}

// filled is the taker's part of order_info::OrderFilled.
type filled struct {
	pool, manager     sui.ObjectID
	taker             OrderID
	isBid             bool
	price, base, paid sui.Raw
}

// ReadActions reads the actions in the events of a transaction that sender sent. It returns
// fault.ProviderMismatch if an event of these kinds has an unexpected shape or another sender.
func ReadActions(events []sui.Event, sender sui.Address) (Actions, error) {
	d, err := readActions(events, sender)
	return d.withoutSwaps(), err
}

// readActions is like ReadActions but includes the actions of swaps' temporary managers.
func readActions(events []sui.Event, sender sui.Address) (Actions, error) {
	var d Actions
	readers := map[string]func(*values){
		registry.EventType("order_info", "OrderInfo"):   func(v *values) { d.orders = append(d.orders, v.order(sender)) },
		registry.EventType("order_info", "OrderPlaced"): func(v *values) { d.placed = append(d.placed, v.placed(sender)) },
		registry.EventType("order_info", "OrderFilled"): func(v *values) { d.fills = append(d.fills, v.filled()) },
		registry.EventType("order", "OrderCanceled"): func(v *values) {
			d.Canceled = append(d.Canceled,
				v.canceled(sender))
		},
		registry.EventType("order", "OrderModified"): func(v *values) {
			d.Modified = append(d.Modified,
				v.modified(sender))
		},
		registry.EventType("balance_manager", "BalanceEvent"): func(v *values) {
			d.Moves = append(d.Moves, BalanceMove{Manager: v.id(), Coin: v.coin(), Amount: v.raw(), In: v.flag(), At: v.at})
		},
		registry.EventType("balance_manager", "BalanceManagerEvent"): func(v *values) {
			d.Made = append(d.Made, MadeManager{ID: v.id(), Owner: v.id(), Direct: events[v.at].Module == "balance_manager",
				At: v.at})
		},
	}
	for at, e := range events {
		read, ok := readers[e.Type]
		if !ok {
			continue
		}
		v := &values{rest: e.Contents, at: at}
		if read(v); v.end() != nil || e.Sender != sender {
			return Actions{}, fault.New(fault.ProviderMismatch,
				"The Sui node reported a DeepBook event of an unexpected shape.")
		}
	}
	return d, nil
}

// Renamed returns a copy of the actions in which every manager that the transaction created has the id
// name(n), where n is its number, from 1. Made keeps the original ids.
func (d Actions) Renamed(name func(n int) sui.ObjectID) Actions {
	out := Actions{Moves: slices.Clone(d.Moves), Canceled: slices.Clone(d.Canceled), Made: d.Made,
		Modified: slices.Clone(d.Modified),
		Swaps:    d.Swaps, orders: slices.Clone(d.orders), placed: slices.Clone(d.placed), fills: slices.Clone(d.fills)}
	of := func(id *sui.ObjectID) {
		if n := slices.IndexFunc(d.Made, func(m MadeManager) bool { return m.ID == *id }); n >= 0 {
			*id = name(n + 1)
		}
	}
	for i := range out.Moves {
		of(&out.Moves[i].Manager)
	}
	for i := range out.Canceled {
		of(&out.Canceled[i].Manager)
	}
	for i := range out.Modified {
		of(&out.Modified[i].Manager)
	}
	for i := range out.orders {
		of(&out.orders[i].Manager)
	}
	for i := range out.placed {
		of(&out.placed[i].manager)
	}
	for i := range out.fills {
		of(&out.fills[i].manager)
	}
	return out
}

// withoutSwaps removes actions of temporary managers, which a pool function creates and which trade in
// the same transaction.
func (d Actions) withoutSwaps() Actions {
	ofSwap := func(id sui.ObjectID) bool {
		return slices.ContainsFunc(d.Made, func(m MadeManager) bool { return m.ID == id && !m.Direct }) &&
			slices.ContainsFunc(d.orders, func(o PlacedOrder) bool { return o.Manager == id })
	}
	out := Actions{Modified: d.Modified, Canceled: d.Canceled}
	for _, m := range d.Moves {
		if !ofSwap(m.Manager) {
			out.Moves = append(out.Moves, m)
		}
	}
	for _, m := range d.Made {
		if ofSwap(m.ID) {
			out.Swaps++
		} else {
			out.Made = append(out.Made, m)
		}
	}
	for _, o := range d.orders {
		if !ofSwap(o.Manager) {
			out.orders = append(out.orders, o)
		}
	}
	for _, p := range d.placed {
		if !ofSwap(p.manager) {
			out.placed = append(out.placed, p)
		}
	}
	for _, f := range d.fills {
		if !ofSwap(f.manager) {
			out.fills = append(out.fills, f)
		}
	}
	return out
}

// deepPrice skips a DEEP price.
func (v *values) deepPrice() { v.flag(); v.take(8) }

// by reads a trader's address and rejects any other than trader.
func (v *values) by(trader sui.Address) { v.broken = sui.Address(v.take(32)) != trader || v.broken }

// stated rejects an event whose side or price differs from the ones that its order number encodes.
func (v *values) stated(id OrderID, isBid bool, price sui.Raw) {
	v.broken = v.broken || id.IsBid() != isBid || id.Price() != price
}

// order reads an OrderInfo.
func (v *values) order(trader sui.Address) PlacedOrder {
	o := PlacedOrder{At: v.at, Pool: v.id(), ID: v.orderID(), Manager: v.id(), ClientID: v.u64()}
	v.by(trader)
	o.Kind, o.SelfMatching = v.take(1)[0], v.take(1)[0]
	o.Price, o.IsBid, o.Quantity = v.raw(), v.flag(), v.raw()
	v.deepPrice()
	o.Expire, o.Traded, o.TradedFor = v.u64(), v.raw(), v.raw()
	const fill = 16 + 8 + 8 + 32 + 2 + 3*8 + 1 + 8 + 9 + 8 + 1 + 8 + 1
	v.take(fill * v.length(fill)) // OrderFilled reports these individually
	o.FeeInDeep, o.Fee = v.flag(), v.raw()
	v.take(8 + 8 + 1) // maker fees, epoch, state
	for range 3 {
		v.flag() // market order, fill limit reached, rests
	}
	v.take(8)
	v.stated(o.ID, o.IsBid, o.Price)
	v.broken = v.broken || o.Traded > o.Quantity
	return o
}

// placed reads an OrderPlaced.
func (v *values) placed(trader sui.Address) placed {
	p := placed{manager: v.id(), pool: v.id(), id: v.orderID(), client: v.u64()}
	v.by(trader)
	p.price, p.isBid, p.rests, p.expire, p.stamp = v.raw(), v.flag(), v.raw(), v.u64(), v.u64()
	v.stated(p.id, p.isBid, p.price)
	return p
}

// filled reads an OrderFilled.
func (v *values) filled() filled {
	f := filled{pool: v.id()}
	v.orderID() // the maker's order id
	f.taker = v.orderID()
	v.take(8 + 8) // the clients' numbers
	f.price, f.isBid = v.raw(), v.flag()
	v.take(8)
	v.flag()
	v.take(8)
	v.flag() // both fees, and whether they are in DEEP
	f.base, f.paid = v.raw(), v.raw()
	v.id()
	f.manager = v.id()
	v.take(8)
	return f
}

// canceled reads an OrderCanceled.
func (v *values) canceled(trader sui.Address) CanceledOrder {
	c := CanceledOrder{At: v.at, Manager: v.id(), Pool: v.id(), ID: v.orderID()}
	v.take(8)
	v.by(trader)
	price, isBid := v.raw(), v.flag()
	c.Quantity, c.Gone = v.raw(), v.raw()
	v.take(8)
	v.stated(c.ID, isBid, price)
	v.broken = v.broken || c.Gone > c.Quantity
	return c
}

// modified reads an OrderModified.
func (v *values) modified(trader sui.Address) ModifiedOrder {
	m := ModifiedOrder{At: v.at, Manager: v.id(), Pool: v.id(), ID: v.orderID()}
	v.take(8)
	v.by(trader)
	price, isBid := v.raw(), v.flag()
	v.take(8 + 8) // previous quantity, and filled quantity
	m.Quantity = v.raw()
	v.take(8)
	v.stated(m.ID, isBid, price)
	return m
}

// coin reads a type name, which the chain writes without 0x.
func (v *values) coin() sui.CoinType {
	name := string(v.take(v.length(1)))
	t, err := sui.ParseCoinType("0x" + name)
	v.broken = v.broken || err != nil || strings.ReplaceAll(string(t), "0x", "") != name
	return t
}

// At returns the indexes of all events that report an action.
func (d Actions) At() (at []int) {
	for _, o := range d.orders {
		at = append(at, o.At)
	}
	for _, c := range d.Canceled {
		at = append(at, c.At)
	}
	for _, m := range d.Moves {
		at = append(at, m.At)
	}
	for _, m := range d.Made {
		at = append(at, m.At)
	}
	for _, m := range d.Modified {
		at = append(at, m.At)
	}
	return at
}

// Orders returns the placed orders. It returns fault.InputInvalid if the three kinds of events are
// inconsistent for an order: the resting and traded parts must add up to the order, no part may trade
// at a worse price, and all events must name the same manager and pool.
func (d Actions) Orders() ([]PlacedOrder, error) {
	placed, fills := len(d.placed), len(d.fills)
	var list []PlacedOrder
	for _, o := range d.orders {
		whole, rests := true, 0
		for _, p := range d.placed {
			if p.id != o.ID || p.pool != o.Pool {
				continue
			}
			placed, rests = placed-1, rests+1
			whole = whole && p.manager == o.Manager && p.client == o.ClientID && p.expire == o.Expire &&
				p.rests == o.Quantity-o.Traded
			o.Rests = p.rests
		}
		var base, paid sui.Raw
		for _, f := range d.fills {
			if f.taker != o.ID || f.pool != o.Pool {
				continue
			}
			fills--
			worse := f.isBid && f.price > o.Price || !f.isBid && f.price < o.Price
			whole = whole && f.manager == o.Manager && f.isBid == o.IsBid && !worse
			base, paid = base+f.base, paid+f.paid
		}
		if rests > 1 {
			return nil, fault.New(fault.InputInvalid, "DeepBook’s events report something different from, or more than, the "+
				"review.")
		}
		if !whole || base != o.Traded || paid != o.TradedFor {
			return nil, fault.New(fault.InputInvalid, "DeepBook’s events contradict each other about the order.")
		}
		list = append(list, o)
	}
	if placed != 0 || fills != 0 {
		return nil, fault.New(fault.InputInvalid, "DeepBook’s events report something different from, or more than, the "+
			"review.")
	}
	return list, nil
}
