package graph

import (
	"strings"

	"github.com/sayurintent/sayurintent/internal/workspace/move/syntax"
)

// names resolves names at a position in a module.
type names struct {
	g      *Graph
	m      *module
	scope  *scope
	params map[string]*ty // type parameters by name
}

var builtinTypes = map[string]bool{
	"bool": true, "u8": true, "u16": true, "u32": true, "u64": true, "u128": true, "u256": true, "address": true,
	"signer": true, "vector": true,
}

// typ converts a type in the source. A hole or a missing type becomes a new variable.
func (n *names) typ(t *syntax.Type) *ty {
	if t == nil {
		return fresh()
	}
	switch t.Kind {
	case syntax.TypeRef, syntax.TypeMutRef:
		return refTo(n.typ(t.Args[0]), t.Kind == syntax.TypeMutRef)
	case syntax.TypeTuple:
		return &ty{kind: tyTuple, args: n.types(t.Args)}
	case syntax.TypeFunction:
		result := unit
		if t.Result != nil {
			result = n.typ(t.Result)
		}
		return &ty{kind: tyFun, args: append(n.types(t.Args), result)}
	case syntax.TypeHole:
		return fresh()
	}
	if len(t.Path) == 1 {
		if p := n.params[t.Path[0]]; p != nil {
			return p
		}
		if builtinTypes[t.Path[0]] {
			return &ty{kind: tyNamed, name: t.Path[0], args: n.types(t.Args)}
		}
	}
	id := n.member(t.Path)
	if id == "" {
		id = "?::" + strings.Join(t.Path, "::")
	}
	out := &ty{kind: tyNamed, name: id, args: n.types(t.Args)}
	if d := n.g.datatype(id); d != nil && len(out.args) == 0 {
		for range d.params { // omitted in the source, so they are inferred
			out.args = append(out.args, fresh())
		}
	}
	return out
}

func (n *names) types(ts []*syntax.Type) []*ty {
	out := make([]*ty, len(ts))
	for i, t := range ts {
		out[i] = n.typ(t)
	}
	return out
}

// member returns the ID of the function or type that path names, or "". If the module is not
// loaded, it returns the ID without checking that it exists.
func (n *names) member(path []string) string {
	switch len(path) {
	case 1:
		return n.ownMember(path[0])
	case 2:
		if path[0] == "Self" {
			return n.m.id + "::" + path[1]
		}
		if id, ok := n.scope.module(path[0]); ok {
			return id + "::" + path[1]
		}
	case 3:
		return resolveAddress(n.m.pkg, path[0]) + "::" + path[1] + "::" + path[2]
	}
	return ""
}

// ownMember resolves a name without a module, first in the uses in scope and then in the module.
func (n *names) ownMember(name string) string {
	for s := n.scope; s != nil && s != n.m.scope; s = s.parent {
		if id, ok := s.members[name]; ok {
			return id
		}
	}
	if n.m.functions[name] != nil || n.m.datatypes[name] != nil {
		return n.m.id + "::" + name
	}
	id, _ := n.scope.member(name)
	return id
}

// function returns the ID of the function that path names, or "". It checks that the function
// exists if its module is loaded.
func (n *names) function(path []string) string {
	id := n.member(path)
	if id == "" || n.g.Functions[id] != nil {
		return id
	}
	// The module may have had macros, which bytecode does not contain.
	if m := n.g.modules[id[:strings.LastIndex(id, "::")]]; m != nil && m.ast != nil {
		return ""
	}
	if len(path) == 3 {
		if alias, ok := n.scope.module(path[0]); ok && n.g.datatype(alias+"::"+path[1]) != nil {
			return "" // module::Enum::Variant
		}
	}
	return id
}

// constructor returns the datatype that path names, and its struct or variant.
func (n *names) constructor(path []string) (*datatype, *syntax.Struct) {
	if d := n.g.datatype(n.member(path)); d != nil {
		return d, d.fields
	}
	if len(path) < 2 {
		return nil, nil
	}
	last := len(path) - 1
	if d := n.g.datatype(n.member(path[:last])); d != nil {
		return d, d.variants[path[last]]
	}
	return nil, nil
}

func (g *Graph) datatype(id string) *datatype {
	i := strings.LastIndex(id, "::")
	if i < 0 || g.modules[id[:i]] == nil {
		return nil
	}
	return g.modules[id[:i]].datatypes[id[i+2:]]
}

// signature holds the types of a function. Its type parameters are of kind tyParam.
type signature struct {
	typeParams []string
	params     []*ty
	result     *ty
}

// typed reports whether a function's types are known.
func (f *Function) typed() bool { return f != nil && (f.ast != nil || f.signature != nil) }

func paramTypes(params []syntax.TypeParameter) map[string]*ty {
	out := make(map[string]*ty, len(params))
	for _, p := range params {
		out[p.Name] = &ty{kind: tyParam, name: p.Name}
	}
	return out
}

// signatureOf returns the types of a function in a source. It must not be called concurrently.
func (g *Graph) signatureOf(f *Function) *signature {
	if f.signature == nil {
		n := names{g: g, m: f.module, scope: f.module.scope, params: paramTypes(f.ast.TypeParameters)}
		if f.TestOnly {
			n.scope = f.module.testScope
		}
		s := &signature{result: unit}
		for _, p := range f.ast.TypeParameters {
			s.typeParams = append(s.typeParams, p.Name)
		}
		for _, p := range f.ast.Parameters {
			s.params = append(s.params, n.typ(p.Type))
		}
		if f.ast.Result != nil {
			s.result = n.typ(f.ast.Result)
		}
		f.signature = s
	}
	return f.signature
}
