package ledger

import (
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// emit emits an event with a DeepBook type.
func (k *call) emit(module, name string, contents bcs.Bytes) {
	emitFrom(k, "pool", module, name, contents)
}

// emitFrom emits an event with a DeepBook type from a function outside the pool module.
func emitFrom(k *call, called, module, name string, contents bcs.Bytes) {
	k.run.events = append(k.run.events, Event{
		Package: k.pkg, Module: called, Sender: k.run.tx.Sender,
		Type: registry.EventType(module, name), Contents: contents,
	})
}

// emitSwap emits a swap's events: the temporary manager, and for a trade the order with its fills.
// Makers have no real managers here; their ids are derived from the orders.
func emitSwap(k *call, s clob.Swap, given map[Param]uint64) {
	manager := k.run.newID()
	k.emit("balance_manager", "BalanceManagerEvent", bcs.Bytes(nil).Raw(manager[:]).Raw(k.run.tx.Sender[:]))
	if !s.Traded {
		return
	}
	base, quote := k.pool.Base.Type, k.pool.Quote.Type
	emitBalance(k, manager, base, given[coinBase], true)
	emitBalance(k, manager, quote, given[coinQuote], true)
	emitBalance(k, manager, coins.DEEP, given[coinDeep], true)
	taker := takerOrder(s.IsBid, k.object.Version)
	w := clob.LimitOrder{FeeIsDeep: s.FeeIsDeep, Expire: k.NowMs(), Immediate: true, Market: true}
	k.emit("order_info", "OrderInfo", orderInfo(k, s, w, taker, manager, orderImmediate, false))
	emitFills(k, s, taker, 0, manager)
	emitBalance(k, manager, base, s.BaseOut, false)
	emitBalance(k, manager, quote, s.QuoteOut, false)
	emitBalance(k, manager, coins.DEEP, s.DeepOut, false)
}

// emitFills emits an event for each fill, and one more if the order was filled completely.
func emitFills(k *call, s clob.Swap, taker clob.OrderID, client uint64, manager sui.ObjectID) {
	for _, f := range s.Fills {
		if !f.Expired {
			k.emit("order_info", "OrderFilled", orderFilled(k, s, f, taker, manager))
		}
	}
	if s.Base == s.Ordered {
		k.emit("order_info", "OrderFullyFilled",
			bcs.Bytes(nil).Raw(k.pool.ID[:]).Raw(taker.BCS()).U64(client).Raw(manager[:]).
				U64(s.Ordered).Bool(s.IsBid).U64(k.NowMs()))
	}
}

// takerOrder returns the id of a market order: the most extreme price of its side.
func takerOrder(isBid bool, sequence uint64) clob.OrderID {
	if isBid {
		return clob.NewOrderID(true, clob.MaxPrice, ^sequence)
	}
	return clob.NewOrderID(false, clob.MinPrice, sequence)
}

// makerManager returns a made-up manager id for a generated or recorded order.
func makerManager(o clob.Order) sui.ObjectID {
	return sui.ObjectID(bcs.Hash("say-ur-intent/sandbox/maker", o.ID.BCS()))
}

// deepPrice returns the Move struct OrderDeepPrice.
func deepPrice(d clob.DeepPrice) bcs.Bytes { return bcs.Bytes(nil).Bool(d.AssetIsBase).U64(d.PerAsset) }

// orderInfo encodes the Move struct OrderInfo. rested reports whether a part of the order rests in the
// book.
func orderInfo(k *call, s clob.Swap, w clob.LimitOrder, id clob.OrderID, manager sui.ObjectID, kind byte,
	rested bool) bcs.Bytes {
	b := bcs.Bytes(nil).Raw(k.pool.ID[:]).Raw(id.BCS()).Raw(manager[:]).U64(w.Client).Raw(k.run.tx.Sender[:])
	b = append(b, kind, 0).U64(id.Price()).Bool(s.IsBid).U64(s.Ordered).Raw(deepPrice(s.Deep))
	b = b.U64(w.Expire).U64(s.Base).U64(s.Quote).Uleb(len(s.Fills))
	for _, f := range s.Fills {
		b = k.fill(b, s, f)
	}
	status := byte(orderLive)
	switch {
	case s.Base == s.Ordered:
		status = orderComplete
	case w.Immediate:
		status = orderCanceled
	case s.Base > 0:
		status = orderPartFilled
	}
	b = append(b.Bool(w.FeeIsDeep).U64(s.Fee).U64(0).U64(k.Epoch()), status)
	return b.Bool(w.Market).Bool(s.LimitReached).Bool(rested).U64(k.NowMs())
}

// fill appends the Move struct Fill.
func (k *call) fill(b bcs.Bytes, s clob.Swap, f clob.Fill) bcs.Bytes {
	maker := makerManager(f.Order)
	b = b.Raw(f.Order.ID.BCS()).U64(0).U64(f.Price).Raw(maker[:]).Bool(f.Expired).Bool(f.Completed)
	b = b.U64(f.Order.Quantity).U64(f.Base).U64(f.Quote).Bool(s.IsBid).U64(FirstEpoch)
	return b.Raw(deepPrice(makerPrice(k))).U64(f.TakerFee).Bool(s.FeeIsDeep).U64(f.MakerFee).Bool(true)
}

// makerPrice returns the DEEP price in makers' orders.
func makerPrice(k *call) clob.DeepPrice {
	if k.pool.DeepPrice == nil {
		return clob.DeepPrice{}
	}
	return *k.pool.DeepPrice
}

// orderFilled returns the event for a resting order that was completely or partly filled.
func orderFilled(k *call, s clob.Swap, f clob.Fill, taker clob.OrderID, manager sui.ObjectID) bcs.Bytes {
	maker := makerManager(f.Order)
	b := bcs.Bytes(nil).Raw(k.pool.ID[:]).Raw(f.Order.ID.BCS()).Raw(taker.BCS()).U64(0).U64(0).U64(f.Price)
	b = b.Bool(s.IsBid).U64(f.TakerFee).Bool(s.FeeIsDeep).U64(f.MakerFee).Bool(true).U64(f.Base).U64(f.Quote)
	return b.Raw(maker[:]).Raw(manager[:]).U64(k.NowMs())
}
