package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
)

// house is every non-test Go file of the module, parsed once, by package path.
type house struct {
	files    *token.FileSet
	packages map[string]map[string]*ast.File
}

func load(t *testing.T) house {
	t.Helper()
	h, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(h.packages) < 3 {
		t.Fatalf("found only %d packages: the walk is broken", len(h.packages))
	}
	return h
}

// parsed reads all packages, once for every test.
var parsed = sync.OnceValues(func() (house, error) {
	root := filepath.Join("..", "..")
	h := house{files: token.NewFileSet(), packages: map[string]map[string]*ast.File{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && skipped(name) && path != root {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(h.files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		if h.packages[pkg] == nil {
			h.packages[pkg] = map[string]*ast.File{}
		}
		h.packages[pkg][path] = f
		return nil
	})
	return h, err
})

// skipped reports whether a directory holds no code of the project.
func skipped(name string) bool {
	return name == "testdata" || name == "node_modules" || name == "bin" || strings.HasPrefix(name, ".")
}

func imports(f *ast.File) []string {
	var paths []string
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func TestImports(t *testing.T) {
	h := load(t)
	for pkg, files := range h.packages {
		i := slices.IndexFunc(rooms, func(r room) bool { return r.path == pkg })
		if k := kindOf(pkg); k != nil {
			for path, f := range files {
				for _, imp := range imports(f) {
					if inner, ours := strings.CutPrefix(imp, module); ours && !k.allows(pkg, inner) {
						t.Errorf("%s imports %s, but %s: %s", path, inner, pkg, k.reason)
					}
				}
			}
			continue
		}
		if i < 0 {
			t.Errorf("package %s has no row in rooms: say what it may import, and why no more", pkg)
			continue
		}
		used := map[string]bool{}
		for path, f := range files {
			for _, imp := range imports(f) {
				inner, ours := strings.CutPrefix(imp, module)
				if !ours {
					continue
				}
				used[inner] = true
				k := kindOf(inner)
				if !slices.Contains(rooms[i].imports, inner) && (k == nil || k.listed != pkg) {
					t.Errorf("%s imports %s, but %s: %s", path, inner, pkg, rooms[i].reason)
				}
			}
		}
		for _, allowed := range rooms[i].imports {
			if !used[allowed] {
				t.Errorf("rooms allows %s to import %s, which it does not: take it out", pkg, allowed)
			}
		}
	}
	for _, r := range rooms {
		if h.packages[r.path] == nil {
			t.Errorf("rooms has a row for %s, which does not exist", r.path)
		}
	}
}

// Packages are layered: a package imports only those listed before it in the table.
func TestLayers(t *testing.T) {
	at := map[string]int{}
	for i, r := range rooms {
		at[r.path] = i
	}
	for i, r := range rooms {
		for _, imp := range r.imports {
			if below, known := at[imp]; !known || below >= i {
				t.Errorf("%s imports %s, which does not stand below it", r.path, imp)
			}
		}
	}
}

// TestFolders: folders are layered as packages are. Two folders never import each other, neither
// directly nor through others.
func TestFolders(t *testing.T) {
	type imported struct{ folder, by string }
	below := map[string][]imported{}
	for pkg, files := range load(t).packages {
		for _, f := range files {
			for _, imp := range imports(f) {
				inner, ours := strings.CutPrefix(imp, module)
				from, to := folderOf(pkg), folderOf(inner)
				if ours && from != to && folderExceptions[pkg+" "+inner] == "" {
					below[from] = append(below[from], imported{to, pkg + " imports " + inner})
				}
			}
		}
	}
	const visiting, done = 1, 2
	state := map[string]int{}
	var visit func(folder string, path []string)
	visit = func(folder string, path []string) {
		state[folder] = visiting
		for _, i := range below[folder] {
			if path := append(path, i.by); state[i.folder] == visiting {
				t.Errorf("a circle of folders through %s:\n%s", i.folder, strings.Join(path, "\n"))
			} else if state[i.folder] != done {
				visit(i.folder, path)
			}
		}
		state[folder] = done
	}
	for _, folder := range slices.Sorted(maps.Keys(below)) {
		if state[folder] == 0 {
			visit(folder, nil)
		}
	}
}

// TestNoProtocolUnderReview: the platform carries out every action alike. It imports
// no protocol, knows no name of one, and asks nowhere which kind an action is of.
func TestNoProtocolUnderReview(t *testing.T) {
	h := load(t)
	actionKinds := map[string]bool{}
	for _, m := range adapters.Metas() {
		actionKinds[m.Action] = true
		actionKinds[m.Slug] = m.Slug != "sui" // which is the chain too
	}
	for pkg, files := range h.packages {
		if folderOf(pkg) != "review" && !slices.Contains(platform, pkg) {
			continue
		}
		for path, f := range files {
			for _, imp := range imports(f) {
				if strings.Contains(imp, "/internal/protocol/") {
					t.Errorf("%s imports %s", path, imp)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if slices.ContainsFunc(protocolNames, func(name string) bool { return strings.Contains(n.Name, name) }) {
						t.Errorf("%s: %s is the name of something of one protocol", h.files.Position(n.Pos()), n.Name)
					}
				case *ast.BasicLit:
					if text, err := strconv.Unquote(n.Value); err == nil && actionKinds[text] {
						t.Errorf("%s: %q is a kind of action: no rule depends on it", h.files.Position(n.Pos()), text)
					}
				}
				return true
			})
		}
	}
}

func TestDoors(t *testing.T) {
	h := load(t)
	for pkg, files := range h.packages {
		for path, f := range files {
			for _, imp := range imports(f) {
				for _, d := range doors {
					match := imp == d.imports || (strings.HasSuffix(d.imports, "/") && strings.HasPrefix(imp, d.imports))
					if match && !slices.Contains(d.rooms, pkg) {
						t.Errorf("%s imports %s: %s", path, imp, d.reason)
					}
				}
			}
		}
	}
}

func TestWords(t *testing.T) {
	h := load(t)
	for pkg, files := range h.packages {
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				x, ok := s.X.(*ast.Ident)
				if !ok {
					return true
				}
				for _, w := range words {
					if x.Name == w.pkg && s.Sel.Name == w.name && !slices.Contains(w.rooms, pkg) {
						t.Errorf("%s uses %s.%s: %s", h.files.Position(s.Pos()), w.pkg, w.name, w.reason)
					}
				}
				return true
			})
		}
	}
}

