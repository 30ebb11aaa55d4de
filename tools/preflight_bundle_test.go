package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// payments returns steps that each pay an amount of SUI.
func payments(mode string, amounts ...string) string {
	var list []string
	for i, n := range amounts {
		list = append(list, fmt.Sprintf(`{"id":"s%d","sequence":%d,"chain":"Sui","intent":{"type":"transfer","from":{"symbol":"SUI","amount":%q},`+
			`"recipient":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"}}`, i, i, n))
	}
	return `{"mode":"` + mode + `","transactions":[` + strings.Join(list, ",") + `]}`
}

// blockersOf requests a bundle and returns its preflight's blockers, one line for each.
func (w *world) blockersOf(bundle string) (lines []string) {
	w.t.Helper()
	p := w.must("agent.sign_transaction_bundle", bundle)["preflight"].(map[string]any)
	for _, b := range p["blockers"].([]any) {
		m := b.(map[string]any)
		lines = append(lines, fmt.Sprint(m["step"], " ", m["check"], ": ", m["message"], " ", m["do"]))
	}
	if want := map[bool]string{true: "clear", false: "blockers"}[len(lines) == 0]; p["status"] != want {
		w.t.Errorf("the status is %v with %q", p["status"], lines)
	}
	return lines
}

// TestPreflightBundle runs the preflight of steps that are signed one after another.
func TestPreflightBundle(t *testing.T) {
	start := func(t *testing.T) *world {
		w := build(t, nil)
		w.Connect(sandbox.Account)
		return w
	}
	t.Run("what can be done is clear", func(t *testing.T) {
		if got := start(t).blockersOf(payments("steps", "1", "2")); got != nil {
			t.Errorf("%q", got)
		}
	})
	t.Run("steps that the account can pay only one by one", func(t *testing.T) {
		w := start(t)
		held, err := w.Node.Balance(t.Context(), sandbox.Account, sui.SUI)
		if err != nil {
			t.Fatal(err)
		}
		most := fmt.Sprint(uint64(held.Total) / 1_000_000_000 * 2 / 3)
		got := w.blockersOf(payments("steps", most, most))
		if len(got) != 1 || !strings.HasPrefix(got[0], "<nil> steps_insufficient_balance: All steps together need ") {
			t.Errorf("%q", got)
		}
	})
	t.Run("the limit of a day counts the steps before", func(t *testing.T) {
		w := start(t)
		w.Allow(policy.Allowance{PerDay: []policy.CoinLimit{{CoinType: sui.SUI, Most: 5_000_000_000}}})
		got := w.blockersOf(payments("steps", "3", "2", "1"))
		if len(got) != 1 || !strings.HasPrefix(got[0], "s2 ") || !strings.Contains(got[0],
			"Your limit of 24 hours is 5 SUI.") {
			t.Errorf("%q", got)
		}
	})
	t.Run("a recipient that is not allowed", func(t *testing.T) {
		w := start(t)
		w.Allow(policy.Allowance{Recipients: []sui.Address{sui.MustAddress("0xb0b")}})
		got := w.blockersOf(payments("steps", "1", "2"))
		if len(got) != 2 || !strings.HasPrefix(got[0], "s0 ") || !strings.Contains(got[1], "is not among those you allow") {
			t.Errorf("%q", got)
		}
	})
}

// TestPreflightStopped checks that a paused state is reported before anything is opened.
func TestPreflightStopped(t *testing.T) {
	w := build(t, nil)
	w.Connect(sandbox.Account)
	if out, err := settings.New(settings.Config{Store: w.Store}).Freeze(t.Context()); err != nil || !out.Done {
		t.Fatal(err)
	}
	for _, mode := range []string{"steps", "atomic"} {
		t.Run(mode, func(t *testing.T) {
			got := w.blockersOf(payments(mode, "1", "2"))
			if len(got) != 1 || !strings.HasPrefix(got[0], "<nil> stopped: The user paused signing") {
				t.Errorf("%q", got)
			}
		})
	}
	t.Run("the statuses", func(t *testing.T) {
		one := w.must("action.prepare_sui_action_review",
			`{"intent":{"type":"transfer","from":{"symbol":"SUI","amount":"4"},"recipient":"0x`+strings.Repeat("5a", 32)+`"}}`)
		id, _ := one["reviewSessionId"].(string)
		same(t, w.must("session.get_review_status", `{"reviewSessionId":"`+id+`"}`), map[string]any{"frozen": true})
		same(t, w.must("session.get_interaction_status", `{}`), map[string]any{"frozen": true})
		same(t, w.must("read.get_server_status", `{}`), map[string]any{"frozen": true})
	})
	t.Run("one action", func(t *testing.T) {
		if _, says := w.look(`{"type":"transfer","from":{"symbol":"SUI","amount":"3"},"recipient":"0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5b"}`); !strings.Contains(says, "The user paused signing") {
			t.Error(says)
		}
	})
}
