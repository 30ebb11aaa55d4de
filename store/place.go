package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// place is an open data directory. Files are accessed relative to it, so nothing is written to
// another directory that has taken over its path.
type place struct {
	path string // absolute
	root *os.Root
}

// openPlace opens a real directory that no other user can change, creating it if missing.
func openPlace(path string) (*place, error) {
	if err := prepareDir(path); err != nil {
		return nil, err
	}
	if err := judgeParents(path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "The data directory %s cannot be read.", path).With("store",
			"directory_unreadable")
	}
	p := &place{path, root}
	if err := p.still(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *place) close() { _ = p.root.Close() }

// still returns an error if the path no longer leads to the open directory.
func (p *place) still() error {
	seen, err := os.Lstat(p.path)
	if err == nil {
		err = judgeDir(p.path, seen)
	}
	if err == nil {
		var held fs.FileInfo
		if held, err = p.root.Stat("."); err == nil && os.SameFile(seen, held) {
			return nil
		}
	}
	return fault.Wrap(err, fault.InternalError,
		"The data directory %s was moved, removed or replaced while Say Ur Intent was running. Put it back, quit every "+
			"AI client that uses Say Ur Intent, then start again.", p.path).With("store", "directory_replaced")
}

// in returns the full path of a file in the directory.
func (p *place) in(name string) string { return filepath.Join(p.path, name) }

// prepareFile makes sure that a file is a regular file that only this user can access. If it is
// missing, prepareFile creates an empty one and returns true. It runs before SQLite opens the
// database, because SQLite would create a file that others can read.
func (p *place) prepareFile(name string) (made bool, err error) {
	if err := p.still(); err != nil {
		return false, err
	}
	f, err := p.root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		return true, f.Close()
	case errors.Is(err, fs.ErrExist):
		return false, judgeFiles(p.root.Lstat, p.path, name)
	}
	return false, fault.Wrap(err, fault.InternalError, "The file %s cannot be created.", p.in(name)).With("store",
		"file_not_created")
}

// size returns the size of a file, or false if it does not exist.
func (p *place) size(name string) (int64, bool) {
	info, err := p.root.Lstat(name)
	if err != nil {
		return 0, false
	}
	return info.Size(), true
}
