//go:build !unix

package workspace

import "io/fs"

const openNonblock = 0

// errNotDirectory is what a path through a file is; here the system says that it does not exist.
var errNotDirectory = fs.ErrNotExist
