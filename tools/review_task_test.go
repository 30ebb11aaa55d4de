package tools_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/tools"
)

// TestReviewTask checks that preparing a review returns its task, which every event about the
// review names.
func TestReviewTask(t *testing.T) {
	const args = `{"intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}}`
	const atomic = `{"mode":"atomic","transactions":[{"id":"a","sequence":0,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":"1"},"recipient":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}},` +
		`{"id":"b","sequence":1,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":"2"},"recipient":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}}]}`
	w := build(t, nil)
	w.Connect(sandbox.Account)
	for name, c := range map[string]string{"action.prepare_sui_action_review": args,
		"agent.sign_transaction_bundle": atomic} {
		t.Run("R003-9 R003-10 R003-55 R003-60 "+name, func(t *testing.T) {
			out := w.must(name, c)
			id, _ := out["task_id"].(string)
			task, err := w.Store.Task(t.Context(), id)
			if err != nil || task.Subject != record.Subject(record.ID(out["reviewSessionId"].(string))) {
				t.Fatalf("%q: %v %+v", id, err, task)
			}
			s, err := w.Reviews.Opened(t.Context(), record.ID(out["reviewSessionId"].(string)))
			if err != nil {
				t.Fatal(err)
			}
			if s = w.Settle(w.Compute(s)); s.Status != record.Success {
				t.Fatal(s.Status)
			}
			page, err := w.Store.Since(t.Context(), bus.Cursor{}, bus.Filter{Session: w.Store.Bus(t.Context()), Sees: bus.UI},
				bus.MostRead)
			if err != nil {
				t.Fatal(err)
			}
			var seen []bus.Type
			for _, e := range page.Events {
				var v struct {
					Task    string `json:"task_id"`
					Payload struct {
						Task string `json:"task_id"`
					} `json:"payload"`
				}
				if err := json.Unmarshal(e.Payload, &v); err != nil {
					t.Fatal(err)
				}
				if (v.Task == id || v.Payload.Task == id) && !slices.Contains(seen, e.Type) {
					seen = append(seen, e.Type)
				}
			}
			for _, b := range []bus.Body{bus.ToolProgress{}, bus.WalletTxRequest{}, bus.ToolResult{}} {
				if !slices.Contains(seen, b.Tag()) {
					t.Errorf("no %s names the task: %v", b.Tag(), seen)
				}
			}
			var result struct {
				Steps []record.StepDone `json:"steps"`
				Fees  *record.Fees      `json:"fees_paid"`
			}
			steps := len(s.Intent.Each())
			if steps == 1 {
				steps = 0 // the result itself is about it
			}
			if task, err = w.Store.Task(t.Context(), id); err != nil || json.Unmarshal(task.Result, &result) != nil ||
				len(result.Steps) != steps || result.Fees == nil || result.Fees.Gas == "" {
				t.Errorf("%v: %s", err, task.Result)
			}
		})
	}
	t.Run("without the tools that take a task none is named", func(t *testing.T) {
		d := w.deps()
		core, err := tools.ParseToolsets("core")
		if err != nil {
			t.Fatal(err)
		}
		d.About.Toolsets = core
		w.tools = tools.All(d)
		if out := w.must("action.prepare_sui_action_review", args); out["task_id"] != nil {
			t.Errorf("%v", out["task_id"])
		}
	})
}
