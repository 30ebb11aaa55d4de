package arch

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the width of a line, a tab counted as one column.
const maxColumns = 120

// TestColumns limits the lines of every Go file, including tests, to maxColumns. A line with a long
// string may be longer, because a split text cannot be searched for.
func TestColumns(t *testing.T) {
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (skipped(d.Name()) && path != root):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_gen.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, line := range tooWide(src) {
			t.Errorf("%s:%d is wider than %d columns", path, line, maxColumns)
		}
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files: %v", files, err)
	}
}

// tooWide returns the numbers of lines that are too wide and contain no long string or tag. Marks
// of mutants are excepted, because a mark is one line.
func tooWide(src []byte) []int {
	wide := map[int]bool{}
	for i, line := range bytes.Split(src, []byte("\n")) {
		if utf8.RuneCount(line) > maxColumns && !bytes.HasPrefix(bytes.TrimLeft(line, "\t"), []byte("//mutant:")) {
			wide[i+1] = true
		}
	}
	if len(wide) == 0 {
		return nil
	}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind != token.STRING || len(text) < maxColumns/4 {
			continue
		}
		from := file.Line(pos)
		for line := from; line <= from+strings.Count(text, "\n"); line++ {
			delete(wide, line)
		}
	}
	lines := make([]int, 0, len(wide))
	for line := range wide {
		lines = append(lines, line)
	}
	return lines
}
