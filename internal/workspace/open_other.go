//go:build !unix

package workspace

import "io/fs"

const openNonblock = 0

// errNotDirectory is the error for a path through a file. On this system it is "does not exist".
var errNotDirectory = fs.ErrNotExist
