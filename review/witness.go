package review

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Witness is an adapter that can say more of what happened than amounts tell, as
// the number that the chain gave to an order. Witness reads what a node told of
// an executed transaction and of its account; what it does not find it leaves
// out. It never judges whether the transaction kept its promises.
type Witness interface {
	Witness(e sui.Executed, f Facts) []Term
}

// testimony is what an adapter made of an executed transaction. Told are the
// terms by the protocol's own events; Wrong says why they tell none.
type testimony struct {
	said  []Term // besides amounts and terms
	terms []Term // those that were agreed and that events tell
	told  []Term
	wrong string
}

// unlike says in what the events of a transaction tell otherwise than was
// agreed, "" where they tell the same. Builder and reader of the bytes are one
// adapter's and can share a fault; the events are written by the protocol's own
// code as it ran.
func (r *run) unlike(events []sui.Event) string {
	told, err := r.adapter.Told(r.session.Account, events)
	if err != nil {
		return fault.As(err).Text
	}
	terms := r.meta.told(r.draft.Terms)
	for i, agreed := range terms {
		switch {
		case i >= len(told) || told[i].Name != agreed.Name:
			return "No event tells of " + quoted(agreed.Name) + "."
		case told[i].Value != agreed.Value:
			return quoted(agreed.Name) + " is told as " + quoted(told[i].Value) + " and was agreed as " + quoted(agreed.Value) + "."
		}
	}
	if len(told) > len(terms) {
		return "The events tell of " + quoted(told[len(terms)].Name) + ", which nobody agreed to."
	}
	return ""
}

// told gives the terms that events must tell.
func (m Meta) told(terms []Term) (out []Term) {
	for _, t := range terms {
		if !slices.Contains(m.Untold, t.Name) {
			out = append(out, t)
		}
	}
	return out
}

func quoted(text string) string { return "“" + text + "”" }

// testify asks the adapter what happened besides amounts.
func testify(a Adapter, e sui.Executed, account sui.Address, f Facts) (t testimony) {
	if a == nil || !e.Status.OK {
		return t
	}
	if w, ok := a.(Witness); ok {
		t.said = w.Witness(e, f)
	}
	t.terms = a.Meta().told(f.Terms)
	switch {
	case len(t.terms) == 0:
	case len(e.Events) == 0:
		t.said = append(t.said, Term{Name: "Terms", Value: "Not known: the node told no events of it."})
	default:
		var err error
		if t.told, err = a.Told(account, e.Events); err != nil {
			t.wrong = fault.As(err).Text
		}
	}
	return t
}

// kept sets every term beside what the events of the executed transaction tell;
// nothing where they told nothing.
func (t testimony) kept() (list []Promise) {
	if t.told == nil && t.wrong == "" {
		return nil
	}
	for _, agreed := range t.terms {
		p := Promise{ID: "term_" + strings.ReplaceAll(strings.ToLower(agreed.Name), " ", "_"), Label: agreed.Name, Promised: agreed.Value, Actual: t.wrong}
		if t.wrong == "" {
			p.Actual = "not told"
		}
		for _, told := range t.told {
			if told.Name == agreed.Name {
				p.Actual, p.Kept = told.Value, told.Value == agreed.Value
			}
		}
		list = append(list, p)
	}
	return list
}
