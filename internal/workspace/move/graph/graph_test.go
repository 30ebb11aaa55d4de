package graph

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/workspace/move/bytecode"
)

var addresses = map[string]string{"std": "0x1", "acme": "0x00A"}

// build makes a graph of one package, a file for each text.
func build(texts ...string) *Graph {
	p := Package{Name: "acme", Addresses: addresses}
	for i, text := range texts {
		p.Sources = append(p.Sources, Source{fmt.Sprintf("sources/%d.move", i), []byte(text)})
	}
	return Build([]Package{p})
}

// edges lists a function's calls: callee, kind, lines, and a question mark if resolved by name.
func edges(g *Graph, id string) []string {
	var out []string
	if f := g.Functions[id]; f != nil {
		for _, e := range f.Edges {
			s := fmt.Sprintf("%s %s %v", strings.TrimPrefix(e.Callee, "0xa::"), e.Kind, e.Lines)
			if e.Confidence == ByName {
				s += "?"
			}
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

const price = `module acme::price;
public struct Price has copy, drop { units: u64 }
public struct Book { prices: vector<Price> }
public use fun doubled as Price.twice;
public fun new(units: u64): Price { Price { units } }
public fun units(p: &Price): u64 { p.units }
public fun doubled(p: Price): Price { p }
public fun add(p: &mut Price, units: u64) { p.units = p.units + units }
#[syntax(index)]
public fun at(b: &Book, i: u64): &Price { &b.prices[i] }
#[syntax(index)]
public fun at_mut(b: &mut Book, i: u64): &mut Price { &mut b.prices[i] }
public macro fun first<$T>($f: |&$T|, $v: &vector<$T>) { $f(&$v[0]); }
public macro fun each<$R>($b: &Book, $f: |&Price| -> $R) { let b = $b; $f(b.at(0)); }
`

const vector = `#[defines_primitive(vector)]
module std::vector;
#[bytecode_instruction]
public native fun push_back<E>(v: &mut vector<E>, e: E);
public fun map<T, U>(v: vector<T>): vector<U> { abort 0 }
public macro fun do<$T>($v: vector<$T>, $f: |$T|) { abort 0 }
`

func TestEdges(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a path", "price::new(1); acme::price::new(2); 0xa::price::new(3); own();", "[own call [2] price::new call [2]]"},
		{"of a module that is not at hand", "far::away::f(); 0x0b::m::g<u8>();",
			"[0xb::m::g call [2] far::away::f call [2]]"},
		{"a method of a call's result", "price::new(1).units();", "[price::new call [2] price::units method [2]]"},
		{"a method through a use fun of its module", "price::new(1).twice().units();",
			"[price::doubled method [2] price::new call [2] price::units method [2]]"},
		{"a method through a use fun of the block", "{ use fun own_units as Price.units; p.units(); }; p.units();",
			"[own_units method [2] price::units method [2]]"},
		{"a method through a use of a function", "{ use acme::price::add as plus; p.plus(1); };", "[price::add method [2]]"},
		{"an index that is read", "let x = book[0].units();", "[price::at index [2] price::units method [2]]"},
		{"an index that is written to", "book[0].add(1); *&mut book[1] = p;",
			"[price::add method [2] price::at_mut index [2]]"},
		{"an index of a vector", "let v = vector[p]; v[0].units();", "[price::units method [2]]"},
		{"a receiver that a later call decides",
			"let mut v = vector[]; let f = |x: &Price| x.units(); v.push_back(p); v[0].units();",
			"[0x1::vector::push_back instruction [2] price::units method [2]]"},
		{"a lambda's parameter", "book.each!(|x| x.units()); vector[p].do!(|x| x.units());",
			"[0x1::vector::do macro [2] price::each macro [2] price::units method [2]]"},
		{"a lambda before what its parameter is", "price::first!(|x| x.units(), &vector[p]);",
			"[price::first macro [2] price::units method [2]]"},
		{"a pattern behind a reference", "let (a, Book2 { p: x }) = (&b, &b); x.units(); a.p.units();",
			"[price::units method [2]]"},
		{"a match", "match (e) { E::A(x) | E::B { x, .. } => x.units(), E::C => 0 };", "[price::units method [2]]"},
		{"a loop's value", "let x = 'l: loop { if (true) break 'l p; loop { break } }; x.units();",
			"[price::units method [2]]"},
		{"a constructor is no call", "let x = P(p); let P(y) = x; y.units(); E::A(p);", "[price::units method [2]]"},
		{"an assert is no call", "assert!(own() > 0);", "[own call [2]]"},
		{"an unknown type", "let x = far::away::f(); x.units(); x.nobody();",
			"[::nobody method [2]? far::away::f call [2] price::units method [2]?]"},
		{"a type that is not at hand", "far.units();", "[far::away::units method [2]?]"},
		{"a method that a type does not have", "p.nobody();", "[::nobody method [2]?]"},
		{"a name that nobody declares", "nobody();", "[::nobody call [2]?]"},
		{"a variable that hides a function", "let own = 1; own;", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(price, vector,
				`module acme::m; use acme::price::{Self, Price, Book}; fun f(p: Price, mut book: Book, e: &E, b: Book2, far: far::away::T) {
`+c.body+`
}
public struct Book2 { p: Price } public struct P(Price) public enum E { A(Price), B { x: Price, y: u8 }, C }
fun own(): u64 { 0 }
fun own_units(p: &Price): u64 { 0 }
`)
			for _, p := range g.Problems {
				t.Errorf("%s:%d: %s", p.File, p.Line, p.Text)
			}
			got := edges(g, "0xa::m::f")
			want := strings.ReplaceAll(c.want, "own call", "m::own call")
			want = strings.ReplaceAll(want, "own_units", "m::own_units")
			if !same(got, want) {
				t.Errorf("%v\nwant %v", got, want)
			}
		})
	}
}

// TestStringLiterals: a literal is the call of the constructor of its type.
func TestStringLiterals(t *testing.T) {
	const strings = `module std::string; public struct String has copy, drop { bytes: vector<u8> }
public fun utf8(bytes: vector<u8>): String { String { bytes } }
public fun length(s: &String): u64 { 0 }
`
	const ascii = `module std::ascii; public struct String has copy, drop { bytes: vector<u8> }
public fun string(bytes: vector<u8>): String { String { bytes } }
`
	for _, c := range []struct{ name, body, want string }{
		{"an argument", `takes("a");`, "[0x1::string::utf8 literal [2] m::takes call [2]]"},
		{"of ASCII", `let a: std::ascii::String = "a";`, "[0x1::ascii::string literal [2]]"},
		{"of bytes", `let a: vector<u8> = "a"; let b: vector<u8> = b"b";`, "[]"},
		{"behind a reference", `let a: &std::ascii::String = &"a";`, "[0x1::ascii::string literal [2]]"},
		{"of nothing known", `let a = "a"; a.length();`, "[0x1::string::length method [2] 0x1::string::utf8 literal [2]]"},
		{"a result", `return "a"`, "[0x1::ascii::string literal [2]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := build(strings, ascii, vector, "module acme::m; fun f(): std::ascii::String {\n"+c.body+
				"\n}\nfun takes(s: std::string::String) {}\n")
			if got := edges(g, "0xa::m::f"); !same(got, c.want) {
				t.Errorf("%v\nwant %v", got, c.want)
			}
		})
	}
}

