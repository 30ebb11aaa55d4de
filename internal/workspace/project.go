// Package workspace gives access to source projects that the user registered. The operating system
// confines it to the registered folders. It searches and reads files, indexes Move packages, and
// changes files as far as the mode of a project allows. It runs no programs. It contacts only the
// configured node, for published bytecode.
package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// MaxFile is the maximum size of a file that is read, in bytes.
const MaxFile = 2 << 20

var keyForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Project is an open project folder. It is safe for concurrent use.
type Project struct {
	Key  string
	root *os.Root
}

// Open opens the folder dir as a project. key is the project's name in tools. It consists of
// lower-case letters, digits, dots, underscores and hyphens.
func Open(key, dir string) (*Project, error) {
	if !keyForm.MatchString(key) {
		return nil, fmt.Errorf("project key %q: want 1 to 64 of a-z, 0-9, '.', '_', '-', a letter or digit first", key)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("project %s: %w", key, hidePath(err))
	}
	return &Project{Key: key, root: root}, nil
}

// Close closes the folder.
func (p *Project) Close() error { return p.root.Close() }

// hidePath removes paths of this machine from an error.
func hidePath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// directory opens the directory at parts. At each step it compares the opened directory with the
// entry in its parent, so that it never follows a link, even if one is created during the call. The
// caller must close it.
func (p *Project) directory(parts []string) (*os.Root, error) {
	at, err := p.root.OpenRoot(".")
	if err != nil {
		return nil, hidePath(err)
	}
	for _, part := range parts {
		next, err := enter(at, part)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// looked is called between looking up a name and opening it. Tests use it to create a link in
// between.
var looked = func(name string) {}

// enter opens the directory name in at, unless it is a link.
func enter(at *os.Root, name string) (*os.Root, error) {
	before, err := entry(at, name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, ErrNotExist
	}
	looked(name)
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, missing(err)
	}
	after, err := next.Stat(".")
	if err != nil || !os.SameFile(before, after) {
		next.Close()
		return nil, ErrChanged
	}
	return next, nil
}

// entry looks up a name without following a link.
func entry(at *os.Root, name string) (fs.FileInfo, error) {
	info, err := at.Lstat(name)
	switch {
	case err != nil:
		return nil, missing(err)
	case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // some links on Windows are irregular files
		return nil, ErrLink
	}
	return info, nil
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDirectory) {
		return ErrNotExist
	}
	return hidePath(err)
}

// load reads the regular file name in at, up to MaxFile bytes.
func load(at *os.Root, name string) ([]byte, error) {
	before, err := entry(at, name)
	switch {
	case err != nil:
		return nil, err
	case !before.Mode().IsRegular():
		return nil, ErrNotFile
	case before.Size() > MaxFile:
		return nil, ErrTooLarge
	}
	looked(name)
	// If a pipe has replaced the file, opening it must not wait for a writer.
	f, err := at.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, missing(err)
	}
	defer f.Close()
	after, err := f.Stat()
	if err != nil || !os.SameFile(before, after) || !after.Mode().IsRegular() {
		return nil, ErrChanged
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	switch {
	case err != nil:
		return nil, hidePath(err)
	case len(data) > MaxFile:
		return nil, ErrTooLarge
	}
	return data, nil
}

// ReadAll returns the contents of a file.
func (p *Project) ReadAll(relative string) ([]byte, error) {
	parts, err := split(relative)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, ErrNotFile
	}
	at, err := p.directory(parts[:len(parts)-1])
	if err != nil {
		return nil, err
	}
	defer at.Close()
	return load(at, parts[len(parts)-1])
}

// binary reports whether data is not text. Like Git, it looks for a zero byte in the first 8000
// bytes.
func binary(data []byte) bool {
	head := data[:min(len(data), 8000)]
	return strings.IndexByte(string(head), 0) >= 0
}
