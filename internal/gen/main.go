// Command gen generates the pages of docs that follow from code: tools, error codes and review
// statuses from declarations, and the coverage of requirements from the names of tests. It also
// generates Go code that lists the protocols of the sandbox and the areas of the store.
//
//	go run ./internal/gen          write the files
//	go run ./internal/gen -check   list the files that are not current
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/protocol/floor"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
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

// page is a generated file. Its path is relative to the top directory of the source.
type page struct {
	path string
	text []byte
}

// pages generates all files. It reads the recorded answers of tools below root.
func pages(root string) ([]page, error) {
	answers, err := readRecorded(root)
	if err != nil {
		return nil, err
	}
	covered, err := coverage(root)
	if err != nil {
		return nil, err
	}
	simulated, err := programs(root)
	if err != nil {
		return nil, err
	}
	stored, err := areas(root)
	if err != nil {
		return nil, err
	}
	all := tools.All(tools.Deps{})
	list := []page{
		{"internal/sandbox/programs_gen.go", simulated},
		{"store/areas_gen.go", stored},
		{"docs/MCP_TOOLS.md", toolList(tools.Catalogue())},
		{"docs/MCP_TOOLS_INDEX.md", toolIndex(all)},
		{"docs/ERRORS.md", errorReference(fault.All(), all)},
		{"docs/REVIEW_STATUS.md", statusReference()},
		{"docs/PROTOCOLS.md", protocolPage(floor.Known().Protocols)},
		{"docs/COVERAGE.md", covered},
	}
	for _, t := range all {
		text, err := toolPage(t, answers[t.Name])
		if err != nil {
			return nil, err
		}
		list = append(list, page{toolPages + "/" + tool.Underscored(t.Name) + ".md", text})
	}
	return list, nil
}

// toolPages is the directory of the pages of tools. It contains no other files.
const toolPages = "docs/tools"

// sync compares the generated files with those below root, and returns the paths that differ. These
// include pages of removed tools. If write is set, it updates the files.
func sync(root string, write bool) ([]string, error) {
	list, err := pages(root)
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, p := range list {
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
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, p.text, 0o644); err != nil {
			return nil, err
		}
	}
	gone, err := goneTools(root, list)
	for i := 0; write && err == nil && i < len(gone); i++ {
		err = os.Remove(filepath.Join(root, filepath.FromSlash(gone[i])))
	}
	return append(stale, gone...), err
}

// goneTools returns the pages of tools that no longer exist.
func goneTools(root string, list []page) ([]string, error) {
	files, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(toolPages)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var gone []string
	for _, f := range files {
		path := toolPages + "/" + f.Name()
		if !slices.ContainsFunc(list, func(p page) bool { return p.path == path }) {
			gone = append(gone, path)
		}
	}
	return gone, err
}
