//go:build unix

package door

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// boundName is the temporary name of a socket to which clients must not connect yet.
const boundName = socketName + ".new"

// noFollow refuses to open a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// errNobody is the error of connecting to a socket that no process has open.
const errNobody = syscall.ECONNREFUSED

// publish gives a bound socket its final name, after restricting access to it.
func publish(dir string) error {
	bound := filepath.Join(dir, boundName)
	if err := os.Chmod(bound, 0o600); err != nil {
		return err
	}
	return os.Rename(bound, filepath.Join(dir, socketName))
}

// judgeAccess rejects a socket if other users can access it or its directory.
func judgeAccess(dir string, inside fs.FileInfo, path string, socket fs.FileInfo) error {
	switch {
	case !ours(socket) || !ours(inside):
		return fmt.Errorf("%s belongs to another user", path)
	case inside.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("other users can reach %s: run chmod 700 on it", dir)
	case socket.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("other users can reach %s: run chmod 600 on it", path)
	}
	return nil
}

func ours(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}

// errPeer means that another user's process is at the other end.
var errPeer = errors.New("the process at the other end belongs to another user")

// samePeer returns an error if the other end of a connection is another user's process.
func samePeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var uid uint32
	var failed error
	err = raw.Control(func(fd uintptr) { uid, failed = peerOf(fd) })
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if int(uid) != os.Geteuid() {
		return errPeer
	}
	return nil
}
