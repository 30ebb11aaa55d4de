// Package workspace reads a user's own projects, which the operating system confines to the
// registered folder. It searches and reads files, and indexes their Move packages. It changes a
// file only as the project's mode allows, and runs nothing. It contacts no server except the
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

// Project is an open folder. It is safe for concurrent use.
type Project struct {
	Key  string
	root *os.Root
}

// Open opens the folder dir as a project. Tools use the key as its name: lower-case letters,
// digits, dots, underscores and hyphens.
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

// hidePath removes this machine's paths from an error.
func hidePath(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// directory opens the directory at parts below the project. It compares every step with the parent
// directory's entry, so that it never follows a link, not even one created during the call. The
// caller closes it.
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

// looked is called between looking up a name and opening it. Tests create a link at that time.
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
	case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // on Windows, some links are irregular files
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
	// if a pipe has taken the file's place, opening it does not wait for a writer
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

// ReadAll returns the bytes of a file.
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

// binary reports whether bytes are not text. As in Git, that means a zero byte among the first
// 8000.
func binary(data []byte) bool {
	head := data[:min(len(data), 8000)]
	return strings.IndexByte(string(head), 0) >= 0
}
