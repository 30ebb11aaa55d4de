package sandbox

import (
	"encoding/binary"
	"maps"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Abort codes of balance managers.
const (
	abortNotOwner      = 0
	abortProof         = 2
	abortBalanceTooLow = 3
)

// The kinds of limit orders that the sandbox takes.
const (
	orderPlain    = 0
	orderPostOnly = 3
)

// freshManager is a balance manager that a transaction made.
type freshManager struct {
	id      sui.ObjectID
	manager manager
	shared  bool
}

// tradingFunctions are what the owner of a balance manager does with it.
func tradingFunctions() []function {
	own := func(name string, types int, params, returns []parameter, run func(*call) *failure) function {
		return function{module: "balance_manager", name: name, typeParams: types, since: 1, params: params, returns: returns, run: run}
	}
	trade := func(name string, more, returns []parameter, run func(*call) *failure) function {
		return function{module: "pool", name: name, typeParams: 2, since: 1,
			params: append([]parameter{poolMut, managerMut, proofValue}, more...), returns: returns, run: run}
	}
	return []function{
		own("new", 0, nil, []parameter{managerValue}, makeManager),
		own("deposit", 1, []parameter{managerMut, coinBase}, nil, deposit),
		own("withdraw", 1, []parameter{managerMut, u64Value}, []parameter{coinBase}, withdraw),
		own("generate_proof_as_owner", 0, []parameter{managerMut}, []parameter{proofValue}, proveOwner),
		trade("place_limit_order", []parameter{u64Value, u8Value, u8Value, u64Value, u64Value, boolValue, boolValue, u64Value, clockRef},
			[]parameter{orderInfoValue}, placeLimit),
		trade("cancel_order", []parameter{u128Value, clockRef}, nil, cancelOrder),
	}
}

// managerArgument reads what only these functions take.
func (k *call) managerArgument(p parameter, a sui.Argument, i int) *failure {
	if p == u8Value {
		b, f := k.run.pureArg(a, i, "u8", 1)
		if f == nil {
			k.numbers = append(k.numbers, uint64(b[0]))
		}
		return f
	}
	s, f := k.run.find(a, i)
	switch {
	case f != nil:
		return f
	case p == managerValue && (s.fresh == nil || !k.sharesManager()):
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	case p == managerValue && s.fresh.shared:
		return badArgument(i, pb.CommandArgumentError_INVALID_VALUE_USAGE)
	case p == proofValue && s.typ != strings.TrimPrefix(p.Move(), "&"):
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	case p == managerValue:
		k.fresh = s.fresh
	default:
		k.proof = s
	}
	return nil
}

// sharesManager reports whether the type argument is that of a balance manager,
// named by the original package or by one of its upgrades.
func (k *call) sharesManager() bool {
	address, rest, _ := strings.Cut(string(k.types[0]), "::")
	pkg, err := sui.ParseAddress(address)
	_, upgraded := deepbookPackage(pkg)
	return err == nil && rest == "balance_manager::BalanceManager" && (upgraded || pkg == registry.OriginalPackage)
}

// inner is the inside of the manager as the commands so far left it.
func (k *call) inner() *manager {
	if m := k.run.held[k.manager.id]; m != nil {
		return m
	}
	return k.manager.manager
}

// change gives the manager's inside for change.
func (k *call) change() *manager {
	m := k.run.held[k.manager.id]
	if m == nil {
		before := k.manager.manager
		m = &manager{owner: before.owner, balances: maps.Clone(before.balances), caps: before.caps}
		k.run.held[k.manager.id] = m
	}
	return m
}

// owned stops everybody but the owner.
func (k *call) owned() *failure {
	if k.inner().owner != k.run.tx.Sender {
		return moveAbort(k.pkg, "balance_manager", "validate_owner", abortNotOwner)
	}
	return nil
}

func makeManager(k *call) *failure {
	m := &freshManager{id: k.run.newID(), manager: manager{owner: k.run.tx.Sender, balances: map[sui.CoinType]uint64{}}}
	k.run.grown += accountGrowth
	k.emitFrom("balance_manager", "balance_manager", "BalanceManagerEvent", bcsBytes(nil).raw(m.id[:]).raw(m.manager.owner[:]))
	k.out = append(k.out, &slot{fresh: m, typ: deepbookType("balance_manager", "BalanceManager").String()})
	return nil
}

func shareManager(k *call) *failure {
	k.fresh.shared = true
	k.run.shared = append(k.run.shared, k.fresh)
	return nil
}

// moved notes what went in or out of a manager by a deposit or a withdrawal,
// nothing included. What a pool settles with a manager has no such event.
func (k *call) moved(manager sui.ObjectID, coin sui.CoinType, amount uint64, in bool) {
	name := strings.ReplaceAll(coin.Tag().String(), "0x", "")
	b := bcsBytes(nil).raw(manager[:]).text(name).u64(amount).bool(in)
	k.emitFrom(k.function.module, "balance_manager", "BalanceEvent", b)
}

func deposit(k *call) *failure {
	if f := k.owned(); f != nil {
		return f
	}
	k.change().balances[k.types[0]] += k.coins[0].balance
	k.moved(k.manager.id, k.types[0], k.coins[0].balance, true)
	return nil
}

func withdraw(k *call) *failure {
	if f := k.owned(); f != nil {
		return f
	}
	m, amount := k.change(), k.numbers[0]
	if m.balances[k.types[0]] < amount {
		return moveAbort(k.pkg, "balance_manager", "withdraw_with_proof", abortBalanceTooLow)
	}
	m.balances[k.types[0]] -= amount
	k.moved(k.manager.id, k.types[0], amount, false)
	k.coin(k.types[0], amount)
	return nil
}

func proveOwner(k *call) *failure {
	if f := k.owned(); f != nil {
		return f
	}
	sender := k.run.tx.Sender
	k.value(proofValue, bcsBytes(nil).raw(k.manager.id[:]).raw(sender[:]))
	return nil
}

// proved stops a proof of another manager.
func (k *call) proved() *failure {
	if string(k.proof.pure[:32]) != string(k.manager.id[:]) {
		return moveAbort(k.pkg, "balance_manager", "validate_proof", abortProof)
	}
	return nil
}

// settle moves what the pool owes the manager, and the manager the pool.
func (k *call) settle(in, out clob.Totals) *failure {
	m := k.change()
	v := k.vault()
	for _, one := range []struct {
		coin    sui.CoinType
		in, out uint64
		vault   *uint64
	}{{k.pool.Base.Type, in.Base, out.Base, &v.base}, {k.pool.Quote.Type, in.Quote, out.Quote, &v.quote}, {registry.DEEP, in.Deep, out.Deep, &v.deep}} {
		switch {
		case one.out >= one.in:
			back := one.out - one.in
			m.balances[one.coin] += back
			*one.vault -= min(*one.vault, back)
		case m.balances[one.coin] < one.in-one.out:
			return moveAbort(k.pkg, "balance_manager", "withdraw_with_proof", abortBalanceTooLow)
		default:
			paid := one.in - one.out
			m.balances[one.coin] -= paid
			*one.vault += paid
		}
	}
	k.run.vaults[k.object.id] = v
	return nil
}

func placeLimit(k *call) *failure {
	if f := k.proved(); f != nil {
		return f
	}
	client, kind, price, quantity, expire := k.numbers[0], k.numbers[1], k.numbers[3], k.numbers[4], k.numbers[5]
	isBid, inDeep := k.flags[0], k.flags[1]
	if kind != orderPlain && kind != orderPostOnly || k.numbers[2] != 0 {
		return fail(pb.ExecutionError_FEATURE_NOT_YET_SUPPORTED, "the sandbox takes limit orders of kinds 0 and 3 that may meet their own")
	}
	epoch := k.run.ledger.epoch(k.run.now).number
	wish := clob.Wish{IsBid: isBid, FeeIsDeep: inDeep, Price: price, Quantity: quantity, Expire: expire, Client: client}
	done, stopped := k.pool.Place(k.manager.id, wish, kind == orderPostOnly, epoch, k.nowMs())
	if stopped != nil {
		return k.aborted(stopped)
	}
	if f := k.settle(done.In, done.Out); f != nil {
		return f
	}
	k.run.units += swapUnits + fillUnits*uint64(len(done.Taken.Fills))
	k.run.book += bookBytes + sliceBytes*uint64(len(done.Taken.Fills))
	k.run.grown += accountGrowth
	k.recordOrder(wish, byte(kind), done)
	k.value(orderInfoValue, nil)
	return nil
}

func cancelOrder(k *call) *failure {
	if f := k.proved(); f != nil {
		return f
	}
	var b [16]byte
	k.wide[0].FillBytes(b[:])
	id, client := clob.OrderID{Hi: binary.BigEndian.Uint64(b[:8]), Lo: binary.BigEndian.Uint64(b[8:])}, uint64(0)
	for _, o := range k.pool.Open(k.manager.id) {
		if o.Order.ID == id {
			client = o.Client
		}
	}
	gone, back, stopped := k.pool.Cancel(k.manager.id, id)
	if stopped != nil {
		return k.aborted(stopped)
	}
	if f := k.settle(clob.Totals{}, back); f != nil {
		return f
	}
	k.run.units += swapUnits
	k.run.book += bookBytes + sliceBytes
	sender := k.run.tx.Sender
	event := bcsBytes(nil).raw(k.manager.id[:]).raw(k.pool.ID[:]).raw(gone.ID.BCS()).u64(client).raw(sender[:])
	event = event.u64(gone.Price()).bool(gone.IsBid()).u64(gone.Quantity).u64(gone.Remaining()).u64(k.nowMs())
	k.emit("order", "OrderCanceled", event)
	return nil
}

// recordOrder emits what a limit order emits: what rests, itself, and its fills.
func (k *call) recordOrder(w clob.Wish, kind byte, e clob.Entry) {
	id := e.Order.ID
	if !e.Rested {
		id = clob.NewOrderID(w.IsBid, w.Price, k.object.version)
	}
	sender := k.run.tx.Sender
	if e.Rested {
		b := bcsBytes(nil).raw(k.manager.id[:]).raw(k.pool.ID[:]).raw(id.BCS()).u64(w.Client).raw(sender[:])
		k.emit("order_info", "OrderPlaced", b.u64(w.Price).bool(w.IsBid).u64(e.Order.Remaining()).u64(w.Expire).u64(k.nowMs()))
	}
	b := bcsBytes(nil).raw(k.pool.ID[:]).raw(id.BCS()).raw(k.manager.id[:]).u64(w.Client).raw(sender[:])
	b = append(b, kind, 0).u64(w.Price).bool(w.IsBid).u64(w.Quantity).raw(deepPrice(e.Taken.Deep))
	b = b.u64(w.Expire).u64(e.Taken.Base).u64(e.Taken.Quote).uleb(len(e.Taken.Fills))
	for _, f := range e.Taken.Fills {
		b = k.fill(b, e.Taken, f)
	}
	status := byte(orderLive)
	switch {
	case e.Taken.Base == w.Quantity:
		status = statusFilled
	case e.Taken.Base > 0:
		status = orderPartFilled
	}
	b = append(b.bool(w.FeeIsDeep).u64(e.Taken.Fee).u64(0).u64(k.run.ledger.epoch(k.run.now).number), status)
	k.emit("order_info", "OrderInfo", b.bool(false).bool(e.Taken.LimitReached).bool(e.Rested).u64(k.nowMs()))
	k.recordFills(e.Taken, id, w.Client, k.manager.id)
}
