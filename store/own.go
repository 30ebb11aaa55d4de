package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// maxCard bounds the file that says who serves the pages.
const maxCard = 4 << 10

// Own tries to become the one process that serves the pages of this data
// directory. It reports false while another process is. The right lasts until
// Disown, Close or the end of the process, however it ends.
func (db *DB) Own(_ context.Context) (bool, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lock != nil {
		return true, nil
	}
	if db.door == nil {
		f, err := db.lockFile(lockName)
		if err != nil {
			return false, err
		}
		db.door = f
	}
	// A process that stands by asks many times a second: one call of the system.
	won, err := tryLock(db.door, false)
	if err == nil && !won {
		return false, nil
	}
	f := db.door
	db.door = nil
	if err == nil {
		err = db.stillThere(f, lockName)
	}
	if err != nil {
		_ = f.Close()
		return false, err
	}
	db.lock = f
	db.leave() // who serves the pages waits for nobody
	return true, nil
}

// stillThere makes sure that a lock is on the file that others see under its name.
func (db *DB) stillThere(f *os.File, name string) error {
	path := db.place.in(name)
	if err := db.place.still(); err != nil {
		return err
	}
	seen, err := db.place.root.Lstat(name)
	if err == nil {
		var held os.FileInfo
		if held, err = f.Stat(); err == nil && os.SameFile(seen, held) {
			return judgeFile(path, seen)
		}
	}
	return fault.Wrap(err, fault.InternalError, "The lock file %s was removed or replaced. Try again.", path).With("store", "lock")
}

// Disown ends the right of Own, so that a process that stands by can have it.
func (db *DB) Disown() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lock != nil {
		_ = db.lock.Close()
		db.lock = nil
	}
}

// StandBy reports others that this process takes the pages over when they become
// free, until StandDown, Own, Close or the end of the process. It is for a
// process that tries Own again and again.
func (db *DB) StandBy() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.seat != nil || db.lock != nil {
		return nil
	}
	f, won, err := db.hold(heirsName, true)
	switch {
	case err != nil:
		return err
	case won:
		db.seat = f
		return nil
	}
	// Somebody looks whether there are any; that takes a moment.
	return fault.New(fault.RateLimited, "Another process is looking at the file %s. Try again.", heirsName).With("store", "busy")
}

// StandDown ends StandBy.
func (db *DB) StandDown() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.leave()
}

func (db *DB) leave() {
	if db.seat != nil {
		_ = db.seat.Close()
		db.seat = nil
	}
}

// Awaited reports whether another process stands by to serve the pages. It must
// not be asked while this one does.
func (db *DB) Awaited() (bool, error) {
	f, won, err := db.hold(heirsName, false)
	if f != nil {
		_ = f.Close()
	}
	return err == nil && !won, err
}

// lockFile opens a lock file that is ours alone, making it where it is missing.
func (db *DB) lockFile(name string) (*os.File, error) {
	if _, err := db.place.prepareFile(name); err != nil {
		return nil, err
	}
	f, err := db.place.root.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The lock file %s cannot be opened.", db.place.in(name)).With("store", "lock")
	}
	return f, nil
}

// hold opens a lock file and tries to lock it. The file is open where and only
// where it was locked.
func (db *DB) hold(name string, shared bool) (*os.File, bool, error) {
	f, err := db.lockFile(name)
	if err != nil {
		return nil, false, err
	}
	won, err := tryLock(f, shared)
	if err == nil && won {
		return f, true, nil
	}
	_ = f.Close()
	if err != nil {
		return nil, false, fault.Wrap(err, fault.InternalError, "The lock file %s cannot be locked.", f.Name()).With("store", "lock")
	}
	return nil, false, nil
}

// Announce leaves a text for the other processes of this data directory, in a
// file that only the user can read; it replaces the one before in one step.
// Only the process that serves the pages may call it.
func (db *DB) Announce(text []byte) error {
	if err := db.place.replaceFile(cardName, text, false); err != nil {
		return fault.Wrap(err, fault.InternalError,
			"The file %s could not be written in %s, so other AI clients cannot use these pages.", cardName, db.dir).With("store", "card")
	}
	return nil
}

// Announced reads what Announce left last, nil when there is nothing yet. A file
// that others can read or write, or that is not plainly ours, is refused.
func (db *DB) Announced() ([]byte, error) {
	if err := db.place.still(); err != nil {
		return nil, err
	}
	return announced(db.dir)
}

func announced(dir string) ([]byte, error) {
	path := filepath.Join(dir, cardName)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The file %s cannot be read.", path).With("store", "file_unreadable")
	}
	if err := judgeFile(path, info); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The file %s cannot be read.", path).With("store", "file_unreadable")
	}
	defer func() { _ = f.Close() }()
	if now, err := f.Stat(); err != nil || judgeFile(path, now) != nil {
		return nil, refuse("file_changed", "The file %s changed while it was read. Try again.", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxCard))
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The file %s cannot be read.", path).With("store", "file_unreadable")
	}
	return text, nil
}
