package sandbox

import (
	"math/big"
	"slices"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// function is a Move function that the sandbox executes.
type function struct {
	module, name string
	typeParams   int
	since        uint64 // the first DeepBook package that has it
	params       []parameter
	returns      []parameter
	run          func(*call) *failure
}

// call is one call of a known function, with its arguments read.
type call struct {
	run       *run
	pkg       sui.ObjectID
	function  *function
	types     []sui.CoinType
	object    *object
	pool      *clob.Pool
	manager   *object
	proof     *slot
	fresh     *freshManager
	addresses []sui.Address
	numbers   []uint64
	wide      []*big.Int
	flags     []bool
	coins     []*coin
	out       []*slot
}

// call runs a Move call, or says by name that the sandbox does not know it.
func (r *run) call(c sui.MoveCall) ([]*slot, *failure, error) {
	fn, err := findFunction(c.Package, c.Module, c.Function)
	if err != nil {
		return nil, nil, err
	}
	if fn == nil {
		return nil, fail(pb.ExecutionError_FUNCTION_NOT_FOUND, "%s::%s::%s does not exist in this package version",
			c.Package.Short(), c.Module, c.Function), nil
	}
	k := &call{run: r, pkg: c.Package, function: fn}
	if f := k.read(c); f != nil {
		return nil, f, nil
	}
	if k.pool != nil {
		if f := k.admitted(); f != nil {
			return nil, f, nil
		}
	}
	if f := fn.run(k); f != nil {
		return nil, f, nil
	}
	return k.out, nil, nil
}

// findFunction looks a function up. A nil function without error is one that a
// known DeepBook package does not have yet.
func findFunction(pkg sui.ObjectID, module, name string) (*function, error) {
	number, list := uint64(0), []function(nil)
	switch p, ok := deepbookPackage(pkg); {
	case ok:
		number, list = p.Number, deepbookFunctions()
	case pkg == frameworkID:
		list = frameworkFunctions()
	case pkg == flowx.Package:
		list = flowxFunctions()
	}
	for i := range list {
		if list[i].module == module && list[i].name == name {
			if list[i].since > number {
				return nil, nil
			}
			return &list[i], nil
		}
	}
	return nil, unsupported("execute %s::%s::%s", pkg.Short(), module, name)
}

func deepbookPackage(id sui.ObjectID) (registry.Package, bool) {
	for _, p := range registry.Packages() {
		if p.ID == id {
			return p, true
		}
	}
	return registry.Package{}, false
}

// admitted is the version gate of a pool: a package whose version the pool does
// not allow stops here.
func (k *call) admitted() *failure {
	p, _ := deepbookPackage(k.pkg)
	l := k.run.ledger
	if l.disabled[versionOf{version: p.Version}] || l.disabled[versionOf{pool: k.object.id, version: p.Version}] {
		name := "load_inner"
		if k.function.params[0] == poolMut {
			name = "load_inner_mut"
		}
		return moveAbort(k.pkg, "pool", name, abortVersionDisabled)
	}
	return nil
}

// read checks and reads type arguments and arguments.
func (k *call) read(c sui.MoveCall) *failure {
	fn := k.function
	if len(c.TypeArgs) != fn.typeParams {
		return fail(pb.ExecutionError_TYPE_ARITY_MISMATCH, "%s::%s takes %d type arguments, not %d",
			fn.module, fn.name, fn.typeParams, len(c.TypeArgs))
	}
	for i, t := range c.TypeArgs {
		if t.Kind != sui.TypeStruct {
			return fail(pb.ExecutionError_TYPE_ARGUMENT_ERROR, "type argument %d is no coin type", i)
		}
		k.types = append(k.types, sui.CoinType(t.String()))
	}
	if len(c.Arguments) != len(fn.params) {
		return fail(pb.ExecutionError_ARITY_MISMATCH, "%s::%s takes %d arguments, not %d",
			fn.module, fn.name, len(fn.params), len(c.Arguments))
	}
	for i, a := range c.Arguments {
		if f := k.argument(fn.params[i], a, i); f != nil {
			return f
		}
	}
	return nil
}

func (k *call) argument(p parameter, a sui.Argument, i int) *failure {
	switch p {
	case poolRef, poolMut:
		return k.poolArg(a, i, p == poolMut)
	case clockRef:
		s, f := k.run.find(a, i)
		if f == nil && !s.clock {
			f = badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
		}
		return f
	case u64Value:
		n, f := k.run.u64Arg(a, i)
		k.numbers = append(k.numbers, n)
		return f
	case u128Value:
		b, f := k.run.pureArg(a, i, "u128", 16)
		if f != nil {
			return f
		}
		b = slices.Clone(b)
		slices.Reverse(b)
		k.wide = append(k.wide, new(big.Int).SetBytes(b))
		return nil
	case boolValue:
		v, f := k.run.boolArg(a, i)
		k.flags = append(k.flags, v)
		return f
	case flowxRegistryMut, flowxVersionedRef:
		return k.flowxArgument(p, a, i)
	case managerRef, managerMut, registryRef:
		return k.sharedArgument(p, a, i)
	case managerValue, proofValue, u8Value:
		return k.managerArgument(p, a, i)
	case addressValue:
		v, f := k.run.addressArg(a, i)
		k.addresses = append(k.addresses, v)
		return f
	}
	return k.coinArgument(p, a, i)
}

// coinArgument takes a coin of the right type by value.
func (k *call) coinArgument(p parameter, a sui.Argument, i int) *failure {
	c, f := k.run.takeCoin(a, i)
	if f != nil {
		return f
	}
	right := c.typ == k.coinType(p)
	if p == coinObject {
		right = c.typ.Object() == string(k.types[0])
	}
	if !right {
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	}
	c.gone = true
	k.coins = append(k.coins, c)
	return nil
}

func (k *call) coinType(p parameter) sui.CoinType {
	switch p {
	case coinBase:
		return k.types[0]
	case coinQuote:
		return k.types[1]
	}
	return registry.DEEP
}

func (k *call) poolArg(a sui.Argument, i int, write bool) *failure {
	s, f := k.run.find(a, i)
	if f != nil {
		return f
	}
	if s.pool == nil || s.pool.pool == nil {
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	}
	if s.pool.pool.Base.Type != k.types[0] || s.pool.pool.Quote.Type != k.types[1] {
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	}
	if write && !s.write {
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF)
	}
	k.object = s.pool
	k.pool = k.run.pools[s.pool.id]
	if k.pool == nil {
		k.pool = s.pool.pool
	}
	if write && k.run.pools[s.pool.id] == nil {
		k.pool = k.pool.Clone()
		k.run.pools[s.pool.id] = k.pool
	}
	return nil
}

