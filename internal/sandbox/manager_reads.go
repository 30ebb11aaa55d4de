package sandbox

import (
	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Abort codes of what is not there: a table's missing row, and a package that
// the registry does not enable.
const (
	abortNoField         = 1
	abortRegistryVersion = 3
)

// The states of an order, as the chain numbers them.
const (
	orderLive       = 0
	orderPartFilled = 1
)

// managerFunctions are the reads of balance managers, of their accounts in
// pools, and of the registry that lists them.
func managerFunctions() []function {
	manager := func(name string, types int, returns parameter, run func(*call) *failure) function {
		return function{module: "balance_manager", name: name, typeParams: types, since: 1,
			params: []parameter{managerRef}, returns: []parameter{returns}, run: run}
	}
	in := []parameter{managerRef}
	return []function{
		manager("balance", 1, u64Value, func(k *call) *failure {
			k.number(k.inner().balances[k.types[0]])
			return nil
		}),
		manager("owner", 0, addressValue, func(k *call) *failure {
			k.value(addressValue, k.inner().owner[:])
			return nil
		}),
		manager("id", 0, idValue, func(k *call) *failure {
			k.value(idValue, k.manager.id[:])
			return nil
		}),
		{module: "registry", name: "get_balance_manager_ids", since: 4, params: []parameter{registryRef, addressValue},
			returns: []parameter{idSet}, run: managerIDs},
		poolRead("account_exists", 4, in, []parameter{boolValue}, func(k *call) *failure {
			_, ok := k.account()
			k.flag(ok)
			return nil
		}),
		poolRead("account", 1, in, []parameter{accountValue}, accountRead),
		poolRead("account_open_orders", 1, in, []parameter{orderIDSet}, func(k *call) *failure {
			k.value(orderIDSet, bcsBytes(nil).raw(orderIDs(k.open())))
			return nil
		}),
		poolRead("locked_balance", 1, in, []parameter{u64Value, u64Value, u64Value}, func(k *call) *failure {
			t := k.pool.Locked(k.manager.id)
			return triple(k, t.Base, t.Quote, t.Deep, nil)
		}),
		poolRead("get_account_order_details", 1, in, []parameter{orderList}, orderDetails),
	}
}

func managerIDs(k *call) *failure {
	p, _ := deepbookPackage(k.pkg)
	if k.run.ledger.disabled[versionOf{version: p.Version}] {
		return moveAbort(k.pkg, "registry", "load_inner", abortRegistryVersion)
	}
	list := k.run.ledger.managers[k.addresses[0]]
	b := bcsBytes(nil).uleb(len(list))
	for _, id := range list {
		b = b.raw(id[:])
	}
	k.value(idSet, b)
	return nil
}

func (k *call) account() (clob.Account, bool) {
	a, ok := k.pool.Accounts[k.manager.id]
	return a, ok
}

func (k *call) open() []clob.OpenOrder { return k.pool.Open(k.manager.id) }

// accountRead answers with an Account; without one, the table's row is missing.
func accountRead(k *call) *failure {
	a, ok := k.account()
	if !ok {
		return moveAbort(frameworkID, "dynamic_field", "borrow_child_object", abortNoField)
	}
	b := bcsBytes(nil).u64(k.run.ledger.epochs[len(k.run.ledger.epochs)-1].number).raw(orderIDs(k.open()))
	b = b.raw(make([]byte, 16+16+8+8)) // volumes and stakes: nothing
	b = b.bool(false).raw([]byte{0})   // no proposal, no vote
	b = b.raw(totals(clob.Totals{})).raw(totals(a.Settled)).raw(totals(clob.Totals{}))
	k.value(accountValue, b)
	return nil
}

func orderDetails(k *call) *failure {
	open := k.open()
	b := bcsBytes(nil).uleb(len(open))
	for _, o := range open {
		status := byte(orderLive)
		if o.Filled > 0 {
			status = orderPartFilled
		}
		b = b.raw(k.manager.id[:]).raw(o.Order.ID.BCS()).u64(o.Client).u64(o.Quantity).u64(o.Filled).bool(o.FeeIsDeep)
		b = b.raw(deepPrice(o.Deep)).u64(o.Epoch).raw([]byte{status}).u64(o.Expire)
	}
	k.value(orderList, b)
	return nil
}

func orderIDs(open []clob.OpenOrder) bcsBytes {
	b := bcsBytes(nil).uleb(len(open))
	for _, o := range open {
		b = b.raw(o.Order.ID.BCS())
	}
	return b
}

func totals(t clob.Totals) bcsBytes { return bcsBytes(nil).u64(t.Base).u64(t.Quote).u64(t.Deep) }

// sharedArgument reads a balance manager or the registry.
func (k *call) sharedArgument(p parameter, a sui.Argument, i int) *failure {
	s, f := k.run.find(a, i)
	switch {
	case f != nil:
		return f
	case s.pool == nil || (p != registryRef && s.pool.manager == nil) || (p == registryRef && s.pool.id != registry.Object):
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	case p == managerMut && !s.write:
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF)
	case p != registryRef:
		k.manager = s.pool
	}
	return nil
}
