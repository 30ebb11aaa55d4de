package review

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// View is everything that a page shows about a review. Transaction is decoded from the bytes that
// were, or would be, released; it is nil if there are none. SigningHash is the hash of those bytes.
type View struct {
	Session          record.Session
	Transaction      *sui.Transaction
	SigningHash      sui.SigningHash
	Progress         []StageProgress
	Computing        bool
	Released         bool          // the current transaction was released
	BuildRemaining   time.Duration // time until the unreleased build is withdrawn, or 0
	SessionRemaining time.Duration // time until the review expires, or 0
	CanCompute       bool
	CanHandOff       bool
	CanSubmit        bool // a signature is stored that can be sent again
	// Proposal and Instead are the model of a proposal and its signable alternative; nil for other
	// reviews.
	Proposal *proposal.Model
	Instead  *proposal.Alternative
	// Related are other requests that matter to this review, until its own transaction is released.
	Related []record.Related
	// MultiSig has the members of a multisig account; nil for others. Signed has the indexes of the
	// members whose signatures were added.
	MultiSig *sui.MultiSig
	Signed   []int
}

// View returns the review as a page shows it now.
func (s *Service) View(ctx context.Context, id record.ID) (View, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return View{}, err
	}
	computing := s.computing(id)
	row, err := s.Kept(ctx, id)
	if err != nil {
		return View{}, err
	}
	now, session := s.now(), row.Session
	v := View{
		Session: session, Progress: s.Progress(id), Computing: computing(session),
		Released: session.Current() != nil, CanCompute: session.Status.Computable(),
	}
	if p := session.Proposal; p != nil {
		m := p.Model(now)
		v.Proposal, v.Instead = &m, s.InsteadOf(*p)
	}
	v.CanHandOff = session.Status == record.Ready && !v.Released && !v.Computing
	if !v.Released && session.Status != record.SignedPendingResult {
		if v.Related, err = s.related(ctx, session, row.Present()); err != nil {
			return View{}, err
		}
	}
	if m := row.Present(); m != nil {
		v.Transaction, _ = m.Bytes.Transaction() // bytes that are none are withheld below
		v.SigningHash = m.Bytes.SigningHash()
		v.CanSubmit = session.Status == record.SignedPendingResult && m.Signature.Size() > 0
	}
	if err := s.members(ctx, &row, &v); err != nil {
		return View{}, err
	}
	s.withhold(&row, &v)
	if v.CanHandOff {
		v.BuildRemaining = max(session.BuildExpiresAt.Sub(now), 0)
	}
	if session.Status.CanMove(record.Expired) && len(session.Releases) == 0 {
		v.SessionRemaining = max(session.ExpiresAt.Sub(now), 0)
	}
	return v, nil
}

// members sets the members of a multisig account and which of them signed.
func (s *Service) members(ctx context.Context, row *record.Row, v *View) error {
	if rel := row.Session.Current(); rel != nil {
		if v.MultiSig = rel.MultiSig; rel.MultiSig == nil {
			return nil
		}
		if m, ok := row.Material(rel.Digest); ok {
			for _, p := range m.Parts {
				v.Signed = append(v.Signed, p.Member)
			}
		}
		return nil
	}
	active, ok, err := s.c.Active(ctx)
	if ok && active.Address == row.Session.Account {
		v.MultiSig = active.MultiSig
	}
	return err
}
