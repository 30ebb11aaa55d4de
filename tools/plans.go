package tools

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/evidence"
	"github.com/sayurintent/sayurintent/internal/execplan"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/tools/tool"

	names "github.com/sayurintent/sayurintent/internal/book"
)

// What the two tools of plans share. Both are answered by the bus.

// plans takes plans, and calls for their groups.
type plans interface {
	Set(ctx context.Context, groups []execplan.Group) (execplan.Call, error)
	Next(ctx context.Context, id execplan.ID) (execplan.Call, error)
	Withdraw(ctx context.Context, c execplan.Call) error
}

// mostGroupTitle is how many characters of a title are kept.
const mostGroupTitle = 80

// groupID names a group within its plan.
type groupID string

// Shape bounds it.
func (groupID) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_.-]+$`, Rule: "letters, digits, and . _ -", MinLength: 1, MaxLength: 40}
}

// planID names a plan.
type planID string

// Shape bounds it.
func (planID) Shape() tool.Shape {
	return tool.Shape{Pattern: `^[A-Za-z0-9_-]+$`, Rule: "the plan_id of an earlier answer", MinLength: 1, MaxLength: 80}
}

// planGroup is one group as it is given.
type planGroup struct {
	ID        groupID      `json:"id" about:"unique"`
	Title     bookText     `json:"title" about:"shown as your words"`
	DependsOn []groupID    `json:"depends_on,omitempty" about:"groups to be done before"`
	Mode      bundleMode   `json:"mode,omitempty" about:"as of a bundle; default steps"`
	Steps     []bundleStep `json:"steps" brief:"" about:"1 to 10, atomic 2 to 8, each as in transactions of a bundle"`
}

// planCallOut is the answer of both tools. The result comes by the bus.
type planCallOut struct {
	Accepted bool   `json:"accepted" about:"true: the result follows on the bus, under call_id"`
	Call     string `json:"call_id" about:"of this call"`
	Plan     string `json:"plan_id" about:"the plan"`
	Network  string `json:"network" about:"network of this server"`

	call execplan.Call
}

func planCallOf(c execplan.Call, network string, err error) (planCallOut, error) {
	if err != nil {
		return planCallOut{}, err
	}
	return planCallOut{Accepted: true, Call: c.ID, Plan: string(c.Plan), Network: network, call: c}, nil
}

// planCases is the one case of both tools. result says what the event holds.
func planCases(result string) []tool.Case[planCallOut] {
	return []tool.Case[planCallOut]{{
		Name: "accepted",
		Use: evidence.Use{
			Can:    evidence.Claims{evidence.CallAccepted},
			Cannot: notDone().And(evidence.Claims{evidence.RouteRecommendation, evidence.FundingSource}),
			Answer: []string{"accepted", "plan_id"},
			Next:   evidence.Ask(toolWaitEvents, result).Reading("events[].text", "events[].resultJson"),
		},
	}}
}

// unplanned takes back a call whose answer the client does not get.
func unplanned(p plans) func(context.Context, *planCallOut) {
	return func(ctx context.Context, out *planCallOut) {
		if out.Accepted {
			_ = p.Withdraw(ctx, out.call) // what cannot be taken back ends by its time
		}
	}
}

// laterEntries leaves entries of the address book to be looked up when a step is read:
// whether one is there is told with the other facts of a plan.
type laterEntries struct{ addressBook }

// Recipient finds nothing yet.
func (laterEntries) Recipient(context.Context, string) (names.Entry, error) {
	return names.Entry{}, nil
}

// read returns a group whose steps are in their order.
func (g planGroup) read(ctx context.Context) (execplan.Group, error) {
	out := execplan.Group{ID: string(g.ID), Title: screen.Line(string(g.Title), mostGroupTitle),
		Atomic: g.Mode == modeAtomic}
	for _, d := range g.DependsOn {
		out.DependsOn = append(out.DependsOn, string(d))
	}
	in := signBundleIn{Transactions: g.Steps}
	steps, err := in.ordered()
	if err != nil {
		return out, g.named(err)
	}
	list, err := in.wanted(ctx, laterEntries{}, steps)
	if err != nil {
		return out, g.named(err)
	}
	for i, w := range list {
		if g.Mode == modeAtomic && w.Review != "" {
			return out, g.named(fault.New(fault.InputInvalid,
				"Step %d is a review that exists, which is no part of one transaction. "+
					"Give its intent.", i+1).With("field", "groups[].steps[].reviewSessionId"))
		}
		out.Steps = append(out.Steps, w)
	}
	return out, nil
}

// named says which group an error is about.
func (g planGroup) named(err error) error {
	f := *fault.As(err)
	f.Text = "Group " + string(g.ID) + ": " + f.Text
	return (&f).With("group", string(g.ID))
}
