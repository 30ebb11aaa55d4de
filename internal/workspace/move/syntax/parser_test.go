package syntax

import (
	"fmt"
	"strings"
	"testing"
)

const shop = `// a comment /* that opens nothing
/* outer /* inner */ still outer */
#[allow(unused_use)]
module acme::shop;

use std::string::{Self, String as Text};
use acme::{price::{Self, Price}, till as drawer};
public use fun price::double as Price.twice;
use fun drawer::put as Shop.put;

const EClosed: u64 = 0xFF;

public struct Shop<phantom T: drop + store> has key, store { id: UID, tills: vector<Till>, ` + "`type`" + `: u8, }
public struct Pair(u64, bool) has copy, drop;
public enum Door has drop { Open, Ajar(u8), Locked { by: address } }

public(package) macro fun each<$T>($v: &vector<$T>, $f: |&$T| -> ()) {
    let mut i = 0;
    'all: while (i < $v.length()) { if (i > 9) break 'all; $f(&$v[i]); i = i + 1 }
}

entry fun open(shop: &mut Shop<u8>, mut x: u64, _ctx: &TxContext): (u64, bool) {
    let Pair(a, mut _b) = Pair(1_000u64, true);
    let s = Shop<u8> { id: object::new(ctx), tills: vector<Till>[], ` + "`type`" + `: 1 };
    let v = vector[vector[1u8], b"two", x"03"];
    each!(&v, |item: &vector<u8>| -> () { price::new<u8>(item.length() as u64); });
    match (door) {
        Door::Open => x = 1,
        Door::Ajar(n) if (*n > 3) => { x = 2; },
        Door::Locked { by: @0x1 | @acme, .. } | Door::Ajar(..) => return (0, false),
    };
    x = if (x >> 2 >= 1 && !(x as u8 == 3)) { loop { break 7 } } else abort EClosed;
    (shop.tills[x].sum() + a, false)
}

native fun hidden<T>(x: T): u64;
#[test, expected_failure(abort_code = ::acme::shop::EClosed, location=Self)]
fun test_open() { abort 0 }
`

func TestModule(t *testing.T) {
	for name, text := range map[string]string{
		"as it is":      shop,
		"CRLF":          strings.ReplaceAll(shop, "\n", "\r\n"),
		"BOM":           "\xef\xbb\xbf" + shop,
		"braces":        strings.Replace(shop, "acme::shop;", "acme::shop {", 1) + "}",
		"address block": "address acme {\n" + strings.Replace(shop, "acme::shop;", "shop {", 1) + "}}",
	} {
		t.Run(name, func(t *testing.T) {
			f := Parse([]byte(text))
			for _, p := range f.Problems {
				t.Errorf("%d:%d: %s", p.Line, p.Column, p.Text)
			}
			if len(f.Modules) != 1 {
				t.Fatalf("%d modules", len(f.Modules))
			}
			m := f.Modules[0]
			var got []string
			for _, f := range m.Functions {
				got = append(got, fmt.Sprintf("%s %s %d/%d", f.Visibility, f.Name, len(f.TypeParameters), len(f.Parameters)))
			}
			want := "[public(package) each 1/2  open 0/3  hidden 1/1  test_open 0/0]"
			if fmt.Sprint(got) != want {
				t.Errorf("%v\nwant %v", got, want)
			}
			if m.Address != "acme" || m.Name != "shop" || len(m.Uses) != 7 || len(m.Structs) != 2 || len(m.Enums) != 1 ||
				len(m.Enums[0].Variants) != 3 || m.Structs[0].Fields[2].Name != "type" {
				t.Errorf("%+v", m)
			}
			if u := m.Uses[1]; u.Alias != "Text" || strings.Join(u.Path, "::") != "std::string::String" {
				t.Errorf("%+v", u)
			}
			if u := m.Uses[5]; !u.Public || u.Method != "twice" || u.Type.Path[0] != "Price" {
				t.Errorf("%+v", u)
			}
		})
	}
}

// A cast binds tighter than every operator behind it.
func TestCastBeforeOperator(t *testing.T) {
	for _, op := range []string{"<", "<<", "<=", ">", ">>", ">=", "==", "!=", "+", "-", "*", "/", "%", "&", "|", "^", "&&",
		"||"} {
		f := Parse([]byte("module a::m;\nfun a(x: u8, y: u64) { x as u64 " + op + " y }\n"))
		for _, p := range f.Problems {
			t.Errorf("%s: %d:%d: %s", op, p.Line, p.Column, p.Text)
		}
		if len(f.Problems) > 0 {
			continue
		}
		x := f.Modules[0].Functions[0].Body.Block.Value
		if x.Kind != ExprBinary || x.Name != op || x.X.Kind != ExprCast || x.Y.Kind != ExprPath {
			t.Errorf("%s: %+v", op, x)
		}
	}
}

