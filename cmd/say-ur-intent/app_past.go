package main

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	own "github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/rpc"
)

// newHistory makes the client that tells the receipt page of past transactions. It
// connects when it is first asked.
func (a *app) newHistory() (*rpc.History, error) {
	history, err := rpc.NewHistory(rpc.Config{URL: a.settings.graphql, Now: a.now, Admit: a.settings.network.admit, Reach: a.settings.reach(own.GraphQL)})
	if err != nil {
		return nil, fmt.Errorf("SUI_GRAPHQL_URL: %w", err)
	}
	return history, nil
}

// changes gives what is stored of changes of an account's coins.
func (a *app) changes(ctx context.Context, owner sui.Address) ([]byte, bool, error) {
	return a.activity.CSV(ctx, activity.Span{Account: owner})
}
