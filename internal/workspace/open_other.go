//go:build !unix

package workspace

import "io/fs"

const openNonblock = 0

// errNotDirectory is the error for a path that goes through a file.
var errNotDirectory = fs.ErrNotExist