func TestSizes(t *testing.T) {
	h := load(t)
	for _, files := range h.packages {
		for path, f := range files {
			if n := h.files.File(f.Pos()).LineCount(); n > maxFileLines {
				t.Errorf("%s has %d lines, more than %d", path, n, maxFileLines)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					lines := h.files.Position(n.End()).Line - h.files.Position(n.Pos()).Line + 1
					if lines > maxFunctionLines {
						t.Errorf("%s: %s has %d lines, more than %d", h.files.Position(n.Pos()), n.Name.Name, lines, maxFunctionLines)
					}
				case *ast.InterfaceType:
					if n.Methods.NumFields() > maxInterfaceMethod {
						t.Errorf("%s: an interface of %d methods", h.files.Position(n.Pos()), n.Methods.NumFields())
					}
				}
				return true
			})
		}
	}
}

func TestFilesOfAPackage(t *testing.T) {
	h := load(t)
	for pkg, files := range h.packages {
		below := slices.ContainsFunc(crowded, func(dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") })
		if below && len(files) > maxPackageFiles {
			t.Errorf("package %s has %d files, more than %d", pkg, len(files), maxPackageFiles)
		}
	}
}

func TestNamesAndComments(t *testing.T) {
	h := load(t)
	for pkg, files := range h.packages {
		if slices.Contains(vagueNames, filepath.Base(pkg)) {
			t.Errorf("package %s has a name that says nothing", pkg)
		}
		documented := false
		for _, f := range files {
			documented = documented || f.Doc != nil
			for _, decl := range f.Decls {
				checkDecl(t, h, pkg, decl)
			}
		}
		if !documented {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func checkDecl(t *testing.T, h house, pkg string, decl ast.Decl) {
	at := h.files.Position(decl.Pos())
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.Name == "init" && d.Recv == nil {
			t.Errorf("%s: init registers behind the reader's back", at)
		}
		if !d.Name.IsExported() || !exportedReceiver(d) {
			return
		}
		if d.Doc == nil && !obvious(d) {
			t.Errorf("%s: exported %s has no comment", at, d.Name.Name)
		}
		if pkg != "tools/tool" && mentionsAny(d.Type) {
			t.Errorf("%s: %s has any in its signature", at, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
				t.Errorf("%s: exported type %s has no comment", h.files.Position(s.Pos()), s.Name.Name)
			}
			if s, ok := spec.(*ast.ValueSpec); ok && s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil &&
				s.Comment == nil {
				t.Errorf("%s: exported %s has no comment", h.files.Position(s.Pos()), s.Names[0].Name)
			}
		}
	}
}

// obvious methods satisfy a well-known interface and need no words of their own.
func obvious(d *ast.FuncDecl) bool {
	switch d.Name.Name {
	case "String", "Error", "Unwrap", "MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON", "Len", "Less",
		"Swap":
		return d.Recv != nil
	}
	return false
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	id, ok := typ.(*ast.Ident)
	return !ok || id.IsExported()
}

// mentionsAny reports a parameter or result of type any; formatting verbs
// (args ...any) and type parameters are fine.
func mentionsAny(ft *ast.FuncType) bool {
	var fields []*ast.Field
	fields = append(fields, ft.Params.List...)
	if ft.Results != nil {
		fields = append(fields, ft.Results.List...)
	}
	for _, f := range fields {
		if id, ok := f.Type.(*ast.Ident); ok && id.Name == "any" {
			return true
		}
	}
	return false
}
