//go:build unix

package workspace

import "syscall"

const openNonblock = syscall.O_NONBLOCK

// errNotDirectory is what a path through a file is.
var errNotDirectory error = syscall.ENOTDIR
