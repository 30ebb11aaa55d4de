package graph

import (
	"strconv"

	"github.com/sayurintent/sayurintent/internal/workspace/move/bytecode"
)

// primitiveModules are the modules whose functions are methods of a built-in type. Sources say so
// in an attribute that bytecode lacks.
var primitiveModules = map[string]string{
	"0x1::vector": "vector", "0x1::bool": "bool", "0x1::u8": "u8", "0x1::u16": "u16", "0x1::u32": "u32", "0x1::u64": "u64",
	"0x1::u128": "u128", "0x1::u256": "u256", "0x2::address": "address",
}

// publish adds a bytecode module unless its source is loaded.
func (g *Graph) publish(b *bytecode.Module) {
	id := b.ID.String()
	if g.Modules[id] != nil {
		return
	}
	m := &Module{ID: id, Structs: b.Structs, Bytecode: true}
	for _, e := range b.Enums {
		m.Enums = append(m.Enums, Enum(e))
	}
	for _, f := range b.Friends {
		m.Friends = append(m.Friends, f.String())
	}
	g.Modules[id] = m
	typed := &module{id: id, functions: map[string]*Function{}}
	g.modules[id] = typed
	if name, ok := primitiveModules[id]; ok && g.primitives[name] == nil {
		g.primitives[name] = typed
	}
	for _, f := range b.Functions {
		n := &Function{ID: id + "::" + f.Name, Module: id, Name: f.Name, Visibility: f.Visibility, Entry: f.Entry,
			Native: f.Native, Params: f.Params, TypeParams: f.TypeParams, Returns: f.Returns, Bytecode: true}
		at := map[string]int{}
		for _, c := range f.Calls {
			callee := c.Callee.String()
			i, ok := at[callee]
			if !ok {
				i = len(n.Edges)
				at[callee] = i
				n.Edges = append(n.Edges, Edge{Caller: n.ID, Callee: callee, Kind: KindCall, Confidence: Resolved})
			}
			n.Edges[i].Count++
		}
		g.Functions[n.ID], typed.functions[n.Name] = n, n
		n.signature = publishedSignature(f)
		if n.Params > 0 {
			g.methods[n.Name] = append(g.methods[n.Name], n)
		}
	}
}

// publishedSignature returns the types of a published function, which are needed for calls on its
// results in sources.
func publishedSignature(f bytecode.Function) *signature {
	s := &signature{params: publishedTypes(f.ParamTypes)}
	for i := range f.TypeParams {
		s.typeParams = append(s.typeParams, strconv.Itoa(i))
	}
	switch results := publishedTypes(f.ReturnTypes); len(results) {
	case 1:
		s.result = results[0]
	default:
		s.result = &ty{kind: tyTuple, args: results}
	}
	return s
}

func publishedTypes(types []*bytecode.Type) []*ty {
	out := make([]*ty, len(types))
	for i, t := range types {
		switch t.Kind {
		case bytecode.TypePrimitive:
			out[i] = &ty{kind: tyNamed, name: t.Name}
		case bytecode.TypeVector:
			out[i] = vectorOf(publishedTypes(t.Args)[0])
		case bytecode.TypeRef, bytecode.TypeMutRef:
			out[i] = refTo(publishedTypes(t.Args)[0], t.Kind == bytecode.TypeMutRef)
		case bytecode.TypeDatatype:
			out[i] = &ty{kind: tyNamed, name: t.Datatype.String(), args: publishedTypes(t.Args)}
		case bytecode.TypeParam:
			out[i] = &ty{kind: tyParam, name: strconv.Itoa(t.Index)}
		}
	}
	return out
}
