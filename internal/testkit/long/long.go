// Package long keeps slow tests out of quick runs (go test -short).
package long

import "testing"

// Skip skips a test in a quick run. Call it first in a test that starts a process or a browser, or
// takes more than about a second of processor time. The log says "not in a quick run" and why.
func Skip(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("not in a quick run: " + why + "; make test runs it")
	}
}
