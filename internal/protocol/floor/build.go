package floor

import (
	"encoding/binary"
	"fmt"
	"maps"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Sink collects the inputs and commands of a transaction under construction.
type Sink interface {
	Input(in sui.Input) sui.Argument
	Add(c sui.Command) sui.Argument
	Next() int // index of the command that Add will append
}

// Inputs are the values for a call of a function. Names are those of its description, without $.
type Inputs struct {
	Types     map[string]sui.TypeTag
	Shared    map[string]sui.SharedInput // the description determines whether they are mutable
	Values    map[string]string
	Addresses map[string]sui.Address
	Own       *sui.ObjectRef
	Paid      sui.Argument // the coin that is paid; unused if the function takes none
	Least     sui.Raw      // the minimum of Function.Floor, or 0 for none
	Newer     *Newer       // version to call; nil means the pinned one
}

// Built describes the results of the calls.
type Built struct {
	Out  sui.Argument   // the coin with a minimum, if Function.Floor names one
	Coin sui.CoinType   // of Out
	Home []sui.Argument // all other results that must be sent to the account
	Call sui.MoveCall   // the call that returned Out; without Floor, the first call
	At   Place          // command index of Call, and index of Out among its results
}

// builder builds one use of a function.
type builder struct {
	Sink
	f     *Function
	in    Inputs
	types bindings
	outs  [][]sui.Argument // results of each step; balances become coins
	used  map[Place]bool
	rest  bool // parts of the paid coin were split off
}

// Build appends the calls of a function. It includes an optional step only if the description requests
// it for these types.
func (f *Function) Build(to Sink, in Inputs) (Built, error) {
	b := &builder{Sink: to, f: f, in: in, types: bindings{"sui": sui.SUI.Tag()}, used: map[Place]bool{}}
	for name, tag := range in.Types {
		b.types[name] = tag
	}
	var out Built
	for i := range f.Steps {
		at, call, err := b.step(i)
		if err != nil {
			return out, fmt.Errorf("%s: %w", f.ID, err)
		}
		if f.Floor == nil && i == 0 || f.Floor != nil && f.Floor.Step == i {
			out.Call, out.At = call, Place{Step: at}
			b.minimum(i, formCoin)
		}
	}
	for i := range b.outs {
		for n, a := range b.outs[i] {
			o, at := f.Steps[i].out[n], Place{i, n}
			if b.used[at] || o.kind == formNumber {
				continue
			}
			coin := b.coin(a, o)
			if f.Floor != nil && at == *f.Floor {
				b.outs[i][n] = coin
				b.minimum(i, formBalance)
				tag, _ := b.types.fill(o.typ.tag)
				out.Out, out.Coin, out.At.Out = coin, sui.CoinType(tag.String()), n
			} else {
				out.Home = append(out.Home, coin)
			}
		}
	}
	if b.rest {
		out.Home = append(out.Home, b.in.Paid)
	}
	return out, nil
}

// BuildGuard appends a guard's call and returns the index of its command.
func (f *Function) BuildGuard(to Sink, in Inputs, guard int) (at int, err error) {
	only := *f
	only.Steps = []Step{f.Refuse[guard].Step}
	b := &builder{Sink: to, f: &only, in: in, types: maps.Clone(bindings(in.Types)), used: map[Place]bool{}}
	at, _, err = b.step(0)
	return at, err
}

// coin converts a balance to a coin. It returns every other result unchanged.
func (b *builder) coin(a sui.Argument, o output) sui.Argument {
	if o.kind != formBalance {
		return a
	}
	return b.ofCoin("coin", "from_balance", o.typ, a)
}

// ofCoin appends a framework call for one coin type.
func (b *builder) ofCoin(module, function string, of pattern, args ...sui.Argument) sui.Argument {
	tag, _ := b.types.fill(of.tag)
	return b.Add(sui.MoveCall{Package: suiFramework, Module: module, Function: function, TypeArgs: []sui.TypeTag{tag},
		Arguments: args})
}

// makes reports whether a step is included.
func (b *builder) makes(s *Step) bool {
	return !s.Optional || len(s.only) > 0 && b.types.agree(s.only)
}

// step appends one call.
func (b *builder) step(i int) (at int, call sui.MoveCall, err error) {
	s := &b.f.Steps[i]
	if !b.makes(s) {
		b.outs = append(b.outs, nil)
		return 0, call, nil
	}
	if s.Package == Unread || b.f.Explain {
		return 0, call, fmt.Errorf("this program does not build it")
	}
	call.Package = b.f.protocol.Packages[s.Package].Published
	if b.in.Newer != nil && s.Package == Main {
		call.Package = b.in.Newer.Published
	}
	call.Module, call.Function = splitName(s.Fn)
	for _, p := range s.types {
		tag, ok := b.types.fill(p.tag)
		if !ok {
			return 0, call, fmt.Errorf("a type is missing")
		}
		call.TypeArgs = append(call.TypeArgs, tag)
	}
	for _, a := range s.args {
		arg, err := b.argument(a)
		if err != nil {
			return 0, call, err
		}
		call.Arguments = append(call.Arguments, arg)
	}
	at = b.Next()
	result := b.Add(call)
	outs := make([]sui.Argument, len(s.out))
	for n := range s.out {
		if outs[n] = sui.NestedArg(at, n); len(outs) == 1 {
			outs[n] = result
		}
	}
	b.outs = append(b.outs, outs)
	for n, o := range s.out {
		if o.empty {
			b.ofCoin("balance", "destroy_zero", o.typ, outs[n])
			b.used[Place{i, n}] = true
		}
	}
	return at, call, nil
}

func (b *builder) argument(a argument) (sui.Argument, error) {
	missing := func() (sui.Argument, error) { return sui.Argument{}, fmt.Errorf("%q is missing", a.name) }
	switch a.kind {
	case argShared:
		in, ok := b.in.Shared[a.name]
		if !a.id.IsZero() {
			in, ok = sui.SharedInput{ID: a.id, InitialVersion: 1}, true
		}
		if !ok {
			return missing()
		}
		in.Mutable = a.mutable
		return b.Input(in), nil
	case argPure:
		return b.value(a)
	case argAddress:
		to, ok := b.in.Addresses[a.name]
		if !ok {
			return missing()
		}
		return b.Input(sui.PureAddress(to)), nil
	case argOwn:
		if b.in.Own == nil {
			return missing()
		}
		return b.Input(sui.OwnedInput{Ref: *b.in.Own}), nil
	case argStep:
		b.used[a.at] = b.used[a.at] || !a.ref
		return b.outs[a.at.Step][a.at.Out], nil
	}
	return b.money(a)
}

// value appends an input with a constant or a value from Inputs.
func (b *builder) value(a argument) (sui.Argument, error) {
	if a.constant != nil {
		return b.Input(sui.PureInput{Bytes: a.constant}), nil
	}
	text, ok := b.in.Values[a.name]
	bytes, err := constant(a.prim, text)
	if !ok || err != nil {
		return sui.Argument{}, fmt.Errorf("%q is missing, or too large", a.name)
	}
	return b.Input(sui.PureInput{Bytes: bytes}), nil
}

// money returns the coin for an argument: the coin that is paid or a part of it, an empty coin, or an
// empty Option.
func (b *builder) money(a argument) (sui.Argument, error) {
	if a.kind != argCoin && a.kind != argNone {
		return sui.Argument{}, fmt.Errorf("this program does not build %s of it", a.kind)
	}
	tag, ok := b.types.fill(a.typ.tag)
	if !ok {
		return sui.Argument{}, fmt.Errorf("a type is missing")
	}
	if a.kind == argNone {
		return b.Add(sui.MoveCall{Package: moveStdlib, Module: "option", Function: "none",
			TypeArgs: []sui.TypeTag{tag}}), nil
	}
	coin, paid := b.in.Paid, false
	for _, p := range b.f.in {
		in, ok := b.types.fill(p.tag)
		paid = paid || ok && in.String() == tag.String()
	}
	switch {
	case !paid:
		coin = b.ofCoin("coin", "zero", a.typ)
	case a.part:
		coin, b.rest = b.ofCoin("coin", "split", a.typ, coin, b.outs[a.at.Step][a.at.Out]), true
	}
	if a.balance {
		coin = b.ofCoin("coin", "into_balance", a.typ, coin)
	}
	return coin, nil
}

// minimum appends the floor for the result of a step if Floor names that result and it has the form of.
// The floor consists of two commands that fail if the result holds less. For a coin it directly
// follows the call, because a later call may take the coin.
func (b *builder) minimum(step int, of form) {
	at := b.f.Floor
	if at == nil || b.in.Least == 0 || at.Step != step || b.f.Steps[step].out[at.Out].kind != of {
		return
	}
	coin, amount := b.outs[step][at.Out], b.Input(sui.PureU64(uint64(b.in.Least)))
	part := sui.NestedArg(b.Next(), 0)
	b.Add(sui.SplitCoins{Coin: coin, Amounts: []sui.Argument{amount}})
	b.Add(sui.MergeCoins{Into: coin, Sources: []sui.Argument{part}})
}

// Returned reads the amount of a coin or balance that a simulated call returned.
func Returned(sim sui.Simulation, at Place) (sui.Raw, bool) {
	const coinSize, balanceSize = 40, 8
	if at.Step >= len(sim.Returns) || at.Out >= len(sim.Returns[at.Step]) {
		return 0, false
	}
	bytes := sim.Returns[at.Step][at.Out].BCS
	switch len(bytes) {
	case coinSize:
		bytes = bytes[coinSize-balanceSize:]
	case balanceSize:
	default:
		return 0, false
	}
	return sui.Raw(binary.LittleEndian.Uint64(bytes)), true
}
