package workspace

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// temporary begins the names of files that are being written. They are never read.
const temporary = ".say-ur-intent-"

// pendingWrite is a new content that lies beside its file, complete and on disk, and
// takes its place with commit. The caller ends it with close.
type pendingWrite struct {
	at      *os.Root
	name    string
	temp    string
	created bool
	before  []byte
	removes bool // the file goes away: the creation of it is undone
}

// stage writes the new content beside the file.
func (p *Project) stage(e *Edit) (*pendingWrite, error) {
	w, err := p.open(e.Path)
	if err != nil {
		return nil, err
	}
	w.created, w.before = e.Created, e.Before
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

// commit puts the new content in the place of the file, if that is still as it was.
func (w *pendingWrite) commit() error {
	if w.created {
		// a link is made only where there is no such name yet
		err := w.at.Link(w.temp, w.name)
		if errors.Is(err, fs.ErrExist) {
			return ErrBase
		}
		return hidePath(err)
	}
	now, err := load(w.at, w.name)
	//mutant:never ./internal/workspace TestApply
	if err != nil || !bytes.Equal(now, w.before) {
		return ErrBase
	}
	if w.removes {
		return hidePath(w.at.Remove(w.name))
	}
	if err := w.at.Rename(w.temp, w.name); err != nil {
		return hidePath(err)
	}
	w.temp = ""
	return nil
}

// close takes away what was staged and not committed.
func (w *pendingWrite) close() {
	if w.temp != "" {
		_ = w.at.Remove(w.temp)
	}
	w.at.Close()
}

// isTemporary reports a name of a file that is being written.
func isTemporary(name string) bool { return strings.HasPrefix(fold(name), temporary) }
