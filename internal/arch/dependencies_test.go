package arch

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestDependencies: docs/DEPENDENCIES.md names every module that go.mod requires directly,
// and no other.
func TestDependencies(t *testing.T) {
	matches := func(path, pattern string) (list []string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			list = append(list, m[1])
		}
		slices.Sort(list)
		return list
	}
	required := matches("../../go.mod", `(?m)^\t(\S+) v\S+$`)
	named := matches("../../docs/DEPENDENCIES.md", `(?m)^\| (\S+\.\S+/\S+) \|`)
	if len(required) < 20 {
		t.Fatalf("go.mod requires only %v", required)
	}
	for _, module := range required {
		if !slices.Contains(named, module) {
			t.Errorf("docs/DEPENDENCIES.md does not say what %s is for", module)
		}
	}
	for i, module := range named {
		if !slices.Contains(required, module) || i > 0 && named[i-1] == module {
			t.Errorf("docs/DEPENDENCIES.md names %s, which go.mod does not require, or names it twice", module)
		}
	}
}
