//go:build windows

package install

import "io/fs"

// On Windows a new file inherits owner and access list from its directory, and a rename does not
// require a directory sync.

func sameOwner(string, fs.FileInfo) error { return nil }

func syncDir(string) {}
