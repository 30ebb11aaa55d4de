package main

import (
	"slices"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/protocol/adapters"
	"github.com/sayurintent/sayurintent/tools"
)

// What the answers call an action is what an adapter carries out, and the other
// way round.
func TestActionsAreThoseOfAdapters(t *testing.T) {
	offers, count := tools.Offers(), 0
	for _, actions := range offers {
		count += len(actions)
	}
	all := adapters.Over(nil, nil, nil, nil, time.Now)
	for _, a := range all {
		if m := a.Meta(); !slices.Contains(offers[m.Slug], m.Action) {
			t.Errorf("no answer offers %s on %s", m.Action, m.Slug)
		}
	}
	if len(all) != count {
		t.Errorf("%d adapters, %d offers: %v", len(all), count, offers)
	}
}
