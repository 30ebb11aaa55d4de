// Package door connects AI clients with the one server of a data directory.
//
// A client runs a small proxy ([Proxy]). It connects to the server over a Unix socket in
// the data directory, starting the server if none runs, and passes lines of MCP on.
// When the server ends, the proxy connects to the next one: it introduces the client again
// and repeats the requests that only read.
//
// Both sides first exchange one line, a [Hello] and a [Welcome]. Everything after that is
// MCP, so a proxy serves clients of a newer server as well.
package door
