package deepbook

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// managersSince is the number of the first package that has all functions called in this file.
const managersSince = 4

// registryDisabled is the abort with which DeepBook's registry rejects a package.
var registryDisabled = place{"registry", 3}

// managedRead is a function that reads a balance manager, either in a pool or by itself. coin returns
// its type argument, if it has one.
type managedRead struct {
	module, function string
	pool             bool
	coin             func(registry.Pool) sui.CoinType
}

var (
	existsRead  = managedRead{module: "pool", function: "account_exists", pool: true}
	accountRead = managedRead{module: "pool", function: "account", pool: true}
	lockedRead  = managedRead{module: "pool", function: "locked_balance", pool: true}
	ordersRead  = managedRead{module: "pool", function: "get_account_order_details", pool: true}
	ownerRead   = managedRead{module: "balance_manager", function: "owner"}
	baseRead    = managedRead{module: "balance_manager", function: "balance",
		coin: func(p registry.Pool) sui.CoinType { return p.Base.Type }}
	quoteRead = managedRead{module: "balance_manager", function: "balance",
		coin: func(p registry.Pool) sui.CoinType { return p.Quote.Type }}
	deepRead = managedRead{module: "balance_manager", function: "balance",
		coin: func(registry.Pool) sui.CoinType { return coins.DEEP }}
)

// accountReads are the calls that read one PoolAccount, all at the same chain state.
var accountReads = [...]managedRead{existsRead, accountRead, lockedRead, ordersRead, baseRead, quoteRead, deepRead,
	ownerRead}

// accountPlace is the index of accountRead in accountReads.
const accountPlace = 1

// managed builds the transaction kind for reads of one manager, with the pool and the manager as
// inputs where needed.
func managed(pool registry.Pool, version uint64, manager sui.SharedInput, pkg sui.ObjectID,
	reads ...managedRead) sui.Kind {
	return managedAfter(nil, pool, version, manager, pkg, reads...)
}

// managedAfter is like managed, after the commands of a transaction, which may be nil.
func managedAfter(after *sui.Transaction, pool registry.Pool, version uint64, manager sui.SharedInput, pkg sui.ObjectID,
	reads ...managedRead) sui.Kind {
	var k sui.Kind
	index := map[sui.ObjectID]int{}
	if after != nil {
		k = sui.Kind{Inputs: slices.Clone(after.Inputs), Commands: slices.Clone(after.Commands)}
		for at, in := range k.Inputs {
			if s, ok := in.(sui.SharedInput); ok {
				index[s.ID] = at
			}
		}
	}
	input := func(in sui.SharedInput) sui.Argument {
		if _, ok := index[in.ID]; !ok {
			index[in.ID] = len(k.Inputs)
			k.Inputs = append(k.Inputs, in)
		}
		return sui.InputArg(index[in.ID])
	}
	for _, f := range reads {
		call := sui.MoveCall{Package: pkg, Module: f.module, Function: f.function}
		if f.pool {
			call.Arguments = []sui.Argument{input(sui.SharedInput{ID: pool.ID, InitialVersion: version})}
			call.TypeArgs = []sui.TypeTag{pool.Base.Type.Tag(), pool.Quote.Type.Tag()}
		}
		if f.coin != nil {
			call.TypeArgs = []sui.TypeTag{f.coin(pool).Tag()}
		}
		call.Arguments = append(call.Arguments, input(manager))
		k.Commands = append(k.Commands, call)
	}
	return k
}

// Amounts are raw amounts of a pool's base coin, its quote coin, and DEEP.
type Amounts struct{ Base, Quote, Deep sui.Raw }

// OpenOrder is an order that rests in a pool's book. ID is the chain's 128-bit number in decimal. Price
// is raw. Quantity is the ordered and Remaining the unfilled amount, both raw base. ExpireMs is in Unix
// milliseconds. An expired order rests until a taker meets it.
type OpenOrder struct {
	ID                  string
	IsBid               bool
	Price               sui.Raw
	Quantity, Remaining sui.Raw
	FeeInDeep           bool
	ClientID, ExpireMs  uint64
}

// PoolAccount is what a balance manager holds for trading in a pool, in one state of the chain. Free
// is available in the manager. Locked is tied up in the pool's open orders, or settled and not
// withdrawn, so Free and Locked add up to everything. In a pool that trades DEEP, Free counts DEEP
// only as that coin. Settled, Owed and Rebates come from the pool's ledger. Stakes are raw DEEP.
// Without an account in the pool, only Manager, Owner and Exists are set. Orders are sorted best price
// first on each side, bids before asks.
type PoolAccount struct {
	Source
	Manager               sui.ObjectID
	Owner                 sui.Address
	Exists                bool
	Free, Locked          Amounts
	Settled, Owed         Amounts
	Rebates               Amounts
	ActiveStake, NewStake sui.Raw
	LedgerEpoch           uint64
	Orders                []OpenOrder
	Functions             []string // module::name of every call, in order
}

// Account reads a balance manager's holdings in a pool, in one simulated transaction. It returns
// fault.InputInvalid if manager is not a balance manager, fault.RegistryMiss for an unknown pool, and
// fault.ProviderMismatch for parts that contradict each other.
func (i *Inventory) Account(ctx context.Context, poolKey string, manager sui.ObjectID) (PoolAccount, error) {
	return i.accountAfter(ctx, nil, poolKey, manager)
}

