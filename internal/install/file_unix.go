//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// sameOwner returns a new file the owner of the old one. Only root can; where the
// owner is the same already there is nothing to do.
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

// syncDir makes a rename last; some file systems refuse, and then it lasts less
// surely.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
