//go:build clients

package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/extension"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// taskScenarios is the group of the protocol's own suite that is about tasks. The
// headers that one of them sends are a matter of HTTP and of the bridge.
var taskScenarios = []string{"tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields",
	"tasks-request-state-removal", "tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope",
	"tasks-status-notifications", "tasks-required-task-error", "tasks-mrtr-composition"}

// The protocol's own suite runs its task group against this transport, the extension
// over a store, and the tools that it wants, through a bridge from HTTP.
func TestTaskConformance(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	suite := filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(suite); err != nil {
		t.Skip("the conformance suite is not installed; run test/setup.sh")
	}
	url := taskBridge(t)
	for _, scenario := range taskScenarios {
		t.Run(scenario, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
			defer stop()
			out, err := exec.CommandContext(ctx, nodeForInspector(), suite, "server", "--url", url, "--spec-version", "2026-07-28",
				"--scenario", scenario).CombinedOutput()
			if err != nil || bytes.Contains(out, []byte("FAILURE")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// conforming is the server that the suite asks for, over a store.
type conforming struct{ db *store.DB }

// Settled implements extension.Source.
func (x conforming) Settled(ctx context.Context, id string) (bus.Task, error) {
	return x.db.Task(ctx, id)
}

// Result implements extension.Source.
func (x conforming) Result(_ context.Context, t bus.Task) (json.RawMessage, error) {
	return t.Result, nil
}

func said(text string, failed bool) json.RawMessage {
	out, _ := json.Marshal(map[string]any{"content": []map[string]string{{"type": "text", "text": text}}, "isError": failed})
	return out
}

// begin makes a task and runs work on it.
func (x conforming) begin(ctx context.Context, tool string, work func(id string) bus.Step) error {
	s := server.ClientSessionFromContext(ctx).(*stdio.Session)
	t, err := x.db.CreateTask(ctx, bus.Task{Session: x.db.Bus(ctx), Kind: bus.KindScan, Tool: tool, Stage: "working"})
	if err != nil {
		return err
	}
	s.Began(t.ID)
	go func() { _, _, _ = x.db.StepTask(context.Background(), t.ID, work(t.ID)) }() // the store may be closed
	return nil
}

// cancelled reports whether a task should stop.
func (x conforming) cancelled(id string) bool {
	t, err := x.db.Task(context.Background(), id)
	return err != nil || t.CancelRequested || t.State.Ended()
}

func (x conforming) compute(span time.Duration) func(id string) bus.Step {
	return func(id string) bus.Step {
		done, look := time.After(span), time.NewTicker(20*time.Millisecond)
		defer look.Stop()
		for {
			select {
			case <-done:
				return bus.Step{End: bus.Completed, Result: said("done", false)}
			case <-look.C:
				if x.cancelled(id) {
					return bus.Step{End: bus.Cancelled}
				}
			}
		}
	}
}

// asking puts questions to the client and ends with their answers.
func (x conforming) asking(keys ...string) func(id string) bus.Step {
	return func(id string) bus.Step {
		ask := map[string]json.RawMessage{}
		for _, key := range keys {
			ask[key] = json.RawMessage(`{"method":"elicitation/create","params":{"mode":"form","message":"Sure?",` +
				`"requestedSchema":{"type":"object","properties":{"confirm":{"type":"boolean"}}}}}`)
		}
		if _, _, err := x.db.StepTask(context.Background(), id, bus.Step{Ask: ask}); err != nil {
			return bus.Step{End: bus.TaskFailed, Error: err.Error()}
		}
		end := bus.Step{End: bus.Cancelled}
		double.Await(func() bool {
			if x.cancelled(id) {
				return true
			}
			t, err := x.db.Task(context.Background(), id)
			if err != nil || len(t.Open()) > 0 {
				return false
			}
			end = bus.Step{End: bus.Completed, Result: said("answered", false)}
			return true
		})
		return end
	}
}

// server returns the tools that the suite names.
func (x conforming) server() *server.MCPServer {
	s := server.NewMCPServer("conforming", "1", server.WithToolCapabilities(false))
	add := func(name string, run func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
		s.AddTool(mcp.NewTool(name), run)
	}
	long := func(name string, work func(r mcp.CallToolRequest) func(string) bus.Step) {
		add(name, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("it goes on as a task"), x.begin(ctx, name, work(r))
		})
	}
	add("greet", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("Hello, " + r.GetString("name", "") + "!"), nil
	})
	long("slow_compute", func(r mcp.CallToolRequest) func(string) bus.Step {
		return x.compute(time.Duration(r.GetInt("seconds", 0)) * time.Second)
	})
	long("confirm_delete", func(mcp.CallToolRequest) func(string) bus.Step { return x.asking("confirm") })
	long("multi_input", func(mcp.CallToolRequest) func(string) bus.Step { return x.asking("one", "two") })
	long("protocol_error_job", func(mcp.CallToolRequest) func(string) bus.Step {
		return func(string) bus.Step { return bus.Step{End: bus.TaskFailed, Error: "it broke"} }
	})
	add("failing_job", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := server.ClientSessionFromContext(ctx).(*stdio.Session).RequireTasks(); err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(""), x.begin(ctx, "failing_job", func(string) bus.Step {
			return bus.Step{End: bus.Completed, Error: "failed", Result: said("it failed", true)}
		})
	})
	add("test_tool_with_task", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer := server.ElicitationResponse(r.Params.InputResponses, "user_name")
		if answer == nil {
			return server.NewInputRequestBuilder("one").Elicit("user_name", mcp.ElicitationParams{Message: "Your name?",
				RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]string{"type": "string"}}}}).ToolResult(), nil
		}
		given, _ := json.Marshal(answer.Content)
		return mcp.NewToolResultText(""), x.begin(ctx, "test_tool_with_task", func(string) bus.Step {
			return bus.Step{End: bus.Completed, Result: said("named "+string(given), false)}
		})
	})
	return s
}

