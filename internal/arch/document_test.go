package arch

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	ticked     = regexp.MustCompile("`([^`\n]+)`")
	looksFile  = regexp.MustCompile(`^[\w./-]+\.(go|md|sql|sh|txt|html|js|mjs)$`)
	looksIdent = regexp.MustCompile(`^([a-z]\w*)\.([A-Za-z]\w*)(\.(\w+))?$`)
)

// TestArchitectureDocument compares the map with the tree: its first part names every package with
// a row in rooms exactly once, and every file or identifier that it names exists.
func TestArchitectureDocument(t *testing.T) {
	const document = "../../docs/ARCHITECTURE.md"
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(data), "")
	_, after, found := strings.Cut(text, "## 1. ")
	part, _, ended := strings.Cut(after, "\n## 2. ")
	if !found || !ended {
		t.Fatal("the document has no part 1 that lists the rooms")
	}
	h := load(t)
	named := map[string]int{}
	for _, m := range ticked.FindAllStringSubmatch(part, -1) {
		named[m[1]]++
	}
	for pkg := range h.packages {
		if named[pkg] != 1 && (kindOf(pkg) == nil || named[pkg] > 1) {
			t.Errorf("part 1 of %s names package %s %d times, not once", document, pkg, named[pkg])
		}
	}
	known := identifiers(h)
	for _, m := range ticked.FindAllStringSubmatch(text, -1) {
		switch id := looksIdent.FindStringSubmatch(m[1]); {
		case strings.Contains(m[1], "/") && !strings.ContainsAny(m[1], " {*:…<"), looksFile.MatchString(m[1]):
			if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
				t.Errorf("%s names the file %s, which does not exist", document, m[1])
			}
		case id != nil && !strings.Contains(m[1], "_"):
			// A method or field is looked up by its own name in the package that is named.
			if !known[id[1]+"."+id[2]] || id[4] != "" && !known[id[1]+"."+id[4]] {
				t.Errorf("%s names %s, which does not exist", document, m[1])
			}
		}
	}
}

// identifiers are the declared names of all packages, methods and fields among them,
// as package.Name.
func identifiers(h house) map[string]bool {
	known := map[string]bool{}
	for pkg, files := range h.packages {
		base := path.Base(pkg)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					known[base+"."+n.Name.Name] = true
				case *ast.TypeSpec:
					known[base+"."+n.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range n.Names {
						known[base+"."+name.Name] = true
					}
				case *ast.Field:
					for _, name := range n.Names {
						known[base+"."+name.Name] = true
					}
				}
				return true
			})
		}
	}
	return known
}
