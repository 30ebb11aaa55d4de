package floor

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// call reads a call of a protocol.
func (e *engine) call(c sui.MoveCall) error {
	if f, ok := e.r.Direct(); ok {
		e.funded(f)
	}
	at := e.r.At()
	s, err := e.match(c)
	if err != nil {
		return err
	}
	e.r.Next()
	e.r.Again()
	if len(c.TypeArgs) != len(s.types) && s.Package != Unread {
		return refuse(OtherTypes, "%s has %d type arguments instead of %d.", s.Fn, len(c.TypeArgs), len(s.types))
	}
	for i, p := range s.types {
		//mutant:never ./internal/protocol/floor TestHostileVectors
		if !e.types.match(p.tag, c.TypeArgs[i]) {
			return refuse(OtherTypes, "Type argument %d of %s does not match the described type.", i, s.Fn)
		}
	}
	e.out.Calls = append(e.out.Calls, Call{at, c.Package, c.Module + "::" + c.Function, c.TypeArgs,
		s.Package == Unread})
	e.note(NoteCall, "", len(e.out.Calls)-1)
	if err := e.arguments(s, c); err != nil {
		return err
	}
	return e.results(s, at)
}

// match finds the step for a call, and advances to it.
func (e *engine) match(c sui.MoveCall) (*Step, error) {
	fn := c.Module + "::" + c.Function
	for e.step < len(e.f.Steps) {
		s := &e.f.Steps[e.step]
		if s.Fn == fn || s.Fn == "*" && !e.named(fn) {
			//mutant:never ./internal/protocol/floor TestHostileVectors
			if s.Package != Unread && !e.version(s, c.Package) {
				return nil, refuse(OtherPackage, "It calls %s of the package %s, which is not the version that Say Ur Intent "+
					"knows.",
					fn, c.Package)
			}
			//mutant:never ./internal/protocol/floor TestLegsAreMarkets
			if s.Package == Unread && e.f.protocol.pinned(c.Package) {
				return nil, refuse(OtherCall, "It calls %s where a market of another package is expected.", fn)
			}
			if e.count++; !s.Repeat {
				e.step, e.count = e.step+1, 0
			}
			return s, nil
		}
		if !s.Optional && e.count == 0 {
			return nil, refuse(OtherCall, "It calls %s where %s is expected.", fn, s.Fn)
		}
		e.step, e.count = e.step+1, 0
	}
	return nil, refuse(ExtraCall, "It calls %s, which is one call too many.", fn)
}

// named reports whether the current or a later step calls fn.
func (e *engine) named(fn string) bool {
	return slices.ContainsFunc(e.f.Steps[e.step:], func(s Step) bool { return s.Fn == fn })
}

func (e *engine) arguments(s *Step, c sui.MoveCall) error {
	args := s.args
	if n := len(args); n > 0 && args[n-1].kind == argRest {
		args = slices.Clone(args[:n-1])
		for len(args) < len(c.Arguments) {
			args = append(args, argument{kind: argRest})
		}
	}
	if len(args) != len(c.Arguments) {
		return refuse(OtherValue, "%s has %d arguments instead of %d.", s.Fn, len(c.Arguments), len(args))
	}
	for i, a := range args {
		if err := e.argument(a, c.Arguments[i], s); err != nil {
			return err
		}
	}
	return nil
}

func (e *engine) argument(a argument, is sui.Argument, s *Step) error {
	switch a.kind {
	case argShared:
		return e.shared(a, is)
	case argPure, argAddress:
		return e.pure(a, is, s)
	case argCoin, argCoins:
		return e.paid(a, is, s)
	case argOwn:
		return e.own(a, is)
	case argStep, argNone:
		return e.earlier(a, is)
	}
	return e.unread(is, s)
}

