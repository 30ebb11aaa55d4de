package install

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Limits on the size of a configuration file and on the number of its backups.
const (
	maxFile     = 64 << 20
	keptBackups = 5
)

// File is a configuration file at the time it was read.
type File struct {
	Path string      // path given by the caller
	Real string      // path of the file, with links resolved
	Raw  []byte      // nil if the file does not exist
	mode fs.FileMode // mode of the file
	info fs.FileInfo
}

// ReadFile reads a configuration file. It is not an error if the file does not exist.
func ReadFile(name string) (File, error) {
	f := File{Path: name, Real: name, mode: 0o600}
	link, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return f, unreadable(name, err)
	}
	if link.Mode()&fs.ModeSymlink != 0 {
		if f.Real, err = filepath.EvalSymlinks(name); err != nil {
			return f, fault.Wrap(err, fault.Blocked,
				"%s is a link to a missing file. Remove the link, or create the file.", name)
		}
	}
	if f.info, err = os.Stat(f.Real); err != nil {
		return f, unreadable(name, err)
	}
	if !f.info.Mode().IsRegular() {
		return f, fault.New(fault.Blocked, "%s is not a regular file.", name)
	}
	if f.info.Size() > maxFile {
		return f, fault.New(fault.TooLarge, "%s is larger than %d MiB, too large for a configuration "+
			"file.", name, maxFile>>20)
	}
	f.mode = f.info.Mode().Perm()
	raw, err := os.ReadFile(f.Real)
	if err != nil {
		return f, unreadable(name, err)
	}
	f.Raw = append([]byte{}, raw...) // not nil, because the file exists
	return f, nil
}

func unreadable(name string, err error) error {
	return fault.Wrap(err, fault.Blocked, "%s cannot be read (%v).", name, cause(err))
}

// cause returns the system's error message without the path, which the sentence contains already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// Write atomically replaces the file. It first stores the old contents in the directory copies, and
// returns the path of that backup, or "" if there was no file. Backups are not stored next to the
// file, which may be part of a shared project and may contain keys. If the file was changed since
// it was read, or is write-protected, Write returns fault.Blocked and does not change it.
func (f File) Write(after []byte, copies string, now time.Time) (backup string, err error) {
	if f.Raw != nil && f.mode&0o200 == 0 {
		return "", fault.New(fault.Blocked, "%s is write-protected. Allow writing, and run this again.", f.Path)
	}
	dir := filepath.Dir(f.Real)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fault.Wrap(err, fault.Blocked, "The directory %s cannot be created (%v).", dir, cause(err))
	}
	fresh, err := f.prepare(dir, after)
	if err != nil {
		return "", fault.Wrap(err, fault.Blocked, "%s cannot be written (%v). It is unchanged.", f.Path, cause(err))
	}
	defer func() { _ = os.Remove(fresh) }() // does nothing if the file was renamed
	if f.Raw != nil {
		if backup, err = f.backUp(copies, now); err != nil {
			return "", fault.Wrap(err, fault.Blocked,
				"%s cannot be copied to %s (%v). It is unchanged.", f.Path, copies, cause(err))
		}
	}
	if err := f.unchanged(); err != nil {
		_ = os.Remove(backup)
		return "", err
	}
	if err := os.Rename(fresh, f.Real); err != nil {
		_ = os.Remove(backup)
		return "", fault.Wrap(err, fault.Blocked, "%s cannot be replaced (%v). It is unchanged.", f.Path, cause(err))
	}
	syncDir(dir)
	f.prune(copies)
	return backup, nil
}

// unchanged returns an error if the file changed since it was read.
func (f File) unchanged() error {
	now, err := ReadFile(f.Path)
	if err != nil {
		return err
	}
	if (now.Raw == nil) != (f.Raw == nil) || !bytes.Equal(now.Raw, f.Raw) || now.Real != f.Real {
		return fault.New(fault.Blocked, "Another program changed %s meanwhile. Nothing was written. Close the client, "+
			"then run this again.", f.Path)
	}
	return nil
}

// prepare writes the new contents to a file in the same directory, with the mode and owner of the
// old one, and syncs it.
func (f File) prepare(dir string, after []byte) (string, error) {
	t, err := os.CreateTemp(dir, ".say-ur-intent-*.tmp")
	if err != nil {
		return "", err
	}
	_, err = t.Write(after)
	err = errors.Join(err, t.Chmod(f.mode), t.Sync(), t.Close())
	if err == nil && f.info != nil {
		err = sameOwner(t.Name(), f.info)
	}
	if err != nil {
		_ = os.Remove(t.Name())
		return "", err
	}
	return t.Name(), nil
}

// backUp stores the contents that were read. The names of backups sort by time.
func (f File) backUp(dir string, now time.Time) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	stem := filepath.Join(dir, f.copied()+now.UTC().Format("20060102T150405.000Z"))
	for n := 0; ; n++ {
		name := stem + ".bak"
		if n > 0 {
			name = fmt.Sprintf("%s-%d.bak", stem, n)
		}
		b, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 100 {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = b.Write(f.Raw)
		if err = errors.Join(err, b.Sync(), b.Close()); err != nil {
			_ = os.Remove(name)
			return "", err
		}
		return name, nil
	}
}

// copied returns the prefix of the names of this file's backups. It contains a checksum of the
// path, because files in different directories may have the same name.
func (f File) copied() string {
	sum := sha256.Sum256([]byte(f.Path))
	return fmt.Sprintf("%s.%x.", strings.TrimPrefix(filepath.Base(f.Path), "."), sum[:4])
}

// prune removes all but the newest copies.
func (f File) prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var copies []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), f.copied()) && strings.HasSuffix(e.Name(), ".bak") && e.Type().IsRegular() {
			copies = append(copies, e.Name())
		}
	}
	slices.Sort(copies)
	for len(copies) > keptBackups {
		_ = os.Remove(filepath.Join(dir, copies[0]))
		copies = copies[1:]
	}
}
