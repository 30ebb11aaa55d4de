package handoff

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// mostSteps is the maximum number of later versions of a coin that are followed back to the
// transaction that used the released version.
const mostSteps = 16

// proof shows why a released transaction can never execute. One of these holds:
//   - Its last epoch is over while a coin that it needs is unspent.
//   - It needs no coin, its only epoch is over, and the node keeps every transaction since that
//     epoch began.
//   - The transaction spentBy used a coin that it needs.
//
// That a node does not know a transaction proves nothing, because nodes prune.
type proof struct {
	spentBy sui.Digest
	signed  bool // validators signed the effects of spentBy; otherwise a node reported them
	both    bool // the second node agrees
	kept    bool // the node keeps everything since the only epoch began
}

// sentence describes the proof for users, as part of a sentence.
func (p proof) sentence() string {
	switch {
	case p.kept:
		return "its last epoch is over, and a node that has every transaction since that epoch began does not have it."
	case p.spentBy.IsZero(): // absence is never signed
		return "its last epoch is over, and a coin that it needs is still unspent, as one node reports."
	case p.signed:
		return "validators signed another transaction (" + p.spentBy.String() + ") that used a coin that it needs."
	case p.both:
		return "another transaction (" + p.spentBy.String() + ") used a coin that it needs, as two nodes report."
	}
	return "another transaction (" + p.spentBy.String() + ") used a coin that it needs, as one node reports."
}

// Reasons for a missing proof, as shown on the page.
const (
	noHistory = "The last epoch of the transaction is over and the node does not have it, but the node no longer keeps " +
		"the history that would show that it never executed. Look into the wallet, or set a node that keeps history."
	noResult = "The node shows that the transaction executed, but does not have its result. Set a node that keeps history."
)

// verdict states whether a release that no node knows can still execute. The zero verdict means
// that it can.
type verdict struct {
	proof *proof // reported by the first node; nil if there is none
	// sure means that the second node or validators' signatures confirm the proof. The release is
	// dead only then.
	sure bool
	// contradicted means that the second node disagrees.
	contradicted bool
	why          string // what prevents or weakens a proof, in one sentence
}

// deathProof looks for proof that a release unknown to the nodes can never execute. The epoch must
// be read before the transaction is looked up: if it were read later, the release could have
// executed in between, before the epoch ended.
func (s *Service) deathProof(ctx context.Context, session record.Session, rel record.Release, epoch uint64) (verdict,
	error) {
	over := epoch > rel.LastEpoch
	inputs, err := s.ownedInputs(ctx, session.ID, rel)
	if err != nil {
		return verdict{}, err
	}
	for _, ref := range inputs {
		by, unspent, err := consumer(ctx, s.c.Executor, ref, rel.Digest)
		switch {
		case err != nil:
			return verdict{}, err
		case unspent && over:
			return s.confirmEnd(ctx, session, rel, epoch, proof{}, ref)
		case unspent && ref == rel.GasCoin:
			return verdict{}, nil // alive; skip the other coins
		case by == rel.Digest:
			return verdict{why: noResult}, nil
		case !by.IsZero():
			return s.spender(ctx, rel, ref, by)
		}
	}
	if over && len(inputs) == 0 {
		keeps, err := s.c.Executor.KeepsEpoch(ctx, rel.LastEpoch)
		if err != nil {
			return verdict{}, err
		}
		//mutant:always ./review TestCoinlessDies
		if keeps {
			return s.confirmEnd(ctx, session, rel, epoch, proof{kept: true}, sui.ObjectRef{})
		}
	}
	if over {
		return verdict{why: noHistory}, nil
	}
	return verdict{}, nil
}

// usedElsewhere explains that only the second node considers a coin spent.
const usedElsewhere = "The first node says that the transaction did not execute; the second node says that a coin that " +
	"it needs was used. What became of it is not known yet."

// confirmEnd checks that the last epoch of a release is over and, if there is a second node, that
// the unspent coin is unspent there too. unspent is zero for a release that uses no coin.
func (s *Service) confirmEnd(ctx context.Context, session record.Session, rel record.Release, epoch uint64, p proof,
	unspent sui.ObjectRef) (verdict, error) {
	chain, err := sui.ParseDigest(session.ChainID)
	if err != nil {
		return verdict{}, err
	}
	v := verdict{proof: &p}
	v.sure, v.contradicted, v.why = s.c.Epochs.Over(ctx, chain, rel.LastEpoch, epoch)
	if s.c.Second == nil || unspent.ID.IsZero() || v.contradicted {
		return v, nil
	}
	o, ok, err := s.c.Second.Object(ctx, unspent.ID, 0)
	//mutant:never ./review TestLyingFirstNode
	if err == nil && (!ok || o.Ref != unspent) {
		return verdict{contradicted: true, why: usedElsewhere}, nil
	}
	return v, nil
}

// notSigned explains why a release is not dead although one node reports that its coin was used.
const notSigned = "One node says that another transaction used a coin that this one needs. Neither a second node nor " +
	"validators' signatures confirm it yet."

