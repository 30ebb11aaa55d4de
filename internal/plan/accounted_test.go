package plan_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// speaker is an adapter that reads actions from events.
type speaker struct {
	plan.Adapter
	id  string
	out plan.Reported
}

func (s speaker) Meta() plan.Meta { return plan.Meta{AdapterID: s.id, Label: "Venue"} }

func (s speaker) FromEvents(sui.Address, []sui.Event) (plan.Reported, error) { return s.out, nil }

// TestActionsOf: every step accounts for events of its own, and together the steps account
// for all of them.
func TestActionsOf(t *testing.T) {
	says := func(value string, open bool) []plan.Term {
		return []plan.Term{{Name: "Goes in", Value: value, Open: open}}
	}
	at := func(value string, events ...int) plan.Action {
		return plan.Action{Terms: says(value, false), Events: events}
	}
	puts := speaker{id: "put", out: plan.Reported{Actions: []plan.Action{at("5", 0), at("9", 1)}, All: []int{0, 1, 2, 3}}}
	// Events 2 and 3 are one change, or a cancellation and an order.
	changes := speaker{id: "change", out: plan.Reported{Actions: []plan.Action{at("new", 2, 3)}, All: puts.out.All}}
	cancels := speaker{id: "cancel", out: plan.Reported{Actions: []plan.Action{at("gone", 2)}, All: puts.out.All}}
	orders := speaker{id: "order", out: plan.Reported{Actions: []plan.Action{at("new", 3)}, All: puts.out.All}}
	for name, c := range map[string]struct {
		adapters []plan.Adapter
		terms    [][]plan.Term
		want     []string
	}{
		"an open amount leaves the exact one its event": {[]plan.Adapter{puts, puts, changes},
			[][]plan.Term{says("7", true), says("5", false), says("new", false)}, []string{"9", "5", "new"}},
		"a cancellation and an order account for what a change would": {[]plan.Adapter{puts, cancels, puts, orders},
			[][]plan.Term{says("5", false), says("gone", false), says("9", false), says("new", false)}, []string{"5", "gone",
				"9", "new"}},
		"an event that no step accounts for": {[]plan.Adapter{puts, puts, cancels}, [][]plan.Term{says("5", false),
			says("9", false), says("gone", false)}, nil},
		"two steps account for one event": {[]plan.Adapter{puts, puts, changes, orders}, [][]plan.Term{says("5", false),
			says("9", false), says("new", false), says("new", false)}, nil},
		"more steps of a kind than the events": {[]plan.Adapter{puts, puts, puts, changes}, [][]plan.Term{says("5", false),
			says("9", false), says("5", false), says("new", false)}, nil},
	} {
		got, err := plan.ActionsOf(c.adapters, c.terms, sui.Address{}, nil)
		if (err == nil) != (c.want != nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range c.want {
			if got[i].Terms[0].Value != want {
				t.Errorf("%s: step %d is %v", name, i+1, got[i].Terms)
			}
		}
	}
}
