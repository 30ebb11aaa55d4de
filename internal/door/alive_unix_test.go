//go:build unix

package door_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// toyAlive reports whether a toy server is running. A killed process that its parent has not waited
// for does not count.
func toyAlive(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return err == nil && exe == program
}
