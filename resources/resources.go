// Package resources serves the embedded documents that a connected AI client may
// read as MCP resources.
//
// The list is closed: a document that is not named here is no resource. The
// documents are reference; its tools say what a server can do.
package resources

import (
	"context"
	"io/fs"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// document is one resource and the file behind it.
type document struct {
	uri, title, about, file string
}

// documents lists every resource. Pages for contributors are not among them.
func documents() []document {
	return []document{
		{"sayurintent://docs/readme", "Say Ur Intent", "Purpose, boundary, setup path and map of the documents.",
			"README.md"},
		{"sayurintent://docs/mcp-setup", "Setup", "Installation, connecting a client, first use, settings, trouble.",
			"MCP_SETUP.md"},
		{"sayurintent://docs/mcp-tools", "Tool reference",
			"Every tool in one line, and how to read the whole reference of one.", "MCP_TOOLS_INDEX.md"},
		{"sayurintent://docs/wallet-identity", "Wallet identity",
			"The active account, how it is set on this machine, and what it is not.", "WALLET_IDENTITY.md"},
		{"sayurintent://docs/agent-behavior", "Answering", "Which tool answers which question, and how to word the answer.",
			"AGENT_BEHAVIOR.md"},
		{"sayurintent://protocols/deepbook-v3", "DeepBookV3",
			"Protocol reference only; current support is told by the tools.", "DEEPBOOK_V3.md"},
		{"sayurintent://protocols/deepbook-margin", "DeepBook Margin",
			"Protocol reference only; this server has no margin tools.", "DEEPBOOK_MARGIN.md"},
	}
}

// mime is what all documents are written in.
const mime = "text/markdown"

// Pending is the resource that says what waits for the agent.
const Pending = "sayurintent://events/pending"

// RegisterPending puts it into s. read returns its text, JSON.
func RegisterPending(s *server.MCPServer, read func(context.Context) ([]byte, error)) {
	resource := mcp.NewResource(Pending, "Pending events", mcp.WithResourceTitle("Pending events"),
		mcp.WithResourceDescription("What happened and was not told yet; subscribe to hear of changes."),
		mcp.WithMIMEType("application/json"))
	s.AddResource(resource, func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		text, err := read(ctx)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: Pending, MIMEType: "application/json",
			Text: string(text)}}, err
	})
}

// URIs lists the resources in their order.
func URIs() []string {
	var list []string
	for _, d := range documents() {
		list = append(list, d.uri)
	}
	return list
}

// Register puts every document of pages into s, and the reference of each tool. A document that is missing or
// empty is an error. Texts are read when they are asked for.
func Register(s *server.MCPServer, pages fs.FS) error {
	for _, d := range documents() {
		if err := d.register(s, pages); err != nil {
			return err
		}
	}
	registerReference(s, pages)
	return nil
}

// register puts one document into s.
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

// Workspace is the resource about source projects, which is there where their tools are.
const Workspace = "sayurintent://docs/workspace"

// RegisterWorkspace puts it into s.
func RegisterWorkspace(s *server.MCPServer, pages fs.FS) error {
	return document{Workspace, "Source projects",
		"Searching, reading, following and changing the person's own sources; when to use other tools.",
		"WORKSPACE.md"}.register(s, pages)
}
