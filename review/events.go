package review

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ExecutionReporter is an adapter that can say more of what happened than amounts
// and terms, as the number that the chain gave to an order. It reads what a node
// reported of an executed transaction and of its account, and leaves out what it
// does not find. It never judges whether the transaction kept its promises.
type ExecutionReporter interface {
	ReportExecution(e sui.Executed, s StepFacts) []Term
}

// reported compares what the events of a transaction say with the terms that were
// agreed, and returns what they say of what objects hold; wrong is "" where they say
// the same. Builder and reader of the bytes are one adapter's and can share a
// fault; the events are written by the protocol's own code as it ran.
func (r *run) reported(events []sui.Event) (changes []Change, wrong string) {
	terms := make([][]Term, len(r.steps))
	for i, s := range r.steps {
		terms[i] = s.Terms
	}
	actions, err := actionsOf(r.adapters, terms, r.session.Account, events)
	if err != nil {
		return nil, fault.As(err).Text
	}
	for i, action := range actions {
		changes = append(changes, action.Changes...)
		if wrong := unlike(r.adapters[i].Meta().reported(terms[i]), action.Terms); wrong != "" {
			return nil, wrong
		}
	}
	return changes, ""
}

// unlike says in what reported terms differ from agreed ones, "" where they do not.
func unlike(agreed, reported []Term) string {
	for i, term := range agreed {
		switch {
		case i >= len(reported) || reported[i].Name != term.Name:
			return "No event tells of " + quoted(term.Name) + "."
		case reported[i].Value != term.Value:
			return quoted(term.Name) + " is told as " + quoted(reported[i].Value) + " and was agreed as " + quoted(term.Value) + "."
		}
	}
	if len(reported) > len(agreed) {
		return "The events tell of " + quoted(reported[len(agreed)].Name) + ", which nobody agreed to."
	}
	return ""
}

// actionsOf returns what events report of every step, an empty Action for one whose
// adapter has no terms that events report. There must be as many actions of each
// kind as there are steps of it, and none of another kind of the same protocol.
func actionsOf(adapters []Adapter, terms [][]Term, account sui.Address, events []sui.Event) ([]Action, error) {
	speaks := func(i int) bool { return len(adapters[i].Meta().reported(terms[i])) > 0 }
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

// reported returns the terms that events must report.
func (m Meta) reported(terms []Term) (out []Term) {
	for _, t := range terms {
		if !slices.Contains(m.Unreported, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

func quoted(text string) string { return "“" + text + "”" }

// executionReport is what adapters made of an executed transaction.
type executionReport struct {
	said    []Term // besides amounts and terms
	agreed  []Term // those that events report
	told    []Term // by the protocol's own events
	changes []Change
	known   bool   // events reported anything
	wrong   string // why they report none
}

// reportOf asks the adapters what happened besides amounts.
func reportOf(adapters []Adapter, e sui.Executed, account sui.Address, f Facts) (t executionReport) {
	if len(adapters) != len(f.Steps) || !e.Status.OK {
		return t
	}
	terms := make([][]Term, len(f.Steps))
	for i, a := range adapters {
		if w, ok := a.(ExecutionReporter); ok {
			t.said = append(t.said, w.ReportExecution(e, f.Steps[i])...)
		}
		terms[i] = f.Steps[i].Terms
		t.agreed = append(t.agreed, a.Meta().reported(terms[i])...)
	}
	switch {
	case len(t.agreed) == 0:
	case len(e.Events) == 0:
		t.said = append(t.said, Term{Name: "Terms", Value: "Not known: the node told no events of it."})
	default:
		actions, err := actionsOf(adapters, terms, account, e.Events)
		if err != nil {
			t.wrong = fault.As(err).Text
			break
		}
		t.known = true
		for _, a := range actions {
			t.told, t.changes = append(t.told, a.Terms...), append(t.changes, a.Changes...)
		}
	}
	return t
}

// results sets every term beside what the events of the executed transaction
// report; nothing where they report nothing.
func (t executionReport) results() (list []PromiseResult) {
	if !t.known && t.wrong == "" {
		return nil
	}
	for i, agreed := range t.agreed {
		p := PromiseResult{ID: "term_" + strings.ReplaceAll(strings.ToLower(agreed.Name), " ", "_"), Label: agreed.Name, Promised: agreed.Value, Actual: t.wrong}
		if t.wrong == "" {
			p.Actual = "not told"
		}
		if i < len(t.told) && t.told[i].Name == agreed.Name {
			p.Actual, p.Kept = t.told[i].Value, t.told[i].Value == agreed.Value
		} else if at := slices.IndexFunc(t.told, func(o Term) bool { return o.Name == agreed.Name }); at >= 0 {
			p.Actual, p.Kept = t.told[at].Value, t.told[at].Value == agreed.Value
		}
		list = append(list, p)
	}
	return list
}
