package install

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// asNobody runs work with the file permissions of a user who owns nothing, because root can access
// everything.
func asNobody(t *testing.T, work func()) {
	t.Helper()
	if os.Getuid() != 0 {
		work()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := syscall.Setfsuid(65534); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setfsuid(0) }()
	work()
}

// TestNoRight: an operation that the system forbids is reported with its reason, and nothing is
// lost.
func TestNoRight(t *testing.T) {
	own := func(mode os.FileMode) string {
		dir := t.TempDir()
		name := written(t, filepath.Join(dir, "mcp.json"), "old", 0o600)
		for path := dir; path != os.TempDir() && path != "/"; path = filepath.Dir(path) {
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				_ = os.Chmod(path, info.Mode().Perm()|0o055)
			}
		}
		for _, path := range []string{name, dir} {
			if err := os.Chown(path, 65534, -1); os.Getuid() == 0 && err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
		return name
	}
	refused := func(err error, want string) {
		t.Helper()
		if !fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %q", err, want)
		}
	}
	t.Run("an unreadable file", func(t *testing.T) {
		name := own(0o700)
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		asNobody(t, func() {
			_, err := ReadFile(name)
			refused(err, "cannot be read (permission denied)")
		})
	})
	t.Run("a directory that takes no file", func(t *testing.T) {
		name, copies := own(0o500), filepath.Dir(own(0o700))
		asNobody(t, func() {
			_, err := readFile(t, name).Write([]byte("new"), copies, noon)
			refused(err, "cannot be written (permission denied). It is unchanged.")
		})
		if content(t, name) != "old" || len(names(t, filepath.Dir(name))) != 1 || len(names(t, copies)) != 1 {
			t.Error("something was left or lost")
		}
	})
	t.Run("a place for copies that takes none", func(t *testing.T) {
		name, copies := own(0o700), filepath.Dir(own(0o500))
		asNobody(t, func() {
			_, err := readFile(t, name).Write([]byte("new"), copies, noon)
			refused(err, name+" cannot be copied to "+copies)
		})
		if content(t, name) != "old" || len(names(t, filepath.Dir(name))) != 1 {
			t.Error("something was left or lost")
		}
	})
}
