//go:build linux || darwin

package workspace

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange atomically exchanges two files of a directory. It returns errors.ErrUnsupported if the
// system or the file system cannot do that.
func exchange(at *os.Root, a, b string) error {
	dir, err := at.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	err = swap(int(dir.Fd()), a, b)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) || errors.Is(err,
		unix.EOPNOTSUPP) {
		return errors.ErrUnsupported
	}
	return err
}
