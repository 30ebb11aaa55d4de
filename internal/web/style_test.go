package web

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestStyleSheetBraces finds a rule that is not closed. Browsers silently treat everything after it
// as part of the rule.
func TestStyleSheetBraces(t *testing.T) {
	sheet, err := sharedFiles.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	open := 0
	for i, line := range bytes.Split(sheet, []byte("\n")) {
		open += bytes.Count(line, []byte("{")) - bytes.Count(line, []byte("}"))
		if open < 0 || open > 0 && bytes.HasPrefix(line, []byte("/* ")) {
			t.Fatalf("line %d: %d rules are open", i+1, open)
		}
	}
	if open != 0 {
		t.Errorf("%d rules are open at the end", open)
	}
}

// TestStyleSheetClasses finds rules for classes that no template, script or Go file of a page
// names.
func TestStyleSheetClasses(t *testing.T) {
	sheet, err := sharedFiles.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	_, pages, ok := bytes.Cut(sheet, []byte("/* 5. Pages. */"))
	if !ok {
		t.Fatal("the style sheet has no part for pages")
	}
	named := map[string]bool{}
	word := regexp.MustCompile(`[a-zA-Z][\w-]*`)
	for _, root := range []string{".", "../../review"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if kind := filepath.Ext(path); err != nil || d.IsDir() || kind != ".html" && kind != ".js" && kind != ".go" ||
				strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, w := range word.FindAllString(string(text), -1) {
				named[w] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	rules := regexp.MustCompile(`\{[^{}]*\}`).ReplaceAll(regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAll(pages, nil),
		[]byte("{}"))
	for _, class := range regexp.MustCompile(`\.([a-zA-Z][\w-]*)`).FindAllStringSubmatch(string(rules), -1) {
		if !named[class[1]] {
			t.Errorf("nothing has the class %s", class[1])
		}
	}
}
