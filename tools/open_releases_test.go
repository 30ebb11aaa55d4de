package tools_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestOpenReleaseIsReported checks what an agent learns about a request whose first transaction has no
// result yet, and that no tool can change that.
func TestOpenReleaseIsReported(t *testing.T) {
	w := build(t, nil)
	first := w.Ready(tenSUI)
	w.HandOff(first)
	t.Run("preparing it again says so, and does not keep it from the person", func(t *testing.T) {
		data := w.must("action.prepare_sui_action_review", tenSUIArgs)
		same(t, data, map[string]any{"preflight.status": "blockers", "status": "proposed"})
		blockers := at(data, "preflight.blockers").([]any)
		if len(blockers) != 1 {
			t.Fatalf("%v", blockers)
		}
		b := blockers[0].(map[string]any)
		if b["check"] != "open_releases" || !strings.Contains(b["message"].(string), string(first.ID)) ||
			!strings.Contains(b["message"].(string), "not known whether it was signed") || !strings.Contains(b["do"].(string),
			"page") {
			t.Errorf("%v", b)
		}
		status := w.must("session.get_review_status", `{"reviewSessionId":"`+data["reviewSessionId"].(string)+`"}`)
		open := at(status, "openReleases").([]any)
		if len(open) != 1 || open[0].(map[string]any)["reviewSessionId"] != string(first.ID) {
			t.Errorf("%v", open)
		}
	})
	t.Run("a ready review names it too, and what the two are to each other", func(t *testing.T) {
		second := w.Ready(tenSUI)
		status := w.must("session.get_review_status", `{"reviewSessionId":"`+string(second.ID)+`"}`)
		open := at(status, "openReleases").([]any)[0].(map[string]any)
		if open["reviewSessionId"] != string(first.ID) || !strings.Contains(open["meaning"].(string), "Only one of the two") {
			t.Errorf("%v", open)
		}
		if _, err := w.Reviews.Handoff(t.Context(), second.ID, second.Revision, second.Commitment); !fault.Is(err,
			fault.OtherReleaseOpen) {
			t.Errorf("what a tool told lifted the law: %v", err)
		}
	})
	t.Run("another wish is clear", func(t *testing.T) {
		data := w.must("action.prepare_sui_action_review", strings.Replace(tenSUIArgs, `"10"`, `"11"`, 1))
		same(t, data, map[string]any{"preflight.status": "clear", "preflight.blockers": []any{}})
		status := w.must("session.get_review_status", `{"reviewSessionId":"`+data["reviewSessionId"].(string)+`"}`)
		same(t, status, map[string]any{"openReleases": nil})
	})
	t.Run("what was done just now is told for ten minutes", func(t *testing.T) {
		w := build(t, nil)
		done := w.Settle(w.Ready(tenSUI))
		data := w.must("action.prepare_sui_action_review", tenSUIArgs)
		same(t, data, map[string]any{"preflight.status": "blockers"})
		if b := at(data, "preflight.blockers").([]any)[0].(map[string]any); !strings.Contains(b["message"].(string),
			string(done.ID)) ||
			!strings.Contains(b["message"].(string), "done less than 10 minutes ago") {
			t.Errorf("%v", b)
		}
		w.Clock.Advance(record.Recent)
		same(t, w.must("action.prepare_sui_action_review", tenSUIArgs), map[string]any{"preflight.status": "clear"})
	})
	t.Run("no tool takes what a person accepts", func(t *testing.T) {
		for _, d := range w.tools {
			if in := string(d.WholeInputSchema()); strings.Contains(in, `"accepted"`) || strings.Contains(in, `"again"`) {
				t.Errorf("%s takes it: %s", d.Name, in)
			}
		}
	})
}
