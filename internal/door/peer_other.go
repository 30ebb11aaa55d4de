//go:build unix && !linux

package door

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// peerOf returns the user whose process is at the other end of a socket.
func peerOf(fd uintptr) (uid uint32, err error) {
	peer, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return peer.Uid, nil
}

// directory guards the working directory of the process.
var directory sync.Mutex

// named calls fn with a name of a file that is short enough for the address of a socket.
func named(dir, file string, fn func(name string) error) error {
	if path := filepath.Join(dir, file); len(path) <= longestName {
		return fn(path)
	}
	directory.Lock()
	defer directory.Unlock()
	here, err := os.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = here.Close() }()
	if err := os.Chdir(dir); err != nil {
		return err
	}
	return errors.Join(fn(file), here.Chdir())
}

// keepDescriptors lets a child inherit none of the descriptors that this process was
// started with, but for those that it is given.
func keepDescriptors() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
