package sandbox

import (
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// What DeepBook writes into its events for a market order without a manager.
const (
	immediateOrCancel = 1
	statusFilled      = 2
	statusCancelled   = 3
)

// emit notes an event of a DeepBook type.
func (k *call) emit(module, name string, contents bcsBytes) {
	k.emitFrom("pool", module, name, contents)
}

// emitFrom notes an event of a DeepBook type that a function of another module
// than pool was called for.
func (k *call) emitFrom(called, module, name string, contents bcsBytes) {
	k.run.events = append(k.run.events, event{
		pkg: k.pkg, module: called, sender: k.run.tx.Sender,
		typ: registry.EventType(module, name), contents: contents,
	})
}

// recordSwap emits what a swap emits: the temporary manager, and for a trade
// the order with its fills. Makers have no real managers here: the id of one is
// derived from its order.
func (k *call) recordSwap(s clob.Swap) {
	manager := k.run.newID()
	k.emit("balance_manager", "BalanceManagerEvent", bcsBytes(nil).raw(manager[:]).raw(k.run.tx.Sender[:]))
	if !s.Traded {
		return
	}
	given, next := map[parameter]uint64{}, 0
	for _, p := range k.function.params {
		if p == coinBase || p == coinQuote || p == coinDeep {
			given[p], next = k.coins[next].balance, next+1
		}
	}
	base, quote := k.pool.Base.Type, k.pool.Quote.Type
	k.moved(manager, base, given[coinBase], true)
	k.moved(manager, quote, given[coinQuote], true)
	k.moved(manager, registry.DEEP, given[coinDeep], true)
	taker := takerOrder(s.IsBid, k.object.version)
	k.emit("order_info", "OrderInfo", k.orderInfo(s, taker, manager))
	k.recordFills(s, taker, 0, manager)
	k.moved(manager, base, s.BaseOut, false)
	k.moved(manager, quote, s.QuoteOut, false)
	k.moved(manager, registry.DEEP, s.DeepOut, false)
}

// recordFills emits what of resting orders was taken, and that an order was
// filled where it was wholly.
func (k *call) recordFills(s clob.Swap, taker clob.OrderID, client uint64, manager sui.ObjectID) {
	for _, f := range s.Fills {
		if !f.Expired {
			k.emit("order_info", "OrderFilled", k.orderFilled(s, f, taker, manager))
		}
	}
	if s.Base == s.Ordered {
		k.emit("order_info", "OrderFullyFilled",
			bcsBytes(nil).raw(k.pool.ID[:]).raw(taker.BCS()).u64(client).raw(manager[:]).u64(s.Ordered).bool(s.IsBid).u64(k.nowMs()))
	}
}

// takerOrder is the id of a market order: the most extreme price of its side.
func takerOrder(isBid bool, sequence uint64) clob.OrderID {
	if isBid {
		return clob.NewOrderID(true, clob.MaxPrice, ^sequence)
	}
	return clob.NewOrderID(false, clob.MinPrice, sequence)
}

func makerManager(o clob.Order) sui.ObjectID {
	return sui.ObjectID(hash("say-ur-intent/sandbox/maker", o.ID.BCS()))
}

func deepPrice(d clob.DeepPrice) bcsBytes { return bcsBytes(nil).bool(d.AssetIsBase).u64(d.PerAsset) }

func (k *call) orderInfo(s clob.Swap, taker clob.OrderID, manager sui.ObjectID) bcsBytes {
	b := bcsBytes(nil).raw(k.pool.ID[:]).raw(taker.BCS()).raw(manager[:]).u64(0).raw(k.run.tx.Sender[:])
	b = append(b, immediateOrCancel, 0).u64(taker.Price()).bool(s.IsBid).u64(s.Ordered).raw(deepPrice(s.Deep))
	b = b.u64(k.nowMs()).u64(s.Base).u64(s.Quote).uleb(len(s.Fills))
	for _, f := range s.Fills {
		b = k.fill(b, s, f)
	}
	status := byte(statusCancelled)
	if s.Base == s.Ordered {
		status = statusFilled
	}
	b = append(b.bool(s.FeeIsDeep).u64(s.Fee).u64(0).u64(k.run.ledger.epoch(k.run.now).number), status)
	return b.bool(true).bool(s.LimitReached).bool(false).u64(k.nowMs())
}

func (k *call) fill(b bcsBytes, s clob.Swap, f clob.Fill) bcsBytes {
	maker := makerManager(f.Order)
	b = b.raw(f.Order.ID.BCS()).u64(0).u64(f.Price).raw(maker[:]).bool(f.Expired).bool(f.Completed)
	b = b.u64(f.Order.Quantity).u64(f.Base).u64(f.Quote).bool(s.IsBid).u64(firstEpoch)
	return b.raw(deepPrice(k.makerPrice())).u64(f.TakerFee).bool(s.FeeIsDeep).u64(f.MakerFee).bool(true)
}

// makerPrice is the DEEP price that the makers' orders carry.
func (k *call) makerPrice() clob.DeepPrice {
	if k.pool.DeepPrice == nil {
		return clob.DeepPrice{}
	}
	return *k.pool.DeepPrice
}

func (k *call) orderFilled(s clob.Swap, f clob.Fill, taker clob.OrderID, manager sui.ObjectID) bcsBytes {
	maker := makerManager(f.Order)
	b := bcsBytes(nil).raw(k.pool.ID[:]).raw(f.Order.ID.BCS()).raw(taker.BCS()).u64(0).u64(0).u64(f.Price)
	b = b.bool(s.IsBid).u64(f.TakerFee).bool(s.FeeIsDeep).u64(f.MakerFee).bool(true).u64(f.Base).u64(f.Quote)
	return b.raw(maker[:]).raw(manager[:]).u64(k.nowMs())
}
