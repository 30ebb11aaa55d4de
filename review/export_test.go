package review

import (
	"time"

	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Build is what a finished computation leaves, for tests that make histories
// without computing.
type Build struct {
	Bytes   sui.Material
	Facts   Facts
	ChainID string
	Expires time.Time
}

// Adopt is the law of a computation that ended with a reason, or, where b is
// not nil, ready with a build.
func Adopt(r *Row, revision int64, reason Reason, b *Build, chain string, now time.Time) error {
	f := finding{state: State{Status: reason.Status(), ComputedAt: now}, reason: reason, chainID: chain}
	switch f.state.Status {
	case Blocked:
		f.state.BlockedReason = reason
	case RefreshRequired:
		f.state.RefreshReason = reason
	}
	if b != nil {
		f.commitment = sui.Commitment(b.Bytes.Digest())
		f.state = State{Status: Ready, ComputedAt: now, Contract: &Contract{TransactionMaterialCommitment: f.commitment}}
		facts := b.Facts
		f.facts, f.buildExpires = &facts, b.Expires
		f.material = &Material{Digest: b.Bytes.Digest(), Bytes: b.Bytes, CreatedAt: now}
	}
	return adopt(r, revision, f, now)
}

// Idle waits until no background work runs.
func (s *Service) Idle() { s.work.Wait() }

// JudgeAllowance judges the facts of a review by an allowance.
func JudgeAllowance(a policy.Allowance, s Session, f Facts, handed []Handed, now time.Time) *Stop {
	return judged(a, s, f, handed, now)
}

// WishOf reads the wish of an intent, as the law of a release does.
func (s *Service) WishOf(in Intent, f *Facts) Wish { return s.wish(in.Protocol, in.Type, in, f) }
