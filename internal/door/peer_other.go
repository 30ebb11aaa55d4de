//go:build unix && !linux

package door

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// peerOf returns the user of the process at the other end of a socket.
func peerOf(fd uintptr) (uid uint32, err error) {
	peer, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return peer.Uid, nil
}

// keepDescriptors prevents a child from inheriting this process's inherited descriptors, except
// those passed to it explicitly.
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
