// Package stdio implements the MCP transport over standard input and output. It bounds frames and
// concurrency, keeps ids exact, handles initialize in order, and writes progress before the answer.
// It writes nothing after a cancellation, and nothing but frames to the output.
//
// The registry, types and dispatch come from mcp-go; its own stdio server is not used. The package
// knows no tools, does not validate arguments or handle signals, and never ends the process:
// [Serve] returns, and its caller decides.
//
// One process serves both protocol eras, in any mix: requests after an initialize handshake (up to
// 2025-11-25), and requests that carry their version and capabilities in _meta (2026-07-28).
package stdio
