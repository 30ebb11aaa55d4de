package ledger

import (
	"maps"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Abort codes of balance managers.
const (
	abortNotOwner      = 0
	abortProof         = 2
	abortBalanceTooLow = 3
)

// Kinds of limit orders.
const (
	orderPlain     = 0
	orderImmediate = 1
	orderWhole     = 2
	orderPostOnly  = 3
)

// freshManager is a balance manager created in this transaction.
type freshManager struct {
	id      sui.ObjectID
	manager manager
	shared  bool
}

// tradingFunctions returns the functions for a balance manager's owner.
func tradingFunctions() []Function {
	own := func(name string, types int, params, returns []Param, run func(*call) *Failure) Function {
		return NewFunction("balance_manager", name, types, params, returns, run).from(1)
	}
	trade := func(name string, more, returns []Param, run func(*call) *Failure) Function {
		return NewFunction("pool", name, 2, append([]Param{poolMut, managerMut, proofRef}, more...), returns, run).from(1)
	}
	return []Function{
		own("new", 0, nil, []Param{managerValue}, makeManager),
		own("deposit", 1, []Param{managerMut, coinBase}, nil, deposit),
		own("withdraw", 1, []Param{managerMut, "u64", Context}, []Param{coinBase}, withdraw),
		own("withdraw_all", 1, []Param{managerMut, Context}, []Param{coinBase}, withdrawAll),
		own("generate_proof_as_owner", 0, []Param{managerMut}, []Param{proofValue}, proveOwner),
		trade("place_limit_order", []Param{"u64", "u8", "u8", "u64", "u64", "bool", "bool", "u64", clockRef},
			[]Param{orderInfoValue}, placeLimit),
		trade("place_market_order", []Param{"u64", "u8", "u64", "bool", "bool", clockRef}, []Param{orderInfoValue},
			placeMarket),
		trade("modify_order", []Param{"u128", "u64", clockRef}, nil, modifyOrder),
		trade("cancel_order", []Param{"u128", clockRef}, nil, cancelOrder),
		trade("cancel_orders", []Param{"vector<u128>", clockRef}, nil, cancelOrders),
		trade("cancel_all_orders", []Param{clockRef}, nil, cancelAllOrders),
		trade("withdraw_settled_amounts", nil, nil, withdrawSettled),
	}
}

// inner returns the manager's state after the commands so far.
func (k *call) inner() *manager {
	if m := k.run.managers[k.manager.ID]; m != nil {
		return m
	}
	return k.manager.manager
}

// change returns the manager's state for modification.
func (k *call) change() *manager {
	m := k.run.managers[k.manager.ID]
	if m == nil {
		before := k.manager.manager
		m = &manager{owner: before.owner, balances: maps.Clone(before.balances), caps: before.caps}
		k.run.managers[k.manager.ID] = m
	}
	return m
}

// owned fails the call unless the sender owns the manager.
func (k *call) owned() *Failure {
	if k.inner().owner != k.run.tx.Sender {
		return MoveAbort(k.pkg, "balance_manager", "validate_owner", abortNotOwner)
	}
	return nil
}

// makeManager creates a manager for the sender, which the same transaction must share.
func makeManager(k *call) *Failure {
	m := &freshManager{id: k.run.newID(), manager: manager{owner: k.run.tx.Sender, balances: map[sui.CoinType]uint64{}}}
	k.run.grown += accountGrowth
	emitFrom(k, "balance_manager", "balance_manager", "BalanceManagerEvent",
		bcs.Bytes(nil).Raw(m.id[:]).Raw(m.manager.owner[:]))
	k.out = append(k.out, &slot{fresh: m, typ: deepbookType("balance_manager", "BalanceManager").String()})
	return nil
}

// shareManager shares a manager. It becomes an object if the transaction succeeds.
func shareManager(k *call) *Failure {
	m := k.values[0].fresh
	if m == nil {
		return badArgument(0, pb.CommandArgumentError_TYPE_MISMATCH)
	}
	m.shared = true
	k.run.shared = append(k.run.shared, m)
	return nil
}

// emitBalance emits the event of a deposit or withdrawal, even of zero. Settlements by a pool have
// no such event.
func emitBalance(k *call, manager sui.ObjectID, coin sui.CoinType, amount uint64, in bool) {
	name := strings.ReplaceAll(coin.Tag().String(), "0x", "")
	b := bcs.Bytes(nil).Raw(manager[:]).Text(name).U64(amount).Bool(in)
	emitFrom(k, k.function.module, "balance_manager", "BalanceEvent", b)
}

// deposit puts a whole coin into the owner's manager.
func deposit(k *call) *Failure {
	if f := k.owned(); f != nil {
		return f
	}
	k.change().balances[k.types[0]] += k.Amount(1)
	emitBalance(k, k.manager.ID, k.types[0], k.Amount(1), true)
	return nil
}

// withdraw takes an amount from the owner's manager as a new coin.
func withdraw(k *call) *Failure { return k.withdraw(k.U64(1)) }

// withdrawAll takes a coin's whole free balance from the owner's manager.
func withdrawAll(k *call) *Failure { return k.withdraw(k.inner().balances[k.types[0]]) }

func (k *call) withdraw(amount uint64) *Failure {
	if f := k.owned(); f != nil {
		return f
	}
	m := k.change()
	if m.balances[k.types[0]] < amount {
		return MoveAbort(k.pkg, "balance_manager", "withdraw_with_proof", abortBalanceTooLow)
	}
	m.balances[k.types[0]] -= amount
	emitBalance(k, k.manager.ID, k.types[0], amount, false)
	k.Give(k.types[0], amount)
	return nil
}

// proveOwner returns a TradeProof: the manager and who may trade for it in this transaction.
func proveOwner(k *call) *Failure {
	if f := k.owned(); f != nil {
		return f
	}
	sender := k.run.tx.Sender
	return k.value(proofValue, bcs.Bytes(nil).Raw(k.manager.ID[:]).Raw(sender[:]))
}

// proved fails the call if the proof belongs to another manager.
func proved(k *call) *Failure {
	if string(k.Pure(2)[:32]) != string(k.manager.ID[:]) {
		return MoveAbort(k.pkg, "balance_manager", "validate_proof", abortProof)
	}
	return nil
}

// settle pays in from the manager to the pool, and out from the pool to the manager, as net
// amounts. It aborts if the manager cannot pay.
func settle(k *call, in, out clob.Totals) *Failure {
	m := k.change()
	v := k.vault()
	for _, one := range []struct {
		coin    sui.CoinType
		in, out uint64
		Vault   *uint64
	}{{k.pool.Base.Type, in.Base, out.Base, &v.Base}, {k.pool.Quote.Type, in.Quote, out.Quote, &v.Quote},
		{coins.DEEP, in.Deep, out.Deep, &v.Deep}} {
		switch {
		case one.out >= one.in:
			back := one.out - one.in
			m.balances[one.coin] += back
			*one.Vault -= min(*one.Vault, back)
		case m.balances[one.coin] < one.in-one.out:
			return MoveAbort(k.pkg, "balance_manager", "withdraw_with_proof", abortBalanceTooLow)
		default:
			paid := one.in - one.out
			m.balances[one.coin] -= paid
			*one.Vault += paid
		}
	}
	k.run.vaults[k.object.ID] = v
	return nil
}
