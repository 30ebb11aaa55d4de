package resources

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Card is an HTML page that a client displays together with a tool's answer.
type Card struct {
	URI, Name, Title, About string
	HTML                    func() (string, error)
}

// RegisterCards registers cards with the media type kind in s. Only clients for which shows is true
// can read them.
func RegisterCards(s *server.MCPServer, kind string, cards []Card, shows func(context.Context) bool) {
	for _, c := range cards {
		resource := mcp.NewResource(c.URI, c.Name, mcp.WithResourceTitle(c.Title), mcp.WithResourceDescription(c.About),
			mcp.WithMIMEType(kind))
		s.AddResource(resource, func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			//mutant:never ./cmd/say-ur-intent TestCardsAreDeclared
			if !shows(ctx) {
				return nil, fault.New(fault.InputInvalid, "Only a client that declares io.modelcontextprotocol/ui can read cards.")
			}
			html, err := c.HTML()
			if err != nil {
				return nil, err
			}
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: c.URI, MIMEType: kind, Text: html, Meta: cardMeta()}},
				nil
		})
	}
}

// cardMeta declares that a card loads nothing, needs no permissions and draws its own border.
func cardMeta() map[string]any {
	return map[string]any{"ui": map[string]any{"prefersBorder": false, "csp": map[string]any{
		"connectDomains": []string{}, "resourceDomains": []string{}, "frameDomains": []string{},
		"baseUriDomains": []string{}}}}
}

// Listed removes the files of skills from resources/list, because clients get their URIs from the
// list of skills. It also removes cards from the list of clients that do not show them.
func Listed(hooks *server.Hooks, shows func(context.Context) bool) {
	hooks.AddAfterListResources(func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
		r.Resources = slices.DeleteFunc(r.Resources, func(one mcp.Resource) bool {
			return strings.HasPrefix(one.URI, skillPrefix) || strings.HasPrefix(one.URI, "ui://") && !shows(ctx)
		})
	})
}
