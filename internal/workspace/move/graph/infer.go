package graph

import (
	"sort"

	"github.com/sayurintent/sayurintent/internal/workspace/move/syntax"
)

// work limits the effort for one function, in steps of walks over types and in lookups. The largest
// published function needs one percent of it.
const work = 2_000_000

// inference infers the types in one function in source order, like the compiler, and records its
// calls. A call whose function is not known yet is tried again at the end.
type inference struct {
	names
	f       *Function
	locals  *local
	labels  *label
	result  *ty
	budget  int
	edges   map[edgeKey]*Edge
	waiting []func(last bool) bool
	indexed map[*syntax.Expr]*indexUse
	numbers []*ty // literals without a type, which are u64 by default
	strings []stringUse
}

type edgeKey struct {
	callee     string
	kind       Kind
	confidence Confidence
}

// local is a variable. The list of locals is linked from the innermost scope to the outermost.
type local struct {
	name string
	t    *ty
	next *local
}

// label is a loop or a named block. A loop without a label has the name "".
type label struct {
	name string
	loop bool
	t    *ty
	next *label
}

type stringUse struct {
	t  *ty
	at int
}

func newInference(g *Graph, m *module, f *Function) *inference {
	n := &inference{names: names{g: g, m: m, scope: m.scope, params: paramTypes(f.ast.TypeParameters)}, f: f, budget: work,
		edges: map[edgeKey]*Edge{}, indexed: map[*syntax.Expr]*indexUse{}}
	if f.TestOnly {
		n.scope = m.testScope
	}
	return n
}

// spend takes one step from the budget. It returns false if the budget is exhausted, which ends
// inference.
func (n *inference) spend() bool {
	n.budget--
	return n.budget > 0
}

func (n *inference) run() {
	s := n.g.signatureOf(n.f)
	for i, p := range n.f.ast.Parameters {
		n.pattern(p.Pattern, s.params[i])
	}
	n.result = s.result
	n.unify(n.value(n.f.ast.Body), n.result)
	n.retry(false)
	for _, t := range n.numbers {
		if known(t).kind == tyVar {
			n.unify(t, u64Type)
		}
	}
	for _, s := range n.strings {
		if known(s.t).kind == tyVar {
			n.unify(s.t, stringType)
		}
	}
	n.retry(false)
	for range 2 { // a result that was found by name may resolve another call
		n.retry(true)
	}
	for _, s := range n.strings {
		n.literal(s)
	}
	for _, e := range n.edges {
		n.f.Edges = append(n.f.Edges, *e)
	}
	sort.Slice(n.f.Edges, func(i, j int) bool {
		a, b := n.f.Edges[i], n.f.Edges[j]
		if a.Lines[0] != b.Lines[0] {
			return a.Lines[0] < b.Lines[0]
		}
		if a.Callee != b.Callee {
			return a.Callee < b.Callee
		}
		return a.Kind+Kind(a.Confidence) < b.Kind+Kind(b.Confidence)
	})
}

// retry tries unresolved work until a round makes no progress. If last is set, it resolves
// everything, if necessary by name and regardless of the budget.
func (n *inference) retry(last bool) {
	for len(n.waiting) > 0 {
		waiting := n.waiting
		n.waiting = nil
		var rest []func(bool) bool
		for _, w := range waiting {
			if !last && !n.spend() || !w(last) {
				rest = append(rest, w)
			}
		}
		n.waiting = append(rest, n.waiting...)
		if last && len(rest) > 0 {
			n.waiting = n.waiting[len(rest):]
		} else if len(rest) == len(waiting) {
			return
		}
	}
}

// now calls f now, and again later until f returns true.
func (n *inference) now(f func(last bool) bool) {
	if !f(false) {
		n.waiting = append(n.waiting, f)
	}
}

