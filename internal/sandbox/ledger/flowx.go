package ledger

import (
	"math/big"
	"slices"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clmm"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// flowxVersion is the constant of the newest FlowX package, which the Versioned
// object has to name.
const flowxVersion = 6

// flowxType names a type of FlowX's CLMM without parameters.
func flowxType(module, name string) sui.TypeTag {
	return sui.TypeTag{Kind: sui.TypeStruct, Struct: &sui.StructTag{Address: registry.OriginalPackage, Module: module, Name: name}}
}

// middlePrice is USDC per SUI in raw units, from the order book, so that the two
// venues agree.
func middlePrice(books []*clob.Pool, now time.Time) *big.Rat {
	for _, b := range books {
		if b.Key != "SUI_USDC" {
			continue
		}
		if mid, stopped := b.MidPrice(uint64(max(0, now.UnixMilli()))); stopped == nil {
			return new(big.Rat).SetFrac(new(big.Int).SetUint64(mid), big.NewInt(priceScale))
		}
	}
	return big.NewRat(12_929, 10_000_000)
}

// putFlowx puts FlowX's shared objects and pools into the ledger: each pool
// belongs to a dynamic field of the pool registry.
func (l *Ledger) putFlowx(middle *big.Rat) error {
	pools := clmm.Generate(middle)
	table := derivedID(bcs.Hash("say-ur-intent/sandbox/flowx-fees", registry.Object[:]), 0)
	l.put((&Object{
		ID: registry.Object, Version: registry.ObjectVersion, Owner: sharedOwner(registry.ObjectVersion), Transfers: true,
		Type:     flowxType("pool_manager", "PoolRegistry"),
		Contents: bcs.Bytes(nil).Raw(registry.Object[:]).Raw(table[:]).U64(uint64(len(pools))).U64(uint64(len(pools))),
	}).seal())
	l.put((&Object{
		ID: registry.Versioned, Version: registry.VersionedVersion, Owner: sharedOwner(registry.VersionedVersion), Transfers: true,
		Type: flowxType("versioned", "Versioned"), Contents: bcs.Bytes(nil).Raw(registry.Versioned[:]).U64(flowxVersion),
	}).seal())
	for _, p := range pools {
		field, err := newFlowxField(p)
		if err != nil {
			return err
		}
		l.put(field)
		l.put(newFlowxPool(p))
	}
	return nil
}

// newFlowxField is the dynamic field that leads from the registry to a pool.
func newFlowxField(p *clmm.Pool) (*Object, error) {
	typ, err := sui.ParseTypeTag("0x2::dynamic_field::Field<" + registry.KeyType().String() + ",0x2::object::ID>")
	if err != nil {
		return nil, err
	}
	o := &Object{
		ID: p.Field, Version: registry.ObjectVersion, Owner: sui.Owner{Kind: sui.OwnerObject, Address: registry.Object},
		Type: typ, Contents: bcs.Bytes(nil).Raw(p.Field[:]).Raw(p.KeyBytes()).Raw(p.ID[:]),
	}
	return o.seal(), nil
}

// newFlowxPool wraps a pool as an object that its dynamic field owns.
func newFlowxPool(p *clmm.Pool) *Object {
	o := &Object{
		ID: p.ID, Version: registry.ObjectVersion, Owner: sui.Owner{Kind: sui.OwnerObject, Address: p.Field},
		Type: sui.MustTypeTag(p.Type()), Transfers: true, liquidity: p, Contents: flowxContents(p),
	}
	return o.seal()
}

// flowxContents is a Pool's BCS: id, coin types, price, tick, oracle counters,
// tick spacing, fees and what follows. Fee growth, oracle and tables are empty.
func flowxContents(p *clmm.Pool) bcs.Bytes {
	zero := new(big.Int)
	ticks := derivedID(bcs.Hash("say-ur-intent/sandbox/flowx-ticks", p.ID[:]), 0)
	words := derivedID(bcs.Hash("say-ur-intent/sandbox/flowx-ticks", p.ID[:]), 1)
	b := bcs.Bytes(nil).Raw(p.ID[:]).Text(registry.TypeName(p.X.Type)).Text(registry.TypeName(p.Y.Type)).U128(p.Price)
	b = b.U32(uint32(p.Tick)).U64(0).U64(1).U64(1).U32(p.TickSpacing).U128(zero).U64(0).U64(p.Fee)
	b = b.U128(zero).U128(zero).U64(0).U64(0).U128(p.Liquidity)
	b = b.Raw(ticks[:]).U64(uint64(len(p.Ticks))).Raw(words[:]).U64(0)
	return b.Uleb(0).Bool(false).Uleb(0).U64(p.ReserveX).U64(p.ReserveY)
}

// FlowxPools lists FlowX's pools as they are.
func (l *Ledger) FlowxPools() []*clmm.Pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []*clmm.Pool{}
	for _, pinned := range registry.Pools() {
		if o := l.objects[pinned.ID]; o != nil && o.liquidity != nil {
			list = append(list, o.liquidity.Clone())
		}
	}
	return list
}

