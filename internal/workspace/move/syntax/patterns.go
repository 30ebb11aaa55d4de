package syntax

import "strconv"

// bind parses the pattern of a let, a parameter or a lambda.
func (p *parser) bind() *Pattern {
	if p.is("..") {
		p.fail("expected a name")
	}
	return p.pattern()
}

// orPattern parses the alternatives in a match.
func (p *parser) orPattern() *Pattern {
	p.enter()
	defer p.leave()
	first := p.pattern()
	if !p.is("|") {
		return first
	}
	out := &Pattern{Kind: PatternOr, At: first.At, Items: []*Pattern{first}}
	for p.accept("|") {
		out.Items = append(out.Items, p.pattern())
	}
	return out
}

func (p *parser) pattern() *Pattern {
	p.enter()
	defer p.leave()
	t := p.peek()
	out := &Pattern{At: t.start}
	switch {
	case t.kind == kindNumber && !p.tokenIs(p.at(1), "::"), t.kind == kindBytes, t.kind == kindString, p.is("@"),
		p.is("true"), p.is("false"):
		out.Kind, out.Literal = PatternLiteral, p.term()
	case p.accept("_"), p.accept(".."):
		out.Kind = PatternWildcard
	case p.is("("):
		p.i++
		out.Kind, out.Items = PatternTuple, p.patterns(")")
		if len(out.Items) == 1 {
			return out.Items[0]
		}
	case p.is("mut") && p.at(1).kind == kindName:
		p.i++
		out.Path = []string{p.name()}
	default:
		p.named(out)
	}
	return out
}

// patterns parses patterns separated by commas, up to the closing bracket.
func (p *parser) patterns(end string) []*Pattern {
	var out []*Pattern
	for !p.accept(end) {
		out = append(out, p.orPattern())
		if !p.is(end) {
			p.expect(",")
		}
	}
	return out
}

// named parses a pattern that begins with a name, which is a variable, a constant or an unpack
// pattern.
func (p *parser) named(out *Pattern) {
	out.Path = p.path()
	if p.is("<") {
		out.TypeArgs = p.typeArguments()
		if p.accept("::") {
			out.Path = append(out.Path, p.name())
		}
	}
	switch {
	case p.is("("):
		if c := out.Path[len(out.Path)-1][0]; c >= 'a' && c <= 'z' {
			p.fail("expected the name of a type")
		}
		p.i++
		out.Kind = PatternUnpack
		items := p.patterns(")")
		for i, item := range items {
			if item.Kind == PatternWildcard && string(p.src[item.At]) == "." {
				// Members after .. are numbered from the end, with negative numbers.
				for j := i + 1; j < len(items); j++ {
					out.Fields = append(out.Fields, FieldPattern{strconv.Itoa(j - len(items)), items[j]})
				}
				break
			}
			out.Fields = append(out.Fields, FieldPattern{strconv.Itoa(i), item})
		}
	case p.accept("{"):
		out.Kind = PatternUnpack
		p.fieldPatterns(out)
	case p.accept("@") && len(out.Path) == 1:
		out.Kind, out.Items = PatternAt, []*Pattern{p.pattern()}
	case len(out.Path) > 1 || out.TypeArgs != nil:
		out.Kind = PatternUnpack
	}
}

func (p *parser) fieldPatterns(out *Pattern) {
	for !p.accept("}") {
		if !p.accept("..") {
			p.accept("mut")
			at := p.peek().start
			f := FieldPattern{Name: p.name(), Pattern: nil}
			if p.accept(":") {
				f.Pattern = p.orPattern()
			} else {
				f.Pattern = &Pattern{At: at, Path: []string{f.Name}}
			}
			out.Fields = append(out.Fields, f)
		}
		if !p.is("}") {
			p.expect(",")
		}
	}
}
