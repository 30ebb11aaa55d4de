//go:build !windows && !darwin

package main

import (
	"os"
	"path/filepath"
)

// userDataDir follows the XDG base directories.
func userDataDir(p process) (string, error) {
	if dir := p.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}
