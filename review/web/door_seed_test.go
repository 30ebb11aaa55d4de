package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// lines returns everything that the agent of the conversation abc123 receives.
func (r *rig) lines() (texts []string) {
	r.t.Helper()
	id, err := r.db.ID(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	page, err := r.db.Since(r.t.Context(), bus.Cursor{Log: id}, bus.Filter{Session: "abc123", Sees: bus.Agent}, 100)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range page.Events {
		line, ok := bus.LineOf(e)
		if !ok {
			r.t.Errorf("no line of %s", e.Payload)
		}
		texts = append(texts, line.Text)
	}
	return texts
}

// stateAfter returns the response of GET /api/state with the events after a cursor.
func (r *rig) stateAfter(key, cursor string) (v sessionFrame) {
	r.t.Helper()
	a := r.ask("GET", "/api/state", nil, func(h http.Header) {
		h.Set("Authorization", "Bearer "+key)
		if cursor != "" {
			h.Set("Last-Event-ID", cursor)
		}
	})
	if err := json.Unmarshal([]byte(a.body), &v); err != nil || a.status != http.StatusOK {
		r.t.Fatalf("%d %s", a.status, a.body)
	}
	return v
}

// tags returns the types of a frame's events.
func (v sessionFrame) tags(t *testing.T) string {
	t.Helper()
	var list []string
	for _, e := range v.Events {
		var tag struct{ Type string }
		if err := json.Unmarshal(e, &tag); err != nil {
			t.Fatal(err)
		}
		list = append(list, tag.Type)
	}
	return strings.Join(list, " ")
}

// TestFourCases runs each path in the specification from a request to its response, and checks what
// pages and the agent receive.
func TestFourCases(t *testing.T) {
	r, key := conversation(t)
	start := r.stateAfter(key, "").Cursor
	t.Run("R003-28 R003-29 case 1: a task's progress goes to pages, its result to the agent too", func(t *testing.T) {
		r.in(t)
		task, err := r.db.CreateTask(t.Context(), bus.Task{Session: "abc123", Kind: bus.KindScan, Tool: "task.scan_activity"})
		if err == nil {
			_, _, err = r.db.StepTask(t.Context(), task.ID, bus.Step{Stage: "page 1"})
		}
		if err == nil {
			_, _, err = r.db.StepTask(t.Context(), task.ID, bus.Step{End: bus.Completed, Result: json.RawMessage(`{"pages":1}`)})
		}
		if err != nil {
			t.Fatal(err)
		}
		v := r.stateAfter(key, start)
		start = v.Cursor
		if got := v.tags(t); got != "ToolProgress ToolResult" {
			t.Errorf("pages receive %s", got)
		}
		if got := r.lines(); len(got) != 1 || got[0] != "[[SYSTEM: Tool task.scan_activity (task "+task.ID+
			`) completed: {"pages":1}]]` {
			t.Errorf("the agent reads %q", got)
		}
	})
	t.Run("R003-28 R003-31 R003-32 R003-33 R003-101 R003-105 case 2: a wallet request sets the flag, and pages receive it",
		func(t *testing.T) {
			r.in(t)
			r.asked("abc123")
			v := r.stateAfter(key, start)
			start = v.Cursor
			if got := v.tags(t); !strings.Contains(got, "WalletTxRequest") || v.Pending == nil || !strings.HasPrefix(*v.Pending,
				`{"wallet_transaction_request":{`) {
				t.Errorf("pages receive %s, pending %v", got, v.Pending)
			}
			if got := r.lines(); len(got) != 1 {
				t.Errorf("the agent reads %q", got)
			}
		})
	t.Run("R003-28 R003-36 R003-37 R003-39 R003-138 R003-142 case 3: the wallet's answer clears it, and the agent is told",
		func(t *testing.T) {
			r.in(t)
			a := r.post("/api/system/event", key,
				`{"session_id":"abc123","event":{"type":"WalletTxResponse","status":"rejected","tx_hash":null,"detail":null}}`)
			v := r.stateAfter(key, start)
			start = v.Cursor
			if got := v.tags(t); a.status != http.StatusAccepted || !strings.Contains(got, "WalletTxResponse") ||
				v.Pending != nil {
				t.Errorf("%d, pages receive %s, pending %v", a.status, got, v.Pending)
			}
			if got := r.lines(); len(got) != 2 || !strings.Contains(got[1], "reject") {
				t.Errorf("the agent reads %q", got)
			}
		})
	t.Run("R003-28 R003-41 R003-43 R003-149 R003-150 R003-165 case 4: a page's request is answered to pages alone",
		func(t *testing.T) {
			r.in(t)
			a := r.post("/api/system/event", key,
				`{"session_id":"abc123","event":{"type":"UserRequest","request_id":"q","kind":"nonsense","payload":null}}`)
			if got := r.stateAfter(key, start).tags(t); a.status != http.StatusAccepted || got != "UserResponse" {
				t.Errorf("%d, pages receive %s", a.status, got)
			}
			if got := r.lines(); len(got) != 2 {
				t.Errorf("the agent reads %q", got)
			}
		})
}

// TestOneEndpoint posts all events that pages may send to one route, and reads them on one stream.
func TestOneEndpoint(t *testing.T) {
	r, key := conversation(t)
	r.asked("abc123")
	answer := `{"type":"WalletTxResponse","status":"rejected"}`
	request := `{"type":"UserRequest","kind":"nonsense","payload":null}`
	t.Run("R003-158 no type has a route of its own", func(t *testing.T) {
		r.in(t)
		for _, path := range []string{"wallet_tx_response", "WalletTxResponse", "user_request", "UserRequest",
			"user_response", "event/WalletTxResponse", "events"} {
			if a := r.post("/api/system/"+path, key, `{"session_id":"abc123","event":`+answer+
				`}`); a.status != http.StatusNotFound {
				t.Errorf("%s: %d", path, a.status)
			}
		}
	})
	t.Run("R003-140 R003-157 R003-158 R003-166 R003-167 one route takes them, one stream pushes what follows",
		func(t *testing.T) {
			r.in(t)
			stream := r.listenAt("/api/events", key, "")
			defer stream.close()
			stream.until("snapshot")
			for event, want := range map[string]string{answer: "WalletTxResponse", request: "UserResponse"} {
				if a := r.post("/api/system/event", key, `{"session_id":"abc123","event":`+event+
					`}`); a.status != http.StatusAccepted {
					t.Errorf("%d %s", a.status, a.body)
				}
				e := stream.until("system_event")
				for !strings.Contains(e.data, `"event":{"type":"`+want+`"`) {
					e = stream.until("system_event")
				}
			}
		})
	t.Run("R003-141 what only the server makes is refused there, and stored nowhere", func(t *testing.T) {
		r.in(t)
		before := r.stateAfter(key, "").Cursor
		for _, event := range []string{`{"type":"WalletTxRequest","payload":{}}`,
			`{"type":"ToolProgress","task_id":"t","tool_name":"n","stage":"s"}`,
			`{"type":"ToolResult","task_id":"t","tool_name":"n","result":{},"error":null}`, `{"type":"BackendConnected"}`,
			`{"type":"BackendConnecting","message":"m"}`} {
			if a := r.post("/api/system/event", key, `{"session_id":"abc123","event":`+event+
				`}`); a.status != http.StatusForbidden {
				t.Errorf("%s: %d", event, a.status)
			}
		}
		if v := r.stateAfter(key, before); len(v.Events) != 0 {
			t.Errorf("%s", v.Events)
		}
	})
}

// TestConsoleWords checks the text for each type of event.
func TestConsoleWords(t *testing.T) {
	r := newRig(t, nil)
	token := consoleOf(r)
	hash, why := "9Kd1", "timeout"
	for name, c := range map[string]struct {
		body bus.Body
		want string
	}{
		"R003-87 notice":        {bus.SystemNotice{Message: "a notice"}, "a notice"},
		"R003-87 error":         {bus.SystemError{Message: "an error"}, "an error"},
		"R003-87 wallet answer": {bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &hash}, "The transaction is on chain."},
		"R003-87 result": {bus.ToolResult{TaskID: "t1", ToolName: "task.scan_activity", Result: json.RawMessage(`{}`)},
			"Scan activity is done."},
		"R003-87 failure": {bus.ToolResult{TaskID: "t2", ToolName: "task.watch_price", Error: &why},
			"Watch price ended: its time was over."},
		"R003-87 answer": {bus.UserResponse{Kind: "gas_price", Payload: json.RawMessage(`{"epoch":"7"}`)},
			"The price of gas"},
	} {
		t.Run(name, func(t *testing.T) {
			r.in(t)
			if view := r.consoleView(token); strings.Contains(view, c.want) {
				t.Fatalf("it shows %q already", c.want)
			}
			e, err := bus.NewEvent(r.db.Bus(t.Context()), "note/x", c.body)
			if err == nil {
				_, err = r.db.Append(t.Context(), e)
			}
			if err != nil {
				t.Fatal(err)
			}
			if view := r.consoleView(token); !strings.Contains(view, c.want) {
				t.Errorf("%q is not in %s", c.want, view)
			}
		})
	}
}
