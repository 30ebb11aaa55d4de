package graph

import (
	"slices"
	"sort"
	"strings"

	"github.com/sayurintent/sayurintent/internal/workspace/move/syntax"
)

// path infers a name that is not followed by arguments: a variable, a constant or a variant.
func (n *inference) path(e *syntax.Expr) *ty {
	if len(e.Path) == 1 {
		if t := n.local(e.Path[0]); t != nil {
			return t
		}
		if c, ok := n.m.constants[e.Path[0]]; ok {
			return n.typ(c)
		}
	}
	if d, _ := n.constructor(e.Path); d != nil {
		t, _ := n.instance(d, e.TypeArgs)
		return t
	}
	return fresh()
}

func (n *inference) pack(e *syntax.Expr) *ty {
	d, fields := n.constructor(e.Path)
	t, by := fresh(), map[string]*ty{}
	if d != nil {
		t, by = n.instance(d, e.TypeArgs)
	}
	for _, f := range e.Fields {
		part := fresh()
		if d != nil && fields != nil {
			if ft := n.fieldType(d, fields, f.Name, by); ft != nil {
				part = ft
			}
		}
		if f.Value != nil {
			n.expect(f.Value, part)
		} else if l := n.local(f.Name); l != nil {
			n.unify(part, l)
		}
	}
	return t
}

// builtins look like functions but are not.
var builtins = map[string]bool{"freeze": true, "assert": true, "move_to": true, "move_from": true,
	"borrow_global":     true,
	"borrow_global_mut": true, "exists": true}

// call infers f(…), m::f(…) and a::m::f(…), the same with !, and expressions that look like a call.
func (n *inference) call(e *syntax.Expr) *ty {
	single := len(e.Path) == 1
	if single {
		if t := n.local(e.Path[0]); t != nil && (e.Path[0][0] == '$' || known(t).kind == tyFun) {
			return n.callLocal(e, t)
		}
	}
	if e.Kind == syntax.ExprMacro && single && e.Path[0] == "assert" {
		n.values(e.Args)
		return unit
	}
	d, fields := n.constructor(e.Path)
	id := n.function(e.Path)
	if d != nil && n.g.Functions[id] == nil {
		t, by := n.instance(d, e.TypeArgs)
		for i, a := range e.Args {
			part := fresh()
			if fields != nil && i < len(fields.Fields) {
				part = n.fieldType(d, fields, fields.Fields[i].Name, by)
			}
			n.expect(a, part)
		}
		return t
	}
	if id == "" {
		args := n.values(e.Args)
		if single && e.Path[0] == "freeze" && len(args) == 1 {
			return refTo(strip(args[0]), false)
		}
		if !(single && builtins[e.Path[0]]) {
			n.byName(e.Path[len(e.Path)-1], KindCall, e.At, false, e.Kind == syntax.ExprMacro)
		}
		return fresh()
	}
	kind := KindCall
	if e.Kind == syntax.ExprMacro {
		kind = KindMacro
	}
	f := n.g.Functions[id]
	n.edge(id, kindOf(id, f, kind), Resolved, e.At)
	if !f.typed() {
		n.values(e.Args)
		return fresh()
	}
	return n.apply(f, e.TypeArgs, e.Args, 0, nil)
}

func (n *inference) callLocal(e *syntax.Expr, t *ty) *ty {
	f := known(t)
	if f.kind != tyFun || len(f.args) != len(e.Args)+1 {
		n.values(e.Args)
		return fresh()
	}
	for i, a := range e.Args {
		n.expect(a, f.args[i])
	}
	return f.args[len(f.args)-1]
}

