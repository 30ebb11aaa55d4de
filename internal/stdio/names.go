package stdio

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// ToolNames is the spelling of tool names in everything sent to the client: lists, answers, errors,
// prompts and resources. tools/call accepts both spellings.
type ToolNames string

// Spellings of tool names.
const (
	ToolNamesAuto       ToolNames = "auto"       // depends on the name of the first client that gets an answer
	ToolNamesDotted     ToolNames = "dotted"     // read.get_server_status, the canonical names
	ToolNamesUnderscore ToolNames = "underscore" // read_get_server_status
)

// ParseToolNames parses a spelling given on the command line.
func ParseToolNames(s string) (ToolNames, error) {
	switch n := ToolNames(s); n {
	case ToolNamesAuto, ToolNamesDotted, ToolNamesUnderscore:
		return n, nil
	}
	return "", fault.New(fault.InputInvalid, "Tool names are spelled auto, dotted or underscore, not %q.", s)
}

// dotTakers lists clients known to accept dots in tool names, by a word in the client's name. All
// others get underscores, because model APIs accept only [a-zA-Z0-9_-]. Clients that pass names
// through unchanged (Claude Desktop, Continue) would lose all tools because of one dot. Clients
// that rewrite names may call one that was never listed.
var dotTakers = []struct{ word, reason string }{
	{"inspector", "its strict check was run on dotted names and finds nothing"},
	{"conformance", "the protocol's own suite; the protocol's names have dots"},
}

// takesDots reports whether a client is in dotTakers.
func takesDots(client string) bool {
	client = strings.ToLower(client)
	for _, t := range dotTakers {
		if strings.Contains(client, t.word) {
			return true
		}
	}
	return false
}

// spelling translates tool names. The spelling is fixed by the first answer, so that lists and
// texts agree from then on.
type spelling struct {
	canonical map[string]string   // underscore form to dotted name
	dotted    map[string]struct{} // every dotted name that may appear in an answer

	mu   sync.Mutex
	used ToolNames // ToolNamesAuto until settled
}

// newSpelling returns a spelling that knows the tools of s and the further names.
func newSpelling(used ToolNames, s *server.MCPServer, further []string) (*spelling, error) {
	sp := &spelling{canonical: map[string]string{}, dotted: map[string]struct{}{}, used: used}
	tools := s.ListTools()
	for name := range tools {
		if err := sp.learn(name); err != nil {
			return nil, err
		}
		if plain := underscored(name); plain != name && tools[plain] != nil {
			return nil, sameName(name, plain)
		}
	}
	for _, name := range further {
		if err := sp.learn(name); err != nil {
			return nil, err
		}
	}
	return sp, nil
}

// learn adds a name. A name may contain only one dot, because write looks at one dot at a time.
func (sp *spelling) learn(name string) error {
	plain := underscored(name)
	if plain == name {
		return nil
	}
	if strings.Count(name, ".") > 1 {
		return fmt.Errorf("stdio: the name of the tool %s has more than one dot", name)
	}
	if other, taken := sp.canonical[plain]; taken && other != name {
		return sameName(name, other)
	}
	sp.canonical[plain], sp.dotted[name] = name, struct{}{}
	return nil
}

func sameName(name, other string) error {
	return fmt.Errorf("stdio: the tools %s and %s have the same name when dots are underscores", name, other)
}

func underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }

// called returns the canonical form of the name in a call.
func (sp *spelling) called(name string) string {
	if dotted, ok := sp.canonical[name]; ok {
		return dotted
	}
	return name
}

// settle chooses the spelling by the client's name. Until the client has sent its name, write uses
// underscores.
func (sp *spelling) settle(client string) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.used != ToolNamesAuto || client == "" {
		return
	}
	sp.used = ToolNamesUnderscore
	if takesDots(client) {
		sp.used = ToolNamesDotted
	}
}

// write replaces each complete tool name in b with the client's spelling. It works in place,
// because both spellings have the same length.
func (sp *spelling) write(b []byte) []byte {
	sp.mu.Lock()
	dotted := sp.used == ToolNamesDotted
	sp.mu.Unlock()
	if dotted {
		return b
	}
	for at := 0; ; at++ {
		next := bytes.IndexByte(b[at:], '.')
		if next < 0 {
			return b
		}
		at += next
		from, to := at, at+1
		for from > 0 && wordByte(b[from-1]) {
			from--
		}
		for to < len(b) && wordByte(b[to]) {
			to++
		}
		if from == at || to == at+1 {
			continue
		}
		// After a backslash, the letter is part of a JSON escape such as \n.
		//mutant:never `from > 0 && b[from-1] == '\\'` ./internal/stdio TestNamesInTexts/after an escape
		if from > 0 && b[from-1] == '\\' {
			from++
		}
		if _, is := sp.dotted[string(b[from:to])]; is {
			b[at] = '_'
		}
	}
}

// text is like write for a string.
func (sp *spelling) text(s string) string { return string(sp.write([]byte(s))) }

// wordByte reports whether a byte can be part of a tool's name.
func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || c == '_' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
