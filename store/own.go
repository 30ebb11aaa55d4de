package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/filelock"
)

// maxCard bounds the file in which the active server announces itself.
const maxCard = 4 << 10

// Own tries to make this process the active server of the data directory. It returns
// false while another process is. The role lasts until Disown, Close or the end of the
// process, however it ends.
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
	// A waiting process retries many times a second, so this is one system call.
	won, err := filelock.Try(db.door, false)
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

// stillThere makes sure that a lock is on the file that other processes see under its
// name.
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
	return fault.Wrap(err, fault.InternalError, "The lock file %s was removed or replaced. Try again.",
		path).With("store", "lock")
}

// Disown ends the role that Own took, so that a waiting process can take it.
func (db *DB) Disown() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.lock != nil {
		_ = db.lock.Close()
		db.lock = nil
	}
}

// StandBy announces that this process waits to become the active server, until
// StandDown, Own, Close or the end of the process. It is for a process that retries
// Own.
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
	// Another process may hold the lock for a moment while it checks for waiting ones.
	return fault.New(fault.RateLimited, "Another process is looking at the file %s. Try again.",
		heirsName).With("store", "busy")
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

// Awaited reports whether another process waits to become the active server. The
// active server must not call it.
func (db *DB) Awaited() (bool, error) {
	f, won, err := db.hold(heirsName, false)
	if f != nil {
		_ = f.Close()
	}
	return err == nil && !won, err
}

// lockFile opens a lock file that is ours alone, creating it where it is missing.
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

// hold opens a lock file and tries to lock it. It returns an open file only where the
// lock was taken.
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

// Announce writes a text for the other processes of this data directory, to a file
// that only the user can read. It replaces the previous one in one step. Only the
// active server may call it.
func (db *DB) Announce(text []byte) error {
	if err := db.place.replaceFile(cardName, text, false); err != nil {
		return fault.Wrap(err, fault.InternalError,
			"The file %s could not be written in %s, so other AI clients cannot use these pages.", cardName,
			db.dir).With("store", "card")
	}
	return nil
}

// Announced returns the last announced text, or nil. A file that others can read or
// write, or that is not plainly ours, is refused.
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
