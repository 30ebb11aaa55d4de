package double

import (
	"os"
	"testing"
)

// Dir returns a directory of the test's own, in memory where the system has a place
// for that: what is flushed there costs nothing. A test about what outlives a
// process, or about a disk, uses t.TempDir.
func Dir(t testing.TB) string {
	t.Helper()
	place := inMemory()
	if place == "" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(place, "sayurintent-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
