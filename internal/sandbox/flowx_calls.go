package sandbox

import (
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clmm"
	"github.com/sayurintent/sayurintent/internal/sui"
)

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