// edge records a call at an offset in the source.
func (n *inference) edge(callee string, kind Kind, confidence Confidence, at int) *Edge {
	k := edgeKey{callee, kind, confidence}
	e := n.edges[k]
	if e == nil {
		e = &Edge{Caller: n.f.ID, Callee: callee, Kind: kind, Confidence: confidence}
		n.edges[k] = e
	}
	line, _ := n.m.file.Position(at)
	e.Count++
	if i := sort.SearchInts(e.Lines, line); i == len(e.Lines) || e.Lines[i] != line {
		e.Lines = append(e.Lines, 0)
		copy(e.Lines[i+1:], e.Lines[i:])
		e.Lines[i] = line
	}
	return e
}

// vectorInstructions are the natives of std::vector that are compiled to instructions. They are
// used if std is not loaded.
var vectorInstructions = map[string]bool{
	"0x1::vector::empty": true, "0x1::vector::length": true, "0x1::vector::borrow": true, "0x1::vector::borrow_mut": true,
	"0x1::vector::push_back": true, "0x1::vector::pop_back": true, "0x1::vector::destroy_empty": true,
	"0x1::vector::swap": true,
}

// kindOf returns the kind of a call to f, given the kind of the syntax.
func kindOf(id string, f *Function, kind Kind) Kind {
	if f == nil || f.ast == nil {
		if vectorInstructions[id] {
			return KindInstruction
		}
		return kind
	}
	if f.Macro {
		return KindMacro
	}
	for _, a := range f.ast.Attributes {
		if a.Name == "bytecode_instruction" {
			return KindInstruction
		}
	}
	return kind
}

func (n *inference) local(name string) *ty {
	for l := n.locals; l != nil && n.spend(); l = l.next {
		if l.name == name {
			return l.t
		}
	}
	return nil
}

func (n *inference) bind(name string, t *ty) { n.locals = &local{name, t, n.locals} }

// value infers the type of an expression whose value is used.
func (n *inference) value(e *syntax.Expr) *ty {
	if e == nil {
		return unit
	}
	t := n.place(e)
	n.settle(e, false, Resolved)
	return t
}

// values infers expressions in order.
func (n *inference) values(es []*syntax.Expr) []*ty {
	out := make([]*ty, len(es))
	for i, e := range es {
		out[i] = n.value(e)
	}
	return out
}

// place infers an expression but does not decide whether the index functions on its path are
// mutable. That is left to settle.
func (n *inference) place(e *syntax.Expr) *ty {
	switch e.Kind {
	case syntax.ExprField:
		return n.field(e)
	case syntax.ExprIndex:
		return n.indexing(e)
	case syntax.ExprDeref:
		t := known(n.place(e.X))
		if t.kind == tyRef {
			return t.args[0]
		}
		return t
	case syntax.ExprBorrow, syntax.ExprMutBorrow:
		mut := e.Kind == syntax.ExprMutBorrow
		t := n.place(e.X)
		n.settle(e.X, mut, Resolved)
		return refTo(t, mut)
	case syntax.ExprPath:
		return n.path(e)
	case syntax.ExprCall, syntax.ExprMacro:
		return n.call(e)
	case syntax.ExprMethod, syntax.ExprDotMacro:
		return n.method(e)
	case syntax.ExprPack:
		return n.pack(e)
	case syntax.ExprBlock:
		return n.block(e.Block)
	case syntax.ExprLambda:
		t := &ty{kind: tyFun}
		for range e.Parameters {
			t.args = append(t.args, fresh())
		}
		t.args = append(t.args, fresh())
		n.lambda(e, t)
		return t
	}
	if t := n.control(e); t != nil {
		return t
	}
	return n.simple(e)
}

