package lies_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/lies"
)

// TestLeftOut has a node omit lists from its simulation of the final bytes. The review must treat
// them as unknown.
func TestLeftOut(t *testing.T) {
	const deep, flowx = "coin::zero", "swap_router::swap_exact_input"
	lie := func(first, field string) lies.Lie {
		return lies.Lie{Field: "TransactionExecutionService.SimulateTransaction[checked " + first + "]:transaction." + field,
			Value: lies.Absent}
	}
	for _, c := range []struct {
		name, protocol string
		told           []lies.Lie
		alone, second  string
	}{
		{"the events that its effects name", "deep", []lies.Lie{lie(deep, "events")},
			"omits the simulation's events, so its outcome is unknown", "omits the simulation's events"},
		{"the events and their digest", "flowx", []lies.Lie{lie(flowx, "events"), lie(flowx, "effects.events_digest")},
			"reported no events of the simulation", "reports no events, so it confirms nothing"},
		{"the balance changes", "deep", []lies.Lie{lie(deep, "balance_changes")},
			"reported no balance changes", "reports no balance changes of your account, so it confirms nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			swap := swapOn(c.protocol, "10", "SUI", "USDC")
			for node, why := range map[string]string{"first": c.alone, "second": c.second} {
				w := newWorld(t)
				if node == "first" {
					w.anew()
				} else {
					w.Ask(w.URL)
					w.CompareWith(w.lying, nil)
				}
				w.liar.Tell(c.told...)
				says(t, w, w.Compute(w.Open(swap)), why)
				w.liar.Tell()
				if s := w.Compute(w.Open(swap)); s.Status != record.Ready {
					t.Errorf("the truth of the %s node: %s %s", node, s.Status, s.Reason)
				}
			}
		})
	}
}

// says checks that a review is not signable and states the reason.
func says(t *testing.T, w *world, s record.Session, why string) {
	t.Helper()
	if w.liar.Changed() == 0 {
		t.Error("nothing was left out")
	}
	if s.Status != record.Blocked && s.Status != record.RefreshRequired || s.State.Contract != nil || s.Commitment != "" {
		t.Errorf("%s %s, contract %t", s.Status, s.Reason, s.State.Contract != nil)
	}
	if !strings.Contains(s.State.Checks[0].Message, why) {
		t.Errorf("it says %.300q", s.State.Checks[0].Message)
	}
}
