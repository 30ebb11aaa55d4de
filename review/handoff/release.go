package handoff

import (
	"bytes"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// releaseRequest is a page's request for the transaction, with the state outside the review that
// the release depends on.
type releaseRequest struct {
	revision   int64
	commitment string // commitment that the page displayed
	nonce      record.Hash
	active     *record.Account
	allowed    policy.Allowance
	epoch      uint64   // current epoch, as a node reported it for this handoff
	accepted   []string // what the user accepted on the page
	wish       record.WishReader
}

// release is the transition of a handoff. It checks everything on the row of this store
// transaction, and computes the digest again from the bytes that are returned.
func release(r *record.Row, h releaseRequest, now time.Time) (record.Release, error) {
	frozen, err := r.Frozen()
	if err != nil {
		return record.Release{}, err
	}
	//mutant:never ./review/handoff TestFrozenLaw
	if frozen {
		return record.Release{}, record.Stopped()
	}
	s := &r.Session
	if err := mayRelease(s, h, now); err != nil {
		return record.Release{}, err
	}
	if err := h.within(r, now); err != nil {
		return record.Release{}, err
	}
	m := r.Present()
	if m == nil {
		return record.Release{}, fault.New(fault.HandoffUnavailable, "The built transaction is gone. Update the review.")
	}
	digest := m.Bytes.Digest()
	//mutant:never ./review/handoff TestHandRefuses/R004-399 one stored bit differs
	if digest != m.Digest || sui.Commitment(digest) != s.Commitment {
		return record.Release{}, fault.New(fault.HandoffCommitmentMismatch,
			"The stored transaction is not the one that was reviewed. Nothing was sent to your wallet. Update the review.")
	}
	inputs, err := h.conflicts(r, m)
	if err != nil {
		return record.Release{}, err
	}
	rel := record.Release{
		Digest: digest, Commitment: s.Commitment, NonceHash: h.nonce, Revision: h.revision, At: now, Accepted: h.accepted,
		GasCoin: s.Facts.Gas.Coin(), Inputs: inputs, LastEpoch: s.Facts.LastEpoch, Facts: *s.Facts,
		MultiSig: h.active.MultiSig,
	}
	s.Releases = append(s.Releases, rel)
	r.Touch(now)
	return rel, nil
}

// within checks a release against the limits. It reads the releases of the last day only if a daily
// limit is set.
func (h releaseRequest) within(r *record.Row, now time.Time) error {
	var handed []record.Handed
	if len(h.allowed.PerDay) > 0 {
		var err error
		if handed, err = r.Handed(); err != nil {
			return err
		}
	}
	s := &r.Session
	if stop := record.Judged(h.allowed, *s, *s.Facts, handed, now); stop != nil {
		return stop
	}
	return nil
}

func mayRelease(s *record.Session, h releaseRequest, now time.Time) error {
	const unavailable = fault.HandoffUnavailable
	switch {
	case s.Status.Terminal() || s.Status == record.SignedPendingResult:
		return record.NotNow(s.Status, "handing out the transaction")
	case s.Status == record.Ready && s.Current() != nil:
		return fault.New(unavailable, "This transaction was already sent to a wallet, and it is released only once. "+
			"Answer in the wallet, or update for a new transaction.")
	case Expired(*s, now) == expireSession:
		return record.NotNow(record.Expired, "")
	//mutant:never ./review/handoff TestHandRefuses/the build is a minute old
	case Expired(*s, now) == expireBuild:
		return fault.New(unavailable,
			"The transaction was built too long ago. Update to rebuild it at the current price.")
	case s.Status != record.Ready:
		return fault.New(unavailable, "This review is in state %s: there is no transaction to release.", s.Status)
	//mutant:never ./review/handoff TestHandRefuses/an older revision
	case s.Revision != h.revision:
		return fault.New(fault.InvalidSessionTransition,
			"The review changed since this page showed it. Look at it again first.")
	case s.Facts == nil || len(s.Facts.Gas.Payment) > 1 || s.State.Contract == nil:
		return fault.New(unavailable, "The review lacks facts it needs. Update it.")
	//mutant:never ./review/handoff TestHandRefuses/R004-399 another commitment is on the page
	case h.commitment == "" || h.commitment != s.Commitment ||
		h.commitment != s.State.Contract.TransactionMaterialCommitment:
		return fault.New(fault.HandoffCommitmentMismatch,
			"The transaction that this page showed is not the present one. Nothing was sent to your wallet. Reload the page.")
	//mutant:never ./review TestEpochAtHandoff
	case h.epoch > s.Facts.LastEpoch:
		return &plan.Stop{Reason: plan.QuoteStale,
			Check: plan.Fail(plan.SourceNetwork, "transaction_epoch_over", "Last epoch",
				"The epoch of the chain turned since this transaction was built, and it can no longer execute.",
				"Update to build it again.")}
	}
	//mutant:never ./review/handoff TestHandRefuses/another account is connected
	if check := record.AccountCheck(*s, h.active); check != nil {
		return fault.New(unavailable, "%s %s", check.Message, check.Do)
	}
	if err := mayAccept(s, h.accepted); err != nil {
		return err
	}
	// The build already checked this. Check again in the transaction that records the release.
	for _, rel := range s.Outstanding() {
		// A wallet that never got the bytes cannot have signed them.
		//mutant:always `rel.Outcome == record.OutcomeWithheld` ./review/handoff TestLawOfCoinless
		if rel.Coinless() && rel.Refused() && rel.Outcome == record.OutcomeWithheld {
			continue
		}
		//mutant:never `rel.Coinless()` ./review/handoff TestLawOfCoinless
		if rel.Coinless() || rel.GasCoin != s.Facts.Gas.Coin() {
			return fault.New(unavailable, "An earlier transaction can still execute, and this one would "+
				"not exclude it. Update the review.")
		}
	}
	return nil
}

// mayAccept returns an error if the user has not accepted everything that the current state
// requires: every check that asks for it and, if a link was opened twice, that the user opened it.
func mayAccept(s *record.Session, accepted []string) error {
	//mutant:never `s.OpenedTwice` ./review/handoff TestHandoffNeedsAcceptance
	if s.OpenedTwice && !slices.Contains(accepted, acceptOpenedTwice) {
		return fault.New(fault.HandoffUnavailable, "This review's link was opened twice. Nothing was sent to your "+
			"wallet. "+
			"If you opened it both times yourself, say so on the page first; else do not sign.").
			With("reason", "not_accepted").With("accept", acceptOpenedTwice)
	}
	for _, c := range s.State.Checks {
		//mutant:never `c.Accept != ""` ./review/handoff TestHandoffNeedsAcceptance
		if c.Accept != "" && !slices.Contains(accepted, c.Accept) {
			return fault.New(fault.HandoffUnavailable, "Nothing was sent to your wallet, because the page did not report your "+
				"consent to this: %s %s", c.Message, "Answer “"+c.AcceptText+"” there first, or prepare a new review.").
				With("reason", "not_accepted").With("accept", c.Accept)
		}
	}
	return nil
}

// signing is a signature that a wallet returned, with the result of verifying it.
type signing struct {
	nonce     record.Hash
	bytes     []byte // nil if the wallet executes the transaction itself
	signature []byte
	digest    sui.Digest    // digest of bytes, or as reported by such a wallet
	signers   []sui.Address // verified signers, or claimed ones if only a node can verify the scheme
	err       error         // what is wrong with the signature
}

// sign is the transition for a returned signature. The signature must be over exactly the released
// bytes and by exactly the account. A late signature is accepted as long as the released bytes can
// execute. A refusal keeps the state.
func sign(r *record.Row, g signing, now time.Time) error {
	rel := r.ByNonce(g.nonce)
	if rel == nil {
		return unknownNonce()
	}
	s := &r.Session
	same := g.digest == rel.Digest
	if s.Status.Terminal() {
		if same && s.Execution != nil && s.Execution.TxDigest == g.digest.String() {
			return nil
		}
		if !corrected(s) || !rel.BelievedDead() {
			return record.NotNow(s.Status, "a signature")
		}
	}
	other := s.Status == record.SignedPendingResult && s.Execution.TxDigest != rel.Digest.String()
	if other && !signedDead(s) {
		return fault.New(fault.SignedPendingConflict,
			"Another transaction of this review is already signed and has no result yet.")
	}
	//mutant:never `rel.Dead` ./review/handoff TestSignRefuses/it can never execute
	//mutant:always `!rel.BelievedDead()` ./review/handoff TestLateSignatureOfABelievedDead
	if rel.Dead && !rel.BelievedDead() {
		return fault.New(fault.InvalidSessionTransition,
			"This transaction can no longer execute, so its signature is not used.")
	}
	if err := judge(r, rel, g, same); err != nil {
		return err
	}
	if s.Status.Terminal() {
		reopen(r, now)
	}
	if other {
		s.Execution = nil // it belongs to a transaction that is proved dead
	}
	rel.Dead, rel.OverAt, rel.BelievedAt, rel.LookUntil = false, time.Time{}, time.Time{}, 0
	return keepSignature(r, rel, g, now)
}

// judge compares what the wallet returned with what was released. The bytes of a review that ended
// are deleted, but the digest of the release identifies them.
func judge(r *record.Row, rel *record.Release, g signing, same bool) error {
	s := &r.Session
	if g.bytes == nil {
		if !same {
			return changedTransaction()
		}
		return nil
	}
	m, ok := r.Material(rel.Digest)
	if ok && !m.Bytes.Same(g.bytes) || !same {
		return changedTransaction()
	}
	if !ok && !s.Status.Terminal() {
		return fault.New(fault.HandoffUnavailable, "The released transaction is no longer kept here.")
	}
	if g.err != nil {
		return fault.Wrap(g.err, fault.InputInvalid,
			"The wallet's signature does not fit the transaction. Nothing was sent. "+
				"Sign again, or update to build a new transaction.").With("reason", "signature_invalid")
	}
	return signerOf(g.signers, r.Session.Account)
}

// keepSignature stores the signature. A repeated signature changes nothing.
func keepSignature(r *record.Row, rel *record.Release, g signing, now time.Time) error {
	s := &r.Session
	if _, ok := r.Material(rel.Digest); !ok && g.bytes != nil {
		r.Materials = append(r.Materials, record.Material{Digest: rel.Digest, Bytes: sui.NewMaterial(g.bytes),
			CreatedAt: now})
	}
	if m, ok := r.Material(rel.Digest); ok && g.bytes != nil {
		if bytes.Equal(m.Signature.Bytes(), g.signature) {
			return nil
		}
		repeated := s.Execution != nil && m.Signature.Size() > 0
		if repeated && s.Execution.Submission != record.SubmissionRefused {
			return nil
		}
		m.Signature = sui.NewSignature(g.signature)
	}
	if s.Status == record.SignedPendingResult && s.Execution != nil {
		if g.bytes != nil {
			s.Execution.Submission = record.SubmissionNone
			r.Touch(now)
		}
		return nil
	}
	if s.Status == record.SignedPendingResult {
		r.Touch(now)
	} else if err := r.Move(record.SignedPendingResult, now); err != nil {
		return err
	}
	rel.SignedAt = now
	s.Reason, s.Commitment = "", rel.Commitment
	facts := rel.Facts
	s.Facts = &facts
	submission := record.SubmissionNone
	if g.bytes == nil {
		submission = record.SubmissionWallet
	}
	s.Execution = &record.Execution{Status: record.SignedPendingResult, TxDigest: rel.Digest.String(),
		Submission: submission, SignedAt: now}
	r.KeepReleased()
	return nil
}

func unknownNonce() error {
	return fault.New(fault.HandoffUnavailable, "This release nonce belongs to no handoff of this review. Reload the page.")
}

// conflicts checks a release against all other requests of the account, as read in this store
// transaction. It returns the owned inputs of the transaction to release.
func (h releaseRequest) conflicts(r *record.Row, m *record.Material) ([]sui.ObjectRef, error) {
	tx, err := m.Bytes.Transaction()
	if err != nil {
		return nil, fault.Wrap(err, fault.HandoffUnavailable,
			"The built transaction cannot be read back. Update the review.")
	}
	s, inputs := &r.Session, record.OwnedInputs(tx)
	of, err := r.ReleasedBy(m.Digest)
	if err != nil {
		return nil, err
	}
	//mutant:never ./review/handoff TestLawOfOpenReleases
	if i := slices.IndexFunc(of, func(id record.ID) bool { return id != s.ID }); i >= 0 {
		return nil, fault.New(fault.OtherReleaseOpen, "Another review already sent this exact transaction to a "+
			"wallet. "+
			"Nothing was sent to your wallet. Update this review for a transaction of its own.").
			With("reviewSessionId", string(of[i])).With("reason", "same_transaction")
	}
	open, err := r.Open()
	if err != nil {
		return nil, err
	}
	asked, err := r.Asked()
	if err != nil {
		return nil, err
	}
	own, err := r.Approval()
	if err != nil {
		return nil, err
	}
	c := record.Candidate{Review: s.ID, Bundle: own.Bundle, ChainID: s.ChainID, Wishes: h.wish(s.Protocol, s.Action,
		s.Intent, s.Facts),
		Digest: m.Digest, Inputs: inputs, Coinless: len(tx.Gas.Payment) == 0}
	for _, b := range c.Among(open, asked, h.wish) {
		//mutant:never ./review/handoff TestLawOfCoinless
		if b.Bars {
			return nil, b.Barred()
		}
		//mutant:never ./review/handoff TestLawOfOpenReleases
		if need := b.Need(); need != "" && !slices.Contains(h.accepted, need) && !own.Lifts(b) {
			return nil, b.Refusal(need)
		}
	}
	return inputs, nil
}
