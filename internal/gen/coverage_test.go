package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryRequirement holds the list against the tests: each requirement is named by a
// subtest, or listed with its reason, and no id is of no requirement.
func TestEveryRequirement(t *testing.T) {
	all, err := specifications(requirements)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := named(top)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range all {
		for n := 1; n <= s.count; n++ {
			known[s.id(n)] = true
			u, listed := s.untested[s.id(n)]
			switch tested := len(tests[s.id(n)]) > 0; {
			case tested && listed:
				t.Errorf("a test names %s: delete its line in requirements.txt, and run: make gen", s.id(n))
			case !tested && !listed:
				t.Errorf("no subtest names %s", s.id(n))
			case listed && !slices.Contains([]string{informative, decided, open}, u.state) || listed &&
				!strings.HasSuffix(u.reason, "."):
				t.Errorf("%s has no state, or no sentence as its reason: %+v", s.id(n), u)
			}
		}
		for id := range s.untested {
			if !known[id] {
				t.Errorf("requirements.txt lists %s, which is no requirement", id)
			}
		}
	}
	for id, list := range tests {
		if !known[id] {
			t.Errorf("%s, which is no requirement, is in the names of %v", id, list)
		}
	}
}

// TestNamed reads the names of subtests where people put them.
func TestNamed(t *testing.T) {
	root := t.TempDir()
	of := func(text string) string { return strings.ReplaceAll(text, "ID", "R004") } // so that this test names none
	for name, text := range map[string]string{
		"a/a_test.go": "package a\nimport \"testing\"\nvar table = []string{\"ID-1 ID-2 of a table\"}\n" +
			"func helper(t *testing.T) { t.Run(\"ID-3 of a helper\", nil) }\n" +
			"func TestA(t *testing.T) { for range table { helper(t) }; t.Errorf(\"ID-4 of a failure\"); _ = \"not ID-5\" }\n" +
			"// ID-6 of a comment\nfunc TestB(t *testing.T) { t.Run(\"ID-3 of its own\", nil); read(\"testdata/x.json\") }\nfunc read(string) {}\n",
		"a/testdata/x.json": `[{"name":"ID-7 of data"},{"name":"other ID-8"}]`,
		"b/b.go":            "package b\nfunc f() string { return \"ID-9 of no test\" }\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(of(text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := named(root)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][]claim{"ID-1": {{"a", "TestA"}}, "ID-2": {{"a", "TestA"}}, "ID-3": {{"a", "TestB"}},
		"ID-4": nil, "ID-5": nil,
		"ID-6": nil, "ID-7": {{"a", "TestB"}}, "ID-8": nil, "ID-9": nil} {
		if !slices.Equal(got[of(id)], want) {
			t.Errorf("%s: %v, want %v", id, got[of(id)], want)
		}
	}
}

// TestProofs covers what is named with the fewest runs from left to right.
func TestProofs(t *testing.T) {
	a, b := claim{"p", "TestA"}, claim{"p", "TestB"}
	s := specification{prefix: "R", count: 6}
	got := s.proofs(map[string][]claim{"R-1": {a, b}, "R-2": {b}, "R-3": {a}, "R-5": {a}, "R-6": {a}})
	if want := []proof{{1, 2, b}, {3, 3, a}, {5, 6, a}}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}
