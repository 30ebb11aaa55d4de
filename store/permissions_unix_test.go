//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sayurintent/sayurintent/internal/account"
)

func TestPermissions(t *testing.T) {
	t.Run("everything that is created is the owner's alone, whatever the umask", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "new", "data")
		old := syscall.Umask(0)
		defer syscall.Umask(old)
		db := openNew(t, dir, nil, newClock().Now)
		if err := db.CreateIdentity(context.Background(), account.Identity{ID: "i1"}); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Own(context.Background()); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]os.FileMode{
			".": 0o700, "..": 0o700, dbFile: 0o600, dbFile + "-wal": 0o600, dbFile + "-shm": 0o600, "pages.lock": 0o600,
		} {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("%s has mode %o, want %o", name, got, want)
			}
		}
	})
	t.Run("a user's own open directory is taken, its file not", func(t *testing.T) {
		dir := made(t)
		chmod(t, dir, 0o755)
		open(t, dir, nil, newClock().Now)
	})
	t.Run("a lock file that others may read is refused", func(t *testing.T) {
		dir := made(t)
		db := open(t, dir, nil, newClock().Now)
		if _, err := db.Own(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open(t, dir, nil, newClock().Now)
		chmod(t, filepath.Join(dir, "pages.lock"), 0o666)
		if _, err := db.Own(context.Background()); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("%v", err)
		}
	})
	for what, spoil := range map[string]func(t *testing.T, dir string) string{
		"directory_symlink": func(t *testing.T, dir string) string {
			return link(t, os.Symlink, dir, dir+"-link")
		},
		"directory_not_directory": func(t *testing.T, dir string) string { return filepath.Join(dir, dbFile) },
		"directory_writable": func(t *testing.T, dir string) string {
			chmod(t, dir, 0o770)
			return dir
		},
		"parent_writable": func(t *testing.T, dir string) string {
			chmod(t, filepath.Dir(dir), 0o777)
			return dir
		},
		"directory_foreign": func(t *testing.T, dir string) string {
			if os.Geteuid() != 0 {
				return "/" // owned by root; only root can change the owner of a directory
			}
			giveAway(t, dir)
			return dir
		},
		"file_shared": func(t *testing.T, dir string) string {
			chmod(t, filepath.Join(dir, dbFile), 0o640)
			return dir
		},
		"file_linked": func(t *testing.T, dir string) string {
			link(t, os.Link, filepath.Join(dir, dbFile), filepath.Join(dir, "second"))
			return dir
		},
		"file_symlink": func(t *testing.T, dir string) string {
			moved := filepath.Join(dir, "moved")
			if err := os.Rename(filepath.Join(dir, dbFile), moved); err != nil {
				t.Fatal(err)
			}
			link(t, os.Symlink, moved, filepath.Join(dir, dbFile))
			return dir
		},
		"file_not_regular": func(t *testing.T, dir string) string {
			path := filepath.Join(dir, dbFile)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			return dir
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := spoil(t, made(t))
			if got := refusal(t, dir); got != what {
				t.Errorf("refused as %q", got)
			}
		})
	}
	if os.Geteuid() == 0 {
		t.Run("file_foreign", func(t *testing.T) {
			dir := made(t)
			giveAway(t, filepath.Join(dir, dbFile))
			if got := refusal(t, dir); got != "file_foreign" {
				t.Errorf("refused as %q", got)
			}
		})
	}
	t.Run("a sticky folder for all is taken, a folder above that all can write is not", func(t *testing.T) {
		above := filepath.Join(t.TempDir(), "above")
		dir := filepath.Join(above, "between", "data")
		if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		chmod(t, above, 0o777)
		if got := refusal(t, dir); got != "parent_writable" {
			t.Errorf("refused as %q", got)
		}
		chmod(t, above, 0o777|os.ModeSticky)
		open(t, dir, nil, newClock().Now)
	})
	t.Run("a companion file that is a link", func(t *testing.T) {
		dir := made(t)
		link(t, os.Symlink, filepath.Join(t.TempDir(), "elsewhere"), filepath.Join(dir, dbFile+"-wal"))
		if got := refusal(t, dir); got != "file_symlink" {
			t.Errorf("refused as %q", got)
		}
	})
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, how func(string, string) error, from, to string) string {
	t.Helper()
	if err := how(from, to); err != nil {
		t.Fatal(err)
	}
	return to
}

func giveAway(t *testing.T, path string) {
	t.Helper()
	const nobody = 65534
	if err := os.Chown(path, nobody, nobody); err != nil {
		t.Fatal(err)
	}
}
