package door

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// peerOf returns the user of the process at the other end of a socket.
func peerOf(fd uintptr) (uid uint32, err error) {
	peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return peer.Uid, nil
}

// named calls fn with a name of the file that is short enough for a socket address.
func named(dir, file string, fn func(name string) error) error {
	if path := filepath.Join(dir, file); len(path) <= longestName {
		return fn(path)
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return fn("/proc/self/fd/" + strconv.Itoa(int(d.Fd())) + "/" + file)
}

// keepDescriptors prevents a child from inheriting this process's inherited descriptors, except
// those passed to it explicitly.
func keepDescriptors() { _ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) }
