//go:build !windows && !darwin

package door

import (
	"os"
	"path/filepath"
)

// userDataDir follows the XDG base directories.
func userDataDir(getenv func(string) string) (string, error) {
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}
