package review

import (
	"context"
	"crypto/sha256"
	"errors"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Handoff is what the page gets once for a built transaction: the same
// transaction in the JSON form that wallets take and as exact bytes, and a
// nonce that proves later that this page got it.
type Handoff struct {
	TransactionJSON string
	Bytes           sui.Material
	Nonce           string
}

// Opened tells that the page of the review was opened: the first time it binds
// the recorded account. Later calls change nothing.
func (s *Service) Opened(ctx context.Context, id ID) (Session, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return Session{}, err
	}
	active, err := s.active(ctx)
	if err != nil {
		return Session{}, err
	}
	return s.c.Store.Change(ctx, id, "opened", func(r *Row) error { return open(r, active, s.now()) })
}

// MarkOpenedTwice records that the link of the review was opened a second time,
// so that the first page can say it.
func (s *Service) MarkOpenedTwice(ctx context.Context, id ID) (Session, error) {
	return s.c.Store.Change(ctx, id, "opened twice", func(r *Row) error { return openAgain(r, s.now()) })
}

// active gives the active account, nil when there is none.
func (s *Service) active(ctx context.Context) (*Account, error) {
	account, ok, err := s.c.Active(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return &account, nil
}

// Handoff releases the built transaction to the page that shows the revision
// and sends back the commitment it displayed, with what the person accepted
// there. A built transaction is released at most once: the release is durable
// before this returns.
func (s *Service) Handoff(ctx context.Context, id ID, revision int64, commitment string, accepted ...string) (Handoff, error) {
	if err := readAccepted(accepted); err != nil {
		return Handoff{}, err
	}
	active, err := s.active(ctx)
	if err != nil {
		return Handoff{}, err
	}
	if err := s.latest(ctx, id, commitment); err != nil {
		return Handoff{}, err
	}
	nonce, err := s.secret(32)
	if err != nil {
		return Handoff{}, err
	}
	var given *Material
	var text []byte
	_, err = s.c.Store.Release(ctx, id, func(r *Row) (Release, error) {
		// Read here, while no other process can write: limits that are tightened
		// meanwhile hold.
		allowed, err := s.allowed(ctx)
		if err != nil {
			return Release{}, err
		}
		h := handing{revision: revision, commitment: commitment, nonce: hashOf(nonce), active: active, allowed: allowed,
			accepted: accepted, wish: s.wish}
		rel, err := hand(r, h, s.now())
		if err != nil {
			return Release{}, err
		}
		// Written before the release is recorded: a transaction that cannot be
		// handed over must not count as handed over.
		given, _ = r.Material(rel.Digest)
		tx, err := given.Bytes.Transaction()
		if err == nil {
			text, err = tx.WalletJSON()
		}
		return rel, err
	})
	if err != nil {
		return Handoff{}, s.refused(ctx, id, commitment, err)
	}
	s.watch(id)
	return Handoff{TransactionJSON: string(text), Bytes: given.Bytes, Nonce: nonce}, nil
}

func hashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// Signed takes what the wallet gave back. The bytes must be the released ones
// and the signature the account's; then it is durable, and on its way to the
// node before this returns or at once after. A repetition is harmless.
func (s *Service) Signed(ctx context.Context, id ID, nonce string, bytes, signature []byte) (Session, error) {
	if len(bytes) == 0 || len(signature) == 0 {
		return Session{}, fault.New(fault.InputInvalid, "The signed transaction's bytes or its signature are missing.")
	}
	g := readSigning(nonce, bytes, signature)
	session, err := s.c.Store.Change(ctx, id, "signed", func(r *Row) error { return sign(r, g, s.now()) })
	if err != nil {
		return Session{}, err
	}
	if session.Status == SignedPendingResult && session.Execution.Submission == SubmissionNone {
		s.send(id, false)
	}
	s.watch(id)
	return session, nil
}

// readSigning verifies a signature before any lock is taken. One of a scheme
// that only a node can verify passes, and the node decides.
func readSigning(nonce string, bytes, signature []byte) signing {
	g := signing{nonce: hashOf(nonce), bytes: bytes, signature: signature, digest: sui.TransactionDigest(bytes)}
	g.signer, g.err = sui.VerifyTransactionSignature(bytes, signature)
	if errors.Is(g.err, sui.ErrLeftToNode) {
		g.err, g.unproven = nil, true
	}
	return g
}

// SignedElsewhere takes the digest from a wallet that signs and sends by
// itself. It must be the released transaction's.
func (s *Service) SignedElsewhere(ctx context.Context, id ID, nonce string, digest sui.Digest) (Session, error) {
	g := signing{nonce: hashOf(nonce), digest: digest}
	session, err := s.c.Store.Change(ctx, id, "sent by the wallet", func(r *Row) error { return sign(r, g, s.now()) })
	if err == nil {
		s.watch(id)
	}
	return session, err
}

// Outcome takes what the page says of the wallet without a signature. nonce may
// be empty before a release and for declining.
func (s *Service) Outcome(ctx context.Context, id ID, nonce, outcome string) (Session, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return Session{}, err
	}
	var hash *Hash
	if nonce != "" {
		h := hashOf(nonce)
		hash = &h
	}
	return s.c.Store.Change(ctx, id, "outcome "+clip(outcome), func(r *Row) error { return report(r, hash, outcome, s.now()) })
}
