// Package syntax parses Move 2024 and the legacy edition into a syntax tree. Invalid code is
// reported as a Problem, and the items around it are still parsed. The package does no I/O, and its
// work is limited.
package syntax

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
)

// MaxDepth limits the nesting of expressions, types and patterns, and the length of chains such as
// x.f().g() and a + b + c. This limits the stack of the parser and of code that walks the tree.
const MaxDepth = 200

// parser parses tokens. On a syntax error it panics with abandon{}, which only item and body
// recover from.
type parser struct{ cursor }

// cursor is a position in a source's tokens. It also collects problems.
type cursor struct {
	src    []byte
	tokens []token
	i      int
	depth  int
	file   *File
}

type abandon struct{}

// Parse parses a source. It always returns a File, even if the source is not valid Move.
func Parse(src []byte) *File {
	tokens, problems := lex(src)
	f := &File{Problems: problems, lines: []int{0}}
	for i := 0; i < len(src); {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		f.lines = append(f.lines, i)
	}
	p := &parser{cursor{src: src, tokens: tokens, file: f}}
	p.top()
	sort.SliceStable(f.Problems, func(i, j int) bool { return f.Problems[i].Offset < f.Problems[j].Offset })
	for i := range f.Problems {
		f.Problems[i].Line, f.Problems[i].Column = f.Position(f.Problems[i].Offset)
	}
	return f
}

// Position returns the line and the column in bytes of an offset. Both count from 1.
func (f *File) Position(offset int) (line, column int) {
	line = sort.SearchInts(f.lines, offset+1)
	return line, offset - f.lines[line-1] + 1
}

func (c *cursor) peek() token { return c.tokens[c.i] }

func (c *cursor) at(n int) token {
	if c.i+n < len(c.tokens) {
		return c.tokens[c.i+n]
	}
	return c.tokens[len(c.tokens)-1]
}

func (c *cursor) text(t token) string {
	if t.raw {
		return string(c.src[t.start+1 : t.end-1])
	}
	return string(c.src[t.start:t.end])
}

// is reports whether the next token is this operator or keyword.
func (c *cursor) is(s string) bool { return c.tokenIs(c.peek(), s) }

func (c *cursor) tokenIs(t token, s string) bool {
	return (t.kind == kindPunct || t.kind == kindName && !t.raw) && string(c.src[t.start:t.end]) == s
}

func (c *cursor) accept(s string) bool {
	if c.is(s) {
		c.i++
		return true
	}
	return false
}

func (c *cursor) expect(s string) token {
	t := c.peek()
	if !c.accept(s) {
		c.fail("expected " + strconv.Quote(s))
	}
	return t
}

func (c *cursor) fail(text string) {
	c.report(c.peek().start, text)
	panic(abandon{})
}

func (c *cursor) report(at int, text string) {
	if len(c.file.Problems) < maxProblems {
		c.file.Problems = append(c.file.Problems, Problem{Offset: at, Text: text})
	}
}

// enter counts one more level of nesting. The caller must defer c.leave().
func (c *cursor) enter() {
	if c.depth++; c.depth > MaxDepth {
		c.fail("nested too deeply")
	}
}

func (c *cursor) leave() { c.depth-- }

// reserved words are names only in backticks.
var reserved = map[string]bool{
	"abort": true, "as": true, "break": true, "const": true, "continue": true, "copy": true, "else": true,
	"false": true, "fun": true, "if": true, "invariant": true, "let": true, "loop": true, "module": true, "move": true,
	"native": true, "public": true, "return": true, "spec": true, "struct": true, "true": true, "use": true,
	"while": true, "acquires": true, "friend": true, "for": true, "match": true, "mut": true,
}

func (c *cursor) name() string {
	t := c.peek()
	if t.kind != kindName || !t.raw && reserved[c.text(t)] {
		c.fail("expected a name")
	}
	c.i++
	return c.text(t)
}

// top parses the modules of a file, including those in address blocks of the old form.
func (p *parser) top() {
	for p.peek().kind != kindEOF {
		before := p.i
		p.try(func() {
			attributes := p.attributes()
			if p.is("extend") && p.tokenIs(p.at(1), "module") {
				p.i++
			}
			switch {
			case p.is("module"):
				p.module("", attributes)
			case p.is("address"):
				p.i++
				address := p.address()
				p.expect("{")
				for !p.accept("}") {
					p.module(address, p.attributes())
				}
			default:
				p.fail("expected a module")
			}
		}, before)
	}
}

// try calls f. If f fails with a syntax error, it continues after the item that begins at token
// from.
func (p *parser) try(f func(), from int) {
	depth := p.depth
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(abandon); !ok {
				panic(r)
			}
			p.depth = depth
			p.skipItem(from)
		}
	}()
	f()
}

