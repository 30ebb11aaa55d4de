package handoff

import (
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Reasons why a member's signature is not added, in addition to those of sui.MultiSig.Signed.
const (
	notCollecting = "not_collecting"
	alreadySigned = "already_signed"
)

// Exported returns the bytes of a multisig account's current transaction again, for members who did
// not get the file or lost it. This is safe because the same bytes can execute only once. Like a
// release, it is decided within a store transaction, so revoked access, a changed account and a
// pause of signing take effect.
func (s *Service) Exported(ctx context.Context, id record.ID, right Right) (sui.MultiSig, sui.Material, error) {
	var members sui.MultiSig
	var bytes sui.Material
	_, err := s.c.Store.Change(ctx, id, "handed to members again", func(r *record.Row) error {
		var h releaseRequest
		//mutant:never ./review TestExportRestsOnThePresent
		if err := s.restsOn(ctx, right, &h); err != nil {
			return err
		}
		rel, m, err := collecting(r)
		if err != nil {
			return err
		}
		//mutant:never ./review TestExportRestsOnThePresent
		if check := record.AccountCheck(r.Session, h.active); check != nil {
			return fault.New(fault.HandoffUnavailable, "%s %s", check.Message, check.Do)
		}
		members, bytes = *rel.MultiSig, m.Bytes
		return nil
	})
	return members, bytes, err
}

// Collect adds the signature of one member of a multisig account. It is verified against the exact
// bytes that were released and the members at that time. The signature that reaches the threshold
// completes the account's signature, which is stored and sent like a wallet's.
func (s *Service) Collect(ctx context.Context, id record.ID, right Right, signature []byte) (record.Session, error) {
	if err := s.onItsChain(ctx, id); err != nil {
		return record.Session{}, err
	}
	session, err := s.c.Store.Change(ctx, id, "a member signed", func(r *record.Row) error {
		//mutant:never ./review TestCollectRestsOnThePresent
		if err := right(ctx); err != nil {
			return err
		}
		return collect(r, signature, s.now())
	})
	if err != nil {
		return record.Session{}, err
	}
	if session.Status == record.SignedPendingResult && session.Execution.Submission == record.SubmissionNone {
		s.send(id, false)
	}
	s.watch(id)
	return session, nil
}

// onItsChain returns an error if the node serves another chain than that of the review. If the node
// does not answer, it returns nil, because nothing can be sent to that node either.
func (s *Service) onItsChain(ctx context.Context, id record.ID) error {
	session, err := s.c.Store.Review(ctx, id)
	if err != nil {
		return err
	}
	present, err := s.c.Chain.ChainIdentifier(ctx)
	//mutant:never ./review TestCollectingOnAnotherChain
	if err == nil && present.String() != session.ChainID {
		return fault.New(fault.NetworkMismatch, "This node is another chain than the one this review was made on. "+
			"No signature was added. Connect to the former chain again.")
	}
	return nil
}

// collecting returns the release whose signatures are collected, with its bytes. While signing is
// paused it returns an error: the bytes do not leave the program, and no signature is added.
func collecting(r *record.Row) (*record.Release, *record.Material, error) {
	no := func(text string) (*record.Release, *record.Material, error) {
		return nil, nil, fault.New(fault.InvalidSessionTransition, "%s", text).With("reason", notCollecting)
	}
	frozen, err := r.Frozen()
	if err != nil {
		return nil, nil, err
	}
	//mutant:never ./review/handoff TestFrozenCollecting
	if frozen {
		return nil, nil, record.Stopped()
	}
	s := &r.Session
	rel := s.Current()
	switch {
	case s.Status == record.SignedPendingResult || s.Status == record.Success:
		return no("Enough members signed already, and the transaction was sent. No more signatures are needed.")
	case s.Status.Terminal():
		return no("This review is over. The signature is not used.")
	//mutant:never ./review/handoff TestCollectRefuses/declined
	case s.Status != record.Ready || rel == nil:
		return no("The transaction that was signed is no longer the one of this review. " +
			"Collect signatures for the new one.")
	case rel.MultiSig == nil:
		return no("This account is not a multisig account: its wallet signs.")
	//mutant:never ./review/handoff TestCollectRefuses/expired
	case rel.Dead || !rel.OverAt.IsZero():
		return no("The transaction expired: its last epoch is over. Update for a new transaction and collect again.")
	}
	m, ok := r.Material(rel.Digest)
	if !ok {
		return no("The transaction is no longer kept here. Update for a new one.")
	}
	//mutant:never ./review/handoff TestCollectRefuses/altered
	if m.Bytes.Digest() != rel.Digest {
		return nil, nil, fault.New(fault.HandoffCommitmentMismatch,
			"The stored transaction is not the one that was released. Nothing was sent to your wallet.")
	}
	return rel, m, nil
}

// collect is the transition for a member's signature.
func collect(r *record.Row, signature []byte, now time.Time) error {
	rel, m, err := collecting(r)
	if err != nil {
		return err
	}
	raw := m.Bytes.Bytes()
	n, err := rel.MultiSig.Signed(raw, signature)
	if err != nil {
		return err
	}
	//mutant:never ./review/handoff TestCollectRefuses/twice
	if slices.ContainsFunc(m.Parts, func(p sui.MemberSignature) bool { return p.Member == n }) {
		return fault.New(fault.InvalidSessionTransition, "The member %s signed already.", rel.MultiSig.Members[n].Address()).
			With("reason", alreadySigned)
	}
	m.Parts = append(slices.Clone(m.Parts), sui.MemberSignature{Member: n, Signature: sui.NewSignature(signature)})
	weight := rel.MultiSig.Weight(m.Parts)
	rel.Collected = uint16(weight)
	//mutant:always ./review/handoff TestCollect
	if weight < int(rel.MultiSig.Threshold) {
		r.Touch(now)
		return nil
	}
	whole, err := rel.MultiSig.Combine(raw, m.Parts)
	if err != nil {
		return err
	}
	g := signing{nonce: rel.NonceHash, bytes: raw, signature: whole, digest: sui.TransactionDigest(raw)}
	g.signers, g.err = sui.TransactionSigners(raw, whole)
	return sign(r, g, now)
}
