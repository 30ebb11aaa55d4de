//go:build unix

package workspace

import (
	"io/fs"
	"strconv"
	"syscall"
)

// inode returns the identity of a file on its disk, by which it differs from another file of the
// same size and time.
func inode(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(s.Ino), 10)
	}
	return ""
}
