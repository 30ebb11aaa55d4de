//go:build clients

package clients_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// taskScenarios is the group of the protocol's own suite that is about tasks.
var taskScenarios = []string{"tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields",
	"tasks-request-state-removal", "tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope",
	"tasks-status-notifications", "tasks-required-task-error", "tasks-mrtr-composition"}

// The protocol's own suite runs its task group against this transport, the extension
// over a store, and the tools that it wants.
func TestTaskConformance(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	url := conform(t)
	for _, scenario := range taskScenarios {
		t.Run(scenario, func(t *testing.T) { suite(t, url, "2026-07-28", scenario) })
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
	out, _ := json.Marshal(map[string]any{"content": []map[string]string{{"type": "text", "text": text}},
		"isError": failed})
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
				RequestedSchema: map[string]any{"type": "object",
					"properties": map[string]any{"name": map[string]string{"type": "string"}}}}).ToolResult(), nil
		}
		given, _ := json.Marshal(answer.Content)
		return mcp.NewToolResultText(""), x.begin(ctx, "test_tool_with_task", func(string) bus.Step {
			return bus.Step{End: bus.Completed, Result: said("named "+string(given), false)}
		})
	})
	return s
}
