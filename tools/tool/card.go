package tool

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// cardPrefix is the start of every card's URI.
const cardPrefix = "ui://say-ur-intent/"

// CardURI returns the URI of the card with the given name.
func CardURI(name string) string { return cardPrefix + name }

// ShowsCards reports whether the client of a call shows cards.
func ShowsCards(ctx context.Context) bool {
	session, ok := server.ClientSessionFromContext(ctx).(interface{ ShowsCards() bool })
	return ok && session.ShowsCards()
}

// WithCards adds the cards to the listed tools for clients that show cards.
func WithCards(tools []Tool) server.ServerOption {
	cards := map[string]*mcp.Meta{}
	for _, t := range tools {
		if t.Card != "" {
			cards[t.Name] = mcp.NewMetaFromMap(map[string]any{"ui": map[string]any{
				"resourceUri": CardURI(t.Card), "visibility": []string{"model"}}})
		}
	}
	return server.WithToolFilter(func(ctx context.Context, list []mcp.Tool) []mcp.Tool {
		//mutant:never ./cmd/say-ur-intent TestCardsAreDeclared
		if !ShowsCards(ctx) {
			return list
		}
		list = slices.Clone(list)
		for i := range list {
			if meta := cards[list[i].Name]; meta != nil {
				list[i].Meta = meta
			}
		}
		return list
	})
}
