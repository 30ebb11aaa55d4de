package main

import (
	"cmp"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
)

// openQuoter makes the client of FlowX's router; a sandbox has its own.
func (a *app) openQuoter() error {
	client, err := quoter.New(quoter.Config{URL: cmp.Or(a.options.quoter, a.options.grpcURL), Now: a.now})
	if err != nil {
		return fmt.Errorf("FLOWX_QUOTER_URL: %w", err)
	}
	a.router = client
	a.later(client.Close)
	return nil
}
