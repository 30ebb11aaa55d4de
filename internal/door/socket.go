package door

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// socketName is the name of the server's socket in the data directory.
const socketName = "s"

// longestName is the maximum length of a socket's name that all systems support.
const longestName = 100

// dialTime limits connecting to a socket, so that a client does not wait for a server that hangs.
const dialTime = 2 * time.Second

// dial connects to the server of a data directory. The socket and the process behind it must belong
// to this user.
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
	if errors.Is(err, errNobody) || errors.Is(err, fs.ErrNotExist) {
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

// left reports whether a data directory contains a socket. It belongs to a running server or to one
// that was killed, because a server that exits normally removes its socket.
func left(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, socketName))
	return err == nil
}

// judge rejects a socket that another user may have created or can connect to.
func judge(dir string, socket fs.FileInfo) error {
	path := filepath.Join(dir, socketName)
	inside, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if socket.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is not a socket: remove it", path)
	}
	return judgeAccess(dir, inside, path, socket)
}

// listen creates the server's socket in place of any file with that name. The caller must hold the
// server lock.
func listen(dir string) (*net.UnixListener, error) {
	_ = os.Remove(filepath.Join(dir, boundName))
	var ln *net.UnixListener
	err := named(dir, boundName, func(name string) (err error) {
		ln, err = net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	ln.SetUnlinkOnClose(false) // by then, the name may belong to the socket of another server
	if err := publish(dir); err != nil {
		_ = os.Remove(filepath.Join(dir, boundName))
		_ = ln.Close()
		return nil, fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	return ln, nil
}