// skipItem skips to the end of the item that begins at token from: the first semicolon or closing
// brace at the same nesting level. It always advances.
func (p *parser) skipItem(from int) {
	failed, depth := p.i, 0
	for p.i = from; p.peek().kind != kindEOF; p.i++ {
		switch {
		case p.is("{") || p.is("(") || p.is("["):
			depth++
		case p.is(")") || p.is("]"):
			depth--
		case p.is("}"):
			if depth--; depth < 0 && p.i > from {
				return // the end of the enclosing block
			}
			if depth <= 0 && p.i >= failed {
				p.i++
				return
			}
		case p.is(";") && depth <= 0 && p.i >= failed:
			p.i++
			return
		}
	}
}

func (p *parser) attributes() []Attribute {
	var out []Attribute
	for p.is("#") && p.tokenIs(p.at(1), "[") {
		p.i += 2
		for !p.accept("]") {
			a := Attribute{Name: strings.Join(p.path(), "::")}
			from := p.peek().start
			switch {
			case p.is("("):
				p.balanced()
				a.Args = string(p.src[from+1 : p.at(-1).start])
			case p.accept("="):
				from = p.peek().start
				if p.is("@") || p.peek().kind == kindNumber || p.is("::") {
					p.i++
				}
				p.i++
				for p.is("::") || p.tokenIs(p.at(-1), "::") {
					p.i++
				}
				if p.peek().kind == kindEOF {
					p.fail("expected \"]\"")
				}
				a.Args = string(p.src[from:p.at(-1).end])
			}
			out = append(out, a)
			if !p.is("]") {
				p.expect(",")
			}
		}
	}
	return out
}

// balanced skips everything up to the matching bracket.
func (p *parser) balanced() {
	depth := 0
	for {
		switch {
		case p.peek().kind == kindEOF:
			p.fail("unclosed bracket")
		case p.is("(") || p.is("[") || p.is("{"):
			depth++
		case p.is(")") || p.is("]") || p.is("}"):
			depth--
		}
		p.i++
		if depth <= 0 {
			return
		}
	}
}

// path parses a::b::c. The first part may be a number, which is an address. A leading :: is
// allowed.
func (p *parser) path() []string {
	rooted := p.accept("::")
	out := []string{p.segment()}
	for p.is("::") && len(out) < 8 {
		p.i++
		out = append(out, p.segment())
	}
	if rooted && len(out) < 2 {
		p.fail("expected \"::\"")
	}
	return out
}

func (p *parser) segment() string {
	if p.peek().kind == kindNumber {
		p.i++
		return p.text(p.at(-1))
	}
	return p.name()
}

func (p *parser) address() string {
	return p.segment()
}

func (p *parser) module(address string, attributes []Attribute) {
	m := &Module{Start: p.expect("module").start, Attributes: attributes, Address: address}
	path := p.path()
	switch {
	case len(path) == 2 && address == "":
		m.Address, m.Name = path[0], path[1]
	case len(path) == 1:
		m.Name = path[0]
	default:
		p.fail("expected an address and a module")
	}
	if p.accept(";") {
		m.Label = true
	} else {
		p.expect("{")
	}
	p.file.Modules = append(p.file.Modules, m)
	for !p.moduleEnds(m) {
		before := p.i
		p.try(func() { p.item(m) }, before)
	}
	m.End = p.at(-1).end
}

// moduleEnds reports whether a module has no more items. A module without braces ends at the next
// module or at the end of the file.
func (p *parser) moduleEnds(m *Module) bool {
	if p.peek().kind == kindEOF {
		if !m.Label {
			p.report(p.peek().start, "unterminated module")
		}
		return true
	}
	if !m.Label {
		return p.accept("}")
	}
	if p.is("}") {
		p.report(p.peek().start, "unmatched closing brace")
		p.i++
	}
	i := p.i
	for p.tokenIs(p.tokens[i], "#") && i+1 < len(p.tokens) && p.tokenIs(p.tokens[i+1], "[") {
		depth := 0
		for i++; i < len(p.tokens)-1; i++ {
			if p.tokenIs(p.tokens[i], "[") {
				depth++
			} else if p.tokenIs(p.tokens[i], ";") {
				break // not an attribute; stop here so that the tokens are not scanned again and again
			} else if p.tokenIs(p.tokens[i], "]") {
				if depth--; depth == 0 {
					i++
					break
				}
			}
		}
	}
	return p.tokens[i].kind == kindEOF && i == p.i || p.tokenIs(p.tokens[i], "module")
}
