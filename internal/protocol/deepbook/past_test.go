package deepbook

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestToldOfNothing: if events contradict each other, or name a pool that is not pinned, no amounts
// are reported.
func TestToldOfNothing(t *testing.T) {
	for name, events := range map[string][]sui.Event{
		"no fill":          {info(10, 950)},
		"another shape":    {happened("order_info", "OrderInfo", written(nil).id(pooled))},
		"an unpinned pool": {info(0, 0), rests(10, 95)},
	} {
		if told := Told(trader, events); len(told.Deeds)+len(told.Fees) > 0 {
			t.Errorf("%s: %+v", name, told)
		}
	}
	if told := Told(trader, []sui.Event{gone()}); len(told.Deeds) != 1 ||
		told.Deeds[0] != "cancelled an order in a pool that is not pinned" {
		t.Errorf("%+v", told)
	}
}
