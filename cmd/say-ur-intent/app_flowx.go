package main

import (
	"fmt"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/quoter"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// openQuoter creates the client of FlowX's router.
func (o *external) openQuoter() error {
	const w = settings.Quoter
	client, err := quoter.New(quoter.Config{URL: o.options.services[w].URL, Now: o.now, Reach: o.options.reach(w),
		Heard: o.heard(w)})
	if err != nil {
		return fmt.Errorf("%s: %w", w.Info().Variable, err)
	}
	o.router = client
	o.later(client.Close)
	return nil
}
