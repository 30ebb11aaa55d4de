package review

import (
	"context"
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Related lists the account's other requests that matter to the current state of a review, newest
// first. Pages and answers show the list; the transition of a release checks again.
func (s *Service) Related(ctx context.Context, session record.Session) ([]record.Related, error) {
	var m *record.Material
	if session.Status == record.Ready && session.Current() == nil {
		row, err := s.c.Store.ReviewRow(ctx, session.ID)
		if err != nil {
			return nil, err
		}
		m = row.Present()
	}
	return s.related(ctx, session, m)
}

// related lists those requests for the current build m, which is nil if nothing is built.
func (s *Service) related(ctx context.Context, session record.Session, m *record.Material) ([]record.Related, error) {
	if session.Proposal != nil || session.Status.Terminal() {
		return nil, nil
	}
	own, err := s.c.Store.Approval(ctx, session.ID)
	if err != nil {
		return nil, err
	}
	c := record.Candidate{Review: session.ID, Bundle: own.Bundle, ChainID: session.ChainID,
		Wishes: s.wish(session.Protocol, session.Action, session.Intent, session.Facts)}
	if m != nil {
		if tx, err := m.Bytes.Transaction(); err == nil {
			c.Digest, c.Inputs, c.Coinless = m.Digest, record.OwnedInputs(tx), len(tx.Gas.Payment) == 0
		}
	}
	list, err := s.among(ctx, session.Account, c)
	return slices.DeleteFunc(list, func(b record.Related) bool { return own.Lifts(b) }), err
}

// among compares a candidate with all other requests of an account.
func (s *Service) among(ctx context.Context, account sui.Address, c record.Candidate) ([]record.Related, error) {
	open, err := s.c.Store.Open(ctx, account)
	if err != nil {
		return nil, err
	}
	asked, err := s.c.Store.Asked(ctx, account)
	return record.Newest(c.Among(open, asked, s.wish)), err
}

// Twins lists the account's other requests that ask for the same as a step of in, which has several
// steps. It omits requests of the same bundle.
func (s *Service) Twins(ctx context.Context, account sui.Address, bundle string, in plan.Intent) ([]record.Related,
	error) {
	list, err := s.among(ctx, account, record.Candidate{Bundle: bundle, Wishes: s.wish("", "", in, nil)})
	return slices.DeleteFunc(list, func(b record.Related) bool { return !b.Same() }), err
}

// PrepareOnce prepares a review as Prepare does, but leaves it to the caller to store it. If
// another request of the account asks for the same, it also returns that request, and the caller
// must not store the review.
func (s *Service) PrepareOnce(ctx context.Context, in plan.Intent) (record.Session, *record.Related, error) {
	session, err := s.prepared(ctx, in)
	if err != nil {
		return session, nil, err
	}
	list, err := s.related(ctx, session, nil)
	//mutant:never `i >= 0` ./cmd/say-ur-intent TestScripts/backend
	if i := slices.IndexFunc(list, record.Related.Same); i >= 0 {
		return session, &list[i], err
	}
	return session, nil, err
}
