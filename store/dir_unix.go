//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether this process's user owns the file.
func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// linked reports whether the file has more than one hard link.
func linked(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || s.Nlink > 1
}

// othersMay reports whether any of the given permissions is granted.
func othersMay(info fs.FileInfo, perm fs.FileMode) bool { return info.Mode().Perm()&perm != 0 }

// othersWrite reports whether anyone but the user and root can write to a directory. Many systems
// make directories writable for the user's own group, which has no other members.
func othersWrite(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || othersMay(info, 0o002) || othersMay(info, 0o020) && int(s.Gid) != os.Getegid() && s.Gid != 0
}