// shared reads an argument that must be a shared object.
func (e *engine) shared(a argument, is sui.Argument) error {
	in, err := e.input(is)
	if err != nil {
		return err
	}
	shared, ok := in.(sui.SharedInput)
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if !ok || shared.Mutable != a.mutable {
		return refuse(OtherShared, "The object %q is mutable but should not be, or the reverse.", a.name)
	}
	if !a.id.IsZero() {
		if shared.ID != a.id || shared.InitialVersion != 1 {
			return refuse(OtherShared, "It passes the object %s where %s is expected.", shared.ID, a.id.Short())
		}
		return nil
	}
	if known, seen := e.out.Shared[a.name]; seen && known.ID != shared.ID {
		return refuse(OtherShared, "It passes two objects as %q.", a.name)
	}
	e.out.Shared[a.name] = shared
	return nil
}

// input returns the input that an argument names. It rejects results and the gas coin.
func (e *engine) input(is sui.Argument) (sui.Input, error) {
	//mutant:never ./internal/protocol/floor TestAmountsAreNumbers
	if is.Kind != sui.ArgInput {
		return nil, refuse(ResultAmount, "It passes the result of a command where a value or an object is expected.")
	}
	return e.r.Input(is)
}

// pure reads an argument that must be a pure value.
func (e *engine) pure(a argument, is sui.Argument, s *Step) error {
	in, err := e.input(is)
	if err != nil {
		return err
	}
	v, ok := in.(sui.PureInput)
	if !ok {
		return refuse(OwnObject, "It passes an object as the value %q.", a.name)
	}
	// Any 32 bytes may be an address, whatever the description says.
	if to, ok := v.Address(); ok {
		return e.address(a, to, s)
	}
	text, ok := decode(a.prim, v.Bytes)
	if a.kind == argAddress || !ok {
		return refuse(OtherValue, "The value %q has another form.", a.name)
	}
	if a.constant != nil {
		if string(a.constant) != string(v.Bytes) {
			return refuse(OtherValue, "A value of %s is %s.", s.Fn, text)
		}
		return nil
	}
	if known, seen := e.out.Values[a.name]; seen && known != text {
		return refuse(OtherValue, "It passes two values as %q.", a.name)
	}
	e.out.Values[a.name] = text
	return nil
}

func (e *engine) address(a argument, to sui.Address, s *Step) error {
	if a.kind == argAddress && a.name == "account" {
		if to != e.r.Sender() {
			return refuse(NotHome, "It names an address other than the account, %s.", to)
		}
		return nil
	}
	if to != e.r.Sender() && !to.IsZero() {
		e.out.Named = append(e.out.Named, Named{a.name, to, e.system(s)})
	}
	return nil
}

func (e *engine) system(s *Step) bool {
	return s.Package != Unread && e.f.protocol.Packages[s.Package].Published == system
}

// paid reads an argument that must be money of the account: a part that was split off, an empty coin
// or, for the chain's own packages, whole coins.
func (e *engine) paid(a argument, is sui.Argument, s *Step) error {
	v, ok := e.get(is)
	//mutant:never ./internal/protocol/floor TestHostileVectors
	if !ok {
		return refuse(WholeCoin, "It passes a whole coin of the account to %s.", s.Fn)
	}
	want := formCoin
	switch {
	case a.kind == argCoins:
		want = formWhole
	case a.balance:
		want = formBalance
	}
	if v.returned() || v.form != want {
		return refuse(OtherCall, "It passes the result of a call to %s, which is not described.", s.Fn)
	}
	//mutant:never ./internal/protocol/floored TestConformance
	if a.part && v.by != nil && *v.by != a.at {
		return refuse(ResultAmount, "It pays %s another amount than described.", s.Fn)
	}
	of, ok := e.coin(a.typ.tag, v)
	if !ok {
		return refuse(OtherTypes, "It passes another coin to %s than described.", s.Fn)
	}
	if v.form == formWhole {
		//mutant:never ./internal/protocol/floor TestWholeCoins
		if !e.system(s) {
			return refuse(WholeCoin, "It passes whole coins of the account to %s.", s.Fn)
		}
		v.own.Coin = sui.CoinType(of.String())
		e.out.Leaves, e.marks = append(e.out.Leaves, *v.own), append(e.marks, v.own)
		e.use(v)
		return nil
	}
	e.use(v)
	return e.leave(v, of)
}

