// Command gen renders the reference pages of docs from the declarations in the
// code: the tools, the failure codes, the statuses of a review, and from the names
// of the tests: which requirements they prove.
//
//	go run ./internal/gen          write the pages
//	go run ./internal/gen -check   say which pages are not current
//
// It explains nothing that the declarations do not say.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/tools"
)

func main() {
	check := flag.Bool("check", false, "change nothing; fail when a page is not current")
	root := flag.String("root", ".", "top directory of the source")
	flag.Parse()
	stale, err := sync(*root, !*check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	for _, name := range stale {
		fmt.Fprintln(os.Stdout, name)
	}
	if *check && len(stale) > 0 {
		fmt.Fprintln(os.Stderr, "gen: these pages are not current; run: make gen")
		os.Exit(1)
	}
}

// page is one generated file, by its path from the top directory.
type page struct {
	path string
	text []byte
}

// pages renders what the declarations say.
func pages() []page {
	all := tools.All(tools.Deps{})
	return []page{
		{"docs/MCP_TOOLS.md", toolReference(tools.Catalogue(), all)},
		{"docs/MCP_TOOLS_INDEX.md", toolIndex(all)},
		{"docs/ERRORS.md", errorReference(fault.All(), all)},
		{"docs/REVIEW_STATUS.md", statusReference()},
	}
}

// sync compares the pages with the files below root and returns the paths of
// those that differ; it writes them where write is set.
func sync(root string, write bool) ([]string, error) {
	covered, err := coverage(root)
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, p := range append(pages(), page{"docs/COVERAGE.md", covered}) {
		path := filepath.Join(root, filepath.FromSlash(p.path))
		present, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if bytes.Equal(present, p.text) {
			continue
		}
		stale = append(stale, p.path)
		if !write {
			continue
		}
		if err := os.WriteFile(path, p.text, 0o644); err != nil {
			return nil, err
		}
	}
	return stale, nil
}
