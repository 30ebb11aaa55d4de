package tools_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// TestReviewBeyondALimit checks how a review that the user's limits block appears to an agent.
func TestReviewBeyondALimit(t *testing.T) {
	w := build(t, nil)
	w.Allow(policy.Allowance{PerDay: []policy.CoinLimit{{CoinType: sui.SUI, Most: 7_500_000_000}}})
	s := w.Compute(w.Open(tenSUI))
	args := `{"reviewSessionId":"` + string(s.ID) + `"}`
	data := w.must("session.get_review_status", args)
	same(t, data, map[string]any{"internalStatus": "blocked", "statusCategory": "user_action_required",
		"reason":                    "allowlist_violation",
		"reviewState.blockedReason": "allowlist_violation"})
	check := data["reviewState"].(map[string]any)["checks"].([]any)[0].(map[string]any)
	text := check["message"].(string) + " " + check["do"].(string)
	for _, word := range []string{"10 SUI", "7.5 SUI", "24 hours", "settings page", "no AI client can"} {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not say %q", text, word)
		}
	}
	same(t, w.must("session.get_execution_result", args), map[string]any{"status": "blocked",
		"reason":                      "allowlist_violation",
		"userAnswerUse.followUp.tool": "session.get_review_status"})
}
