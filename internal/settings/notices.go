package settings

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Notices lists the keys of notices that were shown.
type Notices []string

// maxNotices is the maximum number of keys; the oldest are removed.
const maxNotices = 200

// Check returns an error if the list is longer than stored lists can be.
func (t Notices) Check() error {
	if len(t) > maxNotices {
		return fault.New(fault.InputInvalid, "More than %d notices.", maxNotices)
	}
	return nil
}

// ShowOnce shows a notice unless it was shown before. If showing it fails, a later call tries
// again.
func (s *Service) ShowOnce(ctx context.Context, key string, tell func(context.Context) error) error {
	stored, err := s.c.Store.Settings(ctx)
	if err != nil || slices.Contains(stored.Shown, key) {
		return err
	}
	if err := tell(ctx); err != nil {
		return err
	}
	return s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if !slices.Contains(stored.Shown, key) {
			stored.Shown = append(stored.Shown, key)
		}
		stored.Shown = stored.Shown[max(0, len(stored.Shown)-maxNotices):]
		return nil
	})
}
