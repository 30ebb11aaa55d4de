package ledger

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strings"

	pb "github.com/block-vision/sui-go-sdk/pb/sui/rpc/v2"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sandbox/bcs"
	"github.com/sayurintent/sayurintent/internal/sandbox/clob"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Parameter is one parameter or result of a known Move function.
type Parameter interface {
	// Move returns its Move type, with $0 and $1 for type parameters, and with & or &mut for
	// references.
	Move() string
	// Writes reports whether a function changes the object.
	Writes() bool
	// IsCoin reports whether it is a coin that the function creates.
	IsCoin() bool
}

// kind is a parameter type built into the ledger.
type kind uint8

const (
	poolRef kind = iota
	poolMut
	clockRef
	u64Value
	boolValue
	u64List
	coinBase  // Coin of the first type argument
	coinQuote // Coin of the second type argument
	coinDeep
	coinObject // object of the first type argument, Coin<T>
	idValue
	deepPriceValue
	managerRef
	registryRef
	addressValue
	idSet
	orderIDSet
	orderList
	orderValue
	accountValue
	managerMut
	managerValue // balance manager that is not owned or shared yet
	proofValue
	orderInfoValue
	u8Value
	u128Value
	u128List
	balanceValue // Balance of the first type argument
	balanceMut
	withdrawalValue // withdrawal of a Balance of the first type argument
	withdrawalMut   // withdrawal of the first type argument, a Balance
	u256Value
	textValue
	optionU256
	optionU64
	optionOf          // option of the first type argument
	rateOf            // value of the first type argument, a rate
	rateValue         // allowance rate
	rateOption        // option of an allowance rate
	allowanceCapValue // cap for the first type argument, a Balance
	allowanceValue    // allowance of the first type argument, a Balance
	allowanceMut      // allowance of a Balance of the first type argument
	allowanceRight    // withdrawal by an allowance, of a Balance of the first type argument
	idRef
	tradeCapValue
	depositCapValue
	withdrawCapValue
)

// Move implements Parameter.
func (p kind) Move() string {
	text := [...]string{
		poolRef: "&DEEPBOOK::pool::Pool<$0,$1>", poolMut: "&mut DEEPBOOK::pool::Pool<$0,$1>",
		clockRef: "&FRAMEWORK::clock::Clock", u64Value: "u64", boolValue: "bool", u64List: "vector<u64>",
		coinBase: "FRAMEWORK::coin::Coin<$0>", coinQuote: "FRAMEWORK::coin::Coin<$1>",
		coinDeep: "FRAMEWORK::coin::Coin<" + string(coins.DEEP) + ">", coinObject: "$0",
		idValue: "FRAMEWORK::object::ID", deepPriceValue: "DEEPBOOK::deep_price::OrderDeepPrice",
		managerRef: "&DEEPBOOK::balance_manager::BalanceManager", registryRef: "&DEEPBOOK::registry::Registry",
		addressValue: "address", idSet: "FRAMEWORK::vec_set::VecSet<FRAMEWORK::object::ID>",
		orderIDSet: "FRAMEWORK::vec_set::VecSet<u128>", orderList: "vector<DEEPBOOK::order::Order>",
		orderValue:   "DEEPBOOK::order::Order",
		accountValue: "DEEPBOOK::account::Account", managerMut: "&mut DEEPBOOK::balance_manager::BalanceManager",
		managerValue: "$0", proofValue: "&DEEPBOOK::balance_manager::TradeProof",
		orderInfoValue: "DEEPBOOK::order_info::OrderInfo", u8Value: "u8", u128Value: "u128", u128List: "vector<u128>",
		balanceValue: "FRAMEWORK::balance::Balance<$0>", balanceMut: "&mut FRAMEWORK::balance::Balance<$0>",
		withdrawalValue: "FRAMEWORK::funds_accumulator::Withdrawal<FRAMEWORK::balance::Balance<$0>>",
		withdrawalMut:   "&mut FRAMEWORK::funds_accumulator::Withdrawal<$0>", u256Value: "u256",
		textValue: "LIBRARY::string::String", optionU256: "LIBRARY::option::Option<u256>",
		optionU64: "LIBRARY::option::Option<u64>",
		optionOf:  "LIBRARY::option::Option<$0>", rateOf: "$0", rateValue: "FRAMEWORK::allowance::RateLimit",
		rateOption:        "LIBRARY::option::Option<FRAMEWORK::allowance::RateLimit>",
		allowanceCapValue: "FRAMEWORK::allowance::AllowanceCap<$0>", allowanceValue: "FRAMEWORK::allowance::Allowance<$0>",
		allowanceMut:   "&mut FRAMEWORK::allowance::Allowance<FRAMEWORK::balance::Balance<$0>>",
		allowanceRight: "FRAMEWORK::allowance::AllowanceWithdrawal<FRAMEWORK::balance::Balance<$0>>",
		idRef:          "&FRAMEWORK::object::ID", tradeCapValue: "DEEPBOOK::balance_manager::TradeCap",
		depositCapValue: "DEEPBOOK::balance_manager::DepositCap", withdrawCapValue: "DEEPBOOK::balance_manager::WithdrawCap",
	}[p]
	if !strings.Contains(text, "::") {
		return text
	}
	return strings.NewReplacer("DEEPBOOK", registry.OriginalPackage.String(), "FRAMEWORK", frameworkID.String(), "LIBRARY",
		libraryID.String()).Replace(text)
}

