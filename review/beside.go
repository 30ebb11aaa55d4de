package review

import (
	"context"

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
