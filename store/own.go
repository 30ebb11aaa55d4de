package store

import (
	"context"
	"os"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/filelock"
)

// Own tries to make this process the server of the data directory. It returns false if another
// process is. The role lasts until Close or the end of the process.
func (db *DB) Own(_ context.Context) (bool, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lock != nil {
		return true, nil
	}
	var won bool
	var err error
	db.lock, won, err = db.hold(lockName, false)
	return won, err
}

// lockFile opens a lock file that only we can access, creating it if missing.
func (db *DB) lockFile(name string) (*os.File, error) {
	if _, err := db.place.prepareFile(name); err != nil {
		return nil, err
	}
	f, err := db.place.root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The lock file %s cannot be opened.",
			db.place.in(name)).With("store", "lock")
	}
	return f, nil
}

// hold opens and tries to lock a file. It returns the file only if it got the lock.
func (db *DB) hold(name string, shared bool) (*os.File, bool, error) {
	f, err := db.lockFile(name)
	if err != nil {
		return nil, false, err
	}
	won, err := filelock.Try(f, shared)
	if err == nil && won {
		return f, true, nil
	}
	_ = f.Close()
	if err != nil {
		return nil, false, fault.Wrap(err, fault.InternalError, "The lock file %s cannot be locked.",
			f.Name()).With("store", "lock")
	}
	return nil, false, nil
}
