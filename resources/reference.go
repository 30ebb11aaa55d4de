package resources

import (
	"context"
	"io/fs"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// The reference of all tools is one page of a third of a megabyte, which no
// client should read whole. Each tool's part is a resource of its own.
const (
	referencePage = "MCP_TOOLS.md"
	toolPrefix    = "sayurintent://docs/mcp-tools/"
)

// Template is the URI template of the reference of one tool.
const Template = toolPrefix + "{name}"

// registerReference puts the resource template into s.
func registerReference(s *server.MCPServer, pages fs.FS) {
	template := mcp.NewResourceTemplate(Template, "Reference of one tool", mcp.WithTemplateTitle("Reference of one tool"),
		mcp.WithTemplateDescription("One tool by its name: arguments, answer, guidance, refusals, examples."),
		mcp.WithTemplateMIMEType(mime))
	s.AddResourceTemplate(template, func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		text, err := fs.ReadFile(pages, referencePage)
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(r.Params.URI, toolPrefix)
		part, ok := toolPart(string(text), name)
		//mutant:never ./resources TestToolReference/what is no tool is refused
		if !ok {
			return nil, fault.New(fault.InputInvalid, "There is no tool %q. The resource sayurintent://docs/mcp-tools lists them.", name)
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: mime, Text: part}}, nil
	})
}

// toolPart cuts the part of one tool, in either spelling of its name, out of the
// reference: from the heading of the name to the next heading of that level.
func toolPart(reference, name string) (string, bool) {
	for part := range strings.SplitSeq(reference, "\n## ") {
		heading, _, _ := strings.Cut(part, "\n")
		if strings.Contains(heading, ".") && (heading == name || strings.ReplaceAll(heading, ".", "_") == name) {
			return "## " + strings.TrimRight(part, "\n") + "\n", true
		}
	}
	return "", false
}
