package review

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// PrepareProposal makes a review of a proposal from outside. It can be read and
// never signed. Before anything is kept, the proposal is searched for secrets:
// one that holds what looks like one is fault.InputInvalid with the field and
// the kind, and nothing of the text. No account is needed; an active one is
// noted. It asks no node.
func (s *Service) PrepareProposal(ctx context.Context, p Proposal) (Session, error) {
	account, _, err := s.c.Active(ctx)
	if err != nil {
		return Session{}, err
	}
	// The search comes first, so that no refusal repeats what it would find.
	if err := s.search(ctx, p, account.Address); err != nil {
		return Session{}, err
	}
	if err := p.Check(s.c.Network); err != nil {
		return Session{}, err
	}
	id, err := s.secret(18)
	if err != nil {
		return Session{}, err
	}
	now := s.now()
	p.CreatedAt, p.ExpiresAt = p.CreatedAt.UTC(), p.ExpiresAt.UTC()
	session := Session{
		ID: ID(id), Network: s.c.Network, Account: account.Address, WalletName: account.WalletName, WalletID: account.WalletID,
		Protocol: ProtocolExternal, Action: ActionProposal, Proposal: &p,
		Intent: Intent{Type: ActionProposal, Asked: "look at a payment that somebody proposes"},
		Status: Proposed, Revision: 1, CreatedAt: now, UpdatedAt: now, ExpiresAt: now.Add(s.c.Limits.SessionLife),
	}
	if p.Type == ProposalSuiAction {
		session.Intent.Asked = "look at an action that somebody proposes"
	}
	return session, s.c.Store.CreateReview(ctx, session)
}

// secretWords say what was found, to complete "holds what looks like …".
var secretWords = map[screen.Class]string{
	screen.SuiKey:     "a Sui private key",
	screen.WalletKey:  "a private key in the format of another program",
	screen.RawKey:     "a private key in encoded form",
	screen.NumberKey:  "a private key in numbers",
	screen.Phrase:     "a recovery phrase",
	screen.Payload:    "encoded transaction material",
	screen.Term:       "a field for keys, signatures, transactions or a chosen route",
	screen.AddressKey: "the private key of an address that is known here",
}

// Secret says where a proposal holds what looks like a secret, and of what
// class; never what it is.
type Secret struct {
	Where string // a path, as in proposal.purpose
	Class screen.Class
}

// Words name the class, to complete "holds what looks like …".
func (s Secret) Words() string { return secretWords[s.Class] }

// Secret gives the first thing in a proposal that must not be taken in: keys and
// phrases, executable text, and the private key of one of the addresses or of one
// that the proposal names.
func (p Proposal) Secret(secrets *screen.Secrets, own []sui.Address) (Secret, bool) {
	fields := p.fields()
	found, named, ok := secrets.Find(fields)
	if ok {
		return secretAt(found.Path, found.Class), true
	}
	parties, _ := p.parties()
	own = own[:len(own):len(own)]
	for _, party := range parties {
		if party.Address != nil {
			own = append(own, *party.Address)
		}
	}
	for _, f := range fields {
		if f.Typed && screen.Owns(f.Text, own) {
			return secretAt(f.Path, screen.AddressKey), true
		}
	}
	for _, id := range named {
		if screen.Owns(id, own) {
			return secretAt("", screen.AddressKey), true
		}
	}
	return Secret{}, false
}

// secretAt names the whole proposal where a secret shows only in several fields.
func secretAt(path string, class screen.Class) Secret {
	if path == "" {
		path = "proposal"
	}
	return Secret{path, class}
}

// search refuses a proposal with a secret in it.
func (s *Service) search(ctx context.Context, p Proposal, active sui.Address) error {
	var own []sui.Address
	if !active.IsZero() {
		own = append(own, active)
	}
	var unknown error
	if s.c.Known != nil {
		known, err := s.c.Known(ctx)
		own, unknown = append(own, known...), err
	}
	// What is found is refused as such, whether or not all addresses are known.
	if found, ok := p.Secret(s.secrets(), own); ok {
		return found.refused()
	}
	return unknown
}

func (s Secret) refused() error {
	say := "Nothing of the proposal was kept, shown or logged. If it is real, this conversation has it: tell the person to move what it guards to a new key."
	switch s.Class {
	case screen.Payload, screen.Term:
		say = "Nothing of the proposal was kept, shown or logged. Bytes, signatures and routes are never taken from outside: say in plain words what is proposed."
	}
	return fault.New(fault.InputInvalid, "%s holds what looks like %s. %s Never send it again.", s.Where, s.Words(), say).
		With("field", s.Where).With("reason", "secret_or_executable_text").With("class", string(s.Class))
}
