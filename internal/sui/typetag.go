package sui

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// TypeKind is the kind of a Move type. Its values are the chain's BCS variants.
type TypeKind uint8

// Kinds of Move types.
const (
	TypeBool TypeKind = iota
	TypeU8
	TypeU64
	TypeU128
	TypeAddress
	TypeSigner
	TypeVector
	TypeStruct
	TypeU16
	TypeU32
	TypeU256
)

var typeNames = map[TypeKind]string{
	TypeBool: "bool", TypeU8: "u8", TypeU16: "u16", TypeU32: "u32", TypeU64: "u64",
	TypeU128: "u128", TypeU256: "u256", TypeAddress: "address", TypeSigner: "signer",
}

// TypeTag is a Move type. Elem is set for vectors, Struct for structs.
type TypeTag struct {
	Kind   TypeKind
	Elem   *TypeTag
	Struct *StructTag
}

// StructTag names a Move struct with its type parameters.
type StructTag struct {
	Address Address
	Module  string
	Name    string
	Params  []TypeTag
}

// maxTypeDepth limits the nesting of type parameters and vectors, in text and in BCS.
const maxTypeDepth = 16

// String returns the canonical text: full-length addresses, and "," without a space between
// parameters.
func (t TypeTag) String() string {
	switch t.Kind {
	case TypeVector:
		return "vector<" + t.Elem.String() + ">"
	case TypeStruct:
		return t.Struct.String()
	}
	return typeNames[t.Kind]
}

// String returns the canonical text with a full-length address.
func (s StructTag) String() string {
	name := s.Address.String() + "::" + s.Module + "::" + s.Name
	if len(s.Params) == 0 {
		return name
	}
	params := make([]string, len(s.Params))
	for i, p := range s.Params {
		params[i] = p.String()
	}
	return name + "<" + strings.Join(params, ",") + ">"
}

// ParseTypeTag reads a Move type such as vector<u8> or 0x2::coin::Coin<0x2::sui::SUI>. It returns
// fault.InputInvalid for unknown words, invalid identifiers and nesting over 16.
func ParseTypeTag(s string) (TypeTag, error) {
	p := typeParser{rest: s}
	t, err := p.tag(0)
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = badType(s)
	}
	if err != nil {
		return TypeTag{}, err
	}
	return t, nil
}

// MustTypeTag is like ParseTypeTag but panics on invalid text. It is for constants.
func MustTypeTag(s string) TypeTag {
	t, err := ParseTypeTag(s)
	if err != nil {
		panic(err)
	}
	return t
}

func badType(s string) error {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return fault.New(fault.InputInvalid, "%q is not a Move type such as 0x2::sui::SUI.", s)
}

type typeParser struct{ rest string }

// word takes the text up to the next <, > or comma.
func (p *typeParser) word() string {
	i := strings.IndexAny(p.rest, "<>,")
	if i < 0 {
		i = len(p.rest)
	}
	w := strings.TrimSpace(p.rest[:i])
	p.rest = p.rest[i:]
	return w
}

func (p *typeParser) take(c byte) bool {
	p.rest = strings.TrimLeft(p.rest, " ")
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *typeParser) tag(depth int) (TypeTag, error) {
	if depth > maxTypeDepth {
		return TypeTag{}, fault.New(fault.InputInvalid, "The Move type is nested too deeply.")
	}
	w := p.word()
	for kind, name := range typeNames {
		if w == name {
			return TypeTag{Kind: kind}, nil
		}
	}
	if w == "vector" {
		if !p.take('<') {
			return TypeTag{}, badType(w)
		}
		elem, err := p.tag(depth + 1)
		if err != nil {
			return TypeTag{}, err
		}
		if !p.take('>') {
			return TypeTag{}, badType(w)
		}
		return TypeTag{Kind: TypeVector, Elem: &elem}, nil
	}
	return p.structTag(w, depth)
}

func (p *typeParser) structTag(w string, depth int) (TypeTag, error) {
	parts := strings.Split(w, "::")
	if len(parts) != 3 || !ValidIdentifier(parts[1]) || !ValidIdentifier(parts[2]) {
		return TypeTag{}, badType(w)
	}
	address, err := ParseAddress(parts[0])
	if err != nil {
		return TypeTag{}, badType(w)
	}
	s := &StructTag{Address: address, Module: parts[1], Name: parts[2]}
	if !p.take('<') {
		return TypeTag{Kind: TypeStruct, Struct: s}, nil
	}
	for {
		param, err := p.tag(depth + 1)
		if err != nil {
			return TypeTag{}, err
		}
		s.Params = append(s.Params, param)
		if p.take('>') {
			return TypeTag{Kind: TypeStruct, Struct: s}, nil
		}
		if !p.take(',') {
			return TypeTag{}, badType(w)
		}
	}
}

// ValidIdentifier reports whether s is a Move identifier: a letter or underscore, then letters, digits
// or underscores, at most 128 bytes.
func ValidIdentifier(s string) bool {
	if s == "" || len(s) > 128 || s == "_" {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || (c|0x20 >= 'a' && c|0x20 <= 'z')
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// CoinType is the type of a coin in canonical text, such as 0x000…002::sui::SUI. Only ParseCoinType and
// constants create one, so equal coin types are equal strings.
type CoinType string

// SUI is the coin that pays for gas.
const SUI CoinType = "0x0000000000000000000000000000000000000000000000000000000000000002::sui::SUI"

// ParseCoinType reads a struct type and returns it in canonical form. It returns fault.InputInvalid for
// anything else.
func ParseCoinType(s string) (CoinType, error) {
	t, err := ParseTypeTag(s)
	if err != nil {
		return "", err
	}
	if t.Kind != TypeStruct {
		return "", badType(s)
	}
	return CoinType(t.String()), nil
}

// Tag returns the Move type of the coin.
func (c CoinType) Tag() TypeTag { return MustTypeTag(string(c)) }

// Object returns the canonical type of a coin object: 0x2::coin::Coin<c>.
func (c CoinType) Object() string {
	t := c.Tag()
	return StructTag{Address: MustAddress("0x2"), Module: "coin", Name: "Coin", Params: []TypeTag{t}}.String()
}