// accountAfter is like Account, after the commands of a transaction, which may be nil.
func (i *Inventory) accountAfter(ctx context.Context, after *sui.Transaction, poolKey string,
	manager sui.ObjectID) (PoolAccount, error) {
	pool, err := registry.FindPool(poolKey)
	if err != nil {
		return PoolAccount{}, err
	}
	version, err := i.reader.sharedVersion(ctx, pool)
	if err != nil {
		return PoolAccount{}, err
	}
	in := sui.SharedInput{ID: manager}
	if in.InitialVersion, err = i.manager(ctx, manager); err != nil {
		return PoolAccount{}, err
	}
	if in.InitialVersion == 0 {
		return PoolAccount{}, fault.New(fault.InputInvalid, "The address %s is not a DeepBook balance manager.", manager)
	}
	ahead := Request{After: after}.ahead()
	ask := func(reads ...managedRead) (sui.Simulation, sui.ObjectID, error) {
		s, pkg, err := i.simulateAfter(ctx, after, packageDisabled, func(pkg sui.ObjectID) sui.Kind {
			return managedAfter(after, pool, version, in, pkg, reads...)
		})
		s.Returns = s.Returns[min(ahead, len(s.Returns)):]
		return s, pkg, err
	}
	all := accountReads[:]
	s, pkg, err := ask(all...)
	var refused *refusedRead
	if errors.As(err, &refused) && refused.abort != nil && refused.abort.Command == ahead+accountPlace {
		// Reading an account that does not exist aborts the whole transaction.
		all = []managedRead{existsRead, ownerRead}
		none, called, second := ask(all...)
		if second == nil && newValues(none.Returns, 0, 0).flag() {
			second = err
		}
		s, pkg, err = none, called, second
	}
	if err != nil {
		return PoolAccount{}, err
	}
	a := PoolAccount{Source: Source{Pool: pool, Package: pkg, Epoch: s.Epoch, At: s.At}, Manager: manager}
	for _, f := range all {
		a.Functions = append(a.Functions, f.module+"::"+f.function)
	}
	return a, a.read(s.Returns, len(all) == len(accountReads))
}

// read decodes the return values of accountReads.
func (a *PoolAccount) read(returns [][]sui.ReturnValue, whole bool) error {
	exists, owner := newValues(returns, 0, 0), newValues(returns, len(returns)-1, 0)
	a.Exists, a.Owner = exists.flag(), owner.id()
	if err := errors.Join(exists.end(), owner.end()); err != nil {
		return misshapenValue()
	}
	if !whole {
		return nil
	}
	for n, to := range []*sui.Raw{&a.Locked.Base, &a.Locked.Quote, &a.Locked.Deep} {
		v := newValues(returns, 2, n)
		if *to = v.raw(); v.end() != nil {
			return misshapenValue()
		}
	}
	for n, to := range []*sui.Raw{&a.Free.Base, &a.Free.Quote, &a.Free.Deep} {
		v := newValues(returns, 4+n, 0)
		if *to = v.raw(); v.end() != nil {
			return misshapenValue()
		}
	}
	if a.Pool.Has(coins.DEEP) {
		a.Free.Deep = 0
	}
	ids, err := a.ledger(newValues(returns, accountPlace, 0))
	if err == nil {
		err = a.orders(newValues(returns, 3, 0), ids)
	}
	if err == nil && !a.Exists {
		err = misshapenValue()
	}
	return err
}

func (v *values) amounts() Amounts { return Amounts{v.raw(), v.raw(), v.raw()} }

func (v *values) orderID() OrderID {
	low := v.u64()
	return OrderID{Hi: v.u64(), Lo: low}
}

// ledger decodes the pool's Account and returns the ids of its open orders.
func (a *PoolAccount) ledger(v *values) (map[OrderID]bool, error) {
	a.LedgerEpoch = v.u64()
	ids := map[OrderID]bool{}
	count := v.length(16)
	for range count {
		ids[v.orderID()] = true
	}
	v.take(32) // volumes in the epoch
	a.ActiveStake, a.NewStake = v.raw(), v.raw()
	v.flag() // whether it has made a proposal
	if v.flag() {
		v.id() // the proposal that it voted for
	}
	a.Rebates, a.Settled, a.Owed = v.amounts(), v.amounts(), v.amounts()
	if err := v.end(); err != nil || len(ids) != count || a.LedgerEpoch > sui.MostEpoch || a.ActiveStake > mostDeep ||
		a.NewStake > mostDeep {
		return nil, misshapenValue()
	}
	return ids, nil
}

// orders decodes a list of orders, whose ids must be exactly ids, in any order. An id encodes the
// order's side and price.
func (a *PoolAccount) orders(v *values, ids map[OrderID]bool) error {
	const least = 32 + 16 + 3*8 + 1 + 9 + 8 + 1 + 8
	var bids, asks []OpenOrder
	for range v.length(least) {
		manager, id := v.id(), v.orderID()
		o := OpenOrder{ID: id.String(), IsBid: id.IsBid(), Price: id.Price(), ClientID: v.u64()}
		quantity, filled := v.raw(), v.raw()
		o.Quantity, o.FeeInDeep = quantity, v.flag()
		v.flag()  // whether the DEEP price is for the base coin
		v.take(8) // the DEEP price
		v.take(8) // the epoch in which the order was placed
		v.take(1) // the state, which follows from the quantities
		o.ExpireMs = v.u64()
		if v.broken || manager != a.Manager || !ids[id] || filled >= quantity || o.Price == 0 {
			return misshapenValue()
		}
		delete(ids, id)
		o.Remaining = quantity - filled
		if o.IsBid {
			bids = append(bids, o)
		} else {
			asks = append(asks, o)
		}
	}
	if len(ids) > 0 {
		return misshapenValue()
	}
	slices.SortStableFunc(bids, func(a, b OpenOrder) int { return cmp.Compare(b.Price, a.Price) })
	slices.SortStableFunc(asks, func(a, b OpenOrder) int { return cmp.Compare(a.Price, b.Price) })
	a.Orders = append(bids, asks...)
	return v.end()
}
