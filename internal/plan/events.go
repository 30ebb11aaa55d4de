package plan

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Unlike describes how reported terms differ from agreed ones, or returns "".
func Unlike(agreed, reported []Term) string {
	for i, term := range agreed {
		switch {
		case i >= len(reported) || reported[i].Name != term.Name:
			return "No event reports " + quoted(term.Name) + "."
		//mutant:never `reported[i].Value != term.Value` ./review/gate TestEventsOfTheSimulation
		case !term.Open && reported[i].Value != term.Value:
			return quoted(term.Name) + " is reported as " + quoted(reported[i].Value) + " but was agreed as " +
				quoted(term.Value) + "."
		}
	}
	if len(reported) > len(agreed) {
		return "The events report " + quoted(reported[len(agreed)].Name) + ", which was not agreed."
	}
	return ""
}

// ActionsOf returns what events report about every step, with an empty Action for a step whose
// adapter has no terms in events. Each event is claimed by one step, and together the steps claim
// all events that report actions of their protocols. Callers compare terms with the agreed ones.
func ActionsOf(adapters []Adapter, terms [][]Term, account sui.Address, events []sui.Event) ([]Action, error) {
	out := make([]Action, len(adapters))
	all := map[string]Reported{} // by the adapter's id
	used := map[int]bool{}
	take := func(i int, agreed []Term) error {
		m := adapters[i].Meta()
		reported, ok := all[m.AdapterID]
		if !ok {
			var err error
			if reported, err = adapters[i].FromEvents(account, events); err != nil {
				return err
			}
			all[m.AdapterID] = reported
		}
		free := func(a Action) bool {
			return len(a.Events) > 0 && !slices.ContainsFunc(a.Events, func(at int) bool { return used[at] })
		}
		at := slices.IndexFunc(reported.Actions, func(a Action) bool { return free(a) && Unlike(agreed, a.Terms) == "" })
		if at < 0 {
			at = slices.IndexFunc(reported.Actions, free)
		}
		if at < 0 {
			return unaccounted(m)
		}
		out[i] = reported.Actions[at]
		for _, at := range out[i].Events {
			used[at] = true
		}
		return nil
	}
	// Exact terms come first, because an open amount fits more than one event.
	for _, open := range []bool{false, true} {
		for i, a := range adapters {
			agreed := a.Meta().ReportedTerms(terms[i])
			if len(agreed) == 0 || slices.ContainsFunc(agreed, func(t Term) bool { return t.Open }) != open {
				continue
			}
			if err := take(i, agreed); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range adapters {
		if slices.ContainsFunc(all[a.Meta().AdapterID].All, func(at int) bool { return !used[at] }) {
			return nil, unaccounted(a.Meta())
		}
	}
	return out, nil
}

func unaccounted(m Meta) error {
	return fault.New(fault.InputInvalid, "%s’s events report something else, or more, than was agreed.", m.Label)
}