// A function that is not Move leaves the others as they are.
func TestItemsAroundAProblem(t *testing.T) {
	for _, broken := range []string{
		"fun b() { let x = ; y }", "fun b( { }", "struct { }", "fun b() { (1 + }", "use ;", "fun b() { x.", "const A = 1;",
		"fun b() { \"no end\n }", "public(all) fun b() {}", "}", "fun b() { match (x) { A => } }", "@ # $ ! ~",
	} {
		f := Parse([]byte("module a::m;\nfun a() {}\n" + broken + "\nfun c() {}\n"))
		if len(f.Problems) == 0 {
			t.Errorf("%q: no problem", broken)
			continue
		}
		if p := f.Problems[0]; p.Line < 3 {
			t.Errorf("%q: the problem is at line %d", broken, p.Line)
		}
		if len(f.Modules) != 1 || len(f.Modules[0].Functions) == 0 || f.Modules[0].Functions[0].Name != "a" {
			t.Errorf("%q: the function before it is lost", broken)
		}
	}
	f := Parse([]byte("module a::m;\nfun b() { let x = ; y }\nfun c() {}\n"))
	if len(f.Modules[0].Functions) != 2 || f.Modules[0].Functions[0].Body != nil {
		t.Errorf("%+v", f.Modules[0].Functions)
	}
}

// Sources made to cost much end with a problem.
func TestHostileSources(t *testing.T) {
	in := func(body string) string { return "module a::m { fun f() { " + body + " } fun g() {} }" }
	many := func(s string) string { return strings.Repeat(s, 50_000) }
	for name, text := range map[string]string{
		"parentheses": in(many("(")), "blocks": in(many("{")), "prefixes": in(many("!")), "borrows": in(many("&")),
		"methods": in("x" + many(".f()")), "sums": in("1" + many(" + 1")), "lambdas": in("f!(" + many("|x| ")),
		"ifs": in(many("if (a) b else ")), "types": in("let x: " + many("vector<")), "references": in("let x: " + many("&")),
		"patterns": in("let " + many("(")), "labels": in(many("'a: {")), "casts": in("x" + many(" as u8")),
		"comments": many("/*"), "attributes": many("#["), "attributes that do not end": "module a::m;" + many("#[;"),
		"uses":    "module a::m { use " + many("a::{"),
		"returns": in(many("return ")), "powers": in("a" + many(" == a && a")), "zero bytes": many("\x00"),
		"invalid":     many("\xff"),
		"assignments": in(many("a = ")), "functions types": in("let x: " + many("|| -> ")), "indices": in("a" + many("[0]")),
	} {
		if f := Parse([]byte(text)); len(f.Problems) == 0 || len(f.Problems) > 2*maxProblems {
			t.Errorf("%s: %d problems", name, len(f.Problems))
		}
	}
	f := Parse([]byte("module a::m { fun f() {} } /* */ module a::n { const A: vector<u8> = vector[" + strings.Repeat("1,",
		MaxTokens/2) + "]; }"))
	if len(f.Problems) == 0 || !strings.HasPrefix(f.Problems[len(f.Problems)-1].Text, "too many tokens") &&
		!strings.HasPrefix(f.Problems[0].Text, "too many tokens") {
		t.Errorf("more tokens than the limit: %+v", f.Problems)
	}
}

func TestEncodings(t *testing.T) {
	f := Parse([]byte("module a::m;\n// caf\xe9\nfun f() {}\n"))
	if len(f.Problems) != 1 || f.Problems[0].Line != 2 || f.Problems[0].Column != 7 || len(f.Modules[0].Functions) != 1 {
		t.Errorf("%+v", f.Problems)
	}
	if f := Parse([]byte("module a::m;\n// größer\nfun f() {}\n")); len(f.Problems) != 0 {
		t.Errorf("%+v", f.Problems)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(shop))
	f.Add([]byte("module 0x1::a { use fun a as u8.b; spec module {} }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file := Parse(text)
		for _, m := range file.Modules {
			if m.Start > m.End || m.End > len(text) {
				t.Fatalf("the module %s goes from %d to %d of %d", m.Name, m.Start, m.End, len(text))
			}
			for _, fun := range m.Functions {
				if fun.Start > fun.End || fun.End > len(text) {
					t.Fatalf("the function %s goes from %d to %d of %d", fun.Name, fun.Start, fun.End, len(text))
				}
			}
		}
	})
}
