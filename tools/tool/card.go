package tool

import (
	"context"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// cardPrefix is the beginning of cards' addresses.
const cardPrefix = "ui://say-ur-intent/"

// CardURI returns the address of a card.
func CardURI(name string) string { return cardPrefix + name }

// ShowsCards reports whether a call's client shows cards.
func ShowsCards(ctx context.Context) bool {
	session, ok := server.ClientSessionFromContext(ctx).(interface{ ShowsCards() bool })
	return ok && session.ShowsCards()
}

// WithCards lists tools with their cards to clients that show cards, and without them to others.
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
