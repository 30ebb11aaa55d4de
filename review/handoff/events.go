package handoff

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// executionReport has the information that adapters read from an executed transaction.
type executionReport struct {
	Said     []plan.Term   // terms in addition to amounts and agreed terms
	each     [][]plan.Term // the terms in Said, by step
	agreed   []plan.Term   // terms that events must report
	reported []plan.Term   // terms that the protocol's events report
	changes  []plan.Change
	after    []plan.Term    // terms read from the chain after the execution
	done     []plan.Result  // the adapter's description of every step, or the zero Result
	made     []sui.ObjectID // objects that it created for later steps
	known    bool           // the adapters could read the events
	wrong    string         // why the events could not be read
	aborted  *plan.Stop     // explains a failure; nil if no adapter can
}

// ReportOf asks the adapters for the results of an executed transaction other than moved amounts.
func ReportOf(adapters []plan.Adapter, e sui.Executed, account sui.Address, f plan.Facts) (t executionReport) {
	if len(adapters) != len(f.Steps) {
		return t
	}
	if !e.Status.OK {
		t.aborted = meaning(adapters, e.Status.Abort, f)
		return t
	}
	terms := make([][]plan.Term, len(f.Steps))
	for i, a := range adapters {
		if w, ok := a.(plan.ExecutionReporter); ok {
			said := w.ReportExecution(e, f.Steps[i])
			t.Said, t.each = append(t.Said, said...), append(t.each, said)
		} else {
			t.each = append(t.each, nil)
		}
		var done plan.Result
		if w, ok := a.(plan.ResultReporter); ok {
			done = w.ReportResult(e, f.Steps[i])
		}
		if w, ok := a.(plan.ObjectMaker); ok && len(t.made) == 0 {
			t.made = w.Made(account, e.Events)
		}
		t.done = append(t.done, done)
		terms[i] = f.Steps[i].Terms
		t.agreed = append(t.agreed, a.Meta().ReportedTerms(terms[i])...)
	}
	switch {
	case len(t.agreed) == 0:
	case len(e.Events) == 0:
		t.Said = append(t.Said, plan.Term{Name: "Terms", Value: "Not known: the node reported no events."})
	default:
		actions, err := plan.ActionsOf(adapters, terms, account, e.Events)
		if err != nil {
			t.wrong = fault.As(err).Text
			break
		}
		t.known = true
		for _, a := range actions {
			t.reported, t.changes = append(t.reported, a.Terms...), append(t.changes, a.Changes...)
		}
	}
	return t
}

// meaning returns the explanation of an abort by the steps' adapters, or nil if none knows it.
func meaning(adapters []plan.Adapter, a *sui.MoveAbort, f plan.Facts) *plan.Stop {
	if a == nil {
		return nil
	}
	for i, adapter := range adapters {
		if w, ok := adapter.(plan.AbortReader); ok {
			if stop := w.ReadAbort(*a, f.Steps[i]); stop != nil {
				return stop
			}
		}
	}
	return nil
}

// whyFailed explains in one sentence why a transaction failed, or returns "" if only the kind of
// failure is known.
func whyFailed(status sui.ExecutionStatus, aborted *plan.Stop, f plan.Facts) string {
	switch floor, short := f.Short(status); {
	case short:
		return "Less than " + floor.Least.String() + " would have come out."
	case aborted != nil && aborted.Short:
		return record.PriceFell
	case aborted != nil:
		return aborted.Check.Message
	case status.Kind == sui.InsufficientFunds:
		return "Your address balance no longer covered the payment."
	case status.Abort != nil:
		a := status.Abort
		at := plan.SafeName(a.Module)
		if a.Function != "" {
			at += "::" + plan.SafeName(a.Function)
		}
		return fmt.Sprintf("The contract refused in %s with code %d.", at, a.Code)
	}
	return ""
}

// afterwards is the timeout for reading the state after an execution, because the receipt waits for
// it.
const afterwards = 5 * time.Second

// readAfter adds what the adapters read from the chain after the execution.
func (t *executionReport) readAfter(ctx context.Context, adapters []plan.Adapter, e sui.Executed, f plan.Facts) {
	if len(adapters) != len(f.Steps) || !e.Status.OK {
		return
	}
	ctx, stop := context.WithTimeout(ctx, afterwards)
	defer stop()
	for i, a := range adapters {
		if r, ok := a.(plan.AfterReader); ok {
			t.after = append(t.after, r.ReadAfter(ctx, e, f.Steps[i])...)
		}
	}
}

// Results compares every agreed term with the events of the executed transaction. It returns nil if
// there are no events.
func (t executionReport) Results() (list []record.PromiseResult) {
	if !t.known && t.wrong == "" {
		return nil
	}
	for i, agreed := range t.agreed {
		p := record.PromiseResult{ID: "term_" + strings.ReplaceAll(strings.ToLower(agreed.Name), " ", "_"),
			Label: agreed.Name, Promised: agreed.Value, Actual: t.wrong}
		if t.wrong == "" {
			p.Actual = "not reported"
		}
		if i < len(t.reported) && t.reported[i].Name == agreed.Name {
			p.Actual, p.Kept = t.reported[i].Value, agreed.Open || t.reported[i].Value == agreed.Value
		} else if at := slices.IndexFunc(t.reported, func(o plan.Term) bool { return o.Name == agreed.Name }); at >= 0 {
			p.Actual, p.Kept = t.reported[at].Value, agreed.Open || t.reported[at].Value == agreed.Value
		}
		list = append(list, p)
	}
	return list
}
