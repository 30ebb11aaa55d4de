package tool

import "github.com/mark3labs/mcp-go/mcp"

// Origin names an author of text in an answer. Such text is data and never an instruction.
type Origin string

// Origins of text that this program did not write.
const (
	FromChain   Origin = "chain"         // names of coins, objects and functions, and error messages of nodes
	FromPerson  Origin = "person"        // the user's address book, labels and answers
	FromProgram Origin = "other program" // AI clients, wallets, proposals and source files
)

// UntrustedKey is the member of a result's _meta that lists the origins of untrusted text. It is
// absent if there are none.
const UntrustedKey = "say-ur-intent/untrusted"

// label adds the origins of untrusted text to a result.
func (t Tool) label(result *mcp.CallToolResult) {
	if len(t.Untrusted) == 0 {
		return
	}
	result.Meta = &mcp.Meta{AdditionalFields: map[string]any{UntrustedKey: t.Untrusted}}
}