// coin returns the coin type for a described type. It returns false if the value's own type is known
// and does not match.
func (e *engine) coin(want sui.TypeTag, v *value) (sui.TypeTag, bool) {
	if v.typed && !e.types.match(want, v.typ) {
		return want, false
	}
	return e.types.fill(want)
}

// own reads an argument that must be an object of the account.
func (e *engine) own(a argument, is sui.Argument) error {
	in, err := e.input(is)
	if err != nil {
		return err
	}
	owned, ok := in.(sui.OwnedInput)
	if !ok {
		return refuse(OtherShared, "It passes something other than an object of the account as %s.", a.typ.tag)
	}
	typ, ok := e.types.fill(a.typ.tag)
	if !ok {
		return refuse(OtherTypes, "The type of an object is unknown.")
	}
	e.out.Own = append(e.out.Own, OwnUse{ID: owned.Ref.ID, Type: typ.String(), Name: typ.Struct.Name, Ref: a.ref})
	return nil
}

// earlier reads an argument that must be the result of an earlier step, or an empty Option.
func (e *engine) earlier(a argument, is sui.Argument) error {
	v, ok := e.get(is)
	if !ok {
		return refuse(OtherCall, "It does not pass the described result.")
	}
	if a.kind == argNone {
		if v.form != formNone || !e.types.match(a.typ.tag, v.typ) {
			return refuse(OtherCall, "It passes something other than an empty value as %s.", a.typ.tag)
		}
		e.use(v)
		return nil
	}
	if v.place != a.at {
		return refuse(OtherCall, "It does not pass the described result.")
	}
	if a.ref {
		return nil
	}
	e.use(v)
	if v.split >= 0 {
		e.arrive(v, e.step, false)
	}
	return nil
}

// results records the described results of a call.
func (e *engine) results(s *Step, at int) error {
	for i, o := range s.out {
		typ, ok := e.types.fill(o.typ.tag)
		if !ok {
			return refuse(OtherTypes, "The type of result %d of %s does not follow from the bytes.", i, s.Fn)
		}
		arg := sui.NestedArg(at, i)
		if len(s.out) == 1 {
			arg = sui.ResultArg(at)
		}
		e.put(&value{form: o.kind, typ: typ, typed: true, arg: arg, place: Place{e.index(s), i}, command: at,
			split: -1})
	}
	return nil
}

// index returns the index of a step.
func (e *engine) index(s *Step) int {
	for i := range e.f.Steps {
		if &e.f.Steps[i] == s {
			return i
		}
	}
	return -1
}

// harmless lists shared objects that hold nothing on behalf of an account. Unreviewed code can take
// nothing of the account through them.
var harmless = map[sui.ObjectID]bool{
	sui.Clock: true,
	sui.MustAddress("0xdaa46292632c3c4d8f31f23ea0f9b36a28ff3677e9684980e4438403a67a3d8f"): true, // Cetus, configuration
	sui.MustAddress("0xb8d7d9e66a60c239e7a60110efcf8de6c705580ed924d0dde141f4a0e2c90105"): true, // Cetus, USDC and SUI
	sui.MustAddress("0x639b5e433da31739e800cd085f356e64cae222966d0f1b11bd9dc76b322ff58b"): true, // Cetus, partner
}

// unread reads an argument of an unreviewed package. It must be a pure value or a harmless shared
// object.
func (e *engine) unread(is sui.Argument, s *Step) error {
	in, err := e.input(is)
	if err != nil {
		return err
	}
	switch in := in.(type) {
	case sui.PureInput:
		if to, ok := in.Address(); ok {
			return e.address(argument{kind: argPure, name: "an address"}, to, s)
		}
		return nil
	case sui.SharedInput:
		//mutant:never ./internal/protocol/floor TestHostileVectors
		if harmless[in.ID] {
			return nil
		}
		return refuse(Authority,
			"It passes the object %s to an unreviewed package, which could take what the account has there.", in.ID)
	}
	return refuse(OwnObject, "It passes an object of the account to an unreviewed package.")
}