// spender returns the proof that a transaction used a coin. It is sure if validators signed that
// transaction's effects, or if the second node agrees and the user does not require signatures. It
// returns fault.ProviderMismatch if validators signed something else.
func (s *Service) spender(ctx context.Context, rel record.Release, ref sui.ObjectRef, by sui.Digest) (verdict, error) {
	v := verdict{proof: &proof{spentBy: by}, why: notSigned}
	if s.c.Prover != nil {
		ctx, cancel := context.WithTimeout(ctx, proofAttempt)
		defer cancel()
		o, err := s.c.Prover.Prove(ctx, by)
		switch record.ProofOf(o, err, s.now()).State {
		case record.Mismatched:
			return verdict{}, fault.Wrap(err, fault.ProviderMismatch, unlike)
		case record.Proved:
			v.sure = o.Effects.First == nil // version 1 effects do not name their inputs
			used, _ := o.Effects.Ref(ref.ID, true)
			//mutant:never ./review TestSpenderIsProved
			if v.sure && used != ref {
				return verdict{}, fault.New(fault.ProviderMismatch, unlike)
			}
		}
	}
	if v.proof.signed = v.sure; v.sure || s.c.Second == nil {
		return v, nil
	}
	there, unspent, err := consumer(ctx, s.c.Second, ref, rel.Digest)
	switch {
	case err != nil || there.IsZero() && !unspent:
		return v, nil // it cannot be determined
	//mutant:never ./review TestLyingFirstNode
	case there != by:
		return verdict{contradicted: true, why: "The first node says that another transaction used a coin that this one " +
			"needs; the second node does not. What became of it is not known yet."}, nil
	}
	allowed, err := s.allowed(ctx)
	v.sure, v.proof.both = !allowed.ProvedOnly, true
	return v, err
}

// ownedInputs lists the objects that the released bytes use up, the gas coin first. If the bytes
// are no longer stored, it lists only the gas coin.
func (s *Service) ownedInputs(ctx context.Context, id record.ID, rel record.Release) ([]sui.ObjectRef, error) {
	var inputs []sui.ObjectRef
	if !rel.Coinless() {
		inputs = append(inputs, rel.GasCoin)
	}
	row, err := s.c.Store.ReviewRow(ctx, id)
	if err != nil {
		return nil, err
	}
	m, ok := row.Material(rel.Digest)
	if !ok {
		return inputs, nil
	}
	tx, err := m.Bytes.Transaction()
	if err != nil {
		return inputs, nil // such bytes are never released; only the gas coin is known
	}
	for _, in := range tx.Inputs {
		if owned, ok := in.(sui.OwnedInput); ok {
			inputs = append(inputs, owned.Ref)
		}
	}
	return inputs, nil
}

// consumer returns the transaction that used one version of a coin, which it finds by following
// later versions back. It returns a zero digest if the node cannot name the transaction. If the
// node names suspect, consumer does not require its effects.
func consumer(ctx context.Context, from node.Executor, ref sui.ObjectRef, suspect sui.Digest) (by sui.Digest,
	unspent bool, err error) {
	version := uint64(0) // the current one
	for range mostSteps {
		o, ok, err := from.Object(ctx, ref.ID, version)
		if err != nil || !ok {
			return sui.Digest{}, false, err
		}
		if o.Ref == ref {
			return sui.Digest{}, version == 0, nil
		}
		if o.Ref.Version <= ref.Version {
			return sui.Digest{}, false, nil // the node lags behind
		}
		if o.Previous == suspect {
			return suspect, false, nil
		}
		maker, known, err := from.Transaction(ctx, o.Previous)
		if err != nil || !known || maker.Digest != o.Previous {
			return sui.Digest{}, false, err
		}
		version = taken(maker, ref.ID)
		switch {
		case version == ref.Version:
			return maker.Digest, false, nil
		case version < ref.Version:
			return sui.Digest{}, false, nil
		}
	}
	return sui.Digest{}, false, nil
}

// taken returns the version of an object that a transaction used, or 0 if it used none.
func taken(e sui.Executed, id sui.ObjectID) uint64 {
	for _, c := range e.Objects {
		if c.ID == id {
			return c.Input
		}
	}
	return 0
}

// heldProof is a proof and the number of consecutive checks that found it.
type heldProof struct {
	proof proof
	times int
}

// confirmed counts a proof. It returns true only if the same proof was found twice in a row, so
// that one wrong answer does not end a review.
func confirmed(proofs map[sui.Digest]heldProof, d sui.Digest, p *proof) bool {
	if p == nil {
		delete(proofs, d)
		return false
	}
	held := proofs[d]
	if held.proof != *p {
		held = heldProof{proof: *p}
	}
	held.times++
	proofs[d] = held
	return held.times >= 2
}

// noteOf explains in one sentence why the result is unknown after an error.
func noteOf(err error) string {
	switch {
	case fault.Is(err, fault.NetworkMismatch):
		return otherChain
	case fault.Is(err, fault.ProviderMismatch):
		return fault.As(err).Text
	}
	return noAnswer
}
