//go:build unix

package workspace

import (
	"io/fs"
	"strconv"
	"syscall"
)

// inode names the place of a file on its disk: another file of the same size and time
// has another.
func inode(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(s.Ino), 10)
	}
	return ""
}
