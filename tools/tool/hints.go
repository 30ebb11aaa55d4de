package tool

import "github.com/mark3labs/mcp-go/mcp"

// hints returns the four MCP hints. It sets all of them, because a client assumes the worst about a
// missing one.
func (e Effect) hints() mcp.ToolAnnotation {
	readOnly, destructive, idempotent, open := true, false, true, false
	switch e {
	case ReadsChain:
		open = true
	case FillsCache:
		readOnly, open = false, true
	case KeepsTime:
		readOnly = false
	case OpensSession, AddsLocal:
		readOnly, idempotent = false, false
	case ClearsLocal:
		readOnly, destructive = false, true
	case ChangesFiles:
		readOnly, destructive, idempotent = false, true, false
	}
	return mcp.ToolAnnotation{
		ReadOnlyHint: &readOnly, DestructiveHint: &destructive,
		IdempotentHint: &idempotent, OpenWorldHint: &open,
	}
}
