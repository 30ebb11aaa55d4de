package resources

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// toolPrefix is the URI of a tool's reference without the tool's name.
const toolPrefix = "sayurintent://docs/mcp-tools/"

// Template is the URI template of the tools' references.
const Template = toolPrefix + "{name}"

// registerReference registers the resource template in s.
func registerReference(s *server.MCPServer, pages fs.FS) {
	template := mcp.NewResourceTemplate(Template, "Reference of one tool", mcp.WithTemplateTitle("Reference of one tool"),
		mcp.WithTemplateDescription("One tool by its name: arguments, answer, guidance, refusals, examples."),
		mcp.WithTemplateMIMEType(mime))
	s.AddResourceTemplate(template, func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		name := strings.TrimPrefix(r.Params.URI, toolPrefix)
		text, ok, err := toolPage(pages, name)
		if err != nil {
			return nil, err
		}
		//mutant:never ./resources TestToolReference/what is no tool is refused
		if !ok {
			return nil, fault.New(fault.InputInvalid,
				"Unknown tool %q. The resource sayurintent://docs/mcp-tools lists all tools.", name)
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: mime, Text: text}}, nil
	})
}

// toolPage returns the reference of a tool, in either spelling of its name. The bool is false if
// the tool does not exist.
func toolPage(pages fs.FS, name string) (string, bool, error) {
	path := "tools/" + strings.ReplaceAll(name, ".", "_") + ".md"
	text, err := fs.ReadFile(pages, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(text), err == nil, err
}
