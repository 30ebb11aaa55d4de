package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try takes a lock on an open file without waiting: an exclusive one, or one shared with other
// shared locks. It returns false if another process holds a lock that excludes it. The lock ends
// with the file's handle. A child that inherits the handle does not have the lock.
func Try(f *os.File, shared bool) (bool, error) {
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
