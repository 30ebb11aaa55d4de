//go:build shared

package main

import (
	"os"
	"regexp"
	"testing"
)

// row is a requirement of the checklist: its id and its class.
var row = regexp.MustCompile(`(?m)^\| (R00\d-\d+) \| (\w) \|`)

// TestChecklist compares the list with the checklist that it stands for.
func TestChecklist(t *testing.T) {
	checklist, err := os.ReadFile("../../../shared/spec/requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	class := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(string(checklist), -1) {
		class[m[1]] = m[2]
	}
	all, err := specifications(requirements)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, s := range all {
		total += s.count
		for n := 1; n <= s.count; n++ {
			is, ok := class[s.id(n)]
			if !ok {
				t.Errorf("the checklist has no %s", s.id(n))
			}
			if u, listed := s.untested[s.id(n)]; listed && u.class != is {
				t.Errorf("%s is of class %s, not %s", s.id(n), is, u.class)
			}
		}
	}
	if total != len(class) {
		t.Errorf("%d requirements, and the checklist has %d", total, len(class))
	}
}
