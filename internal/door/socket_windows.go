package door

import (
	"io/fs"
	"net"

	"golang.org/x/sys/windows"
)

// On Windows, the access list of the data directory decides who can connect, because connecting to
// a socket opens its file for writing. By default the directory is in the user's profile, which only
// the user, the system and administrators can enter. As in the store, neither that list nor an owner
// is read here: a data directory in a place where others can write is open to them. A connection does
// not identify the user at its other end. Only the file's type is checked, by judge.

// boundName is the socket's own name: a bound socket is not renamed here. A client that
// finds it before the server listens is refused, and waits for the lock of starting.
const boundName = socketName

// noFollow has no equivalent here: creating a symbolic link requires a privilege.
const noFollow = 0

// errNobody is the error of connecting to a socket that no process has open.
const errNobody = windows.WSAECONNREFUSED

func publish(string) error { return nil }

func judgeAccess(string, fs.FileInfo, string, fs.FileInfo) error { return nil }

func samePeer(*net.UnixConn) error { return nil }
