// Package stdio implements the MCP transport over standard input and output. It limits frame sizes
// and concurrency, preserves ids exactly, completes initialize before later requests, and writes
// progress before the answer. It writes nothing for a canceled request, and nothing but frames to
// the output.
//
// The registry, types and dispatch come from mcp-go, but not the stdio server. The package does not
// know any tool, validate arguments, handle signals or end the process.
//
// One process serves both protocol eras, in any mix: requests after an initialize handshake (up to
// 2025-11-25), and requests that carry their version and capabilities in _meta (2026-07-28).
package stdio
