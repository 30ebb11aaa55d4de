package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
)

// variable is the environment variable that names the broken guard.
const variable = "SAYURINTENT_MUTANT"

// switchSource is added to every package with a marked guard in a switched build.
const switchSource = `package %s

import "os"

var mutantChosen = os.Getenv("` + variable + `")

func mutantIs(name string) bool { return mutantChosen == name }
`

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

// name returns the value of the environment variable that breaks the guard. It contains no line
// number, so that a change elsewhere in the file does not change the build.
func (m mutant) name() string { return fmt.Sprintf("%s#%d", m.file, m.number) }

// switched returns a file's source in which the variable can break each condition. All mutants must
// be in this file.
func switched(source []byte, all []mutant) []byte {
	type edge struct {
		at, order int
		text      string
	}
	var edges []edge
	for i, m := range all {
		before := fmt.Sprintf("(!mutantIs(%q) && (", m.name())
		switch m.op {
		case opAlways:
			before = fmt.Sprintf("(mutantIs(%q) || (", m.name())
		case opDrop:
			continue // later statements may use what it declares
		}
		// A guard can be part of another: the outer one opens first and closes last.
		size := (m.end-m.start)*len(all) + i
		edges = append(edges, edge{m.start, -size, before}, edge{m.end, size - len(source)*len(all)*2, "))"})
	}
	slices.SortStableFunc(edges, func(a, b edge) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return a.order - b.order
	})
	var out bytes.Buffer
	from := 0
	for _, e := range edges {
		out.Write(source[from:e.at])
		out.WriteString(e.text)
		from = e.at
	}
	out.Write(source[from:])
	return out.Bytes()
}

// build compiles the tests of every package that the chosen mutants name, once, with all marked
// guards switchable. The overlay does not depend on the choice, so that the next run can use the
// compiler's cache.
func (b *bench) build(all, chosen []mutant) error {
	files := map[string][]mutant{}
	for _, m := range all {
		files[m.file] = append(files[m.file], m)
	}
	replace := map[string]string{}
	put := func(file string, content []byte) error {
		target, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		if replace[target] != "" {
			return nil
		}
		replace[target] = filepath.Join(b.dir, fmt.Sprintf("s%d.go", len(replace)))
		return os.WriteFile(replace[target], content, 0o600)
	}
	for file, list := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		clause := packageClause.FindSubmatch(source)
		if clause == nil {
			return fmt.Errorf("%s: no package clause", file)
		}
		if err := put(file, switched(source, list)); err != nil {
			return err
		}
		if err := put(path.Join(path.Dir(file), "mutants_switch.go"), fmt.Appendf(nil, switchSource, clause[1])); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return err
	}
	list := filepath.Join(b.dir, "switched.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	b.binaries = map[string]string{}
	for _, m := range chosen {
		if b.binaries[m.pkg] != "" {
			continue
		}
		binary := filepath.Join(b.dir, fmt.Sprintf("p%d.test", len(b.binaries)))
		out, err := exec.Command("go", "test", "-c", "-tags", b.tags, "-overlay", list, "-o", binary, m.pkg).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", m.pkg, err, tail(string(out)))
		}
		b.binaries[m.pkg] = binary
	}
	return nil
}

// switchedTest is like test, but runs the switched build with one guard broken, or none.
func (b bench) switchedTest(pkg, expression, broken string) (map[string]string, string) {
	cmd := exec.Command("go", "tool", "test2json", "-t", b.binaries[pkg], "-test.v=test2json", "-test.count=1",
		"-test.timeout=5m",
		"-test.run="+expression)
	cmd.Dir = filepath.FromSlash(pkg)
	cmd.Env = append(os.Environ(), variable+"="+broken)
	return outcome(cmd)
}
