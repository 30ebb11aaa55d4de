package activity

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// Strength is the kind of evidence for a label, strongest first.
type Strength string

// Kinds of evidence.
const (
	ByCall   Strength = "direct_move_call"
	ByEvent  Strength = "event_type"
	ByObject Strength = "object_type"
	ByShared Strength = "shared_object"
)

// The limitations of every label.
const (
	labelOnly = "transaction_activity_label_only"
	labelNot  = "not_position_inventory_or_pnl_or_signing"
)

// Match is a protocol that a transaction touched. It labels activity; it is not a position or a
// profit, and does not mean that the protocol is supported.
type Match struct {
	ID          string           `json:"protocolId"`
	Name        string           `json:"name"`
	Evidence    Strength         `json:"evidence"`
	Action      sui.ActionKind   `json:"primaryAction"`
	Package     *sui.ObjectID    `json:"package,omitempty"`
	Source      string           `json:"packageSource"`
	Actions     []sui.ActionKind `json:"actions,omitempty"`
	Limitations []string         `json:"limitations"`
}

// pinnedIDs is the source of the IDs of every label.
const pinnedIDs = "pinned_registry"

// labels recognizes protocols by their IDs.
type labels struct {
	all      []sui.Label
	packages map[sui.ObjectID]int // index into all
	shared   map[sui.ObjectID]int
}

func newLabels(all []sui.Label) labels {
	l := labels{all: all, packages: map[sui.ObjectID]int{}, shared: map[sui.ObjectID]int{}}
	for i, a := range all {
		for _, id := range a.Packages {
			l.packages[id] = i
		}
		for _, id := range a.Shared {
			l.shared[id] = i
		}
	}
	return l
}

// match returns the protocols that appear in a detail, in the order of the labels. Each is listed
// once, with its strongest evidence.
func (l labels) match(d *Detail) []Match {
	found := []Match{}
	at := map[int]int{}
	add := func(label int, s Strength, pkg *sui.ObjectID, action sui.ActionKind) {
		i, ok := at[label]
		if !ok {
			i = len(found)
			at[label] = i
			found = append(found, Match{ID: l.all[label].ID, Name: l.all[label].Name, Evidence: s, Action: sui.ActionUnknown,
				Package: pkg, Source: pinnedIDs, Limitations: []string{labelOnly, labelNot}})
		}
		m := &found[i]
		if action != "" && !slices.Contains(m.Actions, action) {
			m.Actions = append(m.Actions, action)
		}
		if m.Action == sui.ActionUnknown && action != "" {
			m.Action = action
		}
	}
	for _, c := range d.Calls {
		if i, ok := l.packages[c.Package]; ok {
			pkg := c.Package
			add(i, ByCall, &pkg, l.all[i].Actions[c.Module+"::"+c.Function])
		}
	}
	byType := func(s Strength, text string) {
		if id, ok := packageOf(text); ok {
			if i, ok := l.packages[id]; ok && (s == ByEvent || !l.all[i].CallsOnly) {
				add(i, s, &id, "")
			}
		}
	}
	for _, e := range d.Events {
		byType(ByEvent, e.Type)
	}
	for _, o := range d.Objects {
		byType(ByObject, o.Type)
	}
	for _, id := range d.Shared {
		if i, ok := l.shared[id]; ok {
			add(i, ByShared, nil, "")
		}
	}
	slices.SortFunc(found, func(a, b Match) int { return l.compare(a.ID, b.ID) })
	return found
}

// told returns the sender's actions in a successful transaction, as its events report them. It is
// empty if the contents of any event are missing.
func (l labels) report(p sui.PastTransaction) (report sui.Report) {
	if p.Sender == nil || p.Status != sui.PastSuccess || !p.Events.Whole() {
		return report
	}
	var events []sui.Event
	for _, e := range p.Events.Items {
		if e.Contents == nil || e.Sender == nil {
			return report
		}
		events = append(events, sui.Event{Package: e.Package, Module: e.Module, Sender: *e.Sender, Type: e.Type,
			Contents: e.Contents})
	}
	for _, one := range l.all {
		if one.Read != nil {
			more := one.Read(*p.Sender, events)
			report.Actions, report.Fees = append(report.Actions, more.Actions...), append(report.Fees, more.Fees...)
		}
	}
	report.Actions = report.Actions[:min(len(report.Actions), mostListed)]
	return report
}

// compare orders two labels as in the configuration.
func (l labels) compare(a, b string) int {
	at := func(id string) int { return slices.IndexFunc(l.all, func(one sui.Label) bool { return one.ID == id }) }
	return cmp.Compare(at(a), at(b))
}

// packageOf returns the package that declares a type, ignoring the type's parameters.
func packageOf(text string) (sui.ObjectID, bool) {
	head, _, ok := strings.Cut(text, "::")
	if !ok {
		return sui.ObjectID{}, false
	}
	id, err := sui.ParseAddress(head)
	return id, err == nil
}
