//go:build windows

package store

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// On Windows the data directory lies under the user's own profile, whose access
// list keeps others out; there are no owner and mode bits to judge.

func ours(fs.FileInfo) bool { return true }

func linked(fs.FileInfo) bool { return false }

func othersMay(fs.FileInfo, fs.FileMode) bool { return false }

// tryLock takes an exclusive lock that ends with the file's handle.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
