package permission

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// ReportResult implements plan.ResultReporter. It reports whether the allowance and its cap were
// deleted, according to the changed objects.
func (*Adapter) ReportResult(e sui.Executed, s plan.StepFacts) plan.Result {
	deleted := map[sui.ObjectID]bool{}
	for _, o := range e.Objects {
		deleted[o.ID] = o.Change == "deleted"
	}
	coin, by := "anything", sui.ObjectID{}
	for _, t := range s.Terms {
		switch t.Name {
		case termCoin:
			coin = t.Value
		case termCap:
			by, _ = sui.ParseAddress(t.Value)
		}
	}
	//mutant:never ./internal/protocol/permission TestResult
	if !deleted[s.RouteID] || !deleted[by] {
		return plan.Result{Title: "Executed, and the allowance was not reported to be gone",
			Where: "The node does not report that the allowance was deleted. Check the standing permissions before you rely " +
				"on it."}
	}
	return plan.Result{
		Title: "Ended the permission to take " + coin,
		Where: "The allowance and its cap are deleted: nobody can take " + coin +
			" with it any longer. What was taken before is gone.",
		Next:  "To see what others may still do, open the account page, or ask your AI client for the standing permissions.",
		Holds: []plan.Term{{Name: "Deleted allowance", Value: s.RouteID.String()}},
	}
}

// ReadAfter implements plan.AfterReader. It reads the allowance again.
func (a *Adapter) ReadAfter(ctx context.Context, e sui.Executed, s plan.StepFacts) []plan.Term {
	said := func(text string) []plan.Term { return []plan.Term{{Name: "Checked afterwards", Value: text}} }
	switch _, err := a.source.Allowance(ctx, e.Sender, s.RouteID); {
	case err == nil:
		return said("the node still has the allowance, which it should not: look again in a moment")
	case fault.Is(err, fault.InputInvalid):
		return said("the chain no longer has the allowance")
	}
	return said("not known: the node did not answer")
}
