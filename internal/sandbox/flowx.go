package sandbox

import (
	"math/big"
	"slices"
	"time"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
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
func (l *ledger) putFlowx(middle *big.Rat) error {
	pools := clmm.Generate(middle)
	table := derivedID(hash("say-ur-intent/sandbox/flowx-fees", registry.Object[:]), 0)
	l.put((&object{
		id: registry.Object, version: registry.ObjectVersion, owner: sharedOwner(registry.ObjectVersion), transfers: true,
		typ:      flowxType("pool_manager", "PoolRegistry"),
		contents: bcsBytes(nil).raw(registry.Object[:]).raw(table[:]).u64(uint64(len(pools))).u64(uint64(len(pools))),
	}).seal())
	l.put((&object{
		id: registry.Versioned, version: registry.VersionedVersion, owner: sharedOwner(registry.VersionedVersion), transfers: true,
		typ: flowxType("versioned", "Versioned"), contents: bcsBytes(nil).raw(registry.Versioned[:]).u64(flowxVersion),
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
func newFlowxField(p *clmm.Pool) (*object, error) {
	typ, err := sui.ParseTypeTag("0x2::dynamic_field::Field<" + registry.KeyType().String() + ",0x2::object::ID>")
	if err != nil {
		return nil, err
	}
	o := &object{
		id: p.Field, version: registry.ObjectVersion, owner: sui.Owner{Kind: sui.OwnerObject, Address: registry.Object},
		typ: typ, contents: bcsBytes(nil).raw(p.Field[:]).raw(p.KeyBytes()).raw(p.ID[:]),
	}
	return o.seal(), nil
}

func newFlowxPool(p *clmm.Pool) *object {
	o := &object{
		id: p.ID, version: registry.ObjectVersion, owner: sui.Owner{Kind: sui.OwnerObject, Address: p.Field},
		typ: sui.MustTypeTag(p.Type()), transfers: true, clmm: p, contents: flowxContents(p),
	}
	return o.seal()
}

// flowxContents is a Pool's BCS: id, coin types, price, tick, oracle counters,
// tick spacing, fees and what follows. Fee growth, oracle and tables are empty.
func flowxContents(p *clmm.Pool) bcsBytes {
	zero := new(big.Int)
	ticks := derivedID(hash("say-ur-intent/sandbox/flowx-ticks", p.ID[:]), 0)
	words := derivedID(hash("say-ur-intent/sandbox/flowx-ticks", p.ID[:]), 1)
	b := bcsBytes(nil).raw(p.ID[:]).text(registry.TypeName(p.X.Type)).text(registry.TypeName(p.Y.Type)).u128(p.Price)
	b = b.u32(uint32(p.Tick)).u64(0).u64(1).u64(1).u32(p.TickSpacing).u128(zero).u64(0).u64(p.Fee)
	b = b.u128(zero).u128(zero).u64(0).u64(0).u128(p.Liquidity)
	b = b.raw(ticks[:]).u64(uint64(len(p.Ticks))).raw(words[:]).u64(0)
	return b.uleb(0).bool(false).uleb(0).u64(p.ReserveX).u64(p.ReserveY)
}

// FlowxPools lists FlowX's pools as they are.
func (l *ledger) FlowxPools() []*clmm.Pool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := []*clmm.Pool{}
	for _, pinned := range registry.Pools() {
		if o := l.objects[pinned.ID]; o != nil && o.clmm != nil {
			list = append(list, o.clmm.Clone())
		}
	}
	return list
}

// shiftFlowx moves the price of the pool of that key; false means that there is
// none.
func (l *ledger) shiftFlowx(key string, basisPoints int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, pinned := range registry.Pools() {
		if o := l.objects[pinned.ID]; pinned.Key() == key && o != nil {
			source := l.elsewhere("shifted")
			// Whoever moved the price took the pool registry, which is never behind.
			shared := l.objects[registry.Object]
			l.put(shared.next(shared.version+1, source, nil))
			l.put(o.next(shared.version+1, source, func(n *object) {
				n.clmm = n.clmm.Shift(basisPoints)
				n.contents = flowxContents(n.clmm)
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
func flowxFunctions() []function {
	return []function{{
		module: "swap_router", name: "swap_exact_input", typeParams: 2,
		params:  []parameter{flowxRegistryMut, u64Value, coinBase, u64Value, u128Value, u64Value, flowxVersionedRef, clockRef},
		returns: []parameter{coinQuote}, run: flowxSwap,
	}}
}

// flowxSwap pays the first coin type for the second. What the pool does not take
// goes back to the sender.
func flowxSwap(k *call) *failure {
	fee, least, deadline, limit := k.numbers[0], k.numbers[1], k.numbers[2], k.wide[0]
	if deadline < k.nowMs() {
		return moveAbort(k.pkg, "utils", "check_deadline", abortExpired)
	}
	if k.types[0] == k.types[1] {
		return moveAbort(k.pkg, "utils", "is_ordered", abortIdenticalCoin)
	}
	xForY := registry.TypeName(k.types[0]) < registry.TypeName(k.types[1])
	x, y := k.types[0], k.types[1]
	if !xForY {
		x, y = y, x
	}
	pool := k.run.flowxPool(x, y, fee)
	if pool == nil {
		return moveAbort(k.pkg, "pool_manager", "check_exists", abortPoolNotCreated)
	}
	offered := k.coins[0].balance
	done, stopped := pool.Swap(xForY, offered, limit)
	switch {
	case stopped != nil && stopped.Arithmetic:
		return fail(pb.ExecutionError_MOVE_PRIMITIVE_RUNTIME_ERROR, "arithmetic error in %s::swap", stopped.Module)
	case stopped != nil:
		return moveAbort(k.pkg, stopped.Module, "swap", stopped.Code)
	case done.Out < least:
		return moveAbort(k.pkg, "swap_router", "swap_exact_input", abortTooLittle)
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

// flowxPool gives the pool as the commands so far left it, for changing; nil when
// there is none.
func (r *run) flowxPool(x, y sui.CoinType, fee uint64) *clmm.Pool {
	i := slices.IndexFunc(registry.Pools(), func(p registry.Pool) bool { return p.X.Type == x && p.Y.Type == y && p.Fee == fee })
	if i < 0 {
		return nil
	}
	id := registry.Pools()[i].ID
	if r.liquidity[id] == nil {
		o := r.ledger.objects[id]
		if o == nil || o.clmm == nil {
			return nil
		}
		r.liquidity[id] = o.clmm.Clone()
	}
	return r.liquidity[id]
}

// flowxChanges gives the pools that a run wrote: objects of the registry, which
// no input names.
func (r *run) flowxChanges(version uint64) []change {
	var list []change
	for id, p := range r.liquidity {
		before := r.ledger.objects[id]
		list = append(list, change{id, before, before.next(version, r.digest, func(o *object) {
			o.clmm, o.contents = p, flowxContents(p)
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
	b := bcsBytes(nil).raw(k.run.tx.Sender[:]).raw(p.ID[:]).bool(xForY).u64(x).u64(y).u128(s.Before).u128(s.After)
	k.run.events = append(k.run.events, event{
		pkg: k.pkg, module: "pool", sender: k.run.tx.Sender, typ: registry.OriginalPackage.String() + "::pool::Swap",
		contents: b.u128(s.Liquidity).u32(uint32(s.Tick)).u64(s.Fee),
	})
}

// flowxArgument reads FlowX's registry and version objects.
func (k *call) flowxArgument(p parameter, a sui.Argument, i int) *failure {
	s, f := k.run.find(a, i)
	want := registry.Object
	if p == flowxVersionedRef {
		want = registry.Versioned
	}
	switch {
	case f != nil:
		return f
	case s.pool == nil || s.pool.id != want:
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	case p == flowxRegistryMut && !s.write:
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF)
	}
	return nil
}
