package syntax

// expr parses an expression, including assignments.
func (p *parser) expr() *Expr {
	p.enter()
	defer p.leave()
	if p.is("|") || p.is("||") {
		return p.lambda()
	}
	x := p.binary(0)
	if p.is("=") {
		at := p.peek().start
		p.i++
		return &Expr{Kind: ExprAssign, At: at, X: x, Y: p.expr()}
	}
	return x
}

// precedences of the operators, which are all left-associative
var precedence = map[string]int{
	"==>": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 4, ">": 4, "<=": 4, ">=": 4, "..": 5, "..=": 5, "|": 6, "^": 7,
	"&": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}

// operator returns the operator at the cursor, and the number of its tokens.
func (p *parser) operator() (string, int) {
	t := p.peek()
	if t.kind != kindPunct {
		return "", 0
	}
	text := p.text(t)
	if next := p.at(1); text == ">" && next.start == t.end && (p.tokenIs(next, ">") || p.tokenIs(next, "=")) {
		return text + p.text(next), 2
	}
	return text, 1
}

func (p *parser) binary(least int) *Expr {
	x := p.unary()
	for n := 0; ; n++ {
		op, width := p.operator()
		power := precedence[op]
		if power == 0 || power < least {
			return x
		}
		if n > MaxDepth {
			p.fail("too long")
		}
		at := p.peek().start
		p.i += width
		p.enter()
		x = &Expr{Kind: ExprBinary, At: at, Name: op, X: x, Y: p.binary(power + 1)}
		p.leave()
	}
}

// unary parses prefix operators, an operand and a cast. A cast binds tighter than binary operators.
func (p *parser) unary() *Expr {
	x := p.prefixed()
	for n := 0; p.is("as"); n++ {
		if n > MaxDepth {
			p.fail("too long")
		}
		at := p.peek().start
		p.i++
		x = &Expr{Kind: ExprCast, At: at, X: x, Type: p.typ()}
	}
	return x
}

func (p *parser) prefixed() *Expr {
	p.enter()
	defer p.leave()
	t := p.peek()
	e := &Expr{At: t.start}
	switch {
	case p.accept("!"):
		e.Kind, e.Name = ExprUnary, "!"
	case p.accept("&"):
		e.Kind = ExprBorrow
		if p.accept("mut") {
			e.Kind = ExprMutBorrow
		}
	case p.accept("*"):
		e.Kind = ExprDeref
	case (p.is("move") || p.is("copy")) && !p.tokenIs(p.at(1), "::"):
		e.Kind, e.Name = ExprUnary, p.text(t)
		p.i++
	default:
		return p.postfix(p.term())
	}
	e.X = p.prefixed()
	return e
}

// typeArgumentsHere parses <T> directly after a name. A < after white space is an operator.
func (p *parser) typeArgumentsHere() []*Type {
	if p.is("<") && p.at(-1).end == p.peek().start {
		return p.typeArguments()
	}
	return nil
}

func (p *parser) postfix(x *Expr) *Expr {
	for n := 0; ; n++ {
		if n > MaxDepth {
			p.fail("too long")
		}
		switch {
		case p.is("."):
			p.i++
			x = p.dot(x)
		case p.is("["):
			at := p.peek().start
			p.i++
			x = &Expr{Kind: ExprIndex, At: at, X: x, Args: p.list("]")}
		default:
			return x
		}
	}
}

func (p *parser) dot(x *Expr) *Expr {
	t := p.peek()
	if t.kind == kindNumber {
		p.i++
		return &Expr{Kind: ExprField, At: t.start, X: x, Name: p.text(t)}
	}
	e := &Expr{Kind: ExprField, At: t.start, X: x, Name: p.name()}
	if p.is("!") && (p.tokenIs(p.at(1), "(") || p.tokenIs(p.at(1), "<")) {
		p.i++
		e.Kind = ExprDotMacro
	}
	e.TypeArgs = p.typeArgumentsHere()
	if p.is("(") {
		if e.Kind == ExprField {
			e.Kind = ExprMethod
		}
		p.i++
		e.Args = p.list(")")
	} else if e.Kind == ExprDotMacro || e.TypeArgs != nil {
		p.fail("expected \"(\"")
	}
	return e
}

