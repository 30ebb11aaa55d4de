//go:build unix

package workspace

import "syscall"

const openNonblock = syscall.O_NONBLOCK

// errNotDirectory is the error for a path that goes through a file.
var errNotDirectory error = syscall.ENOTDIR