// nowMs is the clock's time in milliseconds.
func (k *call) nowMs() uint64 { return uint64(k.run.now.UnixMilli()) }

func (k *call) number(n uint64) {
	k.value(u64Value, bcsBytes(nil).u64(n))
}

func (k *call) list(n []uint64) {
	k.value(u64List, bcsBytes(nil).u64s(n))
}

func (k *call) flag(v bool) {
	k.value(boolValue, bcsBytes(nil).bool(v))
}

func (k *call) value(p parameter, b bcsBytes) {
	k.out = append(k.out, &slot{pure: b, typ: strings.TrimPrefix(p.Move(), "&")})
}

func (k *call) coin(t sui.CoinType, balance uint64) {
	k.out = append(k.out, coinResult(k.run.newCoin(t, balance)))
}

// aborted turns an abort of the book into one of the called package.
func (k *call) aborted(a *clob.Abort) *failure {
	if a == nil {
		return nil
	}
	if a.Arithmetic {
		return fail(pb.ExecutionError_MOVE_PRIMITIVE_RUNTIME_ERROR, "arithmetic error in %s::%s", a.Module, k.function.name)
	}
	return moveAbort(k.pkg, a.Module, abortFunction(a, k.function.name), a.Code)
}

// abortFunction is the Move function in which an abort of the book happens; for
// modules other than the pool's own it is the innermost one that is told.
func abortFunction(a *clob.Abort, called string) string {
	switch a.Module {
	case "pool":
		return "swap_exact_quantity"
	case "balance_manager":
		return "withdraw_with_proof"
	case "deep_price":
		return "calculate_order_deep_price"
	}
	return called
}

// frameworkFunctions are the functions of package 0x2 that reviews build.
func frameworkFunctions() []function {
	return []function{
		{module: "coin", name: "zero", typeParams: 1, returns: []parameter{coinBase}, run: func(k *call) *failure {
			k.coin(k.types[0], 0)
			return nil
		}},
		{module: "coin", name: "destroy_zero", typeParams: 1, params: []parameter{coinBase}, run: func(k *call) *failure {
			if k.coins[0].balance != 0 {
				return moveAbort(k.pkg, "balance", "destroy_zero", abortNonZero)
			}
			return nil
		}},
		{module: "transfer", name: "public_share_object", typeParams: 1, params: []parameter{managerValue}, run: shareManager},
		{module: "transfer", name: "public_transfer", typeParams: 1, params: []parameter{coinObject, addressValue}, run: func(k *call) *failure {
			moved := k.coins[0]
			moved.gone, moved.sent, moved.holder = false, true, k.addresses[0]
			return nil
		}},
	}
}
