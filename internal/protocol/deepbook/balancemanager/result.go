package balancemanager

import (
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ReportResult implements plan.ResultReporter. It reports a created manager. The results of deposits
// and withdrawals follow from their promises.
func (a *Adapter) ReportResult(e sui.Executed, _ plan.StepFacts) plan.Result {
	all, err := deepbook.ReadActions(e.Events, e.Sender)
	if err != nil || a.function != create || len(all.Made) == 0 {
		return plan.Result{}
	}
	r := plan.Result{Title: "Created a balance manager", Where: "It belongs to your account. Orders in " + managed.Label +
		"’s markets are paid from it."}
	if len(all.Made) > 1 {
		return r // several managers are listed among the other reported facts
	}
	made := all.Made[0]
	r.Holds = []plan.Term{managed.Term(made.ID), {Name: managed.TermOwner, Value: made.Owner.String()}}
	if !slices.ContainsFunc(all.Moves, func(m deepbook.BalanceMove) bool { return m.Manager == made.ID }) {
		r.Where = strings.Replace(r.Where, "It belongs", "It is empty, and it belongs", 1)
		r.Next = "To put coins into it, ask your AI client to deposit some into your balance manager."
	}
	return r
}

// ReadAbort implements plan.AbortReader.
func (*Adapter) ReadAbort(a sui.MoveAbort, _ plan.StepFacts) *plan.Stop { return managed.ReadAbort(a) }

var (
	_ plan.ResultReporter = (*Adapter)(nil)
	_ plan.AbortReader    = (*Adapter)(nil)
)
