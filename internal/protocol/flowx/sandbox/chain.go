// Package sandbox simulates FlowX: its pools, the swap call, and the quoter of its aggregator.
package sandbox

import (
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/flowx/sandbox/clmm"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/ledger"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Program returns the simulated FlowX protocol.
func Program() ledger.Program {
	return ledger.Program{
		Package: registry.Package, Original: registry.OriginalPackage, Version: registry.PackageVersion,
		Known: []sui.ObjectID{registry.WrappedRouter}, Genesis: genesis, Shift: shift, Serve: serve,
		Functions: []ledger.Function{ledger.NewFunction("swap_router", "swap_exact_input", 2, []ledger.Param{
			ledger.Param("&mut " + typeOf("pool_manager", "PoolRegistry").String()), "u64", "0x2::coin::Coin<$0>",
			"u64", "u128", "u64", ledger.Param("&" + typeOf("versioned", "Versioned").String()),
			"&0x2::clock::Clock", ledger.Context,
		}, []ledger.Param{"0x2::coin::Coin<$1>"}, swap)},
	}
}

// version is the newest package's version, which the Versioned object must match.
const version = 6

// typeOf names a type of FlowX's CLMM without parameters.
func typeOf(module, name string) sui.TypeTag {
	return sui.TypeTag{Kind: sui.TypeStruct, Struct: &sui.StructTag{Address: registry.OriginalPackage, Module: module,
		Name: name}}
}

// pool is the state of a pool object.
type pool struct{ *clmm.Pool }

// Clone implements ledger.State.
func (p pool) Clone() ledger.State { return pool{p.Pool.Clone()} }

// Contents implements ledger.State. It returns the BCS of a Pool: id, coin types, price, tick,
// oracle counters, tick spacing, fees and what follows. Fee growth, oracle and tables are empty.
func (p pool) Contents() bcs.Bytes {
	zero := new(big.Int)
	ticks, words := ledger.DerivedID("flowx-ticks", p.ID, 0), ledger.DerivedID("flowx-ticks", p.ID, 1)
	b := bcs.Bytes(nil).Raw(p.ID[:]).Text(registry.TypeName(p.X.Type)).Text(registry.TypeName(p.Y.Type)).U128(p.Price)
	b = b.U32(uint32(p.Tick)).U64(0).U64(1).U64(1).U32(p.TickSpacing).U128(zero).U64(0).U64(p.Fee)
	b = b.U128(zero).U128(zero).U64(0).U64(0).U128(p.Liquidity)
	b = b.Raw(ticks[:]).U64(uint64(len(p.Ticks))).Raw(words[:]).U64(0)
	return b.Uleb(0).Bool(false).Uleb(0).U64(p.ReserveX).U64(p.ReserveY)
}

// genesis places FlowX's shared objects and pools. Each pool is in a dynamic field of the pool
// registry.
func genesis(l *ledger.Ledger, middle *big.Rat) error {
	pools := clmm.Generate(middle)
	table := ledger.DerivedID("flowx-fees", registry.Object, 0)
	l.Place(ledger.Object{
		ID: registry.Object, Version: registry.ObjectVersion, Owner: ledger.Shared(registry.ObjectVersion),
		Transfers: true,
		Type:      typeOf("pool_manager", "PoolRegistry"),
		Contents:  bcs.Bytes(nil).Raw(registry.Object[:]).Raw(table[:]).U64(uint64(len(pools))).U64(uint64(len(pools))),
	}, nil)
	l.Place(ledger.Object{
		ID: registry.Versioned, Version: registry.VersionedVersion, Owner: ledger.Shared(registry.VersionedVersion),
		Transfers: true,
		Type:      typeOf("versioned", "Versioned"), Contents: bcs.Bytes(nil).Raw(registry.Versioned[:]).U64(version),
	}, nil)
	key, err := sui.ParseTypeTag("0x2::dynamic_field::Field<" + registry.KeyType().String() + ",0x2::object::ID>")
	if err != nil {
		return err
	}
	for _, p := range pools {
		l.Place(ledger.Object{
			ID: p.Field, Version: registry.ObjectVersion,
			Owner: sui.Owner{Kind: sui.OwnerObject, Address: registry.Object},
			Type:  key, Contents: bcs.Bytes(nil).Raw(p.Field[:]).Raw(p.KeyBytes()).Raw(p.ID[:]),
		}, nil)
		l.Place(ledger.Object{
			ID: p.ID, Version: registry.ObjectVersion, Owner: sui.Owner{Kind: sui.OwnerObject, Address: p.Field},
			Type: sui.MustTypeTag(p.Type()), Transfers: true,
		}, pool{p})
	}
	return nil
}

// pools lists the current pools.
func pools(l *ledger.Ledger) (list []*clmm.Pool) {
	for _, pinned := range registry.Pools() {
		if p, ok := l.State(pinned.ID).(pool); ok {
			list = append(list, p.Pool)
		}
	}
	return list
}

// shift moves the price of the pool with the given key.
func shift(l *ledger.Ledger, key string, basisPoints int) bool {
	for _, pinned := range registry.Pools() {
		if pinned.Key() == key {
			return l.Move(pinned.ID, registry.Object,
				func(s ledger.State) ledger.State { return pool{s.(pool).Shift(basisPoints)} })
		}
	}
	return false
}

// Abort codes of FlowX's modules.
const (
	abortExpired        = 0 // utils
	abortIdenticalCoin  = 1 // utils
	abortTooLittle      = 1 // swap_router
	abortPoolNotCreated = 5 // pool_manager
)

// swap pays the first coin type for the second and returns unspent input to the sender.
func swap(k *ledger.Call) *ledger.Failure {
	fee, least, deadline, limit := k.U64(1), k.U64(3), k.U64(5), k.Wide(4)
	in, out := k.Types()[0], k.Types()[1]
	if deadline < k.NowMs() {
		return k.Abort("utils", "check_deadline", abortExpired)
	}
	if in == out {
		return k.Abort("utils", "is_ordered", abortIdenticalCoin)
	}
	xForY := registry.TypeName(in) < registry.TypeName(out)
	x, y := in, out
	if !xForY {
		x, y = y, x
	}
	i := slices.IndexFunc(registry.Pools(), func(p registry.Pool) bool {
		return p.X.Type == x && p.Y.Type == y &&
			p.Fee == fee
	})
	if i < 0 {
		return k.Abort("pool_manager", "check_exists", abortPoolNotCreated)
	}
	p, ok := k.State(registry.Pools()[i].ID).(pool)
	if !ok {
		return k.Abort("pool_manager", "check_exists", abortPoolNotCreated)
	}
	offered := k.Amount(2)
	done, stopped := p.Swap(xForY, offered, limit)
	switch {
	case stopped != nil && stopped.Arithmetic:
		return k.Broken(stopped.Module, "swap")
	case stopped != nil:
		return k.Abort(stopped.Module, "swap", stopped.Code)
	case done.Out < least:
		return k.Abort("swap_router", "swap_exact_input", abortTooLittle)
	}
	k.Traded(1)
	emit(k, p.Pool, xForY, done)
	if back := offered - done.In; back > 0 {
		k.Send(in, back, k.Sender())
	}
	k.Give(out, done.Out)
	return nil
}

// emit emits the swap event: sender, pool, direction, amounts, prices before and after, liquidity,
// tick and fee.
func emit(k *ledger.Call, p *clmm.Pool, xForY bool, s clmm.Swapped) {
	x, y := s.In, s.Out
	if !xForY {
		x, y = y, x
	}
	sender := k.Sender()
	b := bcs.Bytes(nil).Raw(sender[:]).Raw(p.ID[:]).Bool(xForY).U64(x).U64(y).U128(s.Before).U128(s.After)
	k.Emit("pool", registry.OriginalPackage.String()+"::pool::Swap", b.U128(s.Liquidity).U32(uint32(s.Tick)).U64(s.Fee))
}
