package floor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Chain types for words in descriptions.
var (
	coinType      = "0x2::coin::Coin<%s>"
	balanceType   = "0x2::balance::Balance<%s>"
	optionType    = "0x1::option::Option<%s>"
	systemObjects = map[sui.ObjectID]string{
		sui.MustAddress("0x5"): "0x3::sui_system::SuiSystemState",
		sui.Clock:              "0x2::clock::Clock",
	}
)

// Signature compares a step with the package's function of the same name. Types of the protocol's own
// packages are compared by module and name only, because a type that an upgrade added has the id of
// that upgrade.
func (f *Function) Signature(step int, fn sui.Function) error {
	s := &f.Steps[step]
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s, %s: %s", f.ID, s.Fn, fmt.Sprintf(format, args...))
	}
	if !fn.Public && !fn.Entry || fn.TypeParams != len(s.types) {
		return wrong("it has %d type parameters, or cannot be called", fn.TypeParams)
	}
	has := slices.Clone(fn.Parameters)
	if n := len(has); n > 0 && strings.HasSuffix(has[n-1], "::tx_context::TxContext") {
		has = has[:n-1]
	}
	if len(has) != len(s.args) || len(fn.Returns) != len(s.out) {
		return wrong("it takes %d arguments and returns %d values", len(has), len(fn.Returns))
	}
	for i, a := range s.args {
		ref, tag, err := f.parameter(a)
		if err != nil {
			return wrong("argument %d: %v", i, err)
		}
		// The description may fix the type argument of an object, because the chain rejects an object
		// of another type.
		loose := a.kind == argShared || a.kind == argStep || a.kind == argNone
		if !f.isType(s, ref, tag, has[i], loose) {
			return wrong("argument %d is %s", i, has[i])
		}
	}
	for i, o := range s.out {
		if tag, err := o.returned(); err != nil || !f.isType(s, "", tag, fn.Returns[i], false) {
			return wrong("result %d is %s", i, fn.Returns[i])
		}
	}
	return nil
}

// returned returns the type that a word for a result stands for.
func (o output) returned() (sui.TypeTag, error) {
	switch o.kind {
	case formCoin:
		return wrap(coinType, o.typ.tag)
	case formBalance:
		return wrap(balanceType, o.typ.tag)
	}
	return o.typ.tag, nil
}

func wrap(around string, inner sui.TypeTag) (sui.TypeTag, error) {
	return sui.ParseTypeTag(fmt.Sprintf(around, inner))
}

// parameter returns the type that a word for an argument stands for, and whether it is a reference:
// "", & or &mut.
func (f *Function) parameter(a argument) (ref string, tag sui.TypeTag, err error) {
	switch {
	case a.mutable && a.kind != argRest:
		ref = "&mut "
	case a.ref || a.kind == argShared:
		ref = "&"
	}
	switch a.kind {
	case argShared:
		if text, system := systemObjects[a.id]; system {
			tag, err = sui.ParseTypeTag(text)
			return ref, tag, err
		}
		return ref, f.protocol.shared["$"+a.name].tag, nil
	case argPure:
		text := map[string]string{"string": "0x1::string::String", "option_u64": fmt.Sprintf(optionType, "u64")}[a.prim]
		if text == "" {
			text = a.prim
		}
		tag, err = sui.ParseTypeTag(text)
	case argAddress:
		tag = sui.TypeTag{Kind: sui.TypeAddress}
	case argCoin:
		around := coinType
		if a.balance {
			around = balanceType
		}
		tag, err = wrap(around, a.typ.tag)
	case argCoins:
		tag, err = wrap("vector<"+coinType+">", a.typ.tag)
	case argNone:
		tag, err = wrap(optionType, a.typ.tag)
	case argStep:
		if !slices.ContainsFunc(f.Steps[a.at.Step:a.at.Step+1], func(s Step) bool { return a.at.Out < len(s.out) }) {
			return ref, tag, fmt.Errorf("unknown result")
		}
		tag, err = f.Steps[a.at.Step].out[a.at.Out].returned()
	default:
		tag = a.typ.tag
	}
	return ref, tag, err
}

// isType compares a described type with a type as a node formats it. In the latter, $0 is the call's
// first type argument.
func (f *Function) isType(s *Step, ref string, want sui.TypeTag, has string, loose bool) bool {
	mutable, shared := strings.HasPrefix(has, "&mut "), strings.HasPrefix(has, "&")
	if (ref == "&mut ") != mutable || (ref != "") != shared {
		return false
	}
	text := strings.TrimPrefix(strings.TrimPrefix(has, "&"), "mut ")
	for i, p := range s.types {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i), p.tag.String())
	}
	is, err := sui.ParseTypeTag(text)
	return err == nil && f.sameType(want, is, loose)
}

func (f *Function) sameType(want, is sui.TypeTag, loose bool) bool {
	if loose && name(want) != "" {
		return true
	}
	if name(want) == "sui" {
		want = sui.SUI.Tag()
	}
	if name(is) == "sui" {
		is = sui.SUI.Tag()
	}
	if want.Kind != is.Kind {
		return false
	}
	switch want.Kind {
	case sui.TypeVector:
		return f.sameType(*want.Elem, *is.Elem, loose)
	case sui.TypeStruct:
		w, i := want.Struct, is.Struct
		own := f.protocol.owns(w.Address) && name(want) == ""
		return (w.Address == i.Address || own) && w.Module == i.Module && w.Name == i.Name &&
			slices.EqualFunc(w.Params, i.Params, func(a, b sui.TypeTag) bool { return f.sameType(a, b, loose) })
	}
	return true
}

// owns reports whether an address is the original id of one of the packages. The chain's packages have
// only one id.
func (p *Protocol) owns(id sui.ObjectID) bool {
	for _, known := range p.Packages {
		if known.Original == id && known.Published != id {
			return true
		}
	}
	return false
}
