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
	"time"
)

// socketName is the server's socket in the data directory.
const socketName = "s"

// longestName is how long the address of a socket may be on every system.
const longestName = 100

// dialTime bounds connecting to a socket: a server that does not accept is not waited for.
const dialTime = 2 * time.Second

// dial connects to the server of a data directory. The socket must be this user's, and so
// must the process behind it.
func dial(dir string) (net.Conn, error) {
	info, err := os.Lstat(filepath.Join(dir, socketName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrAbsent
	}
	if err != nil {
		return nil, err
	}
	//mutant:never ./internal/door TestForeignSocket
	if err := judge(dir, info); err != nil {
		return nil, err
	}
	var conn net.Conn
	err = named(dir, socketName, func(name string) (err error) {
		conn, err = net.DialTimeout("unix", name, dialTime)
		return err
	})
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOENT) {
		return nil, ErrAbsent
	}
	if err != nil {
		return nil, err
	}
	//mutant:never ./internal/door TestForeignPeer
	if err := samePeer(conn.(*net.UnixConn)); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// errPeer says that another user's process is at the other end.
var errPeer = errors.New("door: the process at the other end belongs to another user")

// samePeer refuses a connection whose other end is another user's process.
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

// left reports whether a data directory has a socket: that of a running server, or of one
// that was killed. A server that ends by itself removes its socket.
func left(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, socketName))
	return err == nil
}

// judge refuses a socket that others may have made, or may connect to.
func judge(dir string, socket fs.FileInfo) error {
	path := filepath.Join(dir, socketName)
	inside, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch {
	case socket.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is not a socket: remove it", path)
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

// listen makes the server's socket. Only the server that holds the lock of the data
// directory may call it: whatever has the name is replaced, as it is from a server that
// has ended.
func listen(dir string) (*net.UnixListener, error) {
	const temporary = socketName + ".new"
	_ = os.Remove(filepath.Join(dir, temporary))
	var ln *net.UnixListener
	err := named(dir, temporary, func(name string) (err error) {
		ln, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	ln.SetUnlinkOnClose(false) // by then another server may have the name
	err = os.Chmod(filepath.Join(dir, temporary), 0o600)
	if err == nil {
		err = os.Rename(filepath.Join(dir, temporary), filepath.Join(dir, socketName))
	}
	if err != nil {
		_ = os.Remove(filepath.Join(dir, temporary))
		_ = ln.Close()
		return nil, err
	}
	return ln, nil
}
