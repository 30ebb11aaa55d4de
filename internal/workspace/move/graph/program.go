// Package graph builds call graphs of Move functions. It resolves the calls of parsed sources,
// inferring the types of receivers as far as needed, adds published bytecode, and answers queries
// for call chains. It does no I/O.
package graph

import (
	"sort"
	"strings"

	"github.com/sayurintent/sayurintent/internal/workspace/move/bytecode"
	"github.com/sayurintent/sayurintent/internal/workspace/move/syntax"
)

// Source is a Move file. Path is relative and used only for display.
type Source struct {
	Path string
	Text []byte
}

// Package is a package with sources. Addresses holds the named addresses that its manifest and
// those of its dependencies assign, in hexadecimal. Legacy is set for editions before 2024, which
// have no implicit names.
type Package struct {
	Name      string
	Legacy    bool
	Addresses map[string]string
	Sources   []Source
}

// Confidence says how certain an edge is.
type Confidence string

// An edge is resolved if the rules of Move determine the callee. It is by_name if the type of the
// receiver is unknown, so that only the name of the callee is known.
const (
	Resolved Confidence = "resolved"
	ByName   Confidence = "by_name"
)

// Kind says how a call is written.
type Kind string

// Kinds of calls. A macro's own edges are the calls in its expansion. An instruction is a native of
// std::vector that the compiler does not compile to a call.
const (
	KindCall        Kind = "call"
	KindMethod      Kind = "method"
	KindIndex       Kind = "index"
	KindMacro       Kind = "macro"
	KindLiteral     Kind = "literal"
	KindInstruction Kind = "instruction"
)

// Edge is a call from one function to another. Lines holds the lines of the call sites, counting
// from 1; it is empty for bytecode. If too many functions have the name of the callee, Candidates
// is their number and Callee is "::" and the name.
type Edge struct {
	Caller, Callee string
	Kind           Kind
	Confidence     Confidence
	Lines          []int
	Count          int
	Candidates     int
}

// Function is a function in a source or in bytecode. ID is address::module::name. Visibility is as
// written in a source. In bytecode it is public, private or friend.
type Function struct {
	ID, Package, Module, Name   string
	Visibility                  string
	Entry, Native, Macro        bool
	TestOnly                    bool
	Params, TypeParams, Returns int
	File                        string
	Line, EndLine               int
	Bytecode                    bool
	Edges                       []Edge
	text                        []byte
	ast                         *syntax.Function
	module                      *module
	signature                   *signature
}

// Problem is a position at which a source is not valid Move.
type Problem struct {
	File string
	syntax.Problem
}

// Graph holds all loaded functions and their calls. It is immutable and safe for concurrent use.
type Graph struct {
	Functions  map[string]*Function
	Modules    map[string]*Module
	Problems   []Problem
	modules    map[string]*module
	primitives map[string]*module     // module that defines the methods of a built-in type
	methods    map[string][]*Function // functions that can be called as x.f(), by name
	callers    map[string][]Edge
}

// Module has a module's declarations other than functions.
type Module struct {
	ID, Package, File string
	Line              int
	TestOnly, Label   bool
	Bytecode          bool
	Structs, Friends  []string
	Enums             []Enum
}

// Enum is a declared enum.
type Enum struct {
	Name     string
	Variants []string
}

// module holds a module while its calls are resolved.
type module struct {
	id        string
	pkg       *Package
	file      *syntax.File
	path      string
	text      []byte
	ast       *syntax.Module
	testOnly  bool
	functions map[string]*Function
	datatypes map[string]*datatype
	constants map[string]*syntax.Type
	scope     *scope // uses in code that is not test code
	testScope *scope // uses in test code
	public    map[string]string
	index     map[string]*[2]*Function // #[syntax(index)] functions by type, for & and for &mut
}

// datatype is a struct or an enum.
type datatype struct {
	id       string
	module   *module
	params   []syntax.TypeParameter
	fields   *syntax.Struct
	variants map[string]*syntax.Struct
}

// Build reads packages, resolves their calls, and adds published modules whose sources are not
// loaded. Edges to functions that are not loaded have an ID but no Function.
func Build(packages []Package, published ...*bytecode.Module) *Graph {
	g := &Graph{Functions: map[string]*Function{}, Modules: map[string]*Module{}, modules: map[string]*module{},
		primitives: map[string]*module{}, methods: map[string][]*Function{}}
	var modules []*module
	for i := range packages {
		for _, s := range packages[i].Sources {
			modules = append(modules, g.read(&packages[i], s)...)
		}
	}
	for _, m := range published {
		g.publish(m)
	}
	for _, m := range modules {
		g.scopes(m)
	}
	for _, m := range modules {
		g.useFuns(m)
	}
	for _, m := range modules {
		for _, a := range m.ast.Functions {
			if f := m.functions[a.Name]; f != nil && f.ast == a && a.Body != nil {
				newInference(g, m, f).run()
			}
		}
	}
	g.index()
	return g
}

