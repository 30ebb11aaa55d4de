package syntax

import "strconv"

// modifiers are the modifiers before the keyword of an item.
type modifiers struct {
	visibility           Visibility
	entry, native, macro bool
	start                int
}

// item parses one member of a module.
func (p *parser) item(m *Module) {
	attributes := p.attributes()
	start := p.peek().start
	mods := p.modifiers()
	mods.start = start
	switch {
	case p.is("use"):
		uses := p.use()
		for _, u := range uses {
			u.Public, u.Attributes = mods.visibility == Public, attributes
		}
		m.Uses = append(m.Uses, uses...)
	case p.accept("friend"):
		m.Friends = append(m.Friends, p.path())
		p.expect(";")
	case p.is("struct"):
		m.Structs = append(m.Structs, p.structure(attributes, mods))
	case p.is("enum"):
		m.Enums = append(m.Enums, p.enum(attributes, mods))
	case p.is("const"):
		m.Constants = append(m.Constants, p.constant(attributes, mods))
	case p.is("fun"):
		p.function(m, attributes, mods)
	default:
		p.fail("expected a member of a module")
	}
}

func (p *parser) modifiers() modifiers {
	var out modifiers
	for {
		switch {
		case p.accept("public"):
			out.visibility = Public
			if p.accept("(") {
				switch {
				case p.accept("package"):
					out.visibility = Package
				case p.accept("friend"):
					out.visibility = Friend
				default:
					p.fail("expected package or friend")
				}
				p.expect(")")
			}
		case p.is("entry") && !p.tokenIs(p.at(1), "::"):
			p.i++
			out.entry = true
		case p.accept("native"):
			out.native = true
		case p.is("macro") && !p.tokenIs(p.at(1), "::"):
			p.i++
			out.macro = true
		default:
			return out
		}
	}
}

// use parses a use declaration. It returns one Use per name.
func (p *parser) use() []*Use {
	start := p.expect("use").start
	if p.accept("fun") {
		u := &Use{Start: start, Function: p.path()}
		p.expect("as")
		// The receiver is a path or a built-in type. The last dot precedes the method.
		u.Type = &Type{Kind: TypePath, At: p.peek().start, Path: p.path()}
		p.expect(".")
		u.Method = p.name()
		p.expect(";")
		return []*Use{u}
	}
	p.accept("::")
	var out []*Use
	p.useTree([]string{p.segment()}, start, &out)
	p.expect(";")
	return out
}

// useTree parses what follows a prefix: ::name, ::{…}, an alias, or nothing.
func (p *parser) useTree(prefix []string, start int, out *[]*Use) {
	p.enter()
	defer p.leave()
	if p.accept("::") {
		if p.accept("{") {
			for !p.accept("}") {
				at := p.peek().start
				if p.is("Self") && len(prefix) == 2 {
					p.i++
					p.useEnd(prefix, at, out)
				} else {
					p.useTree(append(prefix[:len(prefix):len(prefix)], p.name()), at, out)
				}
				if !p.is("}") {
					p.expect(",")
				}
			}
			return
		}
		p.useTree(append(prefix[:len(prefix):len(prefix)], p.name()), start, out)
		return
	}
	p.useEnd(prefix, start, out)
}

func (p *parser) useEnd(path []string, start int, out *[]*Use) {
	if len(path) < 2 || len(path) > 3 {
		p.fail("expected an address, a module and at most one member")
	}
	u := &Use{Path: path, Alias: path[len(path)-1], Start: start}
	if p.accept("as") {
		u.Alias = p.name()
	}
	*out = append(*out, u)
}

func (p *parser) typeParameters() []TypeParameter {
	if !p.accept("<") {
		return nil
	}
	var out []TypeParameter
	for !p.accept(">") {
		if p.is("phantom") && p.at(1).kind == kindName {
			p.i++
		}
		out = append(out, TypeParameter{p.name()})
		if p.accept(":") {
			p.ability()
			for p.accept("+") {
				p.ability()
			}
		}
		if !p.is(">") {
			p.expect(",")
		}
	}
	return out
}

func (p *parser) ability() {
	if !p.accept("copy") && !p.accept("drop") && !p.accept("store") && !p.accept("key") {
		p.fail("expected an ability")
	}
}

// abilities parses "has a, b". It returns false if there are none.
func (p *parser) abilities() bool {
	if !p.accept("has") {
		return false
	}
	p.ability()
	for p.accept(",") {
		p.ability()
	}
	return true
}

func (p *parser) structure(attributes []Attribute, mods modifiers) *Struct {
	p.expect("struct")
	s := &Struct{Start: mods.start, Attributes: attributes, Name: p.plainName()}
	s.TypeParameters = p.typeParameters()
	before := p.abilities()
	if mods.native {
		if !p.is(";") && !before {
			p.abilities()
		}
		p.expect(";")
		s.End = p.at(-1).end
		return s
	}
	if !p.is("{") && !p.is("(") {
		p.fail("expected fields")
	}
	p.fields(s)
	if p.is("has") {
		if before {
			p.fail("abilities before and after the fields")
		}
		p.abilities()
		p.expect(";")
	} else {
		p.accept(";")
	}
	s.End = p.at(-1).end
	return s
}

