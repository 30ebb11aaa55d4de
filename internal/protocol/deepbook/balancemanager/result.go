package balancemanager

import (
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

// ReportResult implements plan.ResultReporter for the manager that was made. Deposits
// and withdrawals are worded by what they promise.
func (a *Adapter) ReportResult(e sui.Executed, _ plan.StepFacts) plan.Result {
	all, err := deepbook.ReadActions(e.Events, e.Sender)
	if err != nil || a.function != create || len(all.Made) != 1 {
		return plan.Result{}
	}
	return plan.Result{
		Title: "Made a balance manager",
		Where: "It is empty, and it belongs to your account. Orders in " + managed.Label + "’s markets are paid from it.",
		Next:  "To put coins into it, ask your AI client to deposit some into your balance manager.",
		Holds: []plan.Term{managed.Term(all.Made[0].ID), {Name: managed.TermOwner, Value: all.Made[0].Owner.String()}},
	}
}

var _ plan.ResultReporter = (*Adapter)(nil)