// apply infers the arguments of a call and returns the type of the result. skip is 1 for a method,
// whose receiver was inferred before.
func (n *inference) apply(f *Function, typeArgs []*syntax.Type, args []*syntax.Expr, skip int, receiver *ty) *ty {
	s := n.g.signatureOf(f)
	by := make(map[string]*ty, len(s.typeParams))
	for i, p := range s.typeParams {
		by[p] = fresh()
		if len(typeArgs) == len(s.typeParams) {
			by[p] = n.typ(typeArgs[i])
		}
	}
	params := make([]*ty, len(s.params))
	for i, p := range s.params {
		params[i] = n.replace(p, by)
	}
	if receiver != nil && len(params) > 0 {
		n.unify(strip(params[0]), strip(receiver))
	}
	// Lambdas come last, because the other arguments determine the types of their parameters.
	for _, lambdas := range []bool{false, true} {
		for i, a := range args {
			if (a.Kind == syntax.ExprLambda) != lambdas {
				continue
			}
			t := fresh()
			if i+skip < len(params) {
				t = params[i+skip]
			}
			n.expect(a, t)
		}
	}
	return n.replace(s.result, by)
}

// field infers x.f. x may be a reference.
func (n *inference) field(e *syntax.Expr) *ty {
	base, out := n.place(e.X), fresh()
	n.now(func(bool) bool {
		t := strip(base)
		if t.kind == tyVar {
			return false
		}
		d := n.g.datatype(t.name)
		if t.kind != tyNamed || d == nil || d.fields == nil {
			return true
		}
		by := map[string]*ty{}
		for i, p := range d.params {
			if i < len(t.args) {
				by[p.Name] = t.args[i]
			}
		}
		if ft := n.fieldType(d, d.fields, e.Name, by); ft != nil {
			n.unify(out, ft)
		}
		return true
	})
	if k := known(out); k.kind != tyVar {
		return k
	}
	return out
}

// indexUse is an index expression x[i] whose mutability is not known yet.
type indexUse struct {
	base *ty
	at   int
}

// indexing infers x[i], which is an item of a vector or the result of an index function.
func (n *inference) indexing(e *syntax.Expr) *ty {
	use := &indexUse{base: n.place(e.X), at: e.At}
	n.indexed[e] = use
	args, out := n.values(e.Args), fresh()
	n.now(func(bool) bool {
		t := strip(use.base)
		switch {
		case t.kind == tyVar:
			return false
		case t.kind == tyNamed && t.name == "vector" && len(t.args) == 1:
			n.unify(out, t.args[0])
			return true
		}
		pair := n.indexFunctions(t)
		for _, f := range pair {
			if f != nil {
				n.unify(out, strip(n.resultOf(f, t, args)))
				return true
			}
		}
		return true
	})
	return out
}

func (n *inference) indexFunctions(t *ty) [2]*Function {
	if name := typeName(t); name != "" && name != "vector" {
		if m := n.g.definer(name); m != nil && m.index[name] != nil {
			return *m.index[name]
		}
	}
	return [2]*Function{}
}

// resultOf returns the type of a call. The types of the arguments are known.
func (n *inference) resultOf(f *Function, receiver *ty, args []*ty) *ty {
	s := n.g.signatureOf(f)
	by := make(map[string]*ty, len(s.typeParams))
	for _, p := range s.typeParams {
		by[p] = fresh()
	}
	for i, p := range s.params {
		p = n.replace(p, by)
		if i == 0 {
			n.unify(strip(p), receiver)
		} else if i-1 < len(args) {
			n.unify(p, args[i-1])
		}
	}
	return n.replace(s.result, by)
}

// settle decides between mutable and immutable index functions on the path to a place.
func (n *inference) settle(e *syntax.Expr, mut bool, confidence Confidence) {
	for e != nil {
		switch e.Kind {
		case syntax.ExprField, syntax.ExprDeref:
		case syntax.ExprIndex:
			use := n.indexed[e]
			if use == nil {
				return // settled before, together with everything on its path
			}
			delete(n.indexed, e)
			n.now(func(bool) bool {
				t := strip(use.base)
				if t.kind == tyVar {
					return false
				}
				if f := n.indexFunctions(t)[boolIndex(mut)]; f != nil {
					n.edge(f.ID, KindIndex, confidence, use.at)
				} else if name := typeName(t); name != "" && name != "vector" && !n.g.hasSource(name) {
					n.edge("::[]", KindIndex, ByName, use.at) // the type's module is not loaded
				}
				return true
			})
		default:
			return
		}
		e = e.X
	}
}

