package handoff

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// mostSteps bounds how many later versions of a coin are followed back to the
// transaction that used the released one.
const mostSteps = 16

// proof says why a released transaction can never execute: its last epoch is
// over while a coin that it needs is unspent, or, of one that needs none, while the node
// has everything since its one epoch began; or, where spentBy is set, that
// transaction used the coin; signed means that validators signed that it did, and else
// it is one node's word. That a node does not know a transaction proves
// nothing by itself: nodes forget.
type proof struct {
	spentBy sui.Digest
	signed  bool
	kept    bool // the node has everything since the one epoch began in which it could execute
}

// sentence describes the proof for people.
func (p proof) sentence() string {
	switch {
	case p.kept:
		return "its last epoch is over, and a node that has every transaction since that epoch began does not have it."
	case p.spentBy.IsZero(): // absence is never signed
		return "its last epoch is over, and a coin that it needs is still unspent, as one node tells."
	case p.signed:
		return "validators signed another transaction (" + p.spentBy.String() + ") that used a coin that it needs."
	}
	return "another transaction (" + p.spentBy.String() + ") used a coin that it needs, as one node tells."
}

// The reasons why there is no proof, as the page shows them.
const (
	noHistory = "The last epoch of the transaction is over and the node does not have it, but the node no longer keeps " +
		"the history that would show that it never executed. Look into the wallet, or set a node that keeps history."
	noResult = "The node shows that the transaction executed, but does not have its result. Set a node that keeps history."
)

// deathProof looks for the proof that a release unknown to the node can never execute.
// It returns nil and "" while the release can still execute, and nil and a sentence
// where the node cannot show it. The epoch must be read before this is called: an
// epoch read later could be over while the release executed in between.
func (s *Service) deathProof(ctx context.Context, id record.ID, rel record.Release, epoch uint64) (*proof, string,
	error) {
	over := epoch > rel.LastEpoch
	inputs, err := s.ownedInputs(ctx, id, rel)
	if err != nil {
		return nil, "", err
	}
	for _, ref := range inputs {
		by, unspent, err := s.consumer(ctx, ref, rel.Digest)
		switch {
		case err != nil:
			return nil, "", err
		case unspent && over:
			return &proof{}, "", nil
		case unspent && ref == rel.GasCoin:
			return nil, "", nil // alive; the other coins are not worth asking about
		case by == rel.Digest:
			return nil, noResult, nil
		case !by.IsZero():
			return s.spender(ctx, ref, by)
		}
	}
	if over && len(inputs) == 0 {
		keeps, err := s.c.Executor.KeepsEpoch(ctx, rel.LastEpoch)
		if err != nil {
			return nil, "", err
		}
		//mutant:always ./review TestCoinlessDies
		if keeps {
			return &proof{kept: true}, "", nil
		}
	}
	if over {
		return nil, noHistory, nil
	}
	return nil, "", nil
}

// notSigned is why a release is not taken as dead yet where only proved results are final.
const notSigned = "Another transaction used a coin that this one needs, as one node tells. The validators' signatures of it are waited for."

// spender is the proof that a transaction used a coin: signed by validators where that can
// be shown, else the node's word, which does where the person did not ask for more. An
// error is fault.ProviderMismatch: validators signed something else.
func (s *Service) spender(ctx context.Context, ref sui.ObjectRef, by sui.Digest) (*proof, string, error) {
	p := &proof{spentBy: by}
	if s.c.Prover == nil {
		return p, "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, proofAttempt)
	defer cancel()
	o, err := s.c.Prover.Prove(ctx, by)
	switch record.ProofOf(o, err, s.now()).State {
	case record.Mismatched:
		return nil, "", fault.Wrap(err, fault.ProviderMismatch, unlike)
	case record.Proved:
		p.signed = o.Effects.First == nil // those of version 1 do not name what they used
		used, _ := o.Effects.Ref(ref.ID, true)
		//mutant:never ./review TestSpenderIsProved
		if p.signed && used != ref {
			return nil, "", fault.New(fault.ProviderMismatch, unlike)
		}
	}
	allowed, err := s.allowed(ctx)
	if err != nil {
		return nil, "", err
	}
	if allowed.ProvedOnly && !p.signed {
		return nil, notSigned, nil
	}
	return p, "", nil
}

// ownedInputs lists the coins that the released bytes use up: the gas coin first, the
// others as long as the bytes are kept.
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
		return inputs, nil // never handed out in that shape; the gas coin is known
	}
	for _, in := range tx.Inputs {
		if owned, ok := in.(sui.OwnedInput); ok {
			inputs = append(inputs, owned.Ref)
		}
	}
	return inputs, nil
}

// consumer returns the transaction that used one version of a coin, following later
// versions back. It returns a zero digest where the node cannot name it. A node that
// names suspect as the maker is believed even without its effects.
func (s *Service) consumer(ctx context.Context, ref sui.ObjectRef, suspect sui.Digest) (by sui.Digest, unspent bool,
	err error) {
	version := uint64(0) // the present one
	for range mostSteps {
		o, ok, err := s.c.Executor.Object(ctx, ref.ID, version)
		if err != nil || !ok {
			return sui.Digest{}, false, err
		}
		if o.Ref == ref {
			return sui.Digest{}, version == 0, nil
		}
		if o.Ref.Version <= ref.Version {
			return sui.Digest{}, false, nil // a node that lags behind
		}
		if o.Previous == suspect {
			return suspect, false, nil
		}
		maker, known, err := s.c.Executor.Transaction(ctx, o.Previous)
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

// taken returns the version of an object that a transaction used, 0 for none.
func taken(e sui.Executed, id sui.ObjectID) uint64 {
	for _, c := range e.Objects {
		if c.ID == id {
			return c.Input
		}
	}
	return 0
}

// heldProof is a proof with the number of consecutive checks that found it.
type heldProof struct {
	proof proof
	times int
}

// confirmed counts a proof. It reports true only when the same proof was found twice
// in a row, so that one wrong answer of a node ends no review.
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

// noteOf states in one sentence what an error leaves unknown.
func noteOf(err error) string {
	switch {
	case fault.Is(err, fault.NetworkMismatch):
		return otherChain
	case fault.Is(err, fault.ProviderMismatch):
		return fault.As(err).Text
	}
	return noAnswer
}
