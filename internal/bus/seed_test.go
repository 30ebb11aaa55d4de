package bus_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// TestVariants decodes and encodes each variant of the specification. The result must equal the
// original and have the right type.
func TestVariants(t *testing.T) {
	id, why, digest, part, said := "r1", "timeout", "0x1", 0.5, "m"
	value := json.RawMessage(`{"a":[1]}`)
	for name, c := range map[string]struct {
		tag  string
		body bus.Body
	}{
		"R003-25 R003-139 display":        {"InlineDisplay", bus.InlineDisplay{Value: value}},
		"R003-25 R003-139 notice":         {"SystemNotice", bus.SystemNotice{Message: said}},
		"R003-25 R003-139 error":          {"SystemError", bus.SystemError{Message: said, LLMNotify: true}},
		"R003-25 R003-139 async update":   {"AsyncUpdate", bus.AsyncUpdate{Value: value}},
		"R003-48 R003-139 connecting":     {"BackendConnecting", bus.BackendConnecting{Message: said}},
		"R003-49 R003-139 connected":      {"BackendConnected", bus.BackendConnected{}},
		"R003-50 R003-139 missing key":    {"MissingApiKey", bus.MissingAPIKey{}},
		"R003-51 R003-139 wallet request": {"WalletTxRequest", bus.WalletTxRequest{Payload: value}},
		"R003-52 R003-53 R003-54 R003-139 answer": {"WalletTxResponse", bus.WalletTxResponse{Status: bus.Confirmed,
			TxHash: &digest, Detail: &said}},
		"R003-146 R003-139 progress": {"ToolProgress", bus.ToolProgress{TaskID: "t", ToolName: "n",
			Stage: "s", Progress: &part, Message: &said}},
		"R003-146 R003-139 result": {"ToolResult", bus.ToolResult{TaskID: "t", ToolName: "n",
			Result: value}},
		"R003-63 R003-146 R003-139 failure": {"ToolResult", bus.ToolResult{TaskID: "t", ToolName: "n",
			Result: json.RawMessage("null"), Error: &why}},
		"R003-64 R003-65 R003-66 R003-139 request": {"UserRequest", bus.UserRequest{RequestID: &id, Kind: "k",
			Payload: value}},
		"R003-67 R003-68 R003-69 R003-139 response": {"UserResponse", bus.UserResponse{RequestID: &id, Kind: "k",
			Payload: value}},
		"R003-70 R003-139 response with its failure": {"UserResponse", bus.UserResponse{Kind: "k",
			Payload: json.RawMessage("null"), Error: &why}},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := bus.Encode(c.body)
			if err != nil {
				t.Fatal(err)
			}
			var tag struct{ Type string }
			if err := json.Unmarshal(text, &tag); err != nil || tag.Type != c.tag {
				t.Errorf("%s: %v", text, err)
			}
			back, err := bus.Decode(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			again, err := bus.Encode(back)
			if err != nil || string(again) != string(text) || back.Tag() != c.body.Tag() {
				t.Errorf("%s became %s, %v", text, again, err)
			}
		})
	}
}