// list parses expressions up to the closing bracket.
func (p *parser) list(end string) []*Expr {
	var out []*Expr
	for !p.accept(end) {
		out = append(out, p.expr())
		if !p.is(end) {
			p.expect(",")
		}
	}
	return out
}

func (p *parser) term() *Expr {
	t := p.peek()
	e := &Expr{At: t.start, Text: ""}
	switch t.kind {
	case kindNumber:
		if p.tokenIs(p.at(1), "::") {
			return p.pathTerm()
		}
		p.i++
		e.Kind, e.Text = ExprNumber, p.text(t)
		return e
	case kindBytes:
		p.i++
		e.Kind = ExprBytes
		return e
	case kindString:
		p.i++
		e.Kind = ExprString
		return e
	case kindLabel:
		return p.labelled()
	case kindName:
		if !t.raw {
			if x := p.keyword(); x != nil {
				return x
			}
		}
		return p.pathTerm()
	}
	switch {
	case p.is("("):
		return p.parenthesis()
	case p.is("{"):
		return p.blockExpr()
	case p.is("::"):
		return p.pathTerm()
	case p.accept("@"):
		e.Kind, e.Text = ExprAddress, p.segment()
		return e
	}
	p.fail("expected an expression")
	return nil
}

func (p *parser) labelled() *Expr {
	t := p.peek()
	p.i++
	p.expect(":")
	e := &Expr{Kind: ExprLabeled, At: t.start, Label: p.text(t)}
	if !p.is("{") && !p.is("loop") && !p.is("while") {
		p.fail("expected a block or a loop")
	}
	e.X = p.term()
	return e
}

func (p *parser) parenthesis() *Expr {
	e := &Expr{Kind: ExprUnit, At: p.expect("(").start}
	if p.accept(")") {
		return e
	}
	x := p.expr()
	switch {
	case p.is("as"): // without parentheses, a cast applies to the whole preceding expression
		p.i++
		x = &Expr{Kind: ExprCast, At: e.At, X: x, Type: p.typ()}
	case p.accept(":"):
		x = &Expr{Kind: ExprTyped, At: e.At, X: x, Type: p.typ()}
	}
	if p.accept(")") {
		return x
	}
	p.expect(",")
	e.Kind, e.Args = ExprTuple, append([]*Expr{x}, p.list(")")...)
	return e
}

// keyword parses an expression that begins with a keyword, or returns nil.
func (p *parser) keyword() *Expr {
	e := &Expr{At: p.peek().start}
	switch p.text(p.peek()) {
	case "true", "false":
		p.i++
		e.Kind = ExprBool
	case "if":
		p.i++
		e.Kind, e.X = ExprIf, p.condition()
		e.Y = p.branch()
		if p.accept("else") {
			e.Z = p.branch()
		}
	case "while":
		p.i++
		e.Kind, e.X = ExprWhile, p.condition()
		e.Y = p.branch()
	case "loop":
		p.i++
		e.Kind, e.X = ExprLoop, p.branch()
	case "match":
		if !p.tokenIs(p.at(1), "(") {
			return nil
		}
		return p.match()
	case "abort":
		p.i++
		e.Kind, e.X = ExprAbort, p.optional()
	case "return", "break", "continue":
		kinds := map[string]ExprKind{"return": ExprReturn, "break": ExprBreak, "continue": ExprContinue}
		e.Kind = kinds[p.text(p.peek())]
		p.i++
		if p.peek().kind == kindLabel && !p.tokenIs(p.at(1), ":") {
			e.Label = p.text(p.peek())
			p.i++
		}
		if e.Kind != ExprContinue {
			e.X = p.optional()
		}
	default:
		return nil
	}
	return e
}

// branch parses the expression after if, else, while or loop. If it begins with a block, it ends
// with that block, so that the + in "if (a) { b } + c" is not part of the branch.
func (p *parser) branch() *Expr {
	p.enter()
	defer p.leave()
	if p.is("{") {
		return p.blockExpr()
	}
	return p.expr()
}

func (p *parser) condition() *Expr {
	p.expect("(")
	x := p.expr()
	p.expect(")")
	return x
}

