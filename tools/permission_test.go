package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

// TestPermissionsEnd uses each listed intent to end a permission, and then finds none to end.
func TestPermissionsEnd(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	usdc, _ := coins.BySymbol("USDC")
	w.Sandbox.Permit(sandbox.Allowance{Funder: sandbox.Account, Spender: sandbox.Spender, Coin: usdc.Type,
		Cap: 100_000_000})
	if _, err := w.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Withdrawer: sandbox.Spender}); err != nil {
		t.Fatal(err)
	}
	w.Sandbox.Alias(sandbox.Account, sandbox.Spender)
	listed := w.must("read.list_standing_permissions", `{}`)["permissions"].([]any)
	if len(listed) != 3 {
		t.Fatalf("%v", listed)
	}
	for _, one := range listed {
		p := one.(map[string]any)
		kind := p["kind"].(string)
		t.Run(kind, func(t *testing.T) {
			end, ends := p["end"]
			if kind == "alias" {
				if why, _ := p["endOtherwise"].(string); ends || !strings.Contains(why, "cannot end it") {
					t.Errorf("%v", p)
				}
				return
			}
			intent, err := json.Marshal(end)
			if err != nil || !ends {
				t.Fatalf("nothing ends it: %v %v", p, err)
			}
			if look, says := w.look(string(intent)); look["status"] != "clear" {
				t.Errorf("before: %s", says)
			}
			w.walk(string(intent))
			if look, says := w.look(string(intent)); look["status"] != "blockers" || !strings.Contains(says,
				"There is nothing to end") {
				t.Errorf("after: %v %s", look["status"], says)
			}
		})
	}
	if left := w.must("read.list_standing_permissions", `{}`)["permissions"].([]any); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
