package workspace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// temporary is the prefix of files that are being written, which are never read.
const temporary = ".say-ur-intent-"

// pendingWrite is new content that was written and synced to a file next to its target. commit
// moves it into place. The caller must close it.
type pendingWrite struct {
	at      *os.Root
	name    string
	temp    string
	created bool
	before  []byte
	after   []byte
	removes bool // remove the file, to undo its creation
}

// stage writes the new content next to the file.
func (p *Project) stage(e *Edit) (*pendingWrite, error) {
	w, err := p.open(e.Path)
	if err != nil {
		return nil, err
	}
	w.created, w.before, w.after = e.Created, e.Before, e.After
	mode := fs.FileMode(0o644)
	if !e.Created {
		info, err := entry(w.at, w.name)
		if err != nil {
			w.close()
			return nil, ErrBase
		}
		mode = info.Mode().Perm()
	}
	temp := temporary + rand.Text() + ".tmp"
	f, err := w.at.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		w.close()
		return nil, hidePath(err)
	}
	w.temp = temp
	_, err = f.Write(e.After)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		w.close()
		return nil, hidePath(err)
	}
	return w, nil
}

// open opens the directory of a file.
func (p *Project) open(path string) (*pendingWrite, error) {
	parts, err := split(path)
	if err != nil || len(parts) == 0 {
		return nil, errors.Join(ErrPath, err)
	}
	at, err := p.directory(parts[:len(parts)-1])
	if err != nil {
		return nil, err
	}
	return &pendingWrite{at: at, name: parts[len(parts)-1]}, nil
}

// commit replaces the file if it has not changed. If the system can exchange two files atomically,
// commit also detects a save between the comparison and the replacement, and restores it.
func (w *pendingWrite) commit() error {
	if w.created {
		// Creating a link fails if the name exists.
		err := w.at.Link(w.temp, w.name)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return baseIf(err)
		}
		// The file system has no links, so another program may create the file after this check.
		if _, err := w.at.Lstat(w.name); !errors.Is(err, fs.ErrNotExist) {
			return ErrBase
		}
		return w.rename()
	}
	now, err := load(w.at, w.name)
	//mutant:never ./internal/workspace TestSavedEarlier
	if err != nil || !bytes.Equal(now, w.before) {
		return ErrBase
	}
	compared(w.name)
	if w.removes {
		return w.remove()
	}
	switch err := exchange(w.at, w.temp, w.name); {
	case errors.Is(err, errors.ErrUnsupported):
		return w.rename() // a save at this moment would be lost
	case err != nil:
		return hidePath(err)
	}
	return w.keepSaves()
}

// compared is called between comparing a file and replacing it. Tests use it to save the file in
// between.
var compared = func(name string) {}

// keepSaves checks the replaced file. If it was saved after the comparison, keepSaves exchanges the
// two files back. It also keeps later saves.
func (w *pendingWrite) keepSaves() error {
	was, err := load(w.at, w.temp)
	//mutant:always ./internal/workspace TestSavesAreKept
	if err == nil && bytes.Equal(was, w.before) {
		return nil
	}
	there := w.after // content of the file, unless it is saved again
	for range maxSaves {
		compared(w.name)
		if err := exchange(w.at, w.temp, w.name); err != nil {
			w.temp = "" // it holds the saved content, which must not be removed
			return hidePath(err)
		}
		now, err := load(w.at, w.temp)
		//mutant:always ./internal/workspace TestSavesAreKept
		if err == nil && bytes.Equal(now, there) {
			break
		}
		there, was = was, now
	}
	return ErrBase
}

// maxSaves limits how often files are exchanged because of further saves.
const maxSaves = 8

// remove removes the file, unless it was saved after the comparison.
func (w *pendingWrite) remove() error {
	w.temp = temporary + rand.Text() + ".tmp"
	if err := w.at.Rename(w.name, w.temp); err != nil {
		w.temp = ""
		return hidePath(err)
	}
	was, err := load(w.at, w.temp)
	//mutant:always ./internal/workspace TestSavesAreKept
	if err == nil && bytes.Equal(was, w.before) {
		return nil
	}
	if err := w.at.Link(w.temp, w.name); err != nil && !errors.Is(err, fs.ErrExist) {
		_ = w.at.Rename(w.temp, w.name)
		w.temp = ""
	}
	return ErrBase
}

func baseIf(err error) error {
	if err != nil {
		return ErrBase
	}
	return nil
}

func (w *pendingWrite) rename() error {
	if err := w.at.Rename(w.temp, w.name); err != nil {
		return hidePath(err)
	}
	w.temp = ""
	return nil
}

// close removes staged content that was not committed.
func (w *pendingWrite) close() {
	if w.temp != "" {
		_ = w.at.Remove(w.temp)
	}
	w.at.Close()
}

// isTemporary reports whether a name is that of a file being written.
func isTemporary(name string) bool { return strings.HasPrefix(fold(name), temporary) }
