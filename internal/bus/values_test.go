package bus_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// TestValues checks that each value of an update has the specified form and is decoded to the
// original value.
func TestValues(t *testing.T) {
	var answered bus.CallResult
	answered.Tool, answered.Call, answered.Result.OK = "next_groups", "call_1", true
	answered.Result.Value = json.RawMessage(`{"groups":[{}]}`)
	for text, v := range map[string]bus.Value{
		`{"type":"tool_async_result","tool_name":"next_groups","call_id":"call_1","result":{"ok":true,"value":{"groups":[{}]}},"llm_notify":true}`: answered,
		`{"type":"user_note","message":"a < b","llm_notify":true}`:                                                                                 bus.UserNote{Message: "a < b"},
		`{"type":"interrupt","llm_notify":true}`:                                                                                                   bus.Interrupt{},
		`{"type":"order_changed","message":"m","pool":"SUI_USDC","llm_notify":true}`:                                                               bus.OrderChanged{Message: "m", Pool: "SUI_USDC"},
		`{"type":"bundle_step","step_id":"s","tx_hash":"h","message":"m","llm_notify":true}`:                                                       bus.BundleStep{Step: "s", TxHash: "h", Message: "m"},
		`{"type":"earlier_conversation","message":"m","bus":"conv_1","llm_notify":true}`:                                                           bus.Earlier{Message: "m", Bus: "conv_1"},
		`{"type":"wallet_reported","status":"confirmed","tx_hash":"h","llm_notify":true}`:                                                          bus.WalletReported{Status: "confirmed", TxHash: "h"},
	} {
		u, err := bus.Update(v, true)
		if err != nil || string(u.Value) != text || !u.Notifies() {
			t.Errorf("written %s, want %s, %v", u.Value, text, err)
		}
		if diff := cmp.Diff(v, u.Read()); diff != "" {
			t.Errorf("%s is read as another: %s", text, diff)
		}
	}
	if v := (bus.AsyncUpdate{Value: json.RawMessage(`{"type":"of tomorrow"}`)}).Read(); v != nil {
		t.Errorf("an unknown one is %T", v)
	}
	shown, err := bus.Display(bus.Modified{Areas: []string{"coins"}})
	if err != nil || string(shown.Value) != `{"type":"vault_modified","areas":["coins"]}` {
		t.Errorf("%s, %v", shown.Value, err)
	}
}
