// Package stdio carries MCP over standard input and output: bounded frames,
// exact ids, ordered initialize, bounded concurrency, silence after a
// cancellation, progress before its answer, and nothing but frames on output.
//
// Registry, types and dispatch are mcp-go's; its own stdio server is not used.
// The package knows no tool, validates no arguments, handles no signals and
// never ends the process: [Serve] returns, and its caller decides.
//
// Both protocol eras are served on one process and may be mixed: requests after
// an initialize handshake (up to 2025-11-25), and requests that carry their
// version and capabilities in _meta (2026-07-28).
package stdio
