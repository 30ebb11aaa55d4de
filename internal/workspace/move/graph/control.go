package graph

import (
	"strconv"

	"github.com/sayurintent/sayurintent/internal/workspace/move/syntax"
)

// control infers an expression that branches. It returns nil for all other expressions.
func (n *inference) control(e *syntax.Expr) *ty {
	switch e.Kind {
	case syntax.ExprIf:
		n.value(e.X)
		t := n.value(e.Y)
		if e.Z == nil {
			return unit
		}
		z := n.value(e.Z)
		n.unify(t, z)
		return t
	case syntax.ExprWhile:
		n.value(e.X)
		n.loop(e.Y, unit)
		return unit
	case syntax.ExprLoop:
		t := fresh()
		n.loop(e.X, t)
		return t
	case syntax.ExprMatch:
		return n.match(e)
	case syntax.ExprLabeled:
		return n.labelled(e)
	case syntax.ExprAbort:
		n.value(e.X)
		return fresh()
	case syntax.ExprReturn, syntax.ExprBreak, syntax.ExprContinue:
		n.leave(e)
		return fresh()
	}
	return nil
}

func (n *inference) loop(body *syntax.Expr, t *ty) {
	labels := n.labels
	n.labels = &label{loop: true, t: t, next: labels}
	n.value(body)
	n.labels = labels
}

func (n *inference) labelled(e *syntax.Expr) *ty {
	t, labels := fresh(), n.labels
	n.labels = &label{name: e.Label, t: t, next: labels}
	got := n.value(e.X)
	if e.X.Kind != syntax.ExprWhile {
		n.unify(t, got)
	}
	n.labels = labels
	return t
}

// leave infers return, break or continue. Its value becomes that of the function or loop.
func (n *inference) leave(e *syntax.Expr) {
	if e.Kind == syntax.ExprContinue {
		return
	}
	value := n.value(e.X)
	if e.Label == "" && e.Kind == syntax.ExprReturn {
		n.unify(n.result, value)
		return
	}
	for l := n.labels; l != nil && n.spend(); l = l.next {
		if e.Label != "" && l.name == e.Label || e.Label == "" && l.loop {
			n.unify(l.t, value)
			return
		}
	}
}

func (n *inference) match(e *syntax.Expr) *ty {
	subject, t := n.value(e.X), fresh()
	for _, arm := range e.Arms {
		locals := n.locals
		n.pattern(arm.Pattern, subject)
		if arm.Guard != nil {
			n.value(arm.Guard)
		}
		n.unify(t, n.value(arm.Body))
		n.locals = locals
	}
	return t
}

// block infers a block, with its own scope for variables and uses.
func (n *inference) block(b *syntax.Block) *ty {
	locals, outer := n.locals, n.scope
	if len(b.Uses) > 0 {
		n.scope = newScope(outer)
		for _, u := range b.Uses {
			n.g.use(n.m, n.scope, u)
		}
		for _, u := range b.Uses {
			n.g.useFun(n.m, n.scope, u)
		}
	}
	for _, s := range b.Statements {
		if s.Let == nil {
			n.value(s.Value)
			continue
		}
		t := n.typ(s.Type)
		if s.Value != nil {
			n.expect(s.Value, t)
		}
		n.pattern(s.Let, t)
	}
	t := unit
	if b.Value != nil {
		t = n.value(b.Value)
	} else if k := len(b.Statements); k > 0 && leaves(b.Statements[k-1].Value) {
		t = fresh() // the end is never reached, so any type fits the block
	}
	n.locals, n.scope = locals, outer
	return t
}

// leaves reports whether an expression never evaluates to a value.
func leaves(e *syntax.Expr) bool {
	if e == nil {
		return false
	}
	switch e.Kind {
	case syntax.ExprAbort, syntax.ExprReturn, syntax.ExprBreak, syntax.ExprContinue:
		return true
	}
	return false
}

// pattern gives the variables of a pattern the types of the matching parts of t. If t is a
// reference, the parts are references.
func (n *inference) pattern(p *syntax.Pattern, t *ty) {
	switch p.Kind {
	case syntax.PatternBind:
		if len(p.Path) == 1 && p.Path[0] != "_" {
			n.bind(p.Path[0], t)
		}
	case syntax.PatternAt:
		n.bind(p.Path[0], t)
		n.pattern(p.Items[0], t)
	case syntax.PatternLiteral:
		n.unify(strip(t), n.value(p.Literal))
	case syntax.PatternOr:
		for _, item := range p.Items {
			n.pattern(item, t)
		}
	case syntax.PatternTuple:
		tuple := known(t)
		if tuple.kind != tyTuple || len(tuple.args) != len(p.Items) {
			tuple = &ty{kind: tyTuple}
			for range p.Items {
				tuple.args = append(tuple.args, fresh())
			}
			n.unify(t, tuple)
		}
		for i, item := range p.Items {
			n.pattern(item, tuple.args[i])
		}
	case syntax.PatternUnpack:
		n.unpack(p, t)
	}
}

func (n *inference) unpack(p *syntax.Pattern, t *ty) {
	d, fields := n.constructor(p.Path)
	whole := known(t)
	by := map[string]*ty{}
	if d != nil {
		made, params := n.instance(d, p.TypeArgs)
		n.unify(strip(t), made)
		by = params
	}
	for _, f := range p.Fields {
		part := fresh()
		if d != nil && fields != nil {
			if ft := n.fieldType(d, fields, f.Name, by); ft != nil {
				part = ft
			}
		}
		if whole.kind == tyRef {
			part = refTo(part, whole.mut)
		}
		n.pattern(f.Pattern, part)
	}
}

// instance returns a datatype with the written type arguments, or with new variables if there are
// none.
func (n *inference) instance(d *datatype, written []*syntax.Type) (*ty, map[string]*ty) {
	out := &ty{kind: tyNamed, name: d.id}
	by := make(map[string]*ty, len(d.params))
	for i, p := range d.params {
		a := fresh()
		if len(written) == len(d.params) {
			a = n.typ(written[i])
		}
		by[p.Name] = a
		out.args = append(out.args, a)
	}
	return out, by
}

// fieldType returns the type of a field. A negative name counts positional fields from the end.
func (n *inference) fieldType(d *datatype, s *syntax.Struct, name string, by map[string]*ty) *ty {
	if i, err := strconv.Atoi(name); err == nil && i < 0 {
		name = strconv.Itoa(len(s.Fields) + i)
	}
	for _, f := range s.Fields {
		if f.Name == name {
			m := names{g: n.g, m: d.module, scope: d.module.testScope, params: paramTypes(d.params)}
			return n.replace(m.typ(f.Type), by)
		}
	}
	return nil
}