// taskBridge serves the conforming server over HTTP: one request, one answer. It is for
// this test alone; what the headers must say is judged here.
func taskBridge(t *testing.T) string {
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(double.Dir(t), "data"), Now: time.Now, Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	x := conforming{db}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	t.Cleanup(func() { _ = inW.Close() })
	go func() {
		_ = outW.CloseWithError(stdio.Serve(context.WithoutCancel(t.Context()), inR, outW, x.server(), stdio.Options{Now: time.Now,
			ToolNames: stdio.ToolNamesDotted, Tasks: extension.Tasks{Log: db, Source: x}}))
	}()
	var mu sync.Mutex
	serial, open := 0, map[string]chan map[string]json.RawMessage{}
	go func() {
		lines := bufio.NewScanner(outR)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			var m map[string]json.RawMessage
			if json.Unmarshal(lines.Bytes(), &m) != nil {
				continue
			}
			mu.Lock()
			if c := open[string(m["id"])]; c != nil {
				c <- m
			}
			mu.Unlock()
		}
	}()
	pass := func(m map[string]json.RawMessage) map[string]json.RawMessage {
		own := m["id"]
		mu.Lock()
		serial++
		id := strconv.Itoa(serial)
		c := make(chan map[string]json.RawMessage, 1)
		open[id] = c
		m["id"] = json.RawMessage(id)
		frame, _ := json.Marshal(m)
		_, _ = inW.Write(append(frame, '\n'))
		mu.Unlock()
		answer := <-c
		answer["id"] = own
		return answer
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var m map[string]json.RawMessage
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m["id"] == nil:
			w.WriteHeader(http.StatusAccepted)
		case mismatched(r.Header, m) != "":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":%q}}`, m["id"], mismatched(r.Header, m))
		default:
			_ = json.NewEncoder(w).Encode(pass(m))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// mismatched says which header does not repeat what the body says.
func mismatched(h http.Header, m map[string]json.RawMessage) string {
	var method string
	var params struct{ Name, URI, TaskID string }
	_ = json.Unmarshal(m["method"], &method)
	_ = json.Unmarshal(m["params"], &params)
	name := params.Name
	if strings.HasPrefix(method, "tasks/") {
		name = params.TaskID
	}
	switch {
	case h.Get("Mcp-Method") != method:
		return "Mcp-Method"
	case name != "" && h.Get("Mcp-Name") != name:
		return "Mcp-Name"
	}
	return ""
}
