//go:build windows

package install

import "io/fs"

// On Windows, a new file inherits its owner and access list from the directory, and a rename needs
// no sync of the directory.

func sameOwner(string, fs.FileInfo) error { return nil }

func syncDir(string) {}
