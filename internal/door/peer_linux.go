package door

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// errPeer says that another user's process is at the other end.
var errPeer = errors.New("door: the process at the other end belongs to another user")

// samePeer refuses a connection whose other end is another user's process.
func samePeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if int(peer.Uid) != os.Geteuid() {
		return errPeer
	}
	return nil
}

// named calls fn with a name of a file that is short enough for the address of a socket.
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

// keepDescriptors lets a child inherit none of the descriptors that this process was
// started with, but for those that it is given.
func keepDescriptors() { _ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) }
