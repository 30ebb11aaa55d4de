package door

import (
	"io/fs"
	"net"

	"golang.org/x/sys/windows"
)

// On Windows, the access control list of the data directory decides who can connect, because
// connecting to a socket opens its file for writing. By default the directory is in the user's
// profile, which only the user, the system and administrators can enter. Like the store, this code
// reads neither the list nor the owner, so other users can connect if they can write to the
// directory. A connection does not identify the user at its other end. judge checks only the file's
// type.

// boundName is the socket's final name: Windows cannot rename a bound socket. A client that finds
// it before the server listens is refused, and waits for the start lock.
const boundName = socketName

// noFollow does nothing on Windows, where creating a symbolic link requires a privilege.
const noFollow = 0

// errNobody is the error of connecting to a socket that no process has open.
const errNobody = windows.WSAECONNREFUSED

func publish(string) error { return nil }

func judgeAccess(string, fs.FileInfo, string, fs.FileInfo) error { return nil }

func samePeer(*net.UnixConn) error { return nil }
