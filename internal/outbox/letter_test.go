package outbox

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
)

const (
	address = "0x7d20dcdb2bca4f508ea9613994683eb4e76e9c4ed371169677c1be02aaf0b58e"
	digest  = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
	secret  = "1234.5 SUI to " + address + " see http://127.0.0.1:4100/review/r1#code"
)

// Of every event that an agent may be told, a letter has its kind, its ids and nothing
// that somebody wrote or that is worth money.
func TestReduced(t *testing.T) {
	text := func(v any) json.RawMessage { b, _ := json.Marshal(v); return b }
	why, hash := "wallet_rejected: "+secret, digest
	odd := secret
	for name, c := range map[string]struct {
		body bus.Body
		line string // of the letter
	}{
		"a result": {bus.ToolResult{TaskID: "t1", ToolName: "read.swap",
			Result: text(map[string]string{"tx": digest, "x": secret})},
			`[[SYSTEM: Tool read.swap (task t1) completed: "` + ReadThere + `"]]`},
		"a failure": {bus.ToolResult{TaskID: "t1", ToolName: "read.swap", Error: &why},
			`[[SYSTEM: Tool read.swap (task t1) failed: wallet_rejected]]`},
		"a failure in words": {bus.ToolResult{TaskID: "t1", ToolName: secret, Error: &odd},
			`[[SYSTEM: Tool  (task t1) failed: ` + ReadThere + `]]`},
		"confirmed": {bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &hash, RequestID: "r1", Detail: &odd},
			"[[SYSTEM: tx confirmed " + digest + "]]"},
		"rejected": {bus.WalletTxResponse{Status: bus.Rejected, RequestID: secret},
			"[[SYSTEM: tx rejected by the user]]"},
		"failed": {bus.WalletTxResponse{Status: bus.Failed, Detail: &odd},
			"[[SYSTEM: tx failed before submission]]"},
		"failed on chain": {bus.WalletTxResponse{Status: bus.Failed, TxHash: &hash, Detail: &odd},
			"[[SYSTEM: tx failed " + digest + "]]"},
		"no digest": {bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &odd}, "WalletTxResponse happened"},
		"failed and claims": {bus.WalletTxResponse{Status: bus.Failed, TxHash: &hash, Claimed: true},
			"[[SYSTEM: tx failed before submission]]"},
		"a note": {bus.AsyncUpdate{Value: text(map[string]any{"type": "user_note", "message": secret, "llm_notify": true})},
			"[[SYSTEM: note from the user: " + ReadThere + "]]"},
		"an order": {bus.AsyncUpdate{Value: text(map[string]any{"type": "order_changed", "message": secret,
			"llm_notify": true})},
			"an order in the book changed"},
		"a step": {bus.AsyncUpdate{Value: text(map[string]any{"type": "bundle_step", "message": secret, "tx_hash": digest,
			"llm_notify": true})},
			"a step of a bundle changed"},
		"reported": {bus.AsyncUpdate{Value: text(map[string]any{"type": "wallet_reported", "status": "confirmed",
			"tx_hash": digest, "llm_notify": true})},
			"[[SYSTEM: tx reported as confirmed, not yet confirmed by the chain: " + ReadThere + "]]"},
		"a late result": {bus.AsyncUpdate{Value: text(map[string]any{"type": "tool_async_result", "tool_name": "task.scan",
			"call_id": "t2",
			"result":  map[string]any{"ok": true, "value": secret}, "llm_notify": true})}, "Tool task.scan (task t2) completed"},
		"to stop": {bus.AsyncUpdate{Value: text(map[string]any{"type": "interrupt", "message": secret,
			"llm_notify": true})}, "the user asks to stop"},
		"another one": {bus.AsyncUpdate{Value: text(map[string]any{"type": secret, "message": secret, "llm_notify": true})},
			"something changed"},
		"an error": {bus.SystemError{Message: secret, LLMNotify: true}, "reported an error"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := bus.NewEvent("conv_1", "task/t1", c.body)
			if err != nil {
				t.Fatal(err)
			}
			e.Seq, e.At, e.Audience = 7, time.Unix(1, 0), bus.Agent
			l, err := letterOf(bus.Outgoing{Event: e, Prev: 3}, strings.Repeat("a", 32), "sui:sandbox")
			if err != nil {
				t.Fatal(err)
			}
			got := l.event()
			if l.Prev != 3 || got.Seq != 7 || got.Session != "conv_1" || got.Subject != "task/t1" {
				t.Errorf("%+v", l)
			}
			line, ok := bus.LineOf(got)
			if !ok || !strings.Contains(line.Text, c.line) {
				t.Errorf("the line is %q", line.Text)
			}
			whole, _ := json.Marshal(l)
			bad := []string{"1234.5", address, address[2:], "#code", "127.0.0.1"}
			if name != "confirmed" && name != "failed on chain" {
				bad = append(bad, digest)
			}
			if i := slices.IndexFunc(bad, func(s string) bool { return strings.Contains(string(whole), s) }); i >= 0 {
				t.Errorf("%q is in the letter %s", bad[i], whole)
			}
		})
	}
}

// A subject that is no task's, and an event of another form, leave nothing of themselves.
func TestUnknown(t *testing.T) {
	e := bus.Outgoing{Event: bus.Event{Seq: 1, Type: bus.TypeToolResult, Subject: "order/" + address, Session: secret,
		Audience: bus.Agent, Payload: json.RawMessage(`{"type":"ToolResult","amount":"1234.5"}`)}}
	l, err := letterOf(e, strings.Repeat("a", 32), "sui:sandbox")
	whole, _ := json.Marshal(l)
	if err != nil || l.Subject != "" || l.Session != "" || strings.Contains(string(whole), "1234.5") ||
		strings.Contains(string(whole), address) {
		t.Errorf("%s, %v", whole, err)
	}
}
