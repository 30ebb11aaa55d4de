// Package door connects AI clients to the one server of a data directory.
//
// A client runs a small proxy ([Proxy]). It connects to the server over a Unix socket in the data
// directory, starting the server if none runs, and forwards lines of MCP. When the server ends, the
// proxy connects to the next one: it introduces the client again and repeats the requests that only
// read.
//
// Both sides first exchange one line, a [Hello] and a [Welcome]. Everything after that is MCP, so
// an old proxy also works with a newer server.
package door
