package tools

import (
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type nextGroupsIn struct {
	Plan planID `json:"plan_id" description:"the plan"`
}

// agentNextGroups starts groups of a stored plan; the user is asked to approve each.
func agentNextGroups(p planning) tool.Tool {
	return tool.Declare(tool.Spec[nextGroupsIn, planCallOut]{
		Name:      plans.NextTool,
		Title:     "Ask for next groups",
		Summary:   "Requests up to three plan groups that are due, each as a bundle for the user. The result lists them.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.AddsLocal,
		Status:    tool.BlockedSigning,
		Errors:    []fault.Code{fault.SessionNotFound, fault.RateLimited},
		Toolset:   toolsetActions,
		Cases: planCases("The event lists the bundles that wait for the user, and those done, ended and blocked.",
			"reviewUrl"),
		Examples: []tool.Example{
			{Name: "of a plan", Given: givenPlanned, In: `{"plan_id":"<planId>"}`, Case: "accepted"},
			{Name: "too many calls", Given: givenCallsWait, In: `{"plan_id":"<planId>"}`, Fault: fault.RateLimited},
			{Name: "of no plan", Given: givenConnected, In: `{"plan_id":"plan_0"}`, Fault: fault.SessionNotFound},
		},
		Run: func(c tool.Call, in nextGroupsIn) (planCallOut, error) {
			return p.call(c.Context(), func() (plans.Call, error) { return p.Next(c.Context(), plans.ID(in.Plan)) })
		},
		Undo: unplanned(p),
	})
}
