package review

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/gate"
)

// Build is what a finished computation leaves, for tests that make histories
// without computing.
type Build struct {
	Bytes   sui.Material
	Facts   plan.Facts
	ChainID string
	Expires time.Time
}

// Adopt is the law of a computation that ended with a reason, or, where b is
// not nil, ready with a build.
func Adopt(r *record.Row, revision int64, reason plan.Reason, b *Build, chain string, now time.Time) error {
	f := gate.Finding{State: record.State{Status: record.StatusOf(reason), ComputedAt: now}, Reason: reason,
		ChainID: chain}
	switch f.State.Status {
	case record.Blocked:
		f.State.BlockedReason = reason
	case record.RefreshRequired:
		f.State.RefreshReason = reason
	}
	if b != nil {
		f.Commitment = sui.Commitment(b.Bytes.Digest())
		f.State = record.State{Status: record.Ready, ComputedAt: now,
			Contract: &record.Contract{TransactionMaterialCommitment: f.Commitment}}
		facts := b.Facts
		f.Facts, f.BuildExpires = &facts, b.Expires
		f.Material = &record.Material{Digest: b.Bytes.Digest(), Bytes: b.Bytes, CreatedAt: now}
	}
	return gate.Adopt(r, revision, f, now)
}

// Idle waits until no background work runs.
func (s *Service) Idle() { s.work.Wait() }

// WishesOf reads the wishes of an intent's steps, as the law of a release does.
func (s *Service) WishesOf(in plan.Intent, f *plan.Facts) []record.StepWish {
	return s.wish(in.Protocol, in.Type, in, f)
}

// ComputeAgainNow is like ComputeAgain and waits for the result.
func (s *Service) ComputeAgainNow(ctx context.Context, id record.ID, revision int64) (record.Session, error) {
	return s.computeNow(ctx, id, revision, true)
}
