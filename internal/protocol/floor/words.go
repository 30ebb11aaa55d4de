package floor

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// pattern is a type that may contain type variables. The variable $lst is represented by the struct
// 0x0::var::lst.
type pattern struct{ tag sui.TypeTag }

const variables = "var"

var (
	variable = regexp.MustCompile(`\$([a-z]+)`)
	original = regexp.MustCompile(`\{([a-z]+)\}`)
)

// pattern parses a pattern. {main} stands for the original id of the package main, and $sui for SUI.
func (p *Protocol) pattern(text string) (pattern, error) {
	var unknown string
	text = original.ReplaceAllStringFunc(text, func(m string) string {
		known, ok := p.Packages[m[1:len(m)-1]]
		if !ok {
			unknown = m
		}
		return known.Original.String()
	})
	if unknown != "" {
		return pattern{}, fmt.Errorf("unknown package %s", unknown)
	}
	tag, err := sui.ParseTypeTag(variable.ReplaceAllString(text, "0x0::"+variables+"::$1"))
	return pattern{tag}, err
}

func (p *Protocol) patterns(texts []string) (list []pattern, err error) {
	for _, t := range texts {
		one, err := p.pattern(t)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// name returns the name of a type variable, or "" for any other type.
func name(t sui.TypeTag) string {
	if t.Kind == sui.TypeStruct && t.Struct.Address.IsZero() && t.Struct.Module == variables {
		return t.Struct.Name
	}
	return ""
}

// bindings are the values of type variables.
type bindings map[string]sui.TypeTag

// bind parses the values of type variables.
func (p *Protocol) bind(texts map[string]string) (bindings, error) {
	b := bindings{}
	for name, text := range texts {
		typ, err := p.pattern(text)
		if err != nil {
			return nil, err
		}
		b[name] = typ.tag
	}
	return b, nil
}

// agree reports whether the variables that both contain have equal values.
func (b bindings) agree(o bindings) bool {
	for name, tag := range o {
		if known, bound := b[name]; bound && known.String() != tag.String() {
			return false
		}
	}
	return true
}

// match compares a type with a pattern and binds unbound variables.
func (b bindings) match(want, is sui.TypeTag) bool {
	if n := name(want); n != "" {
		known, bound := b[n]
		if !bound {
			b[n] = is
		}
		return !bound || known.String() == is.String()
	}
	if want.Kind != is.Kind {
		return false
	}
	switch want.Kind {
	case sui.TypeVector:
		return b.match(*want.Elem, *is.Elem)
	case sui.TypeStruct:
		w, i := want.Struct, is.Struct
		if w.Address != i.Address || w.Module != i.Module || w.Name != i.Name || len(w.Params) != len(i.Params) {
			return false
		}
		for n := range w.Params {
			if !b.match(w.Params[n], i.Params[n]) {
				return false
			}
		}
	}
	return true
}

// fill replaces variables with their values. It returns false if a variable has no value.
func (b bindings) fill(t sui.TypeTag) (sui.TypeTag, bool) {
	if n := name(t); n != "" {
		v, ok := b[n]
		return v, ok
	}
	switch t.Kind {
	case sui.TypeVector:
		elem, ok := b.fill(*t.Elem)
		return sui.TypeTag{Kind: sui.TypeVector, Elem: &elem}, ok
	case sui.TypeStruct:
		s := *t.Struct
		s.Params = make([]sui.TypeTag, len(t.Struct.Params))
		for i, p := range t.Struct.Params {
			filled, ok := b.fill(p)
			if !ok {
				return t, false
			}
			s.Params[i] = filled
		}
		return sui.TypeTag{Kind: sui.TypeStruct, Struct: &s}, true
	}
	return t, true
}

// Kinds of arguments.
type kind string

const (
	argShared  kind = "shared"  // mut:$name, ref:$name, mut:0x5
	argPure    kind = "pure"    // u64:name, bool=true, amount
	argAddress kind = "address" // address:name
	argCoin    kind = "coin"    // coin:T, balance:T, balance:T of step.0.1
	argCoins   kind = "coins"   // coins:T, whole coins of the account
	argOwn     kind = "own"     // own:T by value, own&:T by reference
	argStep    kind = "step"    // step.0.1 by value, &step.0.1, &mut step.0.1
	argNone    kind = "none"    // none:T, an Option without a value
	argRest    kind = "rest"    // any shared objects and values
)

// argument is a parsed word of Step.Args.
type argument struct {
	kind     kind
	name     string
	prim     string // Move type of a pure value
	constant []byte // nil if the value is not fixed
	id       sui.ObjectID
	mutable  bool
	ref      bool
	balance  bool
	part     bool // a part of the payment; the result at determines its amount
	typ      pattern
	at       Place
}

var sizes = map[string]int{"u8": 1, "bool": 1, "u16": 2, "u32": 4, "u64": 8, "u128": 16, "string": 0, "option_u64": 0}

var stepWord = regexp.MustCompile(`^(&mut |&)?step\.(\d)\.(\d)$`)

// place returns the result that a step word refers to.
func place(m []string) Place {
	step, _ := strconv.Atoi(m[2])
	out, _ := strconv.Atoi(m[3])
	return Place{step, out}
}

// argument parses a word of Step.Args.
func (p *Protocol) argument(word string) (argument, error) {
	if m := stepWord.FindStringSubmatch(word); m != nil {
		return argument{kind: argStep, at: place(m), ref: m[1] != "", mutable: m[1] == "&mut "}, nil
	}
	if word == "rest" {
		return argument{kind: argRest}, nil
	}
	if word == "amount" {
		word = "u64:amount"
	}
	if prim, value, ok := strings.Cut(word, "="); ok {
		c, err := constant(prim, value)
		return argument{kind: argPure, prim: prim, constant: c}, err
	}
	head, rest, ok := strings.Cut(word, ":")
	if !ok || rest == "" {
		return argument{}, fmt.Errorf("%q does not name an argument", word)
	}
	if _, prim := sizes[head]; prim {
		return argument{kind: argPure, prim: head, name: rest}, nil
	}
	return p.object(head, rest)
}

// object parses a word for an address, coin or object.
func (p *Protocol) object(head, rest string) (a argument, err error) {
	a.name = strings.TrimPrefix(rest, "$")
	switch head {
	case "mut", "ref":
		a.kind, a.mutable = argShared, head == "mut"
		if strings.HasPrefix(rest, "0x") {
			a.id, err = sui.ParseAddress(rest)
			return a, err
		}
		if _, known := p.shared["$"+a.name]; !known {
			return a, fmt.Errorf("unknown shared object %s", rest)
		}
	case "address":
		a.kind = argAddress
	case "coin", "balance":
		a.kind, a.balance = argCoin, head == "balance"
		var of string
		if rest, of, a.part = strings.Cut(rest, " of "); a.part {
			m := stepWord.FindStringSubmatch(of)
			if m == nil {
				return a, fmt.Errorf("%q does not name a result", of)
			}
			a.at = place(m)
		}
		a.typ, err = p.pattern(rest)
	case "coins":
		a.kind = argCoins
		a.typ, err = p.pattern(rest)
	case "own", "own&", "own&mut":
		a.kind, a.ref, a.mutable = argOwn, head != "own", head == "own&mut"
		a.typ, err = p.pattern(rest)
	case "none":
		a.kind = argNone
		a.typ, err = p.pattern(rest)
	default:
		err = fmt.Errorf("%q does not name an argument", head)
	}
	return a, err
}

// constant encodes a value as BCS.
func constant(prim, value string) ([]byte, error) {
	size := sizes[prim]
	if prim == "bool" && (value == "true" || value == "false") {
		return sui.PureBool(value == "true").Bytes, nil
	}
	n, ok := new(big.Int).SetString(value, 10)
	if prim == "bool" || size == 0 || !ok || n.Sign() < 0 || n.BitLen() > 8*size {
		return nil, fmt.Errorf("%s is not a %s", value, prim)
	}
	b := n.FillBytes(make([]byte, size))
	for i := range size / 2 {
		b[i], b[size-1-i] = b[size-1-i], b[i]
	}
	return b, nil
}

// decode returns a BCS value as text. It returns false if the bytes do not match the type.
func decode(prim string, b []byte) (string, bool) {
	switch prim {
	case "string":
		return decodeString(b)
	case "option_u64":
		if len(b) == 9 && b[0] == 1 {
			return strconv.FormatUint(binary.LittleEndian.Uint64(b[1:]), 10), true
		}
		return "all", len(b) == 1 && b[0] == 0
	case "bool":
		return strconv.FormatBool(len(b) == 1 && b[0] == 1), len(b) == 1 && b[0] <= 1
	}
	if len(b) != sizes[prim] {
		return "", false
	}
	n := new(big.Int)
	for i := len(b) - 1; i >= 0; i-- {
		n.Lsh(n, 8).Or(n, big.NewInt(int64(b[i])))
	}
	return n.String(), true
}

// decodeString reads a string of fewer than 128 bytes.
func decodeString(b []byte) (string, bool) {
	if len(b) == 0 || int(b[0]) != len(b)-1 || b[0] > 127 {
		return "", false
	}
	return strconv.Quote(string(b[1:])), true
}

// output is a parsed word of Step.Out.
type output struct {
	kind  form
	typ   pattern
	empty bool // the value is empty
}

// output parses a word of Step.Out.
func (p *Protocol) output(word string) (o output, err error) {
	head, rest, _ := strings.Cut(word, ":")
	switch head {
	case "coin":
		o.kind = formCoin
	case "balance", "empty":
		o.kind, o.empty = formBalance, head == "empty"
	case "object":
		o.kind = formObject
	case "hot":
		o.kind = formHot
	case "u64", "drop":
		o.kind = formNumber
		if rest == "" {
			rest = "u64"
		}
	default:
		return o, fmt.Errorf("%q does not name a result", word)
	}
	o.typ, err = p.pattern(rest)
	return o, err
}

// parse parses the words of a step.
func (s *Step) parse(p *Protocol, at int) (err error) {
	if s.Package == "" {
		s.Package = Main
	}
	_, known := p.Packages[s.Package]
	module, fn, ok := strings.Cut(s.Fn, "::")
	named := ok && sui.ValidIdentifier(module) && sui.ValidIdentifier(fn)
	if !known && s.Package != Unread || !named && (s.Package != Unread || s.Fn != "*") {
		return fmt.Errorf("%s of package %q cannot name a function", s.Fn, s.Package)
	}
	if s.types, err = p.patterns(s.Types); err != nil {
		return err
	}
	if s.only, err = p.bind(s.For); err != nil {
		return err
	}
	for _, w := range s.Args {
		a, err := p.argument(w)
		if err != nil {
			return err
		}
		if (a.kind == argStep || a.part) && a.at.Step >= at {
			return fmt.Errorf("%s does not name an earlier step", w)
		}
		if a.kind == argRest && s.Package != Unread {
			return fmt.Errorf("only a call of an unread package has a rest")
		}
		s.args = append(s.args, a)
	}
	for _, w := range s.Out {
		o, err := p.output(w)
		if err != nil {
			return err
		}
		s.out = append(s.out, o)
	}
	if s.Package == Unread && len(s.out) > 0 {
		return fmt.Errorf("the result of a call of an unread package is unknown")
	}
	return nil
}

// splitName returns the module and the function of module::name.
func splitName(fn string) (module, name string) {
	module, name, _ = strings.Cut(fn, "::")
	return module, name
}