// TestInjection checks for every type whether its events reach the agent.
func TestInjection(t *testing.T) {
	loud := json.RawMessage(`{"type":"tool_async_result","tool_name":"n","call_id":"c","result":{"ok":true,"value":{}},"llm_notify":true}`)
	line := func(t *testing.T, b bus.Body) string {
		e, err := bus.NewEvent("s", "task/t", b)
		if err != nil {
			t.Fatal(err)
		}
		if e.Audience&bus.Agent == 0 {
			return ""
		}
		l, ok := bus.LineOf(e)
		if !ok || l.Text == "" {
			t.Fatalf("the agent sees %s without a line", e.Type)
		}
		return l.Text
	}
	bodies := []bus.Body{bus.SystemNotice{Message: "m"}, bus.SystemError{Message: "m"},
		bus.BackendConnecting{Message: "m"}, bus.BackendConnected{},
		bus.MissingAPIKey{}, bus.WalletTxRequest{Payload: json.RawMessage(`{}`)}, bus.WalletTxResponse{Status: bus.Rejected},
		bus.ToolProgress{TaskID: "t", Stage: "s"},
		bus.ToolResult{TaskID: "t", ToolName: "n", Result: json.RawMessage(`{}`)}, bus.UserRequest{Kind: "k",
			Payload: json.RawMessage(`{}`)},
		bus.UserResponse{Kind: "k", Payload: json.RawMessage(`{}`)}, bus.AsyncUpdate{Value: json.RawMessage(`{}`)},
		bus.InlineDisplay{Value: json.RawMessage(`{}`)}}
	t.Run("R003-160 of all types, only the wallet's answer and a result are injected", func(t *testing.T) {
		var injected []bus.Type
		for _, b := range bodies {
			if line(t, b) != "" {
				injected = append(injected, b.Tag())
			}
		}
		if want := []bus.Type{bus.TypeWalletTxResponse, bus.TypeToolResult}; !slices.Equal(injected, want) {
			t.Errorf("%v", injected)
		}
	})
	t.Run("R003-26 R003-78 unless the event asks for it", func(t *testing.T) {
		for _, b := range []bus.Body{bus.SystemError{Message: "m", LLMNotify: true}, bus.AsyncUpdate{Value: loud}} {
			if line(t, b) == "" {
				t.Errorf("%s is not injected", b.Tag())
			}
		}
	})
	t.Run("R003-110 what a page asks and is answered is no matter of the conversation", func(t *testing.T) {
		for _, b := range bodies {
			if tag := b.Tag(); (tag == bus.TypeUserRequest || tag == bus.TypeUserResponse) && line(t, b) != "" {
				t.Errorf("%s is injected", tag)
			}
		}
	})
	t.Run("R003-108 R003-147 R003-168 a result is injected in the form of the specification", func(t *testing.T) {
		why := "timeout"
		for want, b := range map[string]bus.Body{
			`[[SYSTEM: Tool n (task t) completed: {"a":1}]]`: bus.ToolResult{TaskID: "t", ToolName: "n",
				Result: json.RawMessage(`{"a":1}`)},
			`[[SYSTEM: Tool n (task t) failed: timeout]]`: bus.ToolResult{TaskID: "t", ToolName: "n", Error: &why},
		} {
			if got := line(t, b); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
}

// TestOtherVariants checks that events of later versions, and events without a text for the agent,
// are skipped.
func TestOtherVariants(t *testing.T) {
	for name, payload := range map[string]string{"R003-113 unknown": `{"type":"Nonsense","a":1}`,
		"R003-113 another form":                       `{"type":"ToolResult","task":7}`,
		"R003-113 known, without words for the agent": `{"type":"InlineDisplay","value":{"type":"later"}}`} {
		t.Run(name, func(t *testing.T) {
			e := bus.Event{Seq: 1, Type: "Nonsense", Session: "s", Audience: bus.UI | bus.Agent,
				Payload: json.RawMessage(payload)}
			if line, ok := bus.LineOf(e); ok {
				t.Errorf("the agent is told %+v", line)
			}
		})
	}
}

// TestNewID checks the IDs of tasks.
func TestNewID(t *testing.T) {
	t.Run("R003-10 R003-145 each is another", func(t *testing.T) {
		seen := map[string]bool{}
		for range 1000 {
			id := bus.NewID("task_")
			if !strings.HasPrefix(id, "task_") || len(id) < len("task_")+20 || seen[id] {
				t.Fatalf("%q, made before: %v", id, seen[id])
			}
			seen[id] = true
		}
	})
}

// TestTaskEvents applies steps to a task and compares the events.
func TestTaskEvents(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	task := bus.Task{ID: "task_1", Session: "s", Kind: bus.KindScan, Tool: "task.scan_activity", State: bus.Working}
	third := 0.25
	for _, c := range []struct {
		name string
		step bus.Step
		want string // expected events
		open bool   // whether a wallet request is open afterwards
	}{
		{"R003-55 R003-56 R003-57 R003-58 R003-59 progress has the stage, the part and the words",
			bus.Step{Stage: "page 1", Progress: &third, Message: "of 4"},
			`{"type":"ToolProgress","task_id":"task_1","tool_name":"task.scan_activity","stage":"page 1","progress":0.25,"message":"of 4"}`, false},
		{"R003-57 R003-58 R003-59 a stage alone", bus.Step{Stage: "page 2"},
			`{"type":"ToolProgress","task_id":"task_1","tool_name":"task.scan_activity","stage":"page 2"}`, false},
		{"R003-51 R003-71 a wallet is asked", bus.Step{Request: json.RawMessage(`{"title":"Swap"}`)},
			`{"type":"WalletTxRequest","payload":{`, true},
		{"R003-37 R003-52 R003-72 its answer clears the request",
			bus.Step{Response: &bus.WalletTxResponse{Status: bus.Rejected}},
			`{"type":"WalletTxResponse","status":"rejected"`, false},
		{"R003-60 R003-61 R003-62 R003-63 the end is a result with its error", bus.Step{End: bus.Completed, Error: "timeout",
			Result: json.RawMessage(`{"a":1}`)},
			`{"type":"ToolResult","task_id":"task_1","tool_name":"task.scan_activity","result":{"a":1},"error":"timeout"}`,
			false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list []bus.Event
			var err error
			if task, list, _, err = task.Take(c.step, now); err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			if got := string(list[0].Payload); !strings.HasPrefix(got, c.want) || strings.HasSuffix(c.want, "}") &&
				got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if open := task.Request != nil; open != c.open {
				t.Errorf("a request is open: %v", open)
			}
		})
	}
}
