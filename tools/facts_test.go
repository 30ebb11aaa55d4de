package tools_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// TestFacts checks that an answer that states how something ended has no line that repeats it.
func TestFacts(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	out := w.must("action.prepare_sui_action_review",
		`{"intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}}`)
	id := out["reviewSessionId"].(string)
	about := fmt.Sprintf(`{"reviewSessionId":%q}`, id)
	conversation := w.Store.Bus(t.Context())
	// This log gets no notifications, so that answers must find facts by reading it.
	log := tools.NewTelling(w.Store, conversation, &events.Hub{})
	defer log.Close()
	log.Pending(t.Context(), nil, nil)
	pending, data := w.call("session.get_execution_result", about)
	s, err := w.Reviews.Opened(t.Context(), record.ID(id))
	if err != nil || data["status"] != "pending" {
		t.Fatal(data, err)
	}
	if s = w.Settle(w.Compute(s)); s.Status != record.Success {
		t.Fatal(s.Status)
	}
	t.Run("R003-14 R003-109 an answer of before the end hides no line of it", func(t *testing.T) {
		fresh := tools.NewTelling(w.Store, conversation, &events.Hub{})
		defer fresh.Close()
		if lines, _ := fresh.Pending(t.Context(), nil, pending.Tells); len(lines) != 2 {
			t.Errorf("%v", lines)
		}
	})
	for name, args := range map[string]string{
		"session.get_execution_result": about, "session.wait_execution_result": about, "task.get": about,
		"events.list": `{"after_seq":0}`, "events.wait": `{"after_seq":0}`,
	} {
		t.Run(name, func(t *testing.T) {
			answer, _ := w.call(name, args)
			lines, undo := log.Pending(t.Context(), nil, answer.Tells)
			if len(lines) != 0 || undo == nil {
				t.Fatalf("said beside it: %v", lines)
			}
			undo()
			if lines, undo = log.Pending(t.Context(), &tool.About{Reviews: []string{id}}, nil); len(lines) != 2 {
				t.Fatalf("the answer was not sent, and then: %v", lines)
			}
			undo()
		})
	}
	t.Run("a status without the digest leaves the lines", func(t *testing.T) {
		answer, _ := w.call("session.get_review_status", about)
		lines, undo := log.Pending(t.Context(), nil, answer.Tells)
		if len(lines) != 2 {
			t.Fatal(lines)
		}
		undo()
	})
	t.Run("the next answer does not say it either", func(t *testing.T) {
		answer, _ := w.call("session.get_execution_result", about)
		log.Pending(t.Context(), nil, answer.Tells)
		if lines, _ := log.Pending(t.Context(), nil, nil); len(lines) != 0 {
			t.Error(lines)
		}
	})
	t.Run("the result of several steps names their transactions", func(t *testing.T) {
		d, e := "D", "E"
		for _, line := range []bus.Body{bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &d},
			bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &e}} {
			event, err := bus.NewEvent(conversation, "task/y", line)
			if err == nil {
				_, err = w.Store.Append(t.Context(), event)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		task, err := w.Store.CreateTask(t.Context(), bus.Task{Session: conversation, Kind: bus.KindScan,
			Tool: "task.scan_activity"})
		if err == nil {
			_, _, err = w.Store.StepTask(t.Context(), task.ID, bus.Step{End: bus.Completed, Result: json.RawMessage(
				`{"transactions":[{"tx_hash":"D","status":"confirmed"},{"tx_hash":"E","status":"timeout"}]}`)})
		}
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := w.call("task.get", fmt.Sprintf(`{"task_id":%q}`, task.ID))
		lines, _ := log.Pending(t.Context(), nil, answer.Tells)
		if len(lines) != 1 || lines[0].Text != "[[SYSTEM: tx confirmed E]]" {
			t.Error(lines)
		}
	})
}

// TestRepeatedLines compares the facts of answers with lines that are similar.
func TestRepeatedLines(t *testing.T) {
	digest, other, why := "D", "E", "wallet_rejected: You declined."
	result := func(task, status, digest, reason string, failed *string) bus.ToolResult {
		text, err := json.Marshal(map[string]string{"review_session_id": "r", "status": status, "tx_hash": digest,
			"failure_reason": reason})
		if err != nil {
			t.Fatal(err)
		}
		return bus.ToolResult{TaskID: task, ToolName: "n", Result: text, Error: failed}
	}
	done := tool.Fact{Review: "r", Status: "success", Digest: digest}
	failed := tool.Fact{Review: "r", Status: "failure", Digest: digest, Reason: "execution_failed"}
	declined := tool.Fact{Review: "r", Status: "failure", Reason: "wallet_rejected"}
	for _, c := range []struct {
		name string
		told tool.Fact
		line bus.Body
		says bool
	}{
		{"the same success", done, result("x", "success", digest, "", nil), true},
		{"another transaction", done, result("x", "success", other, "", nil), false},
		{"an earlier failure", done, result("x", "failure", digest, "execution_failed", &why), false},
		{"the same failure", failed, result("x", "failure", digest, "execution_failed", &why), true},
		{"another reason", failed, result("x", "failure", digest, "chain_rejected", &why), false},
		{"a success after a failure", failed, result("x", "success", digest, "", nil), false},
		{"another status", tool.Fact{Review: "r", Status: "failure", Digest: digest}, result("x", "success", digest, "", nil),
			false},
		{"a review that is not named", declined, result("x", "failure", "", "wallet_rejected", &why), false},
		{"confirmed", done, bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &digest}, true},
		{"another one confirmed", done, bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &other}, false},
		{"confirmed after a failure", failed, bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &digest}, false},
		{"failed", failed, bus.WalletTxResponse{Status: bus.Failed, TxHash: &digest}, true},
		{"failed before a success", done, bus.WalletTxResponse{Status: bus.Failed, TxHash: &digest}, false},
		{"a report that nobody proved", done, bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &digest, Claimed: true},
			false},
		{"rejected by nobody knows whom", declined, bus.WalletTxResponse{Status: bus.Rejected}, false},
		{"how a task ended", tool.Fact{Task: "x", Outcome: "succeeded"}, bus.ToolResult{TaskID: "x", ToolName: "n"}, true},
		{"how another task ended", tool.Fact{Task: "y", Outcome: "succeeded"}, bus.ToolResult{TaskID: "x", ToolName: "n"},
			false},
		{"another end of the task", tool.Fact{Task: "x", Outcome: "succeeded"}, bus.ToolResult{TaskID: "x", ToolName: "n",
			Error: &why}, false},
		{"the same error", tool.Fact{Task: "x", Outcome: "failed: " + why}, bus.ToolResult{TaskID: "x", ToolName: "n",
			Error: &why}, true},
		{"a note", done, bus.SystemError{Message: "success D", LLMNotify: true}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := telling(t)
			e, err := bus.NewEvent(b.db.Bus(t.Context()), "task/x", c.line)
			if err == nil {
				_, err = b.db.Append(t.Context(), e)
			}
			if err != nil {
				t.Fatal(err)
			}
			lines, _ := b.log.Pending(t.Context(), nil, []tool.Fact{c.told})
			if said := len(lines) == 1; said == c.says {
				t.Errorf("%+v, and beside it %v", c.told, lines)
			}
		})
	}
}
