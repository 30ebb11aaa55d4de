package review

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// Beside lists the open releases of other reviews of the account that matter to a
// review as it stands, the newest first. Pages and answers show the list; the
// transition of a release checks again.
func (s *Service) Beside(ctx context.Context, session record.Session) ([]record.Beside, error) {
	var m *record.Material
	if session.Status == record.Ready && session.Current() == nil {
		row, err := s.c.Store.ReviewRow(ctx, session.ID)
		if err != nil {
			return nil, err
		}
		m = row.Present()
	}
	return s.otherOpen(ctx, session, m)
}

// otherOpen lists them for the present build, nil where nothing is built.
func (s *Service) otherOpen(ctx context.Context, session record.Session, m *record.Material) ([]record.Beside, error) {
	if session.Proposal != nil || session.Status.Terminal() {
		return nil, nil
	}
	open, err := s.c.Store.Open(ctx, session.Account)
	if err != nil {
		return nil, err
	}
	c := record.Candidate{Review: session.ID, ChainID: session.ChainID,
		Wish: s.wish(session.Protocol, session.Action, session.Intent, session.Facts)}
	if m != nil {
		if tx, err := m.Bytes.Transaction(); err == nil {
			c.Digest, c.Inputs, c.Coinless = m.Digest, record.OwnedInputs(tx), len(tx.Gas.Payment) == 0
		}
	}
	return record.Newest(c.Among(open, s.wish)), nil
}

// PrepareOnce prepares a review as Prepare does, which the caller stores. Where the same
// wish of the account was handed out since a time, or is open, it returns that review
// beside it, and the new one is not to be stored.
func (s *Service) PrepareOnce(ctx context.Context, in plan.Intent, since time.Time) (session record.Session,
	earlier *record.Session, err error) {
	if session, err = s.prepared(ctx, in); err != nil {
		return session, nil, err
	}
	var ids []record.ID
	handed, err := s.c.Store.Handed(ctx, since)
	if err != nil {
		return session, nil, err
	}
	for _, h := range handed {
		ids = append(ids, h.Review)
	}
	open, err := s.c.Store.Open(ctx, session.Account)
	if err != nil {
		return session, nil, err
	}
	for _, o := range open {
		ids = append(ids, o.Review)
	}
	own := s.wish(session.Protocol, session.Action, session.Intent, nil)
	for _, id := range ids {
		other, err := s.c.Store.Review(ctx, id)
		if fault.Is(err, fault.SessionNotFound) {
			continue // an imported copy replaced it
		}
		if err != nil {
			return session, nil, err
		}
		//mutant:never ./cmd/say-ur-intent TestScripts/backend
		if other.Account == session.Account && own.Same(s.wish(other.Protocol, other.Action, other.Intent, other.Facts)) {
			return session, &other, nil
		}
	}
	return session, nil, nil
}
