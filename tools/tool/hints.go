package tool

import "github.com/mark3labs/mcp-go/mcp"

// hints returns the four MCP hints. All of them are set, because clients assume the worst if one is
// missing.
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
