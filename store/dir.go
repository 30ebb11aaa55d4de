package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// refuse returns an error about rejected files. what identifies the reason in tests and logs.
func refuse(what, format string, args ...any) *fault.Error {
	return fault.New(fault.InternalError, format, args...).With("store", what)
}

// prepareDir makes sure that dir is a real directory of this user that nobody else can write to,
// and creates it if missing. It rejects wrong permissions and never repairs them.
func prepareDir(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fault.Wrap(err, fault.InternalError, "The data directory %s cannot be created.", dir).
				With("store", "directory_not_created")
		}
		info, err = os.Lstat(dir)
	}
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "The data directory %s cannot be read.", dir).
			With("store", "directory_unreadable")
	}
	return judgeDir(dir, info)
}

// judgeParents rejects a directory that other users could replace because they can write to a
// parent directory. In a sticky directory, such as that for temporary files, they cannot.
func judgeParents(dir string) error {
	at, err := filepath.EvalSymlinks(filepath.Dir(dir))
	for err == nil {
		var info fs.FileInfo
		if info, err = os.Lstat(at); err != nil {
			break
		}
		//mutant:never ./store TestPermissions/parent_writable
		if othersWrite(info) && info.Mode()&fs.ModeSticky == 0 {
			return refuse("parent_writable", "Other users can write to %s and could replace %s. Run: chmod go-w "+
				"%s", at, dir, at)
		}
		if filepath.Dir(at) == at {
			return nil
		}
		at = filepath.Dir(at)
	}
	return fault.Wrap(err, fault.InternalError, "The folders above %s cannot be read.", dir).With("store",
		"directory_unreadable")
}

// judgeDir rejects a path that is not a real directory, or a directory that another user owns or
// can write to.
func judgeDir(dir string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink != 0 {
		return refuse("directory_symlink", "The data directory %s is a symbolic link. Specify the real directory.", dir)
	}
	if !info.IsDir() {
		return refuse("directory_not_directory", "The data directory %s is not a directory.", dir)
	}
	if !ours(info) {
		return refuse("directory_foreign", "The data directory %s belongs to another user.", dir)
	}
	if othersMay(info, 0o022) {
		return refuse("directory_writable",
			"The data directory %s can be written by other users. Run: chmod 700 %s", dir, dir)
	}
	return nil
}

// judgeFiles rejects a file, or a companion file, that other users own or can access.
func judgeFiles(stat func(string) (fs.FileInfo, error), dir, name string) error {
	for _, n := range []string{name, name + "-wal", name + "-shm"} {
		info, err := stat(n)
		if errors.Is(err, fs.ErrNotExist) && n != name {
			continue
		}
		if err != nil {
			return fault.Wrap(err, fault.InternalError, "The file %s cannot be read.",
				filepath.Join(dir, n)).With("store", "file_unreadable")
		}
		if err := judgeFile(filepath.Join(dir, n), info); err != nil {
			return err
		}
	}
	return nil
}

func judgeFile(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse("file_symlink", "The file %s is a symbolic link. Specify the directory that really contains "+
			"it.", path)
	case !info.Mode().IsRegular():
		return refuse("file_not_regular", "%s is not a regular file.", path)
	case !ours(info):
		return refuse("file_foreign", "The file %s belongs to another user.", path)
	case linked(info):
		return refuse("file_linked", "The file %s has a second name (a hard link). Remove the other name.", path)
	case othersMay(info, 0o077):
		return refuse("file_shared", "The file %s is accessible to other users. Run: chmod 600 %s", path, path)
	}
	return nil
}
