package deepbook

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestNoReport: if events contradict each other, or name a pool that is not pinned, no amounts
// are reported.
func TestNoReport(t *testing.T) {
	for name, events := range map[string][]sui.Event{
		"no fill":          {info(10, 950)},
		"another shape":    {happened("order_info", "OrderInfo", written(nil).id(pooled))},
		"an unpinned pool": {info(0, 0), rests(10, 95)},
	} {
		if told := Report(trader, events); len(told.Actions)+len(told.Fees) > 0 {
			t.Errorf("%s: %+v", name, told)
		}
	}
	if told := Report(trader, []sui.Event{gone()}); len(told.Actions) != 1 ||
		told.Actions[0] != "cancelled an order in a pool that is not pinned" {
		t.Errorf("%+v", told)
	}
}
