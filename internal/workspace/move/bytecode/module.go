// Package bytecode reads what a call graph needs from published Move modules: the declarations, and
// which functions are called. It supports binary formats 5 to 7, as on Sui, and accepts the same
// modules as the chain. Its use of memory is proportional to the input.
package bytecode

import "encoding/hex"

// MaxModule is the maximum size of a module in bytes. It is ten times the chain's limit for a
// package.
const MaxModule = 1 << 20

// maxIdentifier is the chain's limit for names, in bytes.
const maxIdentifier = 128

// ModuleID identifies a module. Address has 0x and no leading zeros.
type ModuleID struct{ Address, Name string }

func (m ModuleID) String() string { return m.Address + "::" + m.Name }

// FunctionID identifies a function.
type FunctionID struct {
	Module ModuleID
	Name   string
}

func (f FunctionID) String() string { return f.Module.String() + "::" + f.Name }

// Call is a call instruction. Offset is its index among the function's instructions.
type Call struct {
	Offset  int
	Callee  FunctionID
	Generic bool
}

// Function is a function declaration. Visibility is "private", "public" or "friend". The last
// includes public(package). Params, TypeParams and Returns are counts.
type Function struct {
	Name                        string
	Visibility                  string
	Entry, Native               bool
	Params, TypeParams, Returns int
	ParamTypes, ReturnTypes     []*Type
	Calls                       []Call
	Instructions                int
	VectorInstructions          int
}

// TypeKind is the form of a Type.
type TypeKind uint8

// Forms of types.
const (
	TypePrimitive TypeKind = iota // Name
	TypeVector                    // Args contains the item's type
	TypeRef                       // Args contains the referenced type
	TypeMutRef
	TypeDatatype // Datatype, Args
	TypeParam    // Index of the function's type parameter
)

// Type is the type of a parameter or result.
type Type struct {
	Kind     TypeKind
	Name     string
	Index    int
	Datatype *DatatypeID
	Args     []*Type
}

// DatatypeID identifies a struct or enum.
type DatatypeID struct {
	Module ModuleID
	Name   string
}

func (d DatatypeID) String() string { return d.Module.String() + "::" + d.Name }

// Enum is a declared enum.
type Enum struct {
	Name     string
	Variants []string
}

// Module holds the declarations of a module, in the order of its tables.
type Module struct {
	ID        ModuleID
	Version   int
	Friends   []ModuleID
	Structs   []string
	Enums     []Enum
	Functions []Function
}

type moduleHandle struct{ address, name int }
type datatypeHandle struct{ module, name, typeParams int }
type functionHandle struct{ module, name, params, returns, typeParams int }
type pair struct{ a, b int }

// tables holds the rows of a module's tables. Their indices are not checked yet.
type tables struct {
	version     int
	self        int
	identifiers []string
	addresses   []string
	modules     []moduleHandle
	friends     []moduleHandle
	datatypes   []datatypeHandle
	functions   []functionHandle
	instances   []pair // handle and signature of instantiated functions
	signatures  []signature
	constants   int
	structs     []structDef
	structInsts []pair
	fields      []pair
	fieldInsts  []pair
	enums       []enumDef
	enumInsts   []pair
	variants    []pair
	variantIns  []pair
	code        []functionDef
}

// signature is a list of types.
type signature struct{ types []*Type }

type structDef struct {
	handle int
	names  []int
	types  []*Type // types of the fields
}

type enumDef struct {
	handle   int
	variants []structDef // handle is the variant's name
}

type functionDef struct {
	handle       int
	visibility   byte
	flags        byte
	acquires     []int
	locals       int
	instructions []instruction
	jumps        []jump
}

type instruction struct {
	op      byte
	operand int
}

type jump struct {
	enum     int
	branches []int
}

// Parse reads one module. The error is an *Error.
func Parse(b []byte) (*Module, error) {
	if len(b) > MaxModule {
		return nil, bad(malformed, "too large")
	}
	t, err := read(b)
	if err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return t.module(), nil
}

func (t *tables) moduleID(h moduleHandle) ModuleID {
	return ModuleID{t.addresses[h.address], t.identifiers[h.name]}
}

func (t *tables) functionID(i int) FunctionID {
	h := t.functions[i]
	return FunctionID{t.moduleID(t.modules[h.module]), t.identifiers[h.name]}
}

var visibilities = map[byte]string{0: "private", 1: "public", 3: "friend"}

func (t *tables) module() *Module {
	m := &Module{ID: t.moduleID(t.modules[t.self]), Version: t.version}
	for _, f := range t.friends {
		m.Friends = append(m.Friends, t.moduleID(f))
	}
	ids := make([]*DatatypeID, len(t.datatypes))
	for i, h := range t.datatypes {
		ids[i] = &DatatypeID{t.moduleID(t.modules[h.module]), t.identifiers[h.name]}
	}
	for _, s := range t.signatures {
		name(s.types, ids)
	}
	for _, s := range t.structs {
		m.Structs = append(m.Structs, t.identifiers[t.datatypes[s.handle].name])
	}
	for _, e := range t.enums {
		enum := Enum{Name: t.identifiers[t.datatypes[e.handle].name]}
		for _, v := range e.variants {
			enum.Variants = append(enum.Variants, t.identifiers[v.handle])
		}
		m.Enums = append(m.Enums, enum)
	}
	for _, d := range t.code {
		h := t.functions[d.handle]
		f := Function{Name: t.identifiers[h.name], Visibility: visibilities[d.visibility],
			Native: d.flags&flagNative != 0, Entry: d.flags&flagEntry != 0, TypeParams: h.typeParams,
			Params: len(t.signatures[h.params].types), Returns: len(t.signatures[h.returns].types),
			ParamTypes: t.signatures[h.params].types, ReturnTypes: t.signatures[h.returns].types,
			Instructions: len(d.instructions)}
		for at, in := range d.instructions {
			switch {
			case in.op == opCall:
				f.Calls = append(f.Calls, Call{Offset: at, Callee: t.functionID(in.operand)})
			case in.op == opCallGeneric:
				f.Calls = append(f.Calls, Call{Offset: at, Callee: t.functionID(t.instances[in.operand].a), Generic: true})
			case in.op >= 0x40 && in.op <= 0x47:
				f.VectorInstructions++
			}
		}
		m.Functions = append(m.Functions, f)
	}
	return m
}

// name fills in the datatypes of types.
func name(types []*Type, ids []*DatatypeID) {
	for _, t := range types {
		if t.Kind == TypeDatatype {
			t.Datatype = ids[t.Index]
		}
		name(t.Args, ids)
	}
}

// short formats an address without leading zeros.
func short(b []byte) string {
	s := hex.EncodeToString(b)
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return "0x" + s
}
