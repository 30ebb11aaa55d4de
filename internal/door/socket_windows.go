package door

import (
	"io/fs"
	"net"

	"golang.org/x/sys/windows"
)

// On Windows, connecting to a socket opens its file for writing, so the access control list of the
// data directory decides who can connect. By default the directory is in the user's profile, which
// only the user, the system and administrators can access. Like the store, this package does not
// check the list or the owner. A user who can write to the directory can therefore connect, and a
// connection does not identify the user at its other end. judge checks only that the file is a
// socket.

// boundName is the final name of the socket, because Windows cannot rename a bound socket. A client
// that connects before the server listens fails, and then waits for the start lock.
const boundName = socketName

// noFollow does nothing on Windows, where creating a symbolic link requires a privilege.
const noFollow = 0

// errNobody is the error of connecting to a socket that no process has open.
const errNobody = windows.WSAECONNREFUSED

func publish(string) error { return nil }

func judgeAccess(string, fs.FileInfo, string, fs.FileInfo) error { return nil }

func samePeer(*net.UnixConn) error { return nil }
