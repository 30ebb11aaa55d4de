//go:build !linux

package door

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// directory guards the process's working directory.
var directory sync.Mutex

// named calls fn with a name of the file that is short enough for a socket address.
func named(dir, file string, fn func(name string) error) error {
	if path := filepath.Join(dir, file); len(path) <= longestName {
		return fn(path)
	}
	directory.Lock()
	defer directory.Unlock()
	here, err := os.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = here.Close() }()
	if err := os.Chdir(dir); err != nil {
		return err
	}
	return errors.Join(fn(file), here.Chdir())
}
