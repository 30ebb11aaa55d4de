package tools_test

import (
	"context"
	"fmt"

	"github.com/sayurintent/sayurintent/internal/execplan"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

const (
	alice = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
	bob   = "0x5afe0000000000000000000000000000000000000000000000000000000000bb"
)

// planned sets a plan of one payment.
func (w *world) planned() {
	w.t.Helper()
	w.Connect(sandbox.Account)
	w.values["planId"] = w.must("agent.set_execution_plan", `{"groups":[{"id":"pay","title":"Pay","steps":[`+planStep("a", 0, "1", alice)+`]}]}`)["plan_id"].(string)
}

// planStep is a step that pays SUI.
func planStep(id string, place int, amount, to string) string {
	return fmt.Sprintf(`{"id":%q,"sequence":%d,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":%q},"recipient":%q}}`, id, place, amount, to)
}

// callsWait takes as many calls as may wait, and answers none of them.
func (w *world) callsWait() {
	w.t.Helper()
	w.planned()
	for i := range execplan.MostPending {
		if err := w.Store.KeepPlanCall(context.Background(), execplan.Call{ID: fmt.Sprint("call_", i), Tool: execplan.NextTool,
			Plan: execplan.ID(w.values["planId"]), Session: w.Store.Bus(), At: w.Clock.Now()}, nil); fault.Is(err, fault.RateLimited) {
			break // with the one that set the plan
		} else if err != nil {
			w.t.Fatal(err)
		}
	}
}
