package testkit

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// Allow stores what the person allows, as the settings page does. It holds for
// every service over this data directory at once.
func (h *Harness) Allow(a policy.Allowance) {
	h.t.Helper()
	err := h.Store.ChangeSettings(context.Background(), func(s *settings.Stored) error {
		s.Allowance = a
		return nil
	})
	if err != nil {
		h.t.Fatalf("store what is allowed: %v", err)
	}
}
