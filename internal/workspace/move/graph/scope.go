package graph

import (
	"math/big"
	"strings"

	"github.com/sayurintent/sayurintent/internal/workspace/move/syntax"
)

// decimalAddress converts a decimal address to hexadecimal.
func decimalAddress(digits string) string {
	if len(digits) > 80 { // longer than any 256-bit number, and costly to convert
		return digits
	}
	v, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return digits
	}
	return "0x" + v.Text(16)
}

// scope holds the names of use declarations. Scopes are linked from innermost to outermost.
type scope struct {
	parent  *scope
	modules map[string]string // module ID by alias
	members map[string]string // member ID by alias
	methods map[string]string // function ID by "type.method"
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, modules: map[string]string{}, members: map[string]string{}, methods: map[string]string{}}
}

func (s *scope) module(alias string) (string, bool) {
	for ; s != nil; s = s.parent {
		if id, ok := s.modules[alias]; ok {
			return id, true
		}
	}
	return "", false
}

func (s *scope) member(alias string) (string, bool) {
	for ; s != nil; s = s.parent {
		if id, ok := s.members[alias]; ok {
			return id, true
		}
	}
	return "", false
}

func (s *scope) method(key string) (string, bool) {
	for ; s != nil; s = s.parent {
		if id, ok := s.methods[key]; ok {
			return id, true
		}
	}
	return "", false
}

// Names that the 2024 editions define implicitly.
var implicitModules = map[string]string{
	"vector": "0x1::vector", "option": "0x1::option", "internal": "0x1::internal",
	"object": "0x2::object", "transfer": "0x2::transfer", "tx_context": "0x2::tx_context",
}

var implicitMembers = map[string]string{
	"Option": "0x1::option::Option", "ID": "0x2::object::ID", "UID": "0x2::object::UID",
	"TxContext": "0x2::tx_context::TxContext",
}

// scopes fills the scopes of a module with the names of its use declarations.
func (g *Graph) scopes(m *module) {
	root := newScope(nil)
	if !m.pkg.Legacy {
		root.modules, root.members = implicitModules, implicitMembers
	}
	m.scope = newScope(root)
	m.testScope = newScope(m.scope)
	for _, u := range m.ast.Uses {
		s := m.scope
		if testOnly(u.Attributes) {
			s = m.testScope
		}
		g.use(m, s, u)
	}
}

// use adds one name to a scope. useFun adds methods later, when all names are known.
func (g *Graph) use(m *module, s *scope, u *syntax.Use) {
	switch len(u.Path) {
	case 2:
		s.modules[u.Alias] = resolveAddress(m.pkg, u.Path[0]) + "::" + u.Path[1]
	case 3:
		s.members[u.Alias] = resolveAddress(m.pkg, u.Path[0]) + "::" + u.Path[1] + "::" + u.Path[2]
	}
}

// useFuns adds the methods of a module's use declarations, and its index functions.
func (g *Graph) useFuns(m *module) {
	for _, u := range m.ast.Uses {
		s := m.scope
		if testOnly(u.Attributes) {
			s = m.testScope
		}
		g.useFun(m, s, u)
	}
	for _, a := range m.ast.Functions {
		f := m.functions[a.Name]
		if f == nil || f.ast != a {
			continue
		}
		if len(a.Parameters) > 0 && !f.TestOnly {
			g.methods[f.Name] = append(g.methods[f.Name], f)
		}
		for _, at := range a.Attributes {
			if at.Name == "syntax" && at.Args == "index" && len(a.Parameters) > 0 {
				self := g.signatureOf(f).params[0]
				name := typeName(self)
				if m.index[name] == nil {
					m.index[name] = &[2]*Function{}
				}
				m.index[name][boolIndex(known(self).mut)] = f
			}
		}
	}
}

func boolIndex(b bool) int {
	if b {
		return 1
	}
	return 0
}

// useFun adds the method that a use declaration introduces. This is the function of a use fun, or a
// used function whose receiver type is defined in the same module.
func (g *Graph) useFun(m *module, s *scope, u *syntax.Use) {
	switch {
	case u.Function != nil:
		receiver := (&names{g: g, m: m, scope: s}).typ(u.Type)
		name := typeName(receiver)
		id := (&names{g: g, m: m, scope: s}).function(u.Function)
		if name == "" || id == "" {
			return
		}
		key := name + "." + u.Method
		s.methods[key] = id
		if f := g.Functions[id]; f != nil && !f.TestOnly && f.Name != u.Method {
			g.methods[u.Method] = append(g.methods[u.Method], f)
		}
		if u.Public {
			m.public[key] = id
		}
	case len(u.Path) == 3:
		f := g.Functions[s.members[u.Alias]]
		if !f.typed() || f.Params == 0 {
			return
		}
		if name := typeName(g.signatureOf(f).params[0]); name != "" && g.definer(name) == g.modules[f.Module] {
			s.methods[name+"."+u.Alias] = f.ID
		}
	}
}

// typeName returns the ID of a datatype or the name of a built-in type, also for references to it,
// and "" for other types.
func typeName(t *ty) string {
	if t = strip(t); t.kind == tyNamed {
		return t.name
	}
	return ""
}

// definer returns the module whose functions are the methods of a type, or nil if it is not loaded.
func (g *Graph) definer(name string) *module {
	i := strings.LastIndex(name, "::")
	if i < 0 {
		return g.primitives[name]
	}
	return g.modules[name[:i]]
}

// hasSource reports whether the source of a type's module is loaded.
func (g *Graph) hasSource(name string) bool {
	m := g.definer(name)
	return m != nil && m.ast != nil
}
