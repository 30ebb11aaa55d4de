//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// sameOwner gives a new file the owner of the old one, if they differ. Only root can do that.
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

// syncDir makes a rename durable. It ignores errors, because some file systems do not support it.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
