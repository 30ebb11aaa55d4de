package main

import (
	"fmt"

	own "github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// newHistory makes the client that tells the receipt page of past transactions. It
// connects when it is first asked.
func (a *app) newHistory() (*rpc.History, error) {
	c := rpc.Config{URL: a.settings.graphql, Now: a.now, Admit: a.settings.network.admit}
	if a.settings.graphFrom == own.FromStored {
		if e, err := own.ParseEndpoint(own.GraphQL, a.settings.graphql); err == nil {
			c.Reach = e.Reach
		}
	}
	history, err := rpc.NewHistory(c)
	if err != nil {
		return nil, fmt.Errorf("SUI_GRAPHQL_URL: %w", err)
	}
	return history, nil
}
