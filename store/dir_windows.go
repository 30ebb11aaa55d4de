//go:build windows

package store

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// On Windows the data directory lies in the user's own profile, whose access list
// keeps others out. There are no owner and mode bits to check.

func ours(fs.FileInfo) bool { return true }

func linked(fs.FileInfo) bool { return false }

func othersMay(fs.FileInfo, fs.FileMode) bool { return false }

func othersWrite(fs.FileInfo) bool { return false }

// tryLock takes a lock that ends with the file's handle: exclusive, or shared with
// other shared locks.
func tryLock(f *os.File, shared bool) (bool, error) {
	how := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if !shared {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
