package main

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// openQuoter makes the client of FlowX's router.
func (a *app) openQuoter() error {
	const w = settings.Quoter
	client, err := quoter.New(quoter.Config{URL: a.options.services[w].URL, Now: a.now, Reach: a.options.reach(w),
		Heard: a.heard(w)})
	if err != nil {
		return fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	a.router = client
	a.later(client.Close)
	return nil
}
