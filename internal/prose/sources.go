package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// elsewhere lists directories without texts of this project. pages holds copies for the site.
var elsewhere = []string{".git", "bin", "dist", "node_modules", "pages", "testdata", "testkit"}

// generated matches files that are generated from strings in the code, and texts by others.
var generated = regexp.MustCompile(`^(THIRD_PARTY_LICENSES|CODE_OF_CONDUCT)\.md$|^docs/(MCP_TOOLS.*|ERRORS|REVIEW_STATUS|COVERAGE|PROTOCOLS)\.md$|^docs/tools/`)

// sources returns the files below root whose texts are checked.
func sources(root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		switch name = filepath.ToSlash(name); {
		case d.IsDir() && slices.Contains(elsewhere, d.Name()):
			return fs.SkipDir
		case d.IsDir() || generated.MatchString(name) || strings.HasSuffix(name, "_test.go"):
		case slices.Contains([]string{".md", ".html", ".go"}, filepath.Ext(name)):
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// sentence matches a string that a user might read. It has at least three words, two of which are
// adjacent and consist of lower-case letters.
var sentence = regexp.MustCompile(`(?s)^[^<{]*[a-z]{2,} [a-z]{2,}.* `)

// stringsOf returns the sentences among the string literals of Go files as one text, and the source
// position of each line. Each string is a paragraph.
func stringsOf(root string, files []string) ([]byte, map[int]string, error) {
	var text bytes.Buffer
	places, line := map[int]string{}, 1
	set := token.NewFileSet()
	for _, name := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		f, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.BasicLit)
			if !ok || s.Kind != token.STRING {
				return true
			}
			value, err := strconv.Unquote(s.Value)
			if value = strings.Join(strings.Fields(value), " "); err != nil || !sentence.MatchString(value) {
				return true
			}
			at := set.Position(s.Pos())
			places[line] = name + ":" + strconv.Itoa(at.Line)
			text.WriteString(value + "\n\n")
			line += 2
			return true
		})
	}
	return text.Bytes(), places, nil
}
