package review

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/proposal"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// PrepareProposal creates a review of a proposal from outside, which can be read but never signed.
// It rejects a proposal that contains a secret with fault.InputInvalid, which names the field and
// the kind of secret but not the text. An active account is recorded but not required.
// PrepareProposal does not query a node.
func (s *Service) PrepareProposal(ctx context.Context, p proposal.Proposal) (record.Session, error) {
	//mutant:never ./review TestDoors
	if err := s.screened(ctx, "proposal", p); err != nil {
		return record.Session{}, err
	}
	if err := p.Check(s.c.Network); err != nil {
		return record.Session{}, err
	}
	account, _, err := s.c.Active(ctx)
	if err != nil {
		return record.Session{}, err
	}
	id, err := record.Secret(s.c.Rand, 18)
	if err != nil {
		return record.Session{}, err
	}
	now := s.now()
	p.CreatedAt, p.ExpiresAt = p.CreatedAt.UTC(), p.ExpiresAt.UTC()
	session := record.Session{
		ID: record.ID(id), Network: s.c.Network, Account: account.Address, WalletName: account.WalletName,
		WalletID: account.WalletID,
		Protocol: proposal.Protocol, Action: proposal.ActionKind, Proposal: &p,
		Intent: plan.Intent{Type: proposal.ActionKind, Asked: "look at a payment that somebody proposes"},
		Status: record.Proposed, Revision: 1, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.c.Limits.SessionLife),
	}
	if p.Type == proposal.TypeSuiAction {
		session.Intent.Asked = "look at an action that somebody proposes"
	}
	return session, s.c.Store.CreateReview(ctx, session)
}

// InsteadOf returns the signable alternative to a proposal, or nil.
func (s *Service) InsteadOf(p proposal.Proposal) *proposal.Alternative {
	return p.Alternative(s.c.Adapters, s.now())
}

// screened rejects a document that contains a secret. It runs before anything else reads the
// document, so that no error message repeats a secret. An error in reading the accounts is returned
// only if no secret was found.
func (s *Service) screened(ctx context.Context, name string, document any) error {
	account, _, unknown := s.c.Active(ctx)
	var own []sui.Address
	if !account.Address.IsZero() {
		own = append(own, account.Address)
	}
	if s.c.Known != nil && unknown == nil {
		var known []sui.Address
		known, unknown = s.c.Known(ctx)
		own = append(own, known...)
	}
	found, ok := screen.Find(name, document, own)
	if !ok {
		return unknown
	}
	say := "Nothing of it was kept, shown or logged. If it is real, this conversation has it: tell the person to " +
		"move what it guards to a new key."
	switch found.Class {
	case screen.Payload, screen.Term:
		say = "Nothing of it was kept, shown or logged. Bytes, signatures and routes are never taken from " +
			"outside: say in plain words what is wanted."
	}
	return fault.New(fault.InputInvalid, "%s holds what looks like %s. %s Never send it again.", found.Path,
		found.Class.Words(), say).
		With("field", found.Path).With("reason", "secret_or_executable_text").With("class", string(found.Class))
}
