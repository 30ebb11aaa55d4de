// Package door connects AI clients to the shared server of a data directory.
//
// Each client runs a small proxy ([Proxy]). It connects to the server over a Unix socket in the
// data directory and forwards lines of MCP. If no server is running, it starts one. If the server
// ends, the proxy connects to the next one, introduces the client again, and repeats requests that
// only read.
//
// Both sides first send one line, a [Hello] and a [Welcome]. All further lines are MCP, so an old
// proxy also works with a newer server.
package door
