package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

const (
	alice = "0x5afe0000000000000000000000000000000000000000000000000000000000aa"
	bob   = "0x5afe0000000000000000000000000000000000000000000000000000000000bb"
)

// planned stores a plan of one payment.
func (w *world) planned() {
	w.t.Helper()
	w.Connect(sandbox.Account)
	set := w.must("agent.set_execution_plan", `{"groups":[{"id":"pay","title":"Pay","steps":[`+planStep("a", 0, "1",
		alice)+`]}]}`)
	w.values["planId"] = set["plan_id"].(string)
	w.answered(set["call_id"].(string), bus.Agent)
}

// planStep returns a step that pays SUI.
func planStep(id string, place int, amount, to string) string {
	return fmt.Sprintf(`{"id":%q,"sequence":%d,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":%q},"recipient":%q}}`, id, place, amount, to)
}

// callsWait makes the maximum number of calls without a result.
func (w *world) callsWait() {
	w.t.Helper()
	w.planned()
	for i := range plans.MostPending {
		if err := w.Store.KeepPlanCall(context.Background(),
			plans.Call{ID: fmt.Sprint("call_", i), Tool: plans.NextTool,
				Plan: plans.ID(w.values["planId"]), Session: w.Store.Bus(context.Background()), At: w.Clock.Now()},
			nil); err != nil {
			w.t.Fatal(err)
		}
	}
}

// answered waits for the event that answers a call, as seen by the given audience.
func (w *world) answered(call string, sees bus.Audience) bus.Event {
	w.t.Helper()
	f := bus.Filter{Session: w.Store.Bus(w.t.Context()), Sees: sees, Types: []bus.Type{bus.TypeAsyncUpdate}}
	var found bus.Event
	double.Until(w.t, "an answer of the call "+call, func() bool {
		page, err := w.Store.Since(context.Background(), bus.Cursor{}, f, 100)
		if err != nil {
			w.t.Fatal(err)
		}
		at := slices.IndexFunc(page.Events, func(e bus.Event) bool { return strings.Contains(string(e.Payload), call) })
		if at >= 0 {
			found = page.Events[at]
		}
		return at >= 0
	})
	return found
}

func TestPlanCalls(t *testing.T) {
	w := build(t, nil)
	w.planned()
	about := tools.NewTelling(w.Store, w.Store.Bus(t.Context()), w.Hub)
	t.Cleanup(about.Close)
	about.Pending(t.Context(), nil, nil) // drop the lines about the plan
	ack := w.must("agent.next_groups", `{"plan_id":"`+w.values["planId"]+`"}`)
	call, _ := ack["call_id"].(string)
	t.Run("R003-18 the answer accepts the call, and has the result that was known within 2 s, with its page and a cursor",
		func(t *testing.T) {
			value, _ := at(ack, "result.valueJson").(string)
			if ack["accepted"] != true || !strings.HasPrefix(call, "call_") || at(ack, "result.ok") != true ||
				!strings.Contains(value, `"groups":[{"id":"pay"`) {
				t.Errorf("%v", ack)
			}
			if url, _ := ack["reviewUrl"].(string); !strings.Contains(url, "/bundle/") {
				t.Errorf("%v", ack["reviewUrl"])
			}
			if rest := w.must("events.list", `{"cursor":"`+ack["cursor"].(string)+
				`","types":["AsyncUpdate"]}`)["events"].([]any); len(rest) != 0 {
				t.Errorf("after its cursor: %v", rest)
			}
		})
	e := w.answered(call, bus.Agent)
	t.Run("R003-20 R003-21 R003-22 R003-23 R003-24 the payload", func(t *testing.T) {
		var body struct {
			Value struct {
				Result struct{ Value json.RawMessage }
			}
		}
		if err := json.Unmarshal(e.Payload, &body); err != nil {
			t.Fatal(err)
		}
		want := `{"type":"AsyncUpdate","value":{"type":"tool_async_result","tool_name":"next_groups","call_id":"` + call +
			`","result":{"ok":true,"value":` + string(body.Value.Result.Value) + `},"llm_notify":true}}`
		if string(e.Payload) != want || !bytes.HasPrefix(body.Value.Result.Value, []byte(`{"plan_id":"`+w.values["planId"]+
			`","status":"in_progress","groups":[{"id":"pay"`)) {
			t.Errorf("got  %s\nwant %s", e.Payload, want)
		}
	})
	t.Run("R003-26 a line is relayed to the agent", func(t *testing.T) {
		list, _ := about.Pending(t.Context(), nil, nil)
		begins := "[[SYSTEM: Tool next_groups (task " + call + `) completed: {"plan_id":"`
		if !slices.ContainsFunc(list, func(l tool.SystemEvent) bool { return strings.HasPrefix(l.Text, begins) }) {
			t.Errorf("%v", list)
		}
	})
	t.Run("R003-27 pages receive the event too", func(t *testing.T) {
		if seen := w.answered(call, bus.UI); seen.Seq != e.Seq {
			t.Error("pages see another event")
		}
	})
	t.Run("R003-22 events.wait has the whole result", func(t *testing.T) {
		list := w.must("events.wait", `{"after_seq":0,"types":["AsyncUpdate"]}`)["events"].([]any)
		last := list[len(list)-1].(map[string]any)
		if text, _ := last["resultJson"].(string); !json.Valid([]byte(text)) || !strings.Contains(text, `"bundle_id"`) {
			t.Errorf("%v", last)
		}
	})
}