// same compares listed edges in any order.
func same(got []string, want string) bool {
	for _, e := range got {
		if !strings.Contains(want, e) {
			return false
		}
		want = strings.Replace(want, e, "", 1)
	}
	return strings.Trim(want, "[] ") == ""
}

func TestLegacyEditionHasNoImplicitNames(t *testing.T) {
	text := "module acme::m { fun f() { option::none<u8>(); } }"
	for legacy, want := range map[bool]string{true: "[::none call [1]?]", false: "[0x1::option::none call [1]]"} {
		g := Build([]Package{{Legacy: legacy, Addresses: addresses, Sources: []Source{{"m.move", []byte(text)}}}})
		if got := fmt.Sprint(edges(g, "0xa::m::f")); got != want {
			t.Errorf("legacy %t: %s, want %s", legacy, got, want)
		}
	}
}

// Declarations in tests are not called by the program.
func TestTestsAreApart(t *testing.T) {
	g := build(`module acme::m;
public struct S {}
public fun real(s: &S) {}
#[test_only] public fun fake(s: &S) {}
use fun real as S.go;
#[test_only] use fun fake as S.go;
fun f(s: &S) { s.go(); }
#[test] fun test_f() { let s = S {}; s.go(); f(&s); }
`)
	if got := fmt.Sprint(edges(g, "0xa::m::f")); got != "[m::real method [7]]" {
		t.Error(got)
	}
	if got := fmt.Sprint(edges(g, "0xa::m::test_f")); got != "[m::f call [8] m::fake method [8]]" {
		t.Error(got)
	}
	if g.Functions["0xa::m::f"].TestOnly || !g.Functions["0xa::m::test_f"].TestOnly ||
		!g.Functions["0xa::m::fake"].TestOnly {
		t.Error("what is for tests alone is not marked so")
	}
}