// shiftLiquidity moves the price of the pool of that key; false means that there is
// none.
func (l *Ledger) shiftLiquidity(key string, basisPoints int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, pinned := range registry.Pools() {
		if o := l.objects[pinned.ID]; pinned.Key() == key && o != nil {
			source := l.elsewhere("shifted")
			// Whoever moved the price took the pool registry, which is never behind.
			shared := l.objects[registry.Object]
			l.put(shared.next(shared.Version+1, source, nil))
			l.put(o.next(shared.Version+1, source, func(n *Object) {
				n.liquidity = n.liquidity.Shift(basisPoints)
				n.Contents = flowxContents(n.liquidity)
			}))
			return true
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

// flowxFunctions are the functions of FlowX's package that the sandbox executes.
func flowxFunctions() []Function {
	return []Function{{
		module: "swap_router", Name: "swap_exact_input", TypeParams: 2,
		Params:  []Parameter{flowxRegistryMut, u64Value, coinBase, u64Value, u128Value, u64Value, flowxVersionedRef, clockRef},
		Returns: []Parameter{coinQuote}, run: flowxSwap,
	}}
}

// flowxSwap pays the first coin type for the second. What the pool does not take
// goes back to the sender.
func flowxSwap(k *call) *Failure {
	fee, least, deadline, limit := k.numbers[0], k.numbers[1], k.numbers[2], k.wide[0]
	if deadline < k.nowMs() {
		return MoveAbort(k.pkg, "utils", "check_deadline", abortExpired)
	}
	if k.types[0] == k.types[1] {
		return MoveAbort(k.pkg, "utils", "is_ordered", abortIdenticalCoin)
	}
	xForY := registry.TypeName(k.types[0]) < registry.TypeName(k.types[1])
	x, y := k.types[0], k.types[1]
	if !xForY {
		x, y = y, x
	}
	pool := k.run.flowxPool(x, y, fee)
	if pool == nil {
		return MoveAbort(k.pkg, "pool_manager", "check_exists", abortPoolNotCreated)
	}
	offered := k.coins[0].balance
	done, stopped := pool.Swap(xForY, offered, limit)
	switch {
	case stopped != nil && stopped.Arithmetic:
		return Fail(pb.ExecutionError_MOVE_PRIMITIVE_RUNTIME_ERROR, "arithmetic error in %s::swap", stopped.Module)
	case stopped != nil:
		return MoveAbort(k.pkg, stopped.Module, "swap", stopped.Code)
	case done.Out < least:
		return MoveAbort(k.pkg, "swap_router", "swap_exact_input", abortTooLittle)
	}
	k.run.units += swapUnits + fillUnits
	k.emitFlowxSwap(pool, xForY, done)
	if back := offered - done.In; back > 0 {
		c := k.run.newCoin(k.types[0], back)
		c.sent, c.holder = true, k.run.tx.Sender
	}
	k.coin(k.types[1], done.Out)
	return nil
}

// flowxPool returns the pool as the commands so far left it, for changing; nil when
// there is none.
func (r *run) flowxPool(x, y sui.CoinType, fee uint64) *clmm.Pool {
	i := slices.IndexFunc(registry.Pools(), func(p registry.Pool) bool { return p.X.Type == x && p.Y.Type == y && p.Fee == fee })
	if i < 0 {
		return nil
	}
	id := registry.Pools()[i].ID
	if r.liquidity[id] == nil {
		o := r.ledger.objects[id]
		if o == nil || o.liquidity == nil {
			return nil
		}
		r.liquidity[id] = o.liquidity.Clone()
	}
	return r.liquidity[id]
}

// flowxChanges returns the pools that a run wrote: objects of the registry, which
// no input names.
func (r *run) flowxChanges(version uint64) []Change {
	var list []Change
	for id, p := range r.liquidity {
		before := r.ledger.objects[id]
		list = append(list, Change{id, before, before.next(version, r.digest, func(o *Object) {
			o.liquidity, o.Contents = p, flowxContents(p)
		})})
	}
	return list
}

// emitFlowxSwap notes the event of a swap: sender, pool, direction, amounts,
// prices before and after, liquidity, tick and fee.
func (k *call) emitFlowxSwap(p *clmm.Pool, xForY bool, s clmm.Swapped) {
	x, y := s.In, s.Out
	if !xForY {
		x, y = y, x
	}
	b := bcs.Bytes(nil).Raw(k.run.tx.Sender[:]).Raw(p.ID[:]).Bool(xForY).U64(x).U64(y).U128(s.Before).U128(s.After)
	k.run.events = append(k.run.events, Event{
		Package: k.pkg, Module: "pool", Sender: k.run.tx.Sender, Type: registry.OriginalPackage.String() + "::pool::Swap",
		Contents: b.U128(s.Liquidity).U32(uint32(s.Tick)).U64(s.Fee),
	})
}

// flowxArgument reads FlowX's registry and version objects.
func (k *call) flowxArgument(p Parameter, a sui.Argument, i int) *Failure {
	s, f := k.run.find(a, i)
	id := registry.Object
	if p == flowxVersionedRef {
		id = registry.Versioned
	}
	switch {
	case f != nil:
		return f
	case s.shared == nil || s.shared.ID != id:
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	case p == flowxRegistryMut && !s.write:
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF)
	}
	return nil
}
