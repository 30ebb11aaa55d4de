package web_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// TestLimitsAreNamed checks that the page names the limit that blocks a review, and where to change
// it.
func TestLimitsAreNamed(t *testing.T) {
	r := newRig(t, nil)
	check := plan.Fail(plan.SourceAdapter, "allowance_per_day", "Limit of a day",
		"Up to 10 SUI would leave. Your limit of 24 hours is 7.5 SUI.",
		"Only you can change this, on the settings page of this program.")
	body := r.page(record.Blocked, func(s *record.Session) {
		s.Reason, s.State.BlockedReason = plan.AllowlistViolation, plan.AllowlistViolation
		s.State.Checks = append([]plan.Check{check}, s.State.Checks...)
	})
	for _, words := range []string{"Over your limit (limit of a day)", check.Message, check.Do,
		`data-action="settings"`, "Check again"} {
		if !strings.Contains(body, words) {
			t.Errorf("the page does not say %q", words)
		}
	}
}
