package ledger

import (
	"bytes"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Abort codes for a missing table row, and for a package that the registry does not enable.
const (
	abortNoField         = 1
	abortRegistryVersion = 3
)

// Order states, as numbered on chain.
const (
	orderLive       = 0
	orderPartFilled = 1
	orderComplete   = 2
	orderCanceled   = 3
)

// managerFunctions returns the reads of balance managers, of their accounts in pools, and of the
// registry.
func managerFunctions() []Function {
	manager := func(name string, types int, returns Param, run func(*call) *Failure) Function {
		return NewFunction("balance_manager", name, types, []Param{managerRef}, []Param{returns}, run).from(1)
	}
	in := []Param{managerRef}
	return []Function{
		manager("balance", 1, "u64", func(k *call) *Failure {
			return k.numeric(nil, k.inner().balances[k.types[0]])
		}),
		manager("owner", 0, "address", func(k *call) *Failure {
			return k.value("address", k.inner().owner[:])
		}),
		manager("id", 0, idValue, func(k *call) *Failure {
			return k.value(idValue, k.manager.ID[:])
		}),
		NewFunction("registry", "get_balance_manager_ids", 0,
			[]Param{Param("&" + deepbook + "registry::Registry"), "address"}, []Param{idSet}, managerIDs).from(4),
		poolRead("account_exists", 4, in, []Param{"bool"}, func(k *call) *Failure {
			_, ok := k.account()
			return k.flag(ok)
		}),
		poolRead("account", 1, in, []Param{accountValue}, accountRead),
		poolRead("account_open_orders", 1, in, []Param{orderIDSet}, func(k *call) *Failure {
			return k.value(orderIDSet, orderIDs(k.open()))
		}),
		poolRead("locked_balance", 1, in, []Param{"u64", "u64", "u64"}, func(k *call) *Failure {
			t := k.pool.Locked(k.manager.ID)
			return k.numeric(nil, t.Base, t.Quote, t.Deep)
		}),
		poolRead("get_account_order_details", 1, in, []Param{orderList}, orderDetails),
		poolRead("get_order", 1, []Param{"u128"}, []Param{orderValue}, orderRead),
		poolRead("get_orders", 1, []Param{"vector<u128>"}, []Param{orderList}, ordersRead),
	}
}

// Results of reads of accounts.
const (
	idSet      Param = framework + "vec_set::VecSet<" + idValue + ">"
	orderIDSet Param = framework + "vec_set::VecSet<u128>"
)

var accountValue = Param(deepbook + "account::Account")

// managerIDs lists an owner's registered managers, if the registry still accepts the package.
func managerIDs(k *call) *Failure {
	p, _ := DeepbookPackage(k.pkg)
	if k.run.ledger.disabled[versionOf{version: p.Version}] {
		return MoveAbort(k.pkg, "registry", "load_inner", abortRegistryVersion)
	}
	list := k.run.ledger.managers[k.Address(1)]
	b := bcs.Bytes(nil).Uleb(len(list))
	for _, id := range list {
		b = b.Raw(id[:])
	}
	return k.value(idSet, b)
}

// account returns the manager's account in the pool, if it ever had an order there.
func (k *call) account() (clob.Account, bool) {
	a, ok := k.pool.Accounts[k.manager.ID]
	return a, ok
}

// open lists the manager's open orders in the pool.
func (k *call) open() []clob.OpenOrder { return k.pool.Open(k.manager.ID) }

// accountRead returns the manager's Account in the pool. It aborts like a missing table row if
// there is none.
func accountRead(k *call) *Failure {
	a, ok := k.account()
	if !ok {
		return MoveAbort(frameworkID, "dynamic_field", "borrow_child_object", abortNoField)
	}
	b := bcs.Bytes(nil).U64(k.run.ledger.epochs[len(k.run.ledger.epochs)-1].Number).Raw(orderIDs(k.open()))
	b = b.Raw(make([]byte, 16+16+8+8)) // volumes and stakes are zero
	b = b.Bool(false).Raw([]byte{0})   // no proposal, no vote
	b = b.Raw(totals(clob.Totals{})).Raw(totals(a.Settled)).Raw(totals(clob.Totals{}))
	return k.value(accountValue, b)
}

// orderDetails returns the Move struct Order of every open order.
func orderDetails(k *call) *Failure {
	open := k.open()
	b := bcs.Bytes(nil).Uleb(len(open))
	for _, o := range open {
		b = order(b, o, k.manager.ID)
	}
	return k.value(orderList, b)
}

// orderRead returns an order in the book, of any manager.
func orderRead(k *call) *Failure {
	o, manager, stopped := k.pool.Order(orderID(k.Pure(1)))
	if stopped != nil {
		return k.aborted(stopped)
	}
	return k.value(orderValue, order(nil, o, manager))
}

// ordersRead is like orderRead, for several orders.
func ordersRead(k *call) *Failure {
	list := orders(k.Pure(1))
	b := bcs.Bytes(nil).Uleb(len(list))
	for _, id := range list {
		o, manager, stopped := k.pool.Order(id)
		if stopped != nil {
			return k.aborted(stopped)
		}
		b = order(b, o, manager)
	}
	return k.value(orderList, b)
}

// order writes the Move struct Order.
func order(b bcs.Bytes, o clob.OpenOrder, manager sui.ObjectID) bcs.Bytes {
	status := byte(orderLive)
	if o.Filled > 0 {
		status = orderPartFilled
	}
	b = b.Raw(manager[:]).Raw(o.Order.ID.BCS()).U64(o.Client).U64(o.Quantity).U64(o.Filled).Bool(o.FeeIsDeep)
	return b.Raw(deepPrice(o.Deep)).U64(o.Epoch).Raw([]byte{status}).U64(o.Expire)
}

// orderIDs encodes a VecSet of order ids.
func orderIDs(open []clob.OpenOrder) bcs.Bytes {
	b := bcs.Bytes(nil).Uleb(len(open))
	for _, o := range open {
		b = b.Raw(o.Order.ID.BCS())
	}
	return b
}

// totals encodes the Move struct Balances: base, quote and DEEP.
func totals(t clob.Totals) bcs.Bytes { return bcs.Bytes(nil).U64(t.Base).U64(t.Quote).U64(t.Deep) }

// A manager's balances are dynamic fields of its bag on chain, one per coin. They are generated on
// reading, from the manager's current version.

// bagOf returns the id of the bag with a manager's balances.
func bagOf(manager sui.ObjectID) sui.ObjectID {
	return derivedID(bcs.Hash("say-ur-intent/sandbox/bag", manager[:]), 0)
}

// BagFields lists the dynamic fields of a balance manager's bag by id. It returns false if parent
// is not such a bag.
func (l *Ledger) BagFields(parent sui.ObjectID) ([]*Object, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.objects {
		if o.manager == nil || bagOf(o.ID) != parent {
			continue
		}
		list := fieldsOf(o)
		slices.SortFunc(list, func(a, b *Object) int { return bytes.Compare(a.ID[:], b.ID[:]) })
		return list, true
	}
	return nil, false
}

// bagField returns the dynamic field with an id in the bag of any balance manager, or nil.
func bagField(l *Ledger, id sui.ObjectID) *Object {
	for _, o := range l.objects {
		if o.manager == nil {
			continue
		}
		for _, f := range fieldsOf(o) {
			if f.ID == id {
				return f
			}
		}
	}
	return nil
}

// BalanceKey returns the type and the bytes of the key under which a bag stores the balance of a
// coin.
func BalanceKey(coin sui.CoinType) (sui.TypeTag, []byte) {
	key := deepbookType("balance_manager", "BalanceKey")
	key.Struct.Params = []sui.TypeTag{coin.Tag()}
	return key, []byte{0}
}

// fieldsOf makes the fields of a manager, in no particular order.
func fieldsOf(o *Object) (list []*Object) {
	bag := bagOf(o.ID)
	for coin, amount := range o.manager.balances {
		key, name := BalanceKey(coin)
		id, err := sui.DynamicFieldID(bag, key, name)
		if err != nil {
			continue // coin types can always be encoded
		}
		f := &Object{ID: id, Version: o.Version, Owner: sui.Owner{Kind: sui.OwnerObject, Address: bag}, Previous: o.Previous,
			Coin: "",
			Type: sui.MustTypeTag("0x2::dynamic_field::Field<" + key.String() + ",0x2::balance::Balance<" +
				coin.Tag().String() + ">>"),
			Contents: bcs.Bytes(nil).Raw(id[:]).Raw(name).U64(amount)}
		list = append(list, f.seal())
	}
	return list
}
