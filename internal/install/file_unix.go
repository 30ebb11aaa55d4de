//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// sameOwner gives a new file the owner of the old one. Only root can change owners, and if the
// owner is already the same, nothing needs to be done.
func sameOwner(name string, old fs.FileInfo) error {
	now, err := os.Stat(name)
	if err != nil {
		return err
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, also := now.Sys().(*syscall.Stat_t)
	if !ok || !also || was.Uid == is.Uid && was.Gid == is.Gid {
		return nil
	}
	return os.Chown(name, int(was.Uid), int(was.Gid))
}

// syncDir makes a rename durable. It ignores file systems that reject it.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
