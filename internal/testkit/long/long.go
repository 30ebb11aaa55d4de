// Package long keeps slow tests out of quick runs (go test -short).
package long

import "testing"

// Skip skips a test in a quick run. Call it first in a test that starts a process or a browser, or
// takes more than about a second of processor time. why completes the sentence "not in a quick run:
// ".
func Skip(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("not in a quick run: " + why + "; make test runs it")
	}
}
