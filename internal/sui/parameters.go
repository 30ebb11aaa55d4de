package sui

import (
	"fmt"
	"strconv"
)

// frameworkParameters lists the types of the pure parameters of framework functions that transfer
// something. A parameter that is not a pure value is nil.
var frameworkParameters = func() map[string][]*TypeTag {
	plain := func(k TypeKind) *TypeTag { return &TypeTag{Kind: k} }
	optional := func(k TypeKind) *TypeTag {
		return &TypeTag{Kind: TypeStruct, Struct: &StructTag{
			Address: lowID(1), Module: "option", Name: "Option", Params: []TypeTag{{Kind: k}},
		}}
	}
	text := &TypeTag{Kind: TypeStruct, Struct: &StructTag{Address: lowID(1), Module: "string", Name: "String"}}
	grant := []*TypeTag{text, plain(TypeAddress), optional(TypeU256), optional(TypeU64), optional(TypeU64)}
	limit := []*TypeTag{plain(TypeU256)}
	to := []*TypeTag{nil, plain(TypeAddress)}
	return map[string][]*TypeTag{
		"allowance::new": grant, "allowance::propose_for_app": grant,
		"allowance::periodic_rate_limit":  {plain(TypeU64), plain(TypeU256)},
		"allowance::calendar_rate_limit":  {plain(TypeU8), plain(TypeU256)},
		"allowance::monthly_rate_limit":   limit,
		"allowance::quarterly_rate_limit": limit, "allowance::yearly_rate_limit": limit,
		"address_alias::add": to, "address_alias::remove": to, "balance::send_funds": to, "coin::send_funds": to,
	}
}()

// knownParameters returns the types of a call's parameters that are known for certain.
func knownParameters(m MoveCall) []*TypeTag {
	if m.Package != framework {
		return nil
	}
	return frameworkParameters[m.Module+"::"+m.Function]
}

// readPure reads a value of a known type. It returns false if the bytes do not match the type.
func readPure(p PureInput, tag TypeTag) (string, bool) {
	switch tag.Kind {
	case TypeU8:
		if len(p.Bytes) == 1 {
			return decimal(uint64(p.Bytes[0])), true
		}
	case TypeU64:
		n, ok := p.U64()
		return decimal(n), ok
	case TypeU256:
		if len(p.Bytes) == 32 {
			return littleEndian(p.Bytes).String(), true
		}
	case TypeAddress:
		a, ok := p.Address()
		return a.String(), ok
	case TypeBool:
		b, ok := p.Bool()
		return fmt.Sprint(b), ok
	case TypeStruct:
		return readStruct(p, *tag.Struct)
	}
	return "", false
}

// readStruct reads an optional value or a string. A string is quoted, because its author is unknown.
func readStruct(p PureInput, s StructTag) (string, bool) {
	if s.Address != lowID(1) {
		return "", false
	}
	switch {
	case s.Module == "option" && s.Name == "Option" && len(s.Params) == 1 && len(p.Bytes) > 0:
		if p.Bytes[0] == 0 && len(p.Bytes) == 1 {
			return "none", true
		}
		if p.Bytes[0] == 1 {
			return readPure(PureInput{Bytes: p.Bytes[1:]}, s.Params[0])
		}
	case s.Module == "string" && s.Name == "String" && len(p.Bytes) <= maxGrantName+2:
		c, text := &bcs{reading: true, in: p.Bytes}, ""
		c.text(&text, "a text")
		return strconv.QuoteToASCII(text), c.finish() == nil
	}
	return "", false
}