// optional parses the expression after abort, return or break, if there is one.
func (p *parser) optional() *Expr {
	t := p.peek()
	if t.kind == kindEOF || p.is("else") || p.is("as") {
		return nil
	}
	if t.kind == kindPunct {
		switch p.text(t) {
		case "(", "{", "@", "!", "&", "*", "::":
		default:
			return nil
		}
	}
	return p.expr()
}

func (p *parser) match() *Expr {
	e := &Expr{Kind: ExprMatch, At: p.expect("match").start, X: p.condition()}
	p.expect("{")
	for !p.accept("}") {
		arm := Arm{Pattern: p.orPattern()}
		if p.accept("if") {
			arm.Guard = p.condition()
		}
		p.expect("=>")
		arm.Body = p.expr()
		block := p.tokenIs(p.at(-1), "}")
		e.Arms = append(e.Arms, arm)
		if !p.is("}") && !p.accept(",") && !block {
			p.fail("expected \",\"")
		}
	}
	return e
}

func (p *parser) lambda() *Expr {
	e := &Expr{Kind: ExprLambda, At: p.peek().start}
	if !p.accept("||") {
		p.expect("|")
		for !p.accept("|") {
			param := Parameter{Pattern: p.bind()}
			if p.accept(":") {
				param.Type = p.typ()
			}
			e.Parameters = append(e.Parameters, param)
			if !p.is("|") {
				p.expect(",")
			}
		}
	}
	if p.accept("->") {
		e.Type = p.typ()
	}
	e.X = p.expr()
	return e
}

// pathTerm parses a path and what follows it: arguments, fields, or nothing.
func (p *parser) pathTerm() *Expr {
	e := &Expr{Kind: ExprPath, At: p.peek().start, Path: p.path()}
	e.At = p.at(-1).start
	if p.is("!") && (p.tokenIs(p.at(1), "(") || p.tokenIs(p.at(1), "<")) && p.at(-1).end == p.peek().start {
		p.i++
		e.Kind = ExprMacro
	}
	e.TypeArgs = p.typeArgumentsHere()
	if p.is("::") && e.TypeArgs != nil { // Enum<T>::Variant
		p.i++
		e.Path = append(e.Path, p.name())
	}
	switch {
	case e.Kind == ExprMacro:
		p.expect("(")
		e.Args = p.list(")")
	case p.is("(") && len(e.Path) > 0:
		p.i++
		e.Kind, e.Args = ExprCall, p.list(")")
	case p.is("{"):
		p.pack(e)
	case p.is("[") && len(e.Path) == 1 && e.Path[0] == "vector":
		p.i++
		if len(e.TypeArgs) > 0 {
			e.Type = e.TypeArgs[0]
		}
		e.Kind, e.Args = ExprVector, p.list("]")
	}
	return e
}

func (p *parser) pack(e *Expr) {
	e.Kind = ExprPack
	p.expect("{")
	for !p.accept("}") {
		f := FieldValue{At: p.peek().start, Name: p.name()}
		if p.accept(":") {
			f.Value = p.expr()
		}
		e.Fields = append(e.Fields, f)
		if !p.is("}") {
			p.expect(",")
		}
	}
}

func (p *parser) blockExpr() *Expr {
	p.enter()
	defer p.leave()
	e := &Expr{Kind: ExprBlock, At: p.expect("{").start, Block: &Block{}}
	b := e.Block
	for !p.accept("}") {
		p.attributes()
		switch {
		case p.is("use"):
			b.Uses = append(b.Uses, p.use()...)
		case p.is("let"):
			b.Statements = append(b.Statements, p.let())
		case p.accept(";"):
		default:
			x := p.expr()
			if p.accept(";") {
				b.Statements = append(b.Statements, Statement{Value: x})
				continue
			}
			b.Value = x
			if !p.is("}") {
				p.fail("expected \";\"")
			}
		}
	}
	return e
}

func (p *parser) let() Statement {
	p.expect("let")
	s := Statement{Let: p.bind()}
	if p.accept(":") {
		s.Type = p.typ()
	}
	if p.accept("=") {
		s.Value = p.expr()
	}
	p.expect(";")
	return s
}
