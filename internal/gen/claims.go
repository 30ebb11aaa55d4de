package main

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// claim is a test, one of whose subtests names requirements.
type claim struct {
	pkg, test string
}

// The IDs of requirements begin the name of a subtest: "R004-17 R004-18 a quote names its pool".
var (
	idPattern    = regexp.MustCompile(`R00\d-\d+`)
	namePattern  = regexp.MustCompile(`^(R00\d-\d+[, ]*)+`)
	inJSON       = regexp.MustCompile(`"name": ?"(R00\d-\d+[, ]*)+`)
	testFunction = regexp.MustCompile(`^(Test|Fuzz)`)
	failure      = regexp.MustCompile(`^(Error|Fatal|Log|Skip)f?$`)
)

// named returns the tests below root that name each requirement. It only reads the sources: a name
// in a table or a helper counts for every test that uses the table or the helper.
func named(root string) (map[string][]claim, error) {
	dirs := map[string][]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && p != root && (name == "node_modules" || name == "bin" || name[0] == '.') {
			return fs.SkipDir
		}
		if strings.HasSuffix(p, "_test.go") {
			dirs[filepath.Dir(p)] = append(dirs[filepath.Dir(p)], p)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := map[string][]claim{}
	for dir, files := range dirs {
		pkg, err := filepath.Rel(root, dir)
		if err != nil {
			return nil, err
		}
		found, err := namedIn(files)
		if err != nil {
			return nil, err
		}
		for id, tests := range found {
			for test := range tests {
				all[id] = append(all[id], claim{filepath.ToSlash(pkg), test})
			}
		}
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b claim) int {
			return cmp.Or(strings.Compare(a.pkg, b.pkg), strings.Compare(a.test, b.test))
		})
	}
	return all, nil
}

// decls holds the declarations of one package: the IDs in the strings of each, and the names that
// each uses.
type decls struct {
	ids  map[string]map[string]bool
	uses map[string]map[string]bool
}

// namedIn returns, for each requirement, the tests of one package that name it.
func namedIn(files []string) (map[string]map[string]bool, error) {
	var sources [][]byte
	relevant := false
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		sources = append(sources, b)
		relevant = relevant || idPattern.Match(b) || bytes.Contains(b, []byte("testdata/"))
	}
	if !relevant {
		return nil, nil
	}
	d := decls{map[string]map[string]bool{}, map[string]map[string]bool{}}
	for i, f := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), f, sources[i], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range tree.Decls {
			d.add(filepath.Dir(f), decl)
		}
	}
	return d.tests(), nil
}

// add adds a declaration.
func (d decls) add(dir string, decl ast.Decl) {
	if f, ok := decl.(*ast.FuncDecl); ok {
		d.read(dir, f.Name.Name, f)
		return
	}
	for _, spec := range decl.(*ast.GenDecl).Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for _, name := range v.Names {
				d.read(dir, name.Name, v)
			}
		}
	}
}

func (d decls) read(dir, name string, node ast.Node) {
	if d.ids[name] == nil {
		d.ids[name], d.uses[name] = map[string]bool{}, map[string]bool{}
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			d.uses[name][n.Name] = true
		case *ast.CallExpr:
			// The message of a failure is not the name of a subtest.
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && failure.MatchString(f.Sel.Name) {
				return false
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				for _, id := range idsOf(dir, n.Value) {
					d.ids[name][id] = true
				}
			}
		}
		return true
	})
}

// idsOf returns the IDs at the beginning of a text. If the text is the path of a JSON file of test
// data, it returns the IDs in the names of that file's cases.
func idsOf(dir, literal string) []string {
	text, err := strconv.Unquote(literal)
	if err != nil {
		return nil
	}
	if strings.Contains(text, "testdata/") && path.Ext(text) == ".json" {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(text)))
		if err != nil {
			return nil
		}
		return idPattern.FindAllString(strings.Join(inJSON.FindAllString(string(b), -1), " "), -1)
	}
	return idPattern.FindAllString(namePattern.FindString(text), -1)
}

// tests returns, for each ID, the tests that contain it in their own strings. If there are none, it
// returns the tests that use a declaration with the ID.
func (d decls) tests() map[string]map[string]bool {
	own, reached := map[string]map[string]bool{}, map[string]map[string]bool{}
	add := func(to map[string]map[string]bool, test, name string) {
		for id := range d.ids[name] {
			if to[id] == nil {
				to[id] = map[string]bool{}
			}
			to[id][test] = true
		}
	}
	for test := range d.ids {
		if !testFunction.MatchString(test) {
			continue
		}
		add(own, test, test)
		for name := range d.reach(test) {
			add(reached, test, name)
		}
	}
	maps.Copy(reached, own)
	return reached
}

// reach returns the declarations that a declaration uses directly or indirectly, and itself.
func (d decls) reach(from string) map[string]bool {
	seen := map[string]bool{from: true}
	for next := []string{from}; len(next) > 0; {
		name := next[0]
		next = next[1:]
		for used := range maps.Keys(d.uses[name]) {
			if d.ids[used] != nil && !seen[used] {
				seen[used] = true
				next = append(next, used)
			}
		}
	}
	return seen
}
