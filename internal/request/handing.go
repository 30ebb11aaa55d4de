package request

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Handing returns an error if a review's request does not allow the review's release. It runs
// inside the transaction of the release and only reads.
func (s *Service) Handing(ctx context.Context, id record.ID) error {
	req, ok, err := s.c.Store.RequestOf(ctx, id)
	if err != nil || !ok {
		return err
	}
	r, err := s.c.Store.Review(ctx, id)
	if err != nil {
		return err
	}
	if err := req.Handing(r); err != nil {
		return err
	}
	for i, step := range req.Steps {
		moved, err := s.moved(ctx, step)
		//mutant:never `moved` ./internal/request TestEntry
		if err == nil && moved && step.Review == id {
			err = fault.New(fault.HandoffUnavailable,
				"The address-book entry that step %d pays was deleted or changed since you approved it. "+
					"Nothing was sent to your wallet. Stop the bundle and request it again.", i+1).With("reason",
				EntryChanged).With("bundle_id", string(req.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moved reports whether the address-book entry that a step pays was deleted or has a different
// address than the approved one.
func (s *Service) moved(ctx context.Context, step Step) (bool, error) {
	if step.Entry == "" || s.c.Booked == nil {
		return false, nil
	}
	address, ok, err := s.c.Booked(ctx, step.Entry)
	return err == nil && (!ok || address != step.Intent.Recipient), err
}
