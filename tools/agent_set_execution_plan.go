package tools

import (
	"fmt"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/tools/tool"
)

type setPlanIn struct {
	Groups []planGroup `json:"groups" description:"1 to 20"`
}

// agentSetExecutionPlan stores a plan of several bundles.
func agentSetExecutionPlan(p planning) tool.Tool {
	return tool.Declare(tool.Spec[setPlanIn, planCallOut]{
		Name:  plans.SetTool,
		Title: "Set execution plan",
		Summary: "Stores a plan of bundles, some of which wait for others. The result reports whether its steps can " +
			"be requested.",
		Untrusted: []tool.Origin{tool.FromChain, tool.FromPerson, tool.FromProgram},
		Effect:    tool.AddsLocal,
		Errors:    []fault.Code{fault.RateLimited},
		Toolset:   toolsetActions,
		Cases:     planCases("The event has the order of the groups, and what blocks them."),
		Examples:  planExamples(),
		Run: func(c tool.Call, in setPlanIn) (planCallOut, error) {
			var groups []plans.Group
			for _, g := range in.Groups {
				one, err := g.read(c.Context())
				if err != nil {
					return planCallOut{}, err
				}
				groups = append(groups, one)
			}
			return p.call(c.Context(), func() (plans.Call, error) { return p.Set(c.Context(), groups) })
		},
		Undo: unplanned(p),
	})
}

func planExamples() []tool.Example {
	const somebody = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
	const swap = `{"id":"a","sequence":0,"chain":"Sui","intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}}`
	const pay = `{"id":"b","sequence":1,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"USDC","amount":"2"},"recipient":"` + somebody + `"}}`
	group := func(id, after, steps string) string {
		return fmt.Sprintf(`{"id":"%s","title":"%s","depends_on":[%s],"steps":[%s]}`, id, id, after, steps)
	}
	plan := func(groups ...string) string { return `{"groups":[` + strings.Join(groups, ",") + `]}` }
	return []tool.Example{
		{Name: "swap, then pay", Given: givenConnected, In: plan(group("swap", "", swap), group("pay", `"swap"`, pay)),
			Case: "accepted"},
		{Name: "in another order", Given: givenConnected, In: plan(group("pay", `"swap"`, pay), group("swap", "", swap)),
			Case: "accepted"},
		{Name: "no account yet", Given: givenNothing, In: plan(group("swap", "", swap)), Case: "accepted"},
		{Name: "too many calls", Given: givenCallsWait, In: plan(group("swap", "", swap)), Fault: fault.RateLimited},
		{Name: "one id twice", Given: givenConnected, In: plan(group("swap", "", swap), group("swap", "", pay)),
			Fault: fault.InputInvalid},
		{Name: "a circle", Given: givenConnected, In: plan(group("x", `"y"`, swap), group("y", `"x"`, pay)),
			Fault: fault.InputInvalid},
		{Name: "after itself", Given: givenConnected, In: plan(group("x", `"x"`, swap)), Fault: fault.InputInvalid},
		{Name: "after nobody", Given: givenConnected, In: plan(group("x", `"y"`, swap)), Fault: fault.InputInvalid},
		{Name: "no groups", Given: givenConnected, In: plan(), Fault: fault.InputInvalid},
		{Name: "no steps", Given: givenConnected, In: plan(group("x", "", "")), Fault: fault.InputInvalid},
		{Name: "half of what another group results in", Given: givenConnected, Case: "accepted",
			In: plan(group("swap", "", swap), group("pay", `"swap"`, strings.NewReplacer(`,"amount":"2"`, ``, `"intent"`,
				`"resultOf":"swap/a","share":"1/2","intent"`).Replace(pay)))},
		{Name: "a result of a group that it does not wait for", Given: givenConnected, Fault: fault.InputInvalid,
			In: plan(group("swap", "", swap), group("pay", "", strings.NewReplacer(`,"amount":"2"`, ``, `"intent"`,
				`"resultOf":"swap/a","intent"`).Replace(pay)))},
		{Name: "a result and an amount", Given: givenConnected, Fault: fault.InputInvalid,
			In: plan(group("swap", "", swap), group("pay", `"swap"`, strings.Replace(pay, `"intent"`,
				`"resultOf":"swap/a","intent"`, 1)))},
		{Name: "the result of another group", Given: givenConnected, Fault: fault.InputInvalid,
			In: plan(group("swap", "", swap), group("pay", `"swap"`, strings.NewReplacer(`,"amount":"2"`, ``, `"intent"`,
				`"resultOf":"a","intent"`).Replace(pay)))},
	}
}
