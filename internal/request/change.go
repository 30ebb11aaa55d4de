package request

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Change replaces a review with a new one for a different intent, after the user edited the request
// on its page. It returns an error if the review was released, or if its request contains other
// reviews.
func (s *Service) Change(ctx context.Context, id record.ID, a Answer, in plan.Intent) (record.Session, error) {
	if err := s.changeable(ctx, id); err != nil {
		return record.Session{}, err
	}
	old, err := s.c.Make.Get(ctx, id)
	if err != nil {
		return record.Session{}, err
	}
	drafted, err := s.c.Make.Draft(ctx, in)
	if err != nil {
		return record.Session{}, err
	}
	next := drafted.Session
	if next.Account != old.Account {
		return record.Session{}, fault.New(fault.InvalidSessionTransition,
			"A different account is active now. Switch to the account of this review first.").With("reason", OtherAccount)
	}
	next.Intent.Replaces = string(id)
	return next, s.c.Store.ReplaceReview(ctx, id, next, func(r *record.Row, task string) error {
		if err := a.Right(ctx); err != nil {
			return err
		}
		//mutant:never ./internal/request TestChange
		if r.Session.Revision != a.Revision {
			return record.Outdated()
		}
		return r.EndForChange(next, task, s.now())
	})
}

// changeable returns an error if the review is part of a larger request.
func (s *Service) changeable(ctx context.Context, id record.ID) error {
	ok, err := s.Single(ctx, id)
	//mutant:never ./internal/request TestChange
	if err == nil && !ok {
		err = fault.New(fault.UnsupportedAction,
			"This review is one of several that belong together. Ask your AI client for other amounts.")
	}
	return err
}

// Single reports whether a review is the only one of its request, and the request belongs to no
// plan.
func (s *Service) Single(ctx context.Context, id record.ID) (bool, error) {
	req, ok, err := s.c.Store.RequestOf(ctx, id)
	return ok && req.only(id) && req.Plan == "", err
}
