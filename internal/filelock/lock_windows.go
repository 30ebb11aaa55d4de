package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try tries to lock an open file without waiting. A shared lock excludes only exclusive locks. Try
// returns false if another process holds a lock that conflicts. The lock is released when the
// handle is closed. A child process that inherits the handle does not hold the lock.
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
