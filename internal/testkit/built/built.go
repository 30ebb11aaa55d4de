// Package built finds or builds the program, for tests that start it as an AI client does.
package built

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Variable is the environment variable with the path of a program that was built in advance. make test
// sets it.
const Variable = "SAY_UR_INTENT_BUILT"

// Program returns the path of the program. If none was built in advance, it builds one in bin/,
// once per test package.
func Program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv(Variable); path != "" {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
		return path
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var build = sync.OnceValues(func() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root := here
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(root)
		if up == root {
			return "", fmt.Errorf("no go.mod above %s", here)
		}
		root = up
	}
	// Packages are tested in parallel, so each has its own.
	path := filepath.Join(root, "bin", "tests", filepath.Base(here), "say-ur-intent")
	c := exec.Command("go", "build", "-o", path, "./cmd/say-ur-intent")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})
