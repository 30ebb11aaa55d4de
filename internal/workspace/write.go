package workspace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// temporary is the prefix of files that are being written. They are never read.
const temporary = ".say-ur-intent-"

// pendingWrite is new content staged next to its file, complete and on disk, which commit moves
// into place. The caller closes it.
type pendingWrite struct {
	at      *os.Root
	name    string
	temp    string
	created bool
	before  []byte
	after   []byte
	removes bool // removes the file, to undo its creation
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

// commit replaces the file with the new content if the file is unchanged. If the system can
// atomically exchange two names, commit detects and restores a save between comparison and
// replacement.
func (w *pendingWrite) commit() error {
	if w.created {
		// a link is created only if the name does not exist
		err := w.at.Link(w.temp, w.name)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return baseIf(err)
		}
		// a disk without links: only this program's own check comes between
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
		return w.rename() // a save at this moment is lost
	case err != nil:
		return hidePath(err)
	}
	return w.keepSaves()
}

// compared is called between comparing a file and replacing it. Tests save the file at that time.
var compared = func(name string) {}

// keepSaves checks a file after it was exchanged with its new content. If it was saved after the
// comparison, keepSaves exchanges them back. A later save in between is kept.
func (w *pendingWrite) keepSaves() error {
	was, err := load(w.at, w.temp)
	//mutant:always ./internal/workspace TestSavesAreKept
	if err == nil && bytes.Equal(was, w.before) {
		return nil
	}
	there := w.after // the file's current content, unless someone saves it
	for range maxSaves {
		compared(w.name)
		if err := exchange(w.at, w.temp, w.name); err != nil {
			w.temp = "" // it contains the saved content
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

// maxSaves limits how often a file is exchanged because of saves in between.
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

// close removes what was staged and not committed.
func (w *pendingWrite) close() {
	if w.temp != "" {
		_ = w.at.Remove(w.temp)
	}
	w.at.Close()
}

// isTemporary reports whether a name is that of a file being written.
func isTemporary(name string) bool { return strings.HasPrefix(fold(name), temporary) }
