package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `package p

func guard(a, b int) bool {
	//mutant:never ./p TestGuard/zero is refused
	if a == 0 || b == 0 {
		return false
	}
	//mutant:always ` + "`b < 3`" + ` ./p TestGuard
	if x := a; x > 1 && b < 3 {
		return false
	}
	switch {
	//mutant:never ./p TestGuard
	case a > b:
		return false
	}
	//mutant:drop ./p TestGuard
	touch()
	//mutant:never ./p TestGuard
	return a != b
}
`

func TestParse(t *testing.T) {
	got, err := parse("p/p.go", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"if (false && (a == 0 || b == 0)) {", "x > 1 && (true || (b < 3)) {", "case (false && (a > b)):", "\t\n",
		"return (false && (a != b))",
	}
	if len(got) != len(want) {
		t.Fatalf("%d mutants", len(got))
	}
	for i, m := range got {
		if broken := string(m.broken([]byte(sample))); !strings.Contains(broken, want[i]) {
			t.Errorf("%s:\n%s", m, broken)
		}
	}
	if got[0].pkg != "./p" || got[0].test != "TestGuard/zero is refused" || got[0].line != 4 {
		t.Errorf("%+v", got[0])
	}
	if strings.Contains(string(got[3].broken([]byte(sample))), "touch()") {
		t.Error("the dropped statement is still there")
	}
}

func TestSwitched(t *testing.T) {
	nested := strings.Replace(sample, "\t//mutant:never ./p TestGuard/zero is refused\n",
		"\t//mutant:never `a == 0` ./p TestGuard\n\t//mutant:never ./p TestGuard\n", 1)
	all, err := parse("p/p.go", []byte(nested))
	if err != nil {
		t.Fatal(err)
	}
	got := string(switched([]byte(nested), all))
	if _, err := parse("p/p.go", []byte(got)); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	for _, want := range []string{
		`if (!mutantIs("p/p.go#1") && ((!mutantIs("p/p.go#0") && (a == 0)) || b == 0)) {`,
		`x > 1 && (mutantIs("p/p.go#2") || (b < 3)) {`, `case (!mutantIs("p/p.go#3") && (a > b)):`,
		"\ttouch()\n", `return (!mutantIs("p/p.go#5") && (a != b))`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestMarkersThatSayNothing(t *testing.T) {
	for name, marker := range map[string]string{
		"an unknown way":    "sometimes ./p TestGuard",
		"no package":        "never TestGuard",
		"no test":           "never ./p",
		"no such part":      "never `a == 7` ./p TestGuard",
		"an unclosed quote": "never `a == 7 ./p TestGuard",
	} {
		text := strings.Replace(sample, "never ./p TestGuard/zero is refused", marker, 1)
		if _, err := parse("p/p.go", []byte(text)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := parse("p/p.go", []byte(strings.Replace(sample, "touch()", "", 1))); err == nil {
		t.Error("a marker before nothing is taken")
	}
}

func TestPattern(t *testing.T) {
	if got := pattern("TestA/R004-1 the (first) case"); got != `^TestA$/^R004-1_the_\(first\)_case$` {
		t.Error(got)
	}
}

// The page on security states how many guards are marked, to the next lower fifty.
// A smaller number means that markers were lost.
func TestFigureInTheDocuments(t *testing.T) {
	root := filepath.Join("..", "..")
	all, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("more than %d conditions are marked", (len(all)-1)/50*50); !strings.Contains(string(page),
		want) {
		t.Errorf("docs/SECURITY.md does not say that %s", want)
	}
}

func TestParts(t *testing.T) {
	all := []mutant{{line: 1}, {line: 2}, {line: 3}, {line: 4}, {line: 5}}
	seen := map[int]int{}
	for _, part := range []string{"1/3", "2/3", "3/3"} {
		chosen, err := partOf(all, part)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range chosen {
			seen[m.line]++
		}
	}
	for _, m := range all {
		if seen[m.line] != 1 {
			t.Errorf("mutant %d is in %d parts", m.line, seen[m.line])
		}
	}
	for _, part := range []string{"", "0/3", "4/3", "a/b"} {
		if _, err := partOf(all, part); err == nil {
			t.Errorf("part %q is accepted", part)
		}
	}
}
