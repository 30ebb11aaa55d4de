package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestScanBoundaries checks what every scan of a swap states about its rows.
func TestScanBoundaries(t *testing.T) {
	w := build(t, nil)
	w.swapped()
	for _, name := range liveScans {
		data := w.must(name, scanArgs(name, `"limit":5,"detail":"full"`))
		rows := each(t, data, "transactions")
		if len(rows) != 1 {
			t.Fatalf("%s: %v", name, rows)
		}
		t.Run("R004-287 R004-307 matches are labels of an activity, and refused as more: "+name, func(t *testing.T) {
			matches, _ := at(rows[0], "transactionContext.protocolMatches").([]any)
			if len(matches) == 0 {
				t.Fatalf("%v", rows[0])
			}
			for _, m := range matches {
				limits, _ := m.(map[string]any)["limitations"].([]any)
				if !slices.Contains(limits, any("transaction_activity_label_only")) {
					t.Errorf("%v", m)
				}
			}
			refuses(t, data, "supported_protocol_list", "position_inventory", "profit_and_loss", "signing_readiness")
		})
		t.Run("R004-272 what bounds the account's effect is listed with it: "+name, func(t *testing.T) {
			effect, _ := rows[0]["requestedAccountEffect"].(map[string]any)
			if list, ok := effect["limitations"].([]any); !ok || len(list) != 0 {
				t.Errorf("of a complete one: %v", effect)
			}
		})
		t.Run("R004-232 the classifier's own word stays inside: "+name, func(t *testing.T) {
			empty := scanArgs(name, `"limit":5,"account":"0x00000000000000000000000000000000000000000000000000000000000a11ce"`)
			for what, answer := range map[string]map[string]any{"found": data, "nothing found": w.must(name, empty)} {
				text, err := json.Marshal(answer)
				if err != nil || strings.Contains(string(text), "accepted_empty") {
					t.Errorf("%s: %s, %v", what, text, err)
				}
			}
		})
	}
	t.Run("R004-231 an empty page of a function says nothing beyond the page", func(t *testing.T) {
		data := w.must(liveScans[2], `{"function":"0x2::coin::split"}`)
		if rows := each(t, data, "transactions"); len(rows) != 0 {
			t.Fatalf("%v", rows)
		}
		same(t, data,
			map[string]any{"boundary": "bounded_page_of_sent_function_calls_not_recipient_activity_not_dapp_history"})
		refuses(t, data, "absence_of_activity", "global_function_history", "complete_dapp_history")
	})
}
