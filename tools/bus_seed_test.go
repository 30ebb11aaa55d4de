package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// everyone sees all events except those that only wake the program.
const everyone = bus.UI | bus.Agent | bus.System

// logged returns the events of the world's conversation.
func (w *world) logged() []bus.Event {
	w.t.Helper()
	page, err := w.Store.Since(w.t.Context(), bus.Cursor{}, bus.Filter{Session: w.Store.Bus(w.t.Context()),
		Sees: everyone}, bus.MostRead)
	if err != nil {
		w.t.Fatal(err)
	}
	return page.Events
}

// TestNormalCalls calls tools that return their results immediately.
func TestNormalCalls(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	for name, args := range map[string]string{"read.get_server_status": `{}`, "read.list_deepbook_pools": `{}`,
		"read.get_deepbook_mid_price":  `{"poolKey":"SUI_USDC"}`,
		"read.summarize_wallet_assets": `{}`, "read.list_supported_protocols": `{}`, "agent.get_address_book": `{}`} {
		t.Run("R003-5 R003-7 R003-79 R003-161 R003-162 the answer is the result, and no event is made: "+name,
			func(t *testing.T) {
				before := len(w.logged())
				data := w.must(name, args)
				if _, begun := data["task_id"]; begun || len(data) < 2 {
					t.Errorf("%v", data)
				}
				if after := w.logged(); len(after) != before {
					t.Errorf("%d events became %d: %s", before, len(after), after[len(after)-1].Payload)
				}
			})
	}
}

// TestLongCall calls a tool whose work takes longer.
func TestLongCall(t *testing.T) {
	w := build(t, nil)
	situations["the account's transactions were scanned"](w)
	before := len(w.logged())
	begun := w.must("task.scan_activity", `{}`)
	id, _ := begun["task_id"].(string)
	w.ended(id)
	mine := w.logged()[before:]
	t.Run("R003-8 R003-10 R003-80 R003-144 R003-161 R003-163 one answer at once names the task, then progress, then one result", func(t *testing.T) {
		if id == "" || begun["status"] != "working" || begun["resultJson"] != nil {
			t.Errorf("%v", begun)
		}
		var list []bus.Type
		for _, e := range mine {
			if !strings.Contains(string(e.Payload), `"task_id":"`+id+`"`) {
				t.Errorf("of another task: %s", e.Payload)
			}
			list = append(list, e.Type)
		}
		if n := len(list); n < 2 || list[n-1] != bus.TypeToolResult || slices.Contains(list[:n-1], bus.TypeToolResult) ||
			!slices.Contains(list, bus.TypeToolProgress) {
			t.Errorf("%v", list)
		}
	})
	t.Run("R003-129 the tool itself makes them: nothing is asked of the worker", func(t *testing.T) {
		for _, e := range mine {
			if e.Type != bus.TypeToolProgress && e.Type != bus.TypeToolResult {
				t.Errorf("%s %s", e.Type, e.Payload)
			}
		}
	})
	t.Run("R003-29 R003-107 progress is for pages, the result for pages and the agent", func(t *testing.T) {
		for _, e := range mine {
			if agent := e.Audience&bus.Agent != 0; e.Audience&bus.UI == 0 || agent != (e.Type == bus.TypeToolResult) {
				t.Errorf("%s is seen by %b", e.Type, e.Audience)
			}
		}
	})
	t.Run("R003-11 the agent may go on while it works", func(t *testing.T) {
		id := w.must("task.watch_price", `{"poolKey":"SUI_USDC","above":"1000"}`)["task_id"].(string)
		if data := w.must("read.list_deepbook_pools", `{}`); len(data) == 0 {
			t.Error("no answer")
		}
		if task := w.must("task.get", fmt.Sprintf(`{"task_id":%q}`,
			id))["task"].(map[string]any); task["state"] != "working" {
			t.Errorf("%v", task)
		}
		w.must("task.cancel", fmt.Sprintf(`{"task_id":%q}`, id))
		w.ended(id)
	})
}

// TestHumanGatedCall prepares a review and has the user sign it.
func TestHumanGatedCall(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	out := w.must("action.prepare_sui_action_review",
		`{"intent":{"type":"swap","from":{"symbol":"SUI","amount":"10"},"to":{"symbol":"USDC"},"maxSlippageBps":50,"protocol":"deep"}}`)
	s, err := w.Reviews.Opened(t.Context(), record.ID(out["reviewSessionId"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R003-81 nothing is asked of a wallet before there is something to sign", func(t *testing.T) {
		for _, e := range w.logged() {
			if e.Type == bus.TypeWalletTxRequest || e.Type == bus.TypeWalletTxResponse {
				t.Errorf("%s", e.Payload)
			}
		}
	})
	s = w.Settle(w.Compute(s))
	t.Run("R003-31 R003-81 R003-138 a request waits for the person, the answer comes after it, and then the result",
		func(t *testing.T) {
			var list []bus.Type
			for _, e := range w.logged() {
				if e.Type != bus.TypeToolProgress && !slices.Contains(list, e.Type) {
					list = append(list, e.Type)
				}
			}
			if want := []bus.Type{bus.TypeWalletTxRequest, bus.TypeWalletTxResponse,
				bus.TypeToolResult}; s.Status != record.Success || !slices.Equal(list, want) {
				t.Errorf("%s %v", s.Status, list)
			}
		})
}

// TestNextTurn lets a wallet answer between two calls of an agent.
func TestNextTurn(t *testing.T) {
	b := telling(t)
	if got := lines(t, b.ask(anyTool, noArgs)); got != nil {
		t.Fatalf("before: %v", got)
	}
	digest := "0x1"
	e, err := bus.NewEvent(b.db.Bus(t.Context()), "task/x", bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &digest})
	if err == nil {
		_, err = b.db.Append(t.Context(), e)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R003-38 R003-39 R003-168 the next answer has the wallet's, and the one after it has not", func(t *testing.T) {
		if got := lines(t, b.ask(anyTool, noArgs)); fmt.Sprint(got) != "[[[SYSTEM: tx confirmed 0x1]]]" {
			t.Errorf("%v", got)
		}
		if got := lines(t, b.ask(anyTool, noArgs)); got != nil {
			t.Errorf("again: %v", got)
		}
	})
}
