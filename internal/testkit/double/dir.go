package double

import (
	"os"
	"testing"
)

// Dir returns a temporary directory for the test, in memory if possible, so that syncing files
// costs nothing. Tests of crashes or of disks use t.TempDir.
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