// TestAsyncOnly checks that only the two plan tools answer with events.
func TestAsyncOnly(t *testing.T) {
	var found []string
	for _, d := range tools.All(tools.Deps{}) {
		if strings.Contains(string(d.OutputSchema()), `"accepted"`) && strings.Contains(string(d.OutputSchema()),
			`"call_id"`) {
			found = append(found, d.Name)
		}
	}
	t.Run("R003-19", func(t *testing.T) {
		if !slices.Equal(found, []string{plans.SetTool, plans.NextTool}) {
			t.Error(found)
		}
	})
}

// TestPlanOfAnother checks that a client can use plans of its earlier conversations, but not of
// other clients.
func TestPlanOfAnother(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(w.Data, "sandbox"), Now: w.Clock.Now,
		Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Converse(t.Context(), "claude"); err != nil {
		t.Fatal(err)
	}
	p := plans.Plan{ID: "plan_theirs", Session: db.Bus(t.Context()), Groups: []plans.Group{{ID: "a"}},
		CreatedAt: w.Clock.Now(),
		UpdatedAt: w.Clock.Now()}
	if err := db.KeepPlanCall(t.Context(), plans.Call{ID: "call_theirs", Tool: plans.SetTool, Plan: p.ID,
		Session: p.Session, At: w.Clock.Now()}, &p); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Second)
	if err := w.Store.Converse(t.Context(), "codex"); err != nil {
		t.Fatal(err)
	}
	answer, refused := w.call("agent.next_groups", `{"plan_id":"plan_theirs"}`)
	if answer.Fault == nil || answer.Fault.Code != fault.SessionNotFound ||
		answer.Fault.Detail.Get("reason") != "plan_not_found" {
		t.Errorf("%v", refused)
	}
	if err := w.Store.Converse(t.Context(), "claude"); err != nil {
		t.Fatal(err)
	}
	if answer, _ := w.call("agent.next_groups", `{"plan_id":"plan_theirs"}`); answer.Fault != nil {
		t.Errorf("%s", answer.Text)
	}
}

// TestPlanUnheard checks that a plan is removed if the client did not get the answer.
func TestPlanUnheard(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	answer := w.unsent("agent.set_execution_plan", `{"groups":[{"id":"pay","title":"Pay","steps":[`+planStep("a", 0, "1",
		alice)+`]}]}`)
	var v struct {
		Data struct {
			Plan string `json:"plan_id"`
		}
	}
	if err := json.Unmarshal(answer.Text, &v); err != nil || v.Data.Plan == "" {
		t.Fatalf("%s", answer.Text)
	}
	if _, err := w.Store.Plan(t.Context(), plans.ID(v.Data.Plan)); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("the plan is left: %v", err)
	}
}

// TestPlanArguments checks that malformed arguments are rejected immediately, with their position.
func TestPlanArguments(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	group := func(more, steps string) string {
		return `{"groups":[{"id":"x","title":"X",` + more + `"steps":[` + steps + `]}]}`
	}
	entry := `{"id":"a","sequence":0,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":"1"},"recipientEntryId":"nobody"}}`
	for _, c := range []struct{ name, args, says string }{
		{"one step id twice", group("", planStep("a", 0, "1", alice)+","+planStep("a", 1, "1", alice)),
			"Group x: Two steps have the id"},
		{"one sequence twice", group("", planStep("a", 0, "1", alice)+","+planStep("b", 0, "1", alice)),
			"Group x: Two steps have the sequence"},
		{"another chain", group("", strings.Replace(planStep("a", 0, "1", alice), `"Sui"`, `"Ethereum"`, 1)),
			"Only steps on Sui"},
		{"neither intent nor review", group("", `{"id":"a","sequence":0,"chain":"Sui"}`),
			"needs exactly one of intent and reviewSessionId"},
		{"atomic of one", group(`"mode":"atomic",`, planStep("a", 0, "1", alice)), "has 1 steps"},
		{"a secret", group("", strings.Replace(planStep("a", 0, "1", alice), `"chain"`,
			`"action":"legal winner thank year wave sausage worth useful legal winner thank yellow","chain"`, 1)),
			"recovery phrase"},
		{"an entry that is not there is no matter of shape", group("", entry), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, _ := w.call("agent.set_execution_plan", c.args)
			if (answer.Fault == nil) != (c.says == "") || c.says != "" && !strings.Contains(answer.Fault.Text, c.says) {
				t.Errorf("%s", answer.Text)
			}
		})
	}
}
