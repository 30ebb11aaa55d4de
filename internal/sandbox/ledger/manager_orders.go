package ledger

import (
	"encoding/binary"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
)

// Placing, changing and canceling orders of a balance manager.

// placeLimit matches an order, rests the remainder if its kind allows, and settles with the
// manager.
func placeLimit(k *call) *Failure {
	kind := k.U8(4)
	if kind > orderPostOnly {
		return MoveAbort(k.pkg, "order_info", "validate_inputs", abortOrderKind)
	}
	return k.place(clob.LimitOrder{Client: k.U64(3), Price: k.U64(6), Quantity: k.U64(7), IsBid: k.Bool(8),
		FeeIsDeep: k.Bool(9), Expire: k.U64(10), Immediate: kind == orderImmediate, Whole: kind == orderWhole}, kind, k.U8(5))
}

// placeMarket matches an order at any price; nothing rests.
func placeMarket(k *call) *Failure {
	w := clob.LimitOrder{Client: k.U64(3), Price: clob.MinPrice, Quantity: k.U64(5), IsBid: k.Bool(6),
		FeeIsDeep: k.Bool(7), Expire: k.NowMs(), Immediate: true, Market: true}
	if w.IsBid {
		w.Price = clob.MaxPrice
	}
	return k.place(w, orderImmediate, k.U8(4))
}

// abortOrderKind is order_info's abort code for an invalid kind.
const abortOrderKind = 4

// place places an order. It ignores orders of the same manager. Other options for self-matching, which
// reviews never use, are rejected.
func (k *call) place(w clob.LimitOrder, kind, selfMatching byte) *Failure {
	if f := proved(k); f != nil {
		return f
	}
	if selfMatching != 0 {
		return Fail(pb.ExecutionError_FEATURE_NOT_YET_SUPPORTED, "the sandbox takes orders that may match their own")
	}
	done, stopped := k.pool.Place(k.manager.ID, w, kind == orderPostOnly, k.Epoch(), k.NowMs())
	if stopped != nil {
		return k.aborted(stopped)
	}
	if f := settle(k, done.In, done.Out); f != nil {
		return f
	}
	k.traded(len(done.Taken.Fills))
	emitOrder(k, w, kind, done)
	return k.value(orderInfoValue, nil)
}

// orderID reads a u128 as an order id.
func orderID(b []byte) clob.OrderID {
	return clob.OrderID{Hi: binary.LittleEndian.Uint64(b[8:]), Lo: binary.LittleEndian.Uint64(b)}
}

// orders reads a vector<u128> as order ids.
func orders(b []byte) (list []clob.OrderID) {
	for b = afterLength(b); len(b) > 0; b = b[16:] {
		list = append(list, orderID(b))
	}
	return list
}

// cancelOrder removes an order from the book and returns what it locked to the manager.
func cancelOrder(k *call) *Failure { return k.cancel(orderID(k.Pure(3))) }

// cancelOrders cancels the given orders; a missing one aborts everything.
func cancelOrders(k *call) *Failure {
	for _, id := range orders(k.Pure(3)) {
		if f := k.cancel(id); f != nil {
			return f
		}
	}
	return nil
}

// cancelAllOrders cancels a manager's open orders in the pool, if any.
func cancelAllOrders(k *call) *Failure {
	if f := proved(k); f != nil {
		return f
	}
	for _, o := range k.pool.Open(k.manager.ID) {
		if f := k.cancel(o.Order.ID); f != nil {
			return f
		}
	}
	return nil
}

// client returns the client order id of a manager's open order. It returns 0 for any other order.
func (k *call) client(id clob.OrderID) uint64 {
	for _, o := range k.pool.Open(k.manager.ID) {
		if o.Order.ID == id {
			return o.Client
		}
	}
	return 0
}

func (k *call) cancel(id clob.OrderID) *Failure {
	if f := proved(k); f != nil {
		return f
	}
	client := k.client(id)
	gone, back, stopped := k.pool.Cancel(k.manager.ID, id)
	if stopped != nil {
		return k.aborted(stopped)
	}
	if f := settle(k, clob.Totals{}, back); f != nil {
		return f
	}
	k.run.units += swapUnits
	k.run.book += bookBytes + sliceBytes
	event := orderEvent(k, gone, client)
	k.emit("order", "OrderCanceled", event.U64(gone.Quantity).U64(gone.Remaining()).U64(k.NowMs()))
	return nil
}

// orderEvent begins an event about a manager's resting order.
func orderEvent(k *call, o clob.Order, client uint64) bcs.Bytes {
	sender := k.run.tx.Sender
	event := bcs.Bytes(nil).Raw(k.manager.ID[:]).Raw(k.pool.ID[:]).Raw(o.ID.BCS()).U64(client).Raw(sender[:])
	return event.U64(o.Price()).Bool(o.IsBid())
}

// modifyOrder reduces the quantity of an order.
func modifyOrder(k *call) *Failure {
	if f := proved(k); f != nil {
		return f
	}
	id, quantity := orderID(k.Pure(3)), k.U64(4)
	client := k.client(id)
	before, back, stopped := k.pool.Shrink(k.manager.ID, id, quantity)
	if stopped != nil {
		return k.aborted(stopped)
	}
	if f := settle(k, clob.Totals{}, back); f != nil {
		return f
	}
	k.run.units += swapUnits
	k.run.book += bookBytes + sliceBytes
	event := orderEvent(k, before, client).U64(before.Quantity).U64(before.Filled)
	k.emit("order", "OrderModified", event.U64(quantity).U64(k.NowMs()))
	return nil
}

// withdrawSettled moves the amounts that the pool owes the manager into it. It emits no event.
func withdrawSettled(k *call) *Failure {
	if f := proved(k); f != nil {
		return f
	}
	k.run.units += swapUnits
	k.run.book += bookBytes
	return settle(k, clob.Totals{}, k.pool.Settle(k.manager.ID))
}

// emitOrder emits a limit order's events: the resting part, the order itself, and its fills.
func emitOrder(k *call, w clob.LimitOrder, kind byte, e clob.Entry) {
	id := e.Order.ID
	if !e.Rested {
		id = clob.NewOrderID(w.IsBid, w.Price, k.object.Version)
	}
	sender := k.run.tx.Sender
	if e.Rested {
		b := bcs.Bytes(nil).Raw(k.manager.ID[:]).Raw(k.pool.ID[:]).Raw(id.BCS()).U64(w.Client).Raw(sender[:])
		k.emit("order_info", "OrderPlaced",
			b.U64(w.Price).Bool(w.IsBid).U64(e.Order.Remaining()).U64(w.Expire).U64(k.NowMs()))
	}
	k.emit("order_info", "OrderInfo", orderInfo(k, e.Taken, w, id, k.manager.ID, kind, e.Rested))
	emitFills(k, e.Taken, id, w.Client, k.manager.ID)
}
