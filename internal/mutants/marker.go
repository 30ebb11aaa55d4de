package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The ways to break a guard. A condition keeps its operands, so that nothing becomes unused and the
// broken code still compiles.
const (
	opNever  = "never"  // the condition never holds
	opAlways = "always" // the condition always holds
	opDrop   = "drop"   // the statement is omitted
)

const prefix = "//mutant:"

// mutant is a marked guard: how to break it, and the test that must then fail.
type mutant struct {
	file       string // relative to the root, with forward slashes
	line       int    // of the mark
	number     int    // index of the mark in its file
	op         string
	part       string // part of the condition to break; "" means all of it
	pkg        string // package of the test, such as ./review
	test       string // TestName/subtest, as go test prints it but with spaces
	start, end int    // byte offsets of the code to replace
}

// String describes the mutant for a user.
func (m mutant) String() string { return fmt.Sprintf("%s:%d %s", m.file, m.line, m.op) }

// broken returns the file's source with the guard broken.
func (m mutant) broken(source []byte) []byte {
	old := source[m.start:m.end]
	var replacement []byte
	switch m.op {
	case opNever:
		replacement = fmt.Appendf(nil, "(false && (%s))", old)
	case opAlways:
		replacement = fmt.Appendf(nil, "(true || (%s))", old)
	}
	return slices.Concat(source[:m.start], replacement, source[m.end:])
}

// find returns every marked guard below root, in the order of files and lines.
func find(root string) ([]mutant, error) {
	var all []mutant
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root && (name == "testdata" || name == "node_modules" || name == "bin" ||
			strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(source, []byte("\t"+prefix)) {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		found, err := parse(filepath.ToSlash(rel), source)
		all = append(all, found...)
		return err
	})
	return all, err
}

// parse returns the marked guards of one file. A mark is on the line before the guard: an if, a
// case, a return of one value, or any statement to drop.
func parse(file string, source []byte) ([]mutant, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, group := range tree.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, prefix)
			if !ok {
				continue
			}
			m, err := readMarker(text)
			m.file, m.line, m.number = file, files.Position(c.Pos()).Line, len(all)
			if err == nil {
				err = m.locate(files, tree, source, files.Position(group.End()).Line+1)
			}
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", m.file, m.line, err)
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// readMarker reads `never "part" ./package TestName/subtest`, where the part is
// optional.
func readMarker(text string) (mutant, error) {
	op, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	m := mutant{op: op}
	if quoted, ok := strings.CutPrefix(rest, "`"); ok {
		m.part, rest, ok = strings.Cut(quoted, "` ")
		if !ok {
			return m, fmt.Errorf("the part of the condition has no closing backquote")
		}
	}
	m.pkg, m.test, _ = strings.Cut(rest, " ")
	switch {
	case !slices.Contains([]string{opNever, opAlways, opDrop}, op):
		return m, fmt.Errorf("unknown way %q to break a guard", op)
	case !strings.HasPrefix(m.pkg, "./") || !strings.HasPrefix(m.test, "Test"):
		return m, fmt.Errorf("a marker names a package such as ./review and a test of it")
	}
	return m, nil
}

// locate finds the code that the mark applies to, in the statement that begins on the line.
func (m *mutant) locate(files *token.FileSet, tree *ast.File, source []byte, line int) error {
	var target ast.Node
	ast.Inspect(tree, func(n ast.Node) bool {
		if n == nil || target != nil {
			return false
		}
		begins := files.Position(n.Pos()).Line == line
		switch s := n.(type) {
		case *ast.IfStmt:
			if begins {
				target = s.Cond
			}
		case *ast.CaseClause:
			if begins {
				target = m.choice(files, s.List, source)
			}
		case *ast.ReturnStmt:
			if begins && len(s.Results) == 1 {
				target = s.Results[0]
			}
		}
		if m.op == opDrop {
			if s, ok := n.(ast.Stmt); ok && begins {
				target = s
			}
		}
		return true
	})
	if target == nil {
		return fmt.Errorf("no if, case or return of one value begins on the next line")
	}
	if m.part != "" {
		target = part(files, target, source, m.part)
		if target == nil {
			return fmt.Errorf("the condition has no part %s", m.part)
		}
	}
	m.start, m.end = files.Position(target.Pos()).Offset, files.Position(target.End()).Offset
	return nil
}

// choice returns the case expression that the mark applies to, or nil if the case has several and
// the mark names no part of one.
func (m *mutant) choice(files *token.FileSet, list []ast.Expr, source []byte) ast.Node {
	for _, e := range list {
		if len(list) == 1 || m.part != "" && part(files, e, source, m.part) != nil {
			return e
		}
	}
	return nil
}

// part returns the expression in a node that has the given text, or nil.
func part(files *token.FileSet, within ast.Node, source []byte, text string) ast.Node {
	var found ast.Node
	ast.Inspect(within, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && found == nil &&
			string(source[files.Position(e.Pos()).Offset:files.Position(e.End()).Offset]) == text {
			found = e
		}
		return found == nil
	})
	return found
}
