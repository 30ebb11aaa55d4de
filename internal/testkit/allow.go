package testkit

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
)

// Allow stores the user's limits as the settings page does. They take effect immediately in every
// service that uses this data directory.
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
