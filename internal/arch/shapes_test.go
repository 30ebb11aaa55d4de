package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// TestTypes holds the number of methods that a type declares, and the number of fields of a struct, an
// embedded one counted as one.
func TestTypes(t *testing.T) {
	h := load(t)
	needed := map[string]bool{}
	for pkg, files := range h.packages {
		methods := map[string]int{}
		for _, f := range files {
			if ast.IsGenerated(f) {
				continue
			}
			for _, decl := range f.Decls {
				switch d := decl.(type) {
				case *ast.FuncDecl:
					methods[receiver(d)]++
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						s, ok := spec.(*ast.TypeSpec)
						if !ok {
							continue
						}
						name := pkg + "." + s.Name.Name
						n := fieldsOf(s)
						if n <= maxFields {
							continue
						}
						if needed[name] = true; wide[name] == "" {
							t.Errorf("%s has %d fields, more than %d", name, n, maxFields)
						}
					}
				}
			}
		}
		for typ, n := range methods {
			if typ != "" && n > maxMethods {
				t.Errorf("%s.%s has %d methods, more than %d", pkg, typ, n, maxMethods)
			}
		}
	}
	for name := range wide {
		if !needed[name] {
			t.Errorf("%s has at most %d fields: take it out of wide", name, maxFields)
		}
	}
}

// TestVenues holds the size of a venue for swaps: what two of them need belongs in the skeleton.
func TestVenues(t *testing.T) {
	const skeleton = module + "internal/protocol/venue"
	h, found := load(t), 0
	for pkg, files := range h.packages {
		lines, venue := 0, false
		for _, f := range files {
			lines += h.files.Position(f.FileEnd).Line - 1
			venue = venue || slices.Contains(imports(f), skeleton)
		}
		if !venue || !strings.HasPrefix(pkg, "internal/protocol/") {
			continue
		}
		if found++; lines > maxVenueLines && largeVenues[pkg] == "" {
			t.Errorf("%s has %d lines, more than %d", pkg, lines, maxVenueLines)
		}
	}
	if found <= len(largeVenues) {
		t.Errorf("%d venues: none is small", found)
	}
}

// receiver returns the name of the type that a function is a method of, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// fieldsOf counts the fields of a struct type; other types have none.
func fieldsOf(s *ast.TypeSpec) int {
	st, ok := s.Type.(*ast.StructType)
	if !ok {
		return 0
	}
	n := 0
	for _, f := range st.Fields.List {
		n += max(1, len(f.Names))
	}
	return n
}
