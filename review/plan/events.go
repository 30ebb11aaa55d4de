package plan

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Unlike describes how reported terms differ from agreed ones, or returns "".
func Unlike(agreed, reported []Term) string {
	for i, term := range agreed {
		switch {
		case i >= len(reported) || reported[i].Name != term.Name:
			return "No event tells of " + quoted(term.Name) + "."
		//mutant:never `reported[i].Value != term.Value` ./review/gate TestEventsOfTheSimulation
		case !term.Open && reported[i].Value != term.Value:
			return quoted(term.Name) + " is told as " + quoted(reported[i].Value) + " and was agreed as " +
				quoted(term.Value) + "."
		}
	}
	if len(reported) > len(agreed) {
		return "The events tell of " + quoted(reported[len(agreed)].Name) + ", which nobody agreed to."
	}
	return ""
}

// ActionsOf returns what events report of every step, an empty Action for a step whose
// adapter has no terms in events. There must be as many actions of each kind as there
// are steps of it, and no other kind of the same protocol.
func ActionsOf(adapters []Adapter, terms [][]Term, account sui.Address, events []sui.Event) ([]Action, error) {
	speaks := func(i int) bool { return len(adapters[i].Meta().ReportedTerms(terms[i])) > 0 }
	out := make([]Action, len(adapters))
	for i, a := range adapters {
		m := a.Meta()
		if !speaks(i) {
			continue
		}
		reported, err := a.FromEvents(account, events)
		if err != nil {
			return nil, err
		}
		nth, own, others := 0, 0, 0
		for k := range adapters {
			switch o := adapters[k].Meta(); {
			case !speaks(k):
			case o.AdapterID == m.AdapterID && k < i:
				nth, own = nth+1, own+1
			case o.AdapterID == m.AdapterID:
				own++
			case o.Protocol == m.Protocol:
				others++
			}
		}
		if len(reported.Actions) != own || reported.Others != others {
			return nil, fault.New(fault.InputInvalid, "%s’s events tell something else, or more, than was agreed.", m.Label)
		}
		out[i] = reported.Actions[nth]
	}
	return out, nil
}
