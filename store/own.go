package store

import (
	"os"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/filelock"
)

// lockFile opens a lock file that only this user can access, creating it if missing.
func (db *engine) lockFile(name string) (*os.File, error) {
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

// hold opens a file and tries to lock it. It returns nil and false if another process holds the
// lock.
func (db *engine) hold(name string, shared bool) (*os.File, bool, error) {
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