// method infers x.f(…) and x.f!(…). It looks for the function in the scope, and then in the module
// that defines the receiver's type.
func (n *inference) method(e *syntax.Expr) *ty {
	receiver, out := n.place(e.X), fresh()
	scope, locals, labels, result := n.scope, n.locals, n.labels, n.result
	done := func(last bool) bool {
		t := strip(receiver)
		if t.kind == tyVar && !last {
			return false
		}
		f, id := n.lookup(scope, t, e.Name)
		if f == nil {
			n.settle(e.X, false, ByName)
			n.args(e)
			if id != "" {
				n.edge(id, KindMethod, ByName, e.At)
			} else {
				n.byName(e.Name, KindMethod, e.At, true, e.Kind == syntax.ExprDotMacro)
			}
			return true
		}
		n.edge(f.ID, kindOf(f.ID, f, KindMethod), Resolved, e.At)
		self := known(n.g.signatureOf(f).params[0])
		n.settle(e.X, self.kind == tyRef && self.mut, Resolved)
		n.unify(out, n.apply(f, e.TypeArgs, e.Args, 1, receiver))
		return true
	}
	if done(false) {
		return known(out)
	}
	// The arguments are inferred when the function is known.
	n.waiting = append(n.waiting, func(last bool) bool {
		nowScope, nowLocals, nowLabels, nowResult := n.scope, n.locals, n.labels, n.result
		n.scope, n.locals, n.labels, n.result = scope, locals, labels, result
		ok := done(last)
		n.scope, n.locals, n.labels, n.result = nowScope, nowLocals, nowLabels, nowResult
		return ok
	})
	return out
}

// args infers the arguments of a call to an unknown function.
func (n *inference) args(e *syntax.Expr) { n.values(e.Args) }

// lookup returns the function that t.name() calls, and its ID. If the function may be in a module
// that is not loaded, f is nil. If there is no such function, id is "" too.
func (n *inference) lookup(s *scope, t *ty, name string) (f *Function, id string) {
	typ := typeName(t)
	if typ == "" || strings.HasPrefix(typ, "?") {
		return nil, ""
	}
	key := typ + "." + name
	if id, ok := s.method(key); ok {
		return n.callable(id), id
	}
	m := n.g.definer(typ)
	if m == nil {
		if i := strings.LastIndex(typ, "::"); i > 0 {
			return nil, typ[:i] + "::" + name
		}
		return nil, ""
	}
	if id, ok := m.public[key]; ok {
		return n.callable(id), id
	}
	if f := m.functions[name]; f != nil && f.Params > 0 && typeName(n.g.signatureOf(f).params[0]) == typ {
		return f, f.ID
	}
	if m.ast == nil { // bytecode contains neither macros nor method aliases
		return nil, m.id + "::" + name
	}
	return nil, ""
}

func (n *inference) callable(id string) *Function {
	if f := n.g.Functions[id]; f.typed() && f.Params > 0 {
		return f
	}
	return nil
}

// maxCandidates limits the number of functions for a call by name.
const maxCandidates = 8

// byName records a call whose function is known only by name.
func (n *inference) byName(name string, kind Kind, at int, method, macro bool) {
	var candidates []string
	if method {
		for _, f := range n.g.methods[name] {
			if f.Macro == macro && !slices.Contains(candidates, f.ID) {
				candidates = append(candidates, f.ID)
			}
		}
	}
	if len(candidates) == 0 || len(candidates) > maxCandidates {
		n.edge("::"+name, kind, ByName, at).Candidates = len(candidates)
		return
	}
	sort.Strings(candidates)
	for _, id := range candidates {
		n.edge(id, kindOf(id, n.g.Functions[id], kind), ByName, at).Candidates = len(candidates)
	}
}
