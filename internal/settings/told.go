package settings

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Told lists the keys of notices that were shown.
type Told []string

// maxTold is the maximum number of keys; the oldest are removed.
const maxTold = 200

// Check returns an error if the list is longer than stored lists can be.
func (t Told) Check() error {
	if len(t) > maxTold {
		return fault.New(fault.InputInvalid, "More than %d notices.", maxTold)
	}
	return nil
}

// TellOnce shows a notice unless it was shown before. If showing it fails, a later call tries
// again.
func (s *Service) TellOnce(ctx context.Context, key string, tell func(context.Context) error) error {
	stored, err := s.c.Store.Settings(ctx)
	if err != nil || slices.Contains(stored.Told, key) {
		return err
	}
	if err := tell(ctx); err != nil {
		return err
	}
	return s.c.Store.ChangeSettings(ctx, func(stored *Stored) error {
		if !slices.Contains(stored.Told, key) {
			stored.Told = append(stored.Told, key)
		}
		stored.Told = stored.Told[max(0, len(stored.Told)-maxTold):]
		return nil
	})
}