// simple infers literals and operators.
func (n *inference) simple(e *syntax.Expr) *ty {
	switch e.Kind {
	case syntax.ExprNumber:
		return n.number(e.Text)
	case syntax.ExprBool:
		return boolType
	case syntax.ExprBytes:
		return byteVec
	case syntax.ExprAddress:
		return address
	case syntax.ExprString:
		t := fresh()
		n.strings = append(n.strings, stringUse{t, e.At})
		return t
	case syntax.ExprVector:
		item := n.typ(e.Type)
		for _, a := range e.Args {
			n.unify(item, n.value(a))
		}
		return vectorOf(item)
	case syntax.ExprTuple:
		return &ty{kind: tyTuple, args: n.values(e.Args)}
	case syntax.ExprUnary:
		return n.value(e.X)
	case syntax.ExprBinary:
		return n.operator(e)
	case syntax.ExprAssign:
		return n.assign(e)
	case syntax.ExprCast:
		n.value(e.X)
		return n.typ(e.Type)
	case syntax.ExprTyped:
		t := n.typ(e.Type)
		n.expect(e.X, t)
		return t
	}
	return unit
}

func (n *inference) number(text string) *ty {
	for i := 1; i < len(text); i++ {
		// u is not a hexadecimal digit, so the first one begins the type.
		if text[i] == 'u' {
			return &ty{kind: tyNamed, name: text[i:]}
		}
	}
	t := fresh()
	n.numbers = append(n.numbers, t)
	return t
}

func (n *inference) operator(e *syntax.Expr) *ty {
	x, y := n.value(e.X), n.value(e.Y)
	switch e.Name {
	case "==", "!=", "<", ">", "<=", ">=":
		n.unify(x, y)
		return boolType
	case "&&", "||", "==>":
		return boolType
	case "<<", ">>":
		return x
	case "..", "..=":
		return fresh()
	}
	n.unify(x, y)
	return x
}

// assign infers an assignment. Its left side may be a tuple or a pattern.
func (n *inference) assign(e *syntax.Expr) *ty {
	switch {
	case e.X.Kind == syntax.ExprPath && len(e.X.Path) == 1 && e.X.Path[0] == "_":
		n.value(e.Y)
	case e.Y.Kind == syntax.ExprLambda:
		n.value(e.Y)
	default:
		right := n.value(e.Y)
		n.unify(n.target(e.X), right)
	}
	return unit
}

func (n *inference) target(e *syntax.Expr) *ty {
	if e.Kind == syntax.ExprTuple {
		out := &ty{kind: tyTuple}
		for _, a := range e.Args {
			out.args = append(out.args, n.target(a))
		}
		return out
	}
	if e.Kind == syntax.ExprPath && len(e.Path) == 1 && e.Path[0] == "_" {
		return fresh()
	}
	t := n.place(e)
	n.settle(e, true, Resolved)
	return t
}

// expect infers an expression with a known type. Lambdas need one.
func (n *inference) expect(e *syntax.Expr, t *ty) {
	if e.Kind == syntax.ExprLambda {
		if f := known(t); f.kind == tyFun && len(f.args) == len(e.Parameters)+1 {
			n.lambda(e, f)
			return
		}
	}
	n.unify(t, n.value(e))
}

// lambda infers a lambda. Its body belongs to the enclosing function.
func (n *inference) lambda(e *syntax.Expr, t *ty) {
	locals, result, labels := n.locals, n.result, n.labels
	for i, p := range e.Parameters {
		if p.Type != nil {
			n.unify(t.args[i], n.typ(p.Type))
		}
		n.pattern(p.Pattern, t.args[i])
	}
	n.result = t.args[len(t.args)-1]
	if e.Type != nil {
		n.unify(n.result, n.typ(e.Type))
	}
	n.unify(n.result, n.value(e.X))
	n.locals, n.result, n.labels = locals, result, labels
}

// constructors are the functions that string literals call, by the type of the literal. A literal
// of type vector<u8> calls none.
var constructors = map[string]string{stringType.name: "0x1::string::utf8", "0x1::ascii::String": "0x1::ascii::string"}

// literal records the call of a string literal.
func (n *inference) literal(s stringUse) {
	callee := constructors[typeName(s.t)]
	if n.g.Functions[callee] != nil {
		n.edge(callee, KindLiteral, Resolved, s.at)
	}
}
