package ledger

import (
	"slices"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Addresses of packages in the canonical text of types.
const (
	framework = "0x0000000000000000000000000000000000000000000000000000000000000002::"
	library   = "0x0000000000000000000000000000000000000000000000000000000000000001::"
)

var deepbook = registry.OriginalPackage.String() + "::"

// Parameters and results of the ledger's own functions.
const (
	clockRef     Param = "&" + framework + "clock::Clock"
	coinBase     Param = framework + "coin::Coin<$0>"
	coinQuote    Param = framework + "coin::Coin<$1>"
	coinDeep     Param = framework + "coin::Coin<" + Param(coins.DEEP) + ">"
	idValue      Param = framework + "object::ID"
	balanceValue Param = framework + "balance::Balance<$0>"
)

var (
	poolRef    = Param("&" + deepbook + "pool::Pool<$0,$1>")
	poolMut    = Param("&mut " + deepbook + "pool::Pool<$0,$1>")
	managerRef = "&" + managerValue
	managerMut = "&mut " + managerValue
	proofRef   = "&" + proofValue

	managerValue   = Param(deepbook + "balance_manager::BalanceManager")
	proofValue     = Param(deepbook + "balance_manager::TradeProof")
	orderValue     = Param(deepbook + "order::Order")
	orderList      = "vector<" + orderValue + ">"
	orderInfoValue = Param(deepbook + "order_info::OrderInfo")
)

// Function is a Move function that the sandbox executes.
type Function struct {
	module, Name string
	TypeParams   int
	since        uint64 // first DeepBook package that has it
	Params       []Param
	Returns      []Param
	Entry        bool
	run          func(*call) *Failure
}

// call is one call of a known function. pool and manager are the pool and the balance manager among
// its arguments, after the commands so far.
type call struct {
	run      *run
	pkg      sui.ObjectID
	function *Function
	types    []sui.CoinType
	object   *Object // of pool
	pool     *clob.Pool
	manager  *Object
	values   []*slot // arguments, in order
	out      []*slot
}

// call runs a Move call. It returns an error for an unsupported call.
func (r *run) call(c sui.MoveCall) ([]*slot, *Failure, error) {
	fn, err := r.ledger.FindFunction(c.Package, c.Module, c.Function)
	if err != nil {
		return nil, nil, err
	}
	if fn == nil {
		return nil, Fail(pb.ExecutionError_FUNCTION_NOT_FOUND, "%s::%s::%s does not exist in this package version",
			c.Package.Short(), c.Module, c.Function), nil
	}
	if old, ok := r.ledger.retired[c.Package]; ok {
		return nil, MoveAbort(c.Package, old.Module, c.Function, old.Code), nil
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

// FindFunction finds a function. It returns nil without an error for a function that a known
// DeepBook package does not have yet.
func (l *Ledger) FindFunction(pkg sui.ObjectID, module, name string) (*Function, error) {
	list, number := functionsOf(l, pkg)
	for i := range list {
		if list[i].module == module && list[i].Name == name {
			if list[i].since > number {
				return nil, nil
			}
			return &list[i], nil
		}
	}
	return nil, Unsupported("execute %s::%s::%s", pkg.Short(), module, name)
}

// functionsOf lists the supported functions of all versions of a package, and returns this version's
// number.
func functionsOf(l *Ledger, pkg sui.ObjectID) (list []Function, number uint64) {
	switch p, ok := DeepbookPackage(pkg); {
	case ok:
		return deepbookFunctions(), p.Number
	case pkg == frameworkID:
		return slices.Concat(frameworkFunctions(), fundFunctions(), allowanceFunctions()), 0
	case pkg == libraryID:
		return optionFunctions(), 0
	}
	if p := l.program(pkg); p != nil {
		return p.Functions, 0
	}
	return nil, 0
}

// Module is a module with its supported functions.
type Module struct {
	Name      string
	Functions []Function
}

// Modules lists the supported modules of a package. It is empty if the sandbox does not simulate the
// package.
func (l *Ledger) Modules(pkg sui.ObjectID) (out []Module) {
	list, number := functionsOf(l, pkg)
	for _, f := range list {
		if f.since > number {
			continue
		}
		i := slices.IndexFunc(out, func(m Module) bool { return m.Name == f.module })
		if i < 0 {
			i, out = len(out), append(out, Module{Name: f.module})
		}
		out[i].Functions = append(out[i].Functions, f)
	}
	return out
}

// DeepbookPackage returns the pinned package with that id. Its number counts upgrades; pools accept
// its version.
func DeepbookPackage(id sui.ObjectID) (registry.Package, bool) {
	for _, p := range registry.Packages() {
		if p.ID == id {
			return p, true
		}
	}
	return registry.Package{}, false
}

// admitted fails the call if the pool does not accept the package's version.
func (k *call) admitted() *Failure {
	p, _ := DeepbookPackage(k.pkg)
	l := k.run.ledger
	if l.disabled[versionOf{version: p.Version}] || l.disabled[versionOf{pool: k.object.ID, version: p.Version}] {
		name := "load_inner"
		if k.function.Params[0] == poolMut {
			name = "load_inner_mut"
		}
		return MoveAbort(k.pkg, "pool", name, abortVersionDisabled)
	}
	return nil
}

// read reads and checks type arguments and arguments.
func (k *call) read(c sui.MoveCall) *Failure {
	fn := k.function
	if len(c.TypeArgs) != fn.TypeParams {
		return Fail(pb.ExecutionError_TYPE_ARITY_MISMATCH, "%s::%s takes %d type arguments, not %d",
			fn.module, fn.Name, fn.TypeParams, len(c.TypeArgs))
	}
	for i, t := range c.TypeArgs {
		if t.Kind != sui.TypeStruct {
			return Fail(pb.ExecutionError_TYPE_ARGUMENT_ERROR, "type argument %d is not a coin type", i)
		}
		if _, upgrade := DeepbookPackage(t.Struct.Address); upgrade { // a type keeps its first package's id
			first := *t.Struct
			first.Address = registry.OriginalPackage
			t.Struct = &first
		}
		k.types = append(k.types, sui.CoinType(t.String()))
	}
	params := fn.Params
	if n := len(params); n > 0 && params[n-1] == Context {
		params = params[:n-1]
	}
	if len(c.Arguments) != len(params) {
		return Fail(pb.ExecutionError_ARITY_MISMATCH, "%s::%s takes %d arguments, not %d",
			fn.module, fn.Name, len(params), len(c.Arguments))
	}
	for i, a := range c.Arguments {
		if f := k.argument(params[i], a, i); f != nil {
			return f
		}
	}
	return nil
}

// flag adds a bool to the results.
func (k *call) flag(v bool) *Failure { return k.value("bool", bcs.Bytes(nil).Bool(v)) }

// value adds an encoded value to the results and returns nil.
func (k *call) value(p Param, b bcs.Bytes) *Failure {
	k.GivePure(string(p), b)
	return nil
}

// aborted converts an abort of the book to one of the called package.
func (k *call) aborted(a *clob.Abort) *Failure {
	if a == nil {
		return nil
	}
	if a.Arithmetic {
		return Fail(pb.ExecutionError_MOVE_PRIMITIVE_RUNTIME_ERROR, "arithmetic error in %s::%s", a.Module, k.function.Name)
	}
	return MoveAbort(k.pkg, a.Module, abortFunction(a, k.function.Name), a.Code)
}

// abortFunction returns the Move function in which an abort of the book happens. Outside the pool
// module, the chain reports the innermost function.
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

// frameworkFunctions returns the functions of package 0x2 that reviews use.
func frameworkFunctions() []Function {
	return []Function{
		NewFunction("coin", "zero", 1, []Param{Context}, []Param{coinBase}, func(k *call) *Failure {
			k.Give(k.types[0], 0)
			return nil
		}),
		NewFunction("coin", "split", 1, []Param{"&mut 0x2::coin::Coin<$0>", "u64", Context},
			[]Param{"0x2::coin::Coin<$0>"}, splitCoin),
		NewFunction("coin", "destroy_zero", 1, []Param{coinBase}, nil, destroyZero),
		NewFunction("transfer", "public_share_object", 1, []Param{"$0"}, nil, shareManager),
		NewFunction("transfer", "public_transfer", 1, []Param{"$0", "address"}, nil, func(k *call) *Failure {
			moved := k.values[0].coin
			if moved == nil {
				return badArgument(0, pb.CommandArgumentError_TYPE_MISMATCH)
			}
			moved.gone, moved.sent, moved.holder = false, true, k.Address(1)
			return nil
		}),
	}
}

// destroyZero destroys an empty coin or Balance.
func destroyZero(k *call) *Failure {
	if k.Amount(0) != 0 {
		return MoveAbort(k.pkg, "balance", "destroy_zero", abortNonZero)
	}
	return nil
}

// splitCoin splits a coin like the command SplitCoins, but fails like Move code.
func splitCoin(k *call) *Failure {
	if f := k.part(); f != nil {
		return f
	}
	k.Give(k.types[0], k.U64(1))
	return nil
}
