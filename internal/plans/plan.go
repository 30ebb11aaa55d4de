// Package plans manages plans: groups of steps that can depend on other groups.
//
// Each group becomes one request, so a plan's transactions are signed like any others that an AI
// client requests. Checking a plan and requesting its groups happen after the call has returned;
// the bus delivers the result. A group's state is derived from its latest request and is not
// stored.
package plans

import (
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Tools whose results are delivered by the bus.
const (
	SetTool  = "agent.set_execution_plan"
	NextTool = "agent.next_groups"
)

// Limits of plans.
const (
	MostGroups  = 20
	MostSteps   = 10 // steps in a group
	MostAtomic  = 8  // steps in a group that is one transaction
	LeastAtomic = 2
	MostOpen    = 3   // groups in a plan that are waiting for the user or running
	MostPlans   = 100 // plans in a conversation
	MostPending = 16  // unanswered calls in a conversation
	maxShown    = 20  // defects in a result
	maxBlockers = 5   // blockers of a group
)

// ID identifies a plan.
type ID string

// Subject returns a plan's subject on the bus.
func Subject(id ID) string { return "plan/" + string(id) }

// Plan is a stored plan. Groups are in the order in which the client listed them.
type Plan struct {
	ID      ID
	Session string // conversation that set the plan
	// Account is the account for which the plan was checked, or the zero address before the check.
	Account   sui.Address
	Groups    []Group
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Group is one request in a plan. Its JSON form is the one in which it was requested.
type Group struct {
	ID        string           `json:"id"`
	Title     string           `json:"title"`
	DependsOn []string         `json:"depends_on,omitempty"`
	Atomic    bool             `json:"atomic,omitempty"` // all steps form one transaction
	Steps     []request.Wanted `json:"steps"`            // ordered by sequence
	Takes     []Taken          `json:"takes,omitempty"`  // results of other groups that steps use

	// Ran is the group's latest request, or nil.
	Ran *request.Request `json:"-"`
}

// Taken describes how a step uses the result of a step in another group. Its own group depends on
// that group.
type Taken struct {
	Step  int    `json:"step"` // position, from 0
	Group string `json:"group"`
	Of    string `json:"of"`              // ID of the step whose result is used
	Share string `json:"share,omitempty"` // "" means all of it
}

// Call is a call whose result the bus delivers.
type Call struct {
	ID      string
	Tool    string
	Plan    ID
	Session string // conversation that receives the result
	At      time.Time
}

// Check returns an error if a group is invalid or the groups cannot be ordered.
func Check(groups []Group) error {
	if len(groups) < 1 || len(groups) > MostGroups {
		return bad("groups", "A plan has 1 to %d groups, and this one has %d.", MostGroups, len(groups))
	}
	place := map[string]int{}
	for i, g := range groups {
		if _, twice := place[g.ID]; twice {
			return bad("groups[].id", "Two groups have the id %q.", plan.Clip(g.ID))
		}
		place[g.ID] = i
	}
	for _, g := range groups {
		if err := g.check(place); err != nil {
			return err
		}
		if err := g.checkTakes(groups, place); err != nil {
			return err
		}
	}
	if loop := cycle(groups); loop != nil {
		return bad("groups[].depends_on", "The groups %s depend on each other in a cycle, so none of them could start.",
			strings.Join(loop, ", "))
	}
	return nil
}

// check checks one group. place contains the positions of all groups by ID.
func (g Group) check(place map[string]int) error {
	least, limit := 1, MostSteps
	if g.Atomic {
		least, limit = LeastAtomic, MostAtomic
	}
	if n := len(g.Steps); n < least || n > limit {
		return bad("groups[].steps", "Group %q has %d steps. In its mode a group can have %d to %d.", plan.Clip(g.ID), n,
			least, limit)
	}
	seen := map[string]bool{}
	for _, d := range g.DependsOn {
		_, known := place[d]
		switch {
		case d == g.ID:
			return bad("groups[].depends_on", "Group %q depends on itself.", plan.Clip(g.ID))
		case !known:
			return bad("groups[].depends_on", "Group %q depends on %q, and no group has that id.", plan.Clip(g.ID), plan.Clip(d))
		case seen[d]:
			return bad("groups[].depends_on", "Group %q names %q twice.", plan.Clip(g.ID), plan.Clip(d))
		}
		seen[d] = true
	}
	return nil
}

// checkTakes checks the references of a group's steps to results of other groups.
func (g Group) checkTakes(groups []Group, place map[string]int) error {
	const field = "groups[].steps[].resultOf"
	for _, t := range g.Takes {
		if !slices.Contains(g.DependsOn, t.Group) {
			return bad(field, "Group %q uses a result of group %q, so add that one to its depends_on.", plan.Clip(g.ID),
				plan.Clip(t.Group))
		}
		from := groups[place[t.Group]]
		if !slices.ContainsFunc(from.Steps, func(w request.Wanted) bool { return w.ID == t.Of }) {
			return bad(field, "Group %q has no step with the id %q.", plan.Clip(t.Group), plan.Clip(t.Of))
		}
	}
	return nil
}

func bad(field, format string, args ...any) error {
	return fault.New(fault.InputInvalid, format, args...).With("field", field)
}

// Order returns the positions of groups so that each group follows those that it depends on. Apart
// from that, the original order is kept. Groups in a cycle, and groups that depend on them, are
// omitted.
func Order(groups []Group) (places []int) {
	done := map[string]bool{}
	for {
		next := -1
		for i, g := range groups {
			if !done[g.ID] && all(g.DependsOn, func(d string) bool { return done[d] }) {
				next = i
				break
			}
		}
		if next < 0 {
			return places
		}
		done[groups[next].ID] = true
		places = append(places, next)
	}
}

func all[T any](list []T, ok func(T) bool) bool {
	for _, v := range list {
		if !ok(v) {
			return false
		}
	}
	return true
}

// cycle returns the IDs of groups that form a dependency cycle, or nil if there is none.
func cycle(groups []Group) []string {
	ordered := map[string]bool{}
	for _, i := range Order(groups) {
		ordered[groups[i].ID] = true
	}
	if len(ordered) == len(groups) {
		return nil
	}
	// Every remaining group depends on another remaining group, so following these dependencies
	// leads into a cycle.
	waits := map[string]string{}
	at := ""
	for _, g := range groups {
		for _, d := range g.DependsOn {
			if !ordered[g.ID] && !ordered[d] {
				waits[g.ID], at = d, g.ID
			}
		}
	}
	seen := map[string]bool{}
	for ; !seen[at]; at = waits[at] {
		seen[at] = true
	}
	loop := []string{at}
	for id := waits[at]; id != at; id = waits[id] {
		loop = append(loop, id)
	}
	return loop
}