func TestFunctionOfTheNameOfATest(t *testing.T) {
	for _, text := range []string{"#[test_only] fun f(a: u8, b: u8) {} fun f() {}",
		"fun f() {} #[test_only] fun f(a: u8, b: u8) {}"} {
		if f := build("module acme::m; " + text).Functions["0xa::m::f"]; f.TestOnly || f.Params != 0 {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

func TestTwoModulesOfOneName(t *testing.T) {
	g := build("module acme::m; fun f() {}", "module acme::m; fun g() {}")
	if len(g.Problems) != 1 || g.Problems[0].File != "sources/1.move" || g.Functions["0xa::m::g"] != nil {
		t.Errorf("%+v", g.Problems)
	}
}

const rings = `module acme::m;
fun a() { b(); c(); a(); }
fun b() { c(); }
fun c() { d(); a(); }
fun d() { far::away::f(); }
macro fun twice() { d(); }
fun e() { twice!(); }
`

func chain(t *testing.T, g *Graph, q Query) []string {
	t.Helper()
	c, err := g.Chain(q)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range c.Edges {
		s := fmt.Sprintf("%d %s>%s", e.Depth, strings.TrimPrefix(e.Caller, "0xa::m::"), strings.TrimPrefix(e.Callee,
			"0xa::m::"))
		for _, mark := range []struct {
			text string
			on   bool
		}{{" cycle", e.Cycle}, {" seen", e.Seen}, {" expansion", e.Expansion}, {" external", e.External}} {
			if mark.on {
				s += mark.text
			}
		}
		out = append(out, s)
	}
	return out
}

func TestChain(t *testing.T) {
	g := build(rings)
	for _, c := range []struct {
		name string
		q    Query
		want string
	}{
		{"R001-43 module.function", Query{Method: "m.d", Direction: Callees}, "[1 d>far::away::f external]"},
		{"R001-43 module::function", Query{Method: "m::d", Direction: Callees}, "[1 d>far::away::f external]"},
		{"R001-43 address::module::function", Query{Method: "0x0A::m::d", Direction: Callees}, "[1 d>far::away::f external]"},
		{"R001-43 name::module::function", Query{Method: "acme::m::d", Direction: Callees, Addresses: addresses},
			"[1 d>far::away::f external]"},
		{"R001-44 callers", Query{Method: "m.b", Direction: Callers}, "[1 a>b]"},
		{"R001-44 both is the default", Query{Method: "m.b"}, "[1 b>c 1 a>b]"},
		{"R001-45 depth 1 is the default", Query{Method: "m.a", Direction: Callees}, "[1 a>a cycle 1 a>b 1 a>c]"},
		{"R001-45 depth 2", Query{Method: "m.a", Direction: Callees, Depth: 2},
			"[1 a>a cycle 1 a>b 1 a>c 2 b>c seen 2 c>a cycle 2 c>d]"},
		{"R001-45 depth 3", Query{Method: "m.a", Direction: Callees, Depth: 3},
			"[1 a>a cycle 1 a>b 1 a>c 2 b>c seen 2 c>a cycle 2 c>d 3 d>far::away::f external]"},
		{"a macro and what it expands to", Query{Method: "m.e", Direction: Callees, Depth: 2},
			"[1 e>twice 2 twice>d expansion]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := fmt.Sprint(chain(t, g, c.q)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

func TestChainErrors(t *testing.T) {
	g := build(rings)
	for _, c := range []struct {
		q    Query
		want error
	}{
		{Query{Method: "d"}, ErrForm}, {Query{Method: "m:d"}, ErrForm}, {Query{Method: "a::b::c::d"}, ErrForm},
		{Query{Method: ""}, ErrForm}, {Query{Method: "m.d\n"}, ErrForm}, {Query{Method: "m.nobody"}, ErrUnknown},
		{Query{Method: "0xb::m::d"}, ErrUnknown}, {Query{Method: "m.d", Depth: 6}, ErrDepth},
		{Query{Method: "m.d", Depth: -1}, ErrDepth},
		{Query{Method: "m.d", Direction: "up"}, ErrDirection},
	} {
		if _, err := g.Chain(c.q); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, err, c.want)
		}
	}
}

func TestChainCountsWhatItCuts(t *testing.T) {
	var b strings.Builder
	b.WriteString("module acme::m; fun f() {\n")
	for i := range 250 {
		fmt.Fprintf(&b, "g%d();\n", i)
	}
	b.WriteString("}\n")
	for i := range 250 {
		fmt.Fprintf(&b, "fun g%d() { h(); }\n", i)
	}
	b.WriteString("fun h() {}\n")
	g := build(b.String())
	c, err := g.Chain(Query{Method: "m.f", Direction: Callees, Depth: 2, IncludeSource: true})
	if err != nil || len(c.Edges) != MaxChainEdges || c.Cut != 300 {
		t.Fatalf("%d edges, %d cut, %v", len(c.Edges), c.Cut, err)
	}
	if s := c.Sources[0]; s.ID != "0xa::m::f" || strings.Count(s.Text, "\n") != MaxSourceLines-1 ||
		s.Cut != 252-MaxSourceLines {
		t.Errorf("R001-46: %d lines, %d cut", strings.Count(s.Text, "\n")+1, s.Cut)
	}
}

func TestSource(t *testing.T) {
	g := build("\xef\xbb\xbfmodule acme::m;\r\n\r\n/// doc\r\nfun f() {\r\n\tg()\r\n}\r\nfun g() { }")
	for name, want := range map[string]string{"f": "fun f() {\n\tg()\n}", "g": "fun g() { }"} {
		if got, cut := g.Functions["0xa::m::"+name].Source(); got != want || cut != 0 {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A chain continues from a source into a published module. If both are available, the source is
// used.
func TestBytecode(t *testing.T) {
	id := func(name string) bytecode.FunctionID {
		return bytecode.FunctionID{Module: bytecode.ModuleID{Address: "0xb", Name: "lib"}, Name: name}
	}
	lib := &bytecode.Module{ID: id("").Module, Functions: []bytecode.Function{
		{Name: "open", Visibility: "public", Params: 1, Calls: []bytecode.Call{{Callee: id("deep")},
			{Offset: 3, Callee: id("deep")}}},
		{Name: "deep", Visibility: "private"},
	}}
	p := []Package{{Addresses: addresses, Sources: []Source{{"m.move",
		[]byte("module acme::m; fun f() { 0xb::lib::open(1) }")}}}}
	g := Build(p, lib)
	if got := fmt.Sprint(chain(t, g, Query{Method: "m.f", Direction: Callees,
		Depth: 5})); got != "[1 f>0xb::lib::open 2 0xb::lib::open>0xb::lib::deep]" {
		t.Error(got)
	}
	if e := g.Functions["0xb::lib::open"].Edges; len(e) != 1 || e[0].Count != 2 || !g.Modules["0xb::lib"].Bytecode {
		t.Errorf("%+v", e)
	}
	p[0].Sources = append(p[0].Sources, Source{"lib.move", []byte("module 0xb::lib; public fun open(x: u64) {}")})
	if g := Build(p, lib); len(g.Functions["0xb::lib::open"].Edges) != 0 || g.Functions["0xb::lib::deep"] != nil {
		t.Error("the published module is taken although its source is at hand")
	}
}

// A published module's own types determine the methods of its functions' results. What bytecode
// lacks, such as macros, is resolved by name.
func TestMethodsOfBytecode(t *testing.T) {
	lib := bytecode.ModuleID{Address: "0xb", Name: "lib"}
	till := &bytecode.Type{Kind: bytecode.TypeDatatype, Datatype: &bytecode.DatatypeID{Module: lib, Name: "Till"},
		Args: []*bytecode.Type{{Kind: bytecode.TypeParam}}}
	m := &bytecode.Module{ID: lib, Functions: []bytecode.Function{
		{Name: "open", Visibility: "public", Returns: 1, TypeParams: 1, ReturnTypes: []*bytecode.Type{till}},
		{Name: "item", Visibility: "public", Params: 1, Returns: 1, TypeParams: 1,
			ParamTypes:  []*bytecode.Type{{Kind: bytecode.TypeRef, Args: []*bytecode.Type{till}}},
			ReturnTypes: []*bytecode.Type{{Kind: bytecode.TypeParam}}},
		{Name: "other", Visibility: "public", Params: 1, ParamTypes: []*bytecode.Type{{Name: "u64"}}},
	}}
	text := "module acme::m; use 0xb::lib; use acme::price::Price; fun f() { let t = lib::open<Price>(); " +
		"t.item().units(); t.other(); t.each!(|x| x); }"
	g := Build([]Package{{Addresses: addresses, Sources: []Source{{"m.move", []byte(text)}, {"p.move", []byte(price)}}}},
		m)
	want := "[0xb::lib::each method [1]? 0xb::lib::item method [1] 0xb::lib::open call [1] 0xb::lib::other method [1]? " +
		"price::units method [1]]"
	if got := fmt.Sprint(edges(g, "0xa::m::f")); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Types that are made to grow with every line cost no more than the budget.
func TestHostileTypes(t *testing.T) {
	double := func(next string) string {
		var b strings.Builder
		b.WriteString("module acme::m; public struct P<A, B>(A, B) fun id<T>(x: T): T { x } fun f() { let x0 = P(1, 2); let y0 = P(3, 4);\n")
		for i := range 200 {
			fmt.Fprintf(&b, next, i+1, i)
		}
		b.WriteString("x1.m(); }")
		return b.String()
	}
	for _, text := range []string{
		double("let x%[1]d = P(x%[2]d, x%[2]d); let y%[1]d = P(y%[2]d, y%[2]d); x%[1]d == y%[1]d;\n"),
		double("let x%[1]d = id(P(x%[2]d, x%[2]d)); x%[2]d = P(x%[1]d, x%[1]d);\n"),
		"module acme::m; fun f() { let v = vector[]; v.push_back(v); v = vector[v]; v[0][0].x(); }",
		"module acme::m; fun f() { " + strings.Repeat("let a = |x| x.y().z(|w| w.v());", 3000) + " }",
		"module acme::m; public struct S { s: S } fun f(s: S) { s" + strings.Repeat(".s", 190) + ".g() }",
	} {
		if g := build(text); g.Functions["0xa::m::f"] == nil {
			t.Errorf("%.80q: the function is lost", text)
		}
	}
}

func FuzzBuild(f *testing.F) {
	f.Add([]byte(price))
	f.Add([]byte(rings))
	f.Add([]byte(vector))
	f.Fuzz(func(t *testing.T, text []byte) {
		g := build(string(text), price)
		for id, fun := range g.Functions {
			if fun.ID != id || fun.Line < 1 || fun.EndLine < fun.Line {
				t.Fatalf("%+v", fun)
			}
			fun.Source()
		}
	})
}
