// Package resources registers the embedded documents that AI clients can read as MCP resources.
//
// The documents are reference material. A server's tools report what it supports.
package resources

import (
	"context"
	"io/fs"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// document is a resource whose text is a file.
type document struct {
	uri, title, about, file string
}

// documents returns the documents that are always registered. Documents for contributors are not
// resources.
func documents() []document {
	return []document{
		{"sayurintent://docs/readme", "Say Ur Intent", "Purpose, boundary, setup path and map of the documents.",
			"README.md"},
		{"sayurintent://docs/mcp-setup", "Setup", "Installation, connecting a client, first use, settings, troubleshooting.",
			"MCP_SETUP.md"},
		{"sayurintent://docs/mcp-tools", "Tool reference",
			"Every tool in one line, and how to read the full reference of one.", "MCP_TOOLS_INDEX.md"},
		{"sayurintent://docs/wallet-identity", "Wallet identity",
			"The active account, how it is set, and its limits.", "WALLET_IDENTITY.md"},
		{"sayurintent://docs/agent-behavior", "Answering", "Which tool answers which question, and how to word the answer.",
			"AGENT_BEHAVIOR.md"},
		{"sayurintent://protocols/deepbook-v3", "DeepBookV3",
			"Protocol reference only; the tools report current support.", "DEEPBOOK_V3.md"},
		{"sayurintent://protocols/deepbook-margin", "DeepBook Margin",
			"Protocol reference only; this server has no margin tools.", "DEEPBOOK_MARGIN.md"},
	}
}

// mime is the media type of all documents.
const mime = "text/markdown"

// Pending is the URI of the resource that lists events waiting for the agent.
const Pending = "sayurintent://events/pending"

// RegisterPending registers the resource Pending in s. read returns its content as JSON.
func RegisterPending(s *server.MCPServer, read func(context.Context) ([]byte, error)) {
	resource := mcp.NewResource(Pending, "Pending events", mcp.WithResourceTitle("Pending events"),
		mcp.WithResourceDescription("Recent events that were not delivered yet. Subscribe to get changes."),
		mcp.WithMIMEType("application/json"))
	s.AddResource(resource, func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		text, err := read(ctx)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: Pending, MIMEType: "application/json",
			Text: string(text)}}, err
	})
}

// URIs returns the URIs of the documents that Register registers.
func URIs() []string {
	var list []string
	for _, d := range documents() {
		list = append(list, d.uri)
	}
	return list
}

// Register registers the documents in pages and the template of the tools' references in s. It
// returns an error if a document is missing or empty. Texts are read on request.
func Register(s *server.MCPServer, pages fs.FS) error {
	for _, d := range documents() {
		if err := d.register(s, pages); err != nil {
			return err
		}
	}
	registerReference(s, pages)
	return nil
}

// register registers d in s.
func (d document) register(s *server.MCPServer, pages fs.FS) error {
	info, err := fs.Stat(pages, d.file)
	if err == nil && info.Size() == 0 {
		err = &fs.PathError{Op: "read", Path: d.file, Err: fs.ErrInvalid}
	}
	if err != nil {
		return err
	}
	resource := mcp.NewResource(d.uri, d.title, mcp.WithResourceTitle(d.title), mcp.WithResourceDescription(d.about),
		mcp.WithMIMEType(mime), mcp.WithResourceSize(info.Size()))
	s.AddResource(resource, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		text, err := fs.ReadFile(pages, d.file)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: d.uri, MIMEType: mime, Text: string(text)}}, err
	})
	return nil
}

// Workspace is the URI of the document about source projects.
const Workspace = "sayurintent://docs/workspace"

// RegisterWorkspace registers the document Workspace in s. Call it only if the workspace tools are
// served.
func RegisterWorkspace(s *server.MCPServer, pages fs.FS) error {
	return document{Workspace, "Source projects",
		"Searching, reading, following and changing the user's own sources; when to use other tools.",
		"WORKSPACE.md"}.register(s, pages)
}