// Writes implements Parameter.
func (p kind) Writes() bool {
	return p == poolMut || p == managerMut || p == allowanceMut || p == allowanceValue
}

// IsCoin implements Parameter.
func (p kind) IsCoin() bool { return p == coinBase || p == coinQuote || p == coinDeep }

// Function is a Move function that the sandbox executes.
type Function struct {
	module, Name string
	TypeParams   int
	since        uint64 // first DeepBook package that has it
	Params       []Parameter
	Returns      []Parameter
	Entry        bool
	run          func(*call) *Failure
}

// call is one call of a known function, with parsed arguments.
type call struct {
	run       *run
	pkg       sui.ObjectID
	function  *Function
	types     []sui.CoinType
	object    *Object
	pool      *clob.Pool
	manager   *Object
	proof     *slot
	fresh     *freshManager
	addresses []sui.Address
	numbers   []uint64
	wide      []*big.Int
	flags     []bool
	coins     []*coin
	funds     []*fund
	granting  granting
	values    []*slot // arguments of a program's function, in order
	out       []*slot
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

// argument reads an argument as the declared parameter and appends it to the list for its kind.
func (k *call) argument(p Parameter, a sui.Argument, i int) *Failure {
	if p, ok := p.(Param); ok {
		return k.programArgument(p, a, i)
	}
	switch p {
	case poolRef, poolMut:
		return poolArg(k, a, i, p == poolMut)
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
		k.addWide(b)
		return f
	case u128List:
		return wideList(k, a, i)
	case boolValue:
		v, f := k.run.boolArg(a, i)
		k.flags = append(k.flags, v)
		return f
	case managerRef, managerMut, registryRef:
		return sharedArgument(k, p, a, i)
	case managerValue, proofValue, u8Value:
		return managerArgument(k, p, a, i)
	case balanceValue, balanceMut, withdrawalValue, withdrawalMut, u256Value:
		return fundArgument(k, p, a, i)
	case textValue, optionU256, optionU64, rateOf, rateOption, allowanceCapValue, allowanceValue, allowanceMut,
		allowanceRight:
		return grantArgument(k, p, a, i)
	case addressValue, idRef:
		v, f := k.run.addressArg(a, i)
		k.addresses = append(k.addresses, v)
		return f
	}
	return coinArgument(k, p, a, i)
}

// wideList reads a vector of u128.
func wideList(k *call, a sui.Argument, i int) *Failure {
	s, f := k.run.find(a, i)
	if f != nil {
		return f
	}
	count, used := binary.Uvarint(s.pure)
	if used <= 0 || count > uint64(len(s.pure)) || len(s.pure) != used+16*int(count) {
		return badArgument(i, pb.CommandArgumentError_INVALID_BCS_BYTES)
	}
	for rest := s.pure[used:]; len(rest) > 0; rest = rest[16:] {
		k.addWide(rest[:16])
	}
	return nil
}

// addWide appends the number that little-endian bytes encode.
func (k *call) addWide(b []byte) {
	b = slices.Clone(b)
	slices.Reverse(b)
	k.wide = append(k.wide, new(big.Int).SetBytes(b))
}

// coinArgument takes a coin of the correct type by value.
func coinArgument(k *call, p Parameter, a sui.Argument, i int) *Failure {
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

// coinType returns the coin type of a parameter in this call.
func (k *call) coinType(p Parameter) sui.CoinType {
	switch p {
	case coinBase:
		return k.types[0]
	case coinQuote:
		return k.types[1]
	}
	return coins.DEEP
}

// poolArg takes a pool of the call's two coin types. Functions that write change a copy, which later
// commands in the transaction see.
func poolArg(k *call, a sui.Argument, i int, write bool) *Failure {
	s, f := k.run.find(a, i)
	if f != nil {
		return f
	}
	if s.shared == nil || s.shared.Book == nil {
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	}
	if s.shared.Book.Base.Type != k.types[0] || s.shared.Book.Quote.Type != k.types[1] {
		return badArgument(i, pb.CommandArgumentError_TYPE_MISMATCH)
	}
	if write && !s.write {
		return badArgument(i, pb.CommandArgumentError_INVALID_OBJECT_BY_MUT_REF)
	}
	k.object = s.shared
	k.pool = k.run.pools[s.shared.ID]
	if k.pool == nil {
		k.pool = s.shared.Book
	}
	if write && k.run.pools[s.shared.ID] == nil {
		k.pool = k.pool.Clone()
		k.run.pools[s.shared.ID] = k.pool
	}
	return nil
}

// nowMs is the clock's time in milliseconds.
func (k *call) nowMs() uint64 { return uint64(k.run.now.UnixMilli()) }

// flag adds a bool to the results.
func (k *call) flag(v bool) *Failure { return k.value(boolValue, bcs.Bytes(nil).Bool(v)) }

// value adds a result and returns nil.
func (k *call) value(p Parameter, b bcs.Bytes) *Failure {
	k.out = append(k.out, &slot{pure: b, typ: strings.TrimPrefix(p.Move(), "&")})
	return nil
}

// coin adds a new coin to the results.
func (k *call) coin(t sui.CoinType, balance uint64) {
	k.out = append(k.out, coinResult(k.run.newCoin(t, balance)))
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
		{module: "coin", Name: "zero", TypeParams: 1, Returns: []Parameter{coinBase}, run: func(k *call) *Failure {
			k.coin(k.types[0], 0)
			return nil
		}},
		NewFunction("coin", "split", 1, []Param{"&mut 0x2::coin::Coin<$0>", "u64", Context},
			[]Param{"0x2::coin::Coin<$0>"}, splitCoin),
		{module: "coin", Name: "destroy_zero", TypeParams: 1, Params: []Parameter{coinBase}, run: func(k *call) *Failure {
			if k.coins[0].balance != 0 {
				return MoveAbort(k.pkg, "balance", "destroy_zero", abortNonZero)
			}
			return nil
		}},
		{module: "transfer", Name: "public_share_object", TypeParams: 1, Params: []Parameter{managerValue},
			run: shareManager},
		{module: "transfer", Name: "public_transfer", TypeParams: 1, Params: []Parameter{coinObject, addressValue},
			run: func(k *call) *Failure {
				moved := k.coins[0]
				moved.gone, moved.sent, moved.holder = false, true, k.addresses[0]
				return nil
			}},
	}
}

// splitCoin splits a coin like the command SplitCoins, but fails like Move code.
func splitCoin(k *call) *Failure {
	held, part := k.Amount(0), k.U64(1)
	if part > held {
		return MoveAbort(k.pkg, "balance", "split", abortNotEnough)
	}
	k.SetAmount(0, held-part)
	k.coin(k.types[0], part)
	return nil
}