// fields parses { a: T } or (T, U) into s.
func (p *parser) fields(s *Struct) {
	if p.accept("(") {
		s.Positional = true
		for !p.accept(")") {
			p.attributes()
			s.Fields = append(s.Fields, Field{strconv.Itoa(len(s.Fields)), p.typ()})
			if !p.is(")") {
				p.expect(",")
			}
		}
		return
	}
	p.expect("{")
	for !p.accept("}") {
		p.attributes()
		name := p.name()
		p.expect(":")
		s.Fields = append(s.Fields, Field{name, p.typ()})
		if !p.is("}") {
			p.expect(",")
		}
	}
}

func (p *parser) enum(attributes []Attribute, mods modifiers) *Enum {
	p.expect("enum")
	e := &Enum{Start: mods.start, Attributes: attributes, Name: p.name()}
	e.TypeParameters = p.typeParameters()
	before := p.abilities()
	p.expect("{")
	for !p.accept("}") {
		p.attributes()
		v := &Struct{Start: p.peek().start, Name: p.name()}
		if p.is("(") || p.is("{") {
			p.fields(v)
		}
		v.End = p.at(-1).end
		e.Variants = append(e.Variants, v)
		if !p.is("}") {
			p.expect(",")
		}
	}
	if !before && p.abilities() {
		p.expect(";")
	}
	e.End = p.at(-1).end
	return e
}

func (p *parser) constant(attributes []Attribute, mods modifiers) *Constant {
	p.expect("const")
	c := &Constant{Start: mods.start, Attributes: attributes, Name: p.plainName()}
	p.expect(":")
	c.Type = p.typ()
	p.expect("=")
	c.Value = p.expr()
	p.expect(";")
	return c
}

// function parses a function. If the body is not valid, it keeps the rest.
func (p *parser) function(m *Module, attributes []Attribute, mods modifiers) {
	p.expect("fun")
	f := &Function{Visibility: mods.visibility, Entry: mods.entry, Native: mods.native, Macro: mods.macro,
		Start: mods.start, NameAt: p.peek().start, Attributes: attributes, Name: p.plainName()}
	f.TypeParameters = p.typeParameters()
	p.expect("(")
	for !p.accept(")") {
		p.attributes()
		pattern := p.bind()
		p.expect(":")
		f.Parameters = append(f.Parameters, Parameter{pattern, p.typ()})
		if !p.is(")") {
			p.expect(",")
		}
	}
	if p.accept(":") {
		f.Result = p.typ()
	}
	if p.accept("acquires") {
		for ok := true; ok; ok = p.accept(",") {
			p.typ()
		}
	}
	m.Functions = append(m.Functions, f)
	defer func() { f.End = p.at(-1).end }()
	if f.Native {
		p.expect(";")
		return
	}
	if !p.is("{") {
		p.fail("expected a body")
	}
	before := p.i
	p.try(func() { f.Body = p.blockExpr() }, before)
}

// integers are the types that a cast can convert to.
var integers = map[string]bool{"u8": true, "u16": true, "u32": true, "u64": true, "u128": true, "u256": true}

// typ parses a type.
func (p *parser) typ() *Type {
	p.enter()
	defer p.leave()
	t := &Type{At: p.peek().start}
	switch {
	case p.accept("&"):
		t.Kind = TypeRef
		if p.accept("mut") {
			t.Kind = TypeMutRef
		}
		t.Args = []*Type{p.typ()}
	case p.accept("("):
		t.Kind = TypeTuple
		for !p.accept(")") {
			t.Args = append(t.Args, p.typ())
			if !p.is(")") {
				p.expect(",")
			}
		}
		if len(t.Args) == 1 {
			return t.Args[0]
		}
	case p.is("|") || p.is("||"):
		t.Kind = TypeFunction
		if !p.accept("||") {
			p.expect("|")
			for !p.accept("|") {
				t.Args = append(t.Args, p.typ())
				if !p.is("|") {
					p.expect(",")
				}
			}
		}
		if p.accept("->") {
			t.Result = p.typ()
		}
	case p.is("_"):
		p.i++
		t.Kind = TypeHole
	default:
		t.Path = p.path()
		// After an integer type, < is an operator, as in x as u64 < y.
		if p.is("<") && !(len(t.Path) == 1 && integers[t.Path[0]]) {
			t.Args = p.typeArguments()
		}
	}
	return t
}

func (p *parser) typeArguments() []*Type {
	p.expect("<")
	var out []*Type
	for !p.accept(">") {
		out = append(out, p.typ())
		if !p.is(">") {
			p.expect(",")
		}
	}
	return out
}

// plainName parses a name without $, which is only allowed in macros.
func (p *parser) plainName() string {
	if t := p.peek(); p.src[min(t.start, len(p.src)-1)] == '$' {
		p.fail("the name of a macro's parameter outside a macro")
	}
	return p.name()
}
