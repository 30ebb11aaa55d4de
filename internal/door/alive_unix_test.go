//go:build unix

package door_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// toyAlive reports whether a toy server runs. A killed one whose parent does not ask for
// its end does not.
func toyAlive(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return err == nil && exe == program
}
