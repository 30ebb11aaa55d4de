package graph

// tyKind is the form of an inferred type.
type tyKind uint8

const (
	tyVar   tyKind = iota // not known yet; link is set when it is resolved
	tyNamed               // a datatype by its ID, or a built-in type by its name
	tyParam               // a type parameter of the current function
	tyRef
	tyTuple // () has no members
	tyFun   // of a lambda; the last member is the type of its result
)

// ty is a type during inference. Types share parts, and untrusted code may contain a type that is
// exponentially larger than its text. Walks over types are therefore limited by the budget.
type ty struct {
	kind tyKind
	mut  bool
	name string
	args []*ty
	link *ty
}

var (
	unit     = &ty{kind: tyTuple}
	boolType = &ty{kind: tyNamed, name: "bool"}
	u64Type  = &ty{kind: tyNamed, name: "u64"}
	address  = &ty{kind: tyNamed, name: "address"}
	// stringType is the type of a string literal about which nothing else is known.
	stringType = &ty{kind: tyNamed, name: "0x1::string::String"}
	byteVec    = vectorOf(&ty{kind: tyNamed, name: "u8"})
)

func vectorOf(t *ty) *ty { return &ty{kind: tyNamed, name: "vector", args: []*ty{t}} }

func refTo(t *ty, mut bool) *ty { return &ty{kind: tyRef, mut: mut, args: []*ty{t}} }

func fresh() *ty { return &ty{kind: tyVar} }

// known returns what a type variable was resolved to.
func known(t *ty) *ty {
	for t.kind == tyVar && t.link != nil {
		t = t.link
	}
	return t
}

// strip returns the type that a reference refers to.
func strip(t *ty) *ty {
	for t = known(t); t.kind == tyRef; {
		t = known(t.args[0])
	}
	return t
}

// maxTypeWalk limits how deep a walk goes into a type.
const maxTypeWalk = 64

// unify makes two types equal by resolving variables in them. It ignores differences, because then
// the source has a type error.
func (n *inference) unify(a, b *ty) { n.unifyAt(a, b, 0) }

func (n *inference) unifyAt(a, b *ty, depth int) {
	a, b = known(a), known(b)
	if a == b || depth > maxTypeWalk || !n.spend() {
		return
	}
	switch {
	case a.kind == tyVar:
		if !n.contains(b, a, depth) {
			a.link = b
		}
	case b.kind == tyVar:
		if !n.contains(a, b, depth) {
			b.link = a
		}
	case a.kind == b.kind && a.name == b.name && len(a.args) == len(b.args):
		for i := range a.args {
			n.unifyAt(a.args[i], b.args[i], depth+1)
		}
	}
}

// contains reports whether the variable v occurs in t. It returns true if depth or budget is
// exceeded.
func (n *inference) contains(t, v *ty, depth int) bool {
	t = known(t)
	if t == v {
		return true
	}
	if depth > maxTypeWalk || !n.spend() {
		return true
	}
	for _, a := range t.args {
		if n.contains(a, v, depth+1) {
			return true
		}
	}
	return false
}

// replace returns a type with type parameters replaced.
func (n *inference) replace(t *ty, by map[string]*ty) *ty {
	if len(by) == 0 {
		return t
	}
	return n.replaceAt(t, by, 0)
}

func (n *inference) replaceAt(t *ty, by map[string]*ty, depth int) *ty {
	t = known(t)
	if depth > maxTypeWalk || !n.spend() {
		return fresh()
	}
	if t.kind == tyParam {
		if r := by[t.name]; r != nil {
			return r
		}
	}
	if len(t.args) == 0 {
		return t
	}
	out := &ty{kind: t.kind, mut: t.mut, name: t.name, args: make([]*ty, len(t.args))}
	for i, a := range t.args {
		out.args[i] = n.replaceAt(a, by, depth+1)
	}
	return out
}
