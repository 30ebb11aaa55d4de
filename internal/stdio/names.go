package stdio

import (
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// ToolNames says how tools/list spells the names of tools. Both spellings are
// always accepted in tools/call.
type ToolNames string

// The spellings.
const (
	ToolNamesAuto       ToolNames = "auto"       // by the name of the client that lists first
	ToolNamesDotted     ToolNames = "dotted"     // read.get_server_status, the canonical names
	ToolNamesUnderscore ToolNames = "underscore" // read_get_server_status
)

// ParseToolNames reads a spelling as written on the command line.
func ParseToolNames(s string) (ToolNames, error) {
	switch n := ToolNames(s); n {
	case ToolNamesAuto, ToolNamesDotted, ToolNamesUnderscore:
		return n, nil
	}
	return "", fault.New(fault.InputInvalid, "Tool names are spelled auto, dotted or underscore, not %q.", s)
}

// dotRefusers are the clients known to break on a dot in a tool's name, by a
// word of the name they introduce themselves with. A client that is not here
// gets the canonical names: VS Code, Gemini and the Inspector take them, and a
// client that nobody knows is better served by the names of the documentation.
var dotRefusers = []struct{ word, reason string }{
	{"claude", "Claude Desktop admits [a-zA-Z0-9_-]{1,64} alone and drops every tool over one other name; Claude Code rewrites dots"},
	{"anthropic", "claude.ai's connector applies the same pattern"},
	{"cursor", "calls the underscore form of what it listed"},
	{"codex", "older versions pass names to a model API that answers 400"},
	{"copilot", "the command line client passes names to a model API that answers 400"},
}

// refusesDots reports whether the client of this name is in dotRefusers.
func refusesDots(client string) bool {
	client = strings.ToLower(client)
	for _, r := range dotRefusers {
		if strings.Contains(client, r.word) {
			return true
		}
	}
	return false
}

// spelling translates tool names. Which one is listed is settled by the first
// list and then stays, so that a list never changes under a client.
type spelling struct {
	canonical map[string]string // underscore form to dotted name

	mu     sync.Mutex
	listed ToolNames
}

func newSpelling(listed ToolNames, s *server.MCPServer) (*spelling, error) {
	sp := &spelling{canonical: map[string]string{}, listed: listed}
	tools := s.ListTools()
	for name := range tools {
		plain := underscored(name)
		if plain == name {
			continue
		}
		other, taken := sp.canonical[plain]
		if _, exists := tools[plain]; exists {
			other, taken = plain, true
		}
		if taken {
			return nil, fmt.Errorf("stdio: the tools %s and %s have the same name when dots are underscores", name, other)
		}
		sp.canonical[plain] = name
	}
	return sp, nil
}

func underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }

// called returns the canonical name of a tool that a client calls.
func (sp *spelling) called(name string) string {
	if dotted, ok := sp.canonical[name]; ok {
		return dotted
	}
	return name
}

// list spells the names of a list for the client of this name.
func (sp *spelling) list(client string, tools []mcp.Tool) []mcp.Tool {
	sp.mu.Lock()
	if sp.listed == ToolNamesAuto {
		sp.listed = ToolNamesDotted
		if refusesDots(client) {
			sp.listed = ToolNamesUnderscore
		}
	}
	dotted := sp.listed == ToolNamesDotted
	sp.mu.Unlock()
	if dotted {
		return tools
	}
	spelled := make([]mcp.Tool, len(tools))
	for i, t := range tools {
		t.Name = underscored(t.Name)
		spelled[i] = t
	}
	return spelled
}