// read parses a source and records its declarations.
func (g *Graph) read(pkg *Package, s Source) []*module {
	file := syntax.Parse(s.Text)
	for _, p := range file.Problems {
		g.Problems = append(g.Problems, Problem{s.Path, p})
	}
	var out []*module
	for _, a := range file.Modules {
		m := &module{id: resolveAddress(pkg, a.Address) + "::" + a.Name, pkg: pkg, file: file, path: s.Path, text: s.Text,
			ast: a, testOnly: testOnly(a.Attributes), functions: map[string]*Function{}, datatypes: map[string]*datatype{},
			constants: map[string]*syntax.Type{}, public: map[string]string{}, index: map[string]*[2]*Function{}}
		if other := g.modules[m.id]; other != nil {
			line, column := file.Position(a.Start)
			g.Problems = append(g.Problems, Problem{s.Path, syntax.Problem{Offset: a.Start, Line: line, Column: column,
				Text: "the module " + m.id + " is declared in " + other.path + " already"}})
			continue
		}
		g.modules[m.id] = m
		g.declare(m)
		out = append(out, m)
	}
	return out
}

func (g *Graph) declare(m *module) {
	line, _ := m.file.Position(m.ast.Start)
	public := &Module{ID: m.id, Package: m.pkg.Name, File: m.path, Line: line, TestOnly: m.testOnly, Label: m.ast.Label}
	g.Modules[m.id] = public
	for _, s := range m.ast.Structs {
		m.datatypes[s.Name] = &datatype{id: m.id + "::" + s.Name, module: m, params: s.TypeParameters, fields: s}
		if !testOnly(s.Attributes) {
			public.Structs = append(public.Structs, s.Name)
		}
	}
	for _, e := range m.ast.Enums {
		d := &datatype{id: m.id + "::" + e.Name, module: m, params: e.TypeParameters, variants: map[string]*syntax.Struct{}}
		enum := Enum{Name: e.Name}
		for _, v := range e.Variants {
			d.variants[v.Name] = v
			enum.Variants = append(enum.Variants, v.Name)
		}
		m.datatypes[e.Name] = d
		public.Enums = append(public.Enums, enum)
	}
	for _, f := range m.ast.Friends {
		public.Friends = append(public.Friends, strings.Join(f, "::"))
	}
	for _, c := range m.ast.Constants {
		m.constants[c.Name] = c.Type
	}
	for _, a := range m.ast.Attributes {
		if a.Name == "defines_primitive" && g.primitives[a.Args] == nil {
			g.primitives[a.Args] = m
		}
	}
	for _, f := range m.ast.Functions {
		g.declareFunction(m, f)
	}
}

func (g *Graph) declareFunction(m *module, a *syntax.Function) {
	f := &Function{ID: m.id + "::" + a.Name, Package: m.pkg.Name, Module: m.id, Name: a.Name,
		Visibility: string(a.Visibility),
		Entry:      a.Entry, Native: a.Native, Macro: a.Macro, TestOnly: m.testOnly || testOnly(a.Attributes),
		Params: len(a.Parameters), TypeParams: len(a.TypeParameters), File: m.path, text: m.text, ast: a, module: m}
	if f.Visibility == "" {
		f.Visibility = "private"
	}
	switch {
	case a.Result == nil:
	case a.Result.Kind == syntax.TypeTuple:
		f.Returns = len(a.Result.Args)
	default:
		f.Returns = 1
	}
	f.Line, _ = m.file.Position(a.Start)
	f.EndLine, _ = m.file.Position(max(a.End-1, a.Start))
	// If a test has the same name as another function, the name refers to the other function.
	if other := m.functions[a.Name]; other != nil && (f.TestOnly || !other.TestOnly) {
		return
	}
	m.functions[a.Name], g.Functions[f.ID] = f, f
}

// testOnly reports whether an item is missing from published modules.
func testOnly(attributes []syntax.Attribute) bool {
	for _, a := range attributes {
		switch a.Name {
		case "test", "test_only", "random_test", "mode", "verify_only", "spec_only":
			return true
		}
	}
	return false
}

// index builds the indexes for queries and releases the syntax trees, which are much larger than
// the graph.
func (g *Graph) index() {
	for _, f := range g.Functions {
		f.ast, f.module, f.signature = nil, nil, nil
	}
	g.modules, g.primitives, g.methods = nil, nil, nil
	g.callers = map[string][]Edge{}
	for _, f := range g.Functions {
		for _, e := range f.Edges {
			g.callers[e.Callee] = append(g.callers[e.Callee], e)
		}
	}
	for _, edges := range g.callers {
		sort.Slice(edges, func(i, j int) bool { return edges[i].Caller < edges[j].Caller })
	}
}

// resolveAddress returns an address in short form. It returns a name that has no address unchanged.
func resolveAddress(pkg *Package, written string) string {
	if a, ok := pkg.Addresses[written]; ok {
		written = a
	}
	return ShortAddress(written)
}

// ShortAddress returns an address as 0x and hexadecimal digits without leading zeros. It returns
// any other text unchanged.
func ShortAddress(s string) string {
	plain := strings.ReplaceAll(s, "_", "")
	if rest, ok := strings.CutPrefix(strings.ToLower(plain), "0x"); ok &&
		rest != "" && strings.Trim(rest, "0123456789abcdef") == "" {
		rest = strings.TrimLeft(rest, "0")
		if rest == "" {
			rest = "0"
		}
		return "0x" + rest
	}
	if plain == "" || strings.Trim(plain, "0123456789") != "" {
		return s
	}
	return decimalAddress(plain)
}
