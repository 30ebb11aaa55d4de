package handoff

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// A single node's report never proves a release dead. Without confirmation or contradiction, the
// release is believed dead once that node has reported epochsBelieved further epochs and
// believedAfter has passed on this clock. The program then looks for its effects for epochsLooked
// more epochs.
const (
	epochsBelieved = 2
	epochsLooked   = 2
	believedAfter  = 72 * time.Hour
	lookedFor      = 48 * time.Hour // minimum, so that a node cannot end it by skipping epochs
)

// believedNote is shown for a release that is believed dead.
const believedNote = "One node's answers say that the transaction can never execute. Neither a second node nor " +
	"validators' signatures confirm it, so it is believed dead, not proved. It is still looked for, and a late " +
	"signature is still sent."

// lookup asks the nodes for a transaction: the second one if the first does not know it or does not
// answer. Each node is asked only if it serves the review's chain.
func (s *Service) lookup(ctx context.Context, session record.Session, first bool, d sui.Digest) (e sui.Executed,
	known bool, err error) {
	if first {
		if e, known, err = s.c.Executor.Transaction(ctx, d); known && err == nil {
			return e, true, nil
		}
	}
	if s.c.Second == nil {
		return e, false, err
	}
	//mutant:never ./review TestLyingFirstNode
	if there, found, other := s.c.Second.Transaction(ctx, d); other == nil && found {
		return there, true, nil
	}
	return e, false, err
}

// failedToo reports whether an unproved failure may be settled. If there is a second node, neither
// node may contradict the failure; a node that does not answer is ignored.
func (s *Service) failedToo(ctx context.Context, d sui.Digest) bool {
	if s.c.Second == nil {
		return true
	}
	for _, from := range []node.Executor{s.c.Executor, s.c.Second} {
		there, found, err := from.Transaction(ctx, d)
		if err == nil && (!found || there.Status.OK) {
			return false
		}
	}
	return true
}

// failedAtOne explains why a failure that only one of two nodes reports stays open.
const failedAtOne = "One node says that the chain ran the transaction and that it failed; the other node does not. The " +
	"validators' signatures of it are waited for."

// lookOn stops looking for effects of a dead release once the epoch in LookUntil is over.
func (s *Service) lookOn(ctx context.Context, session record.Session, rel record.Release, epoch uint64) error {
	if epoch <= rel.LookUntil {
		return nil
	}
	chain, err := sui.ParseDigest(session.ChainID)
	if err != nil {
		return err
	}
	if sure, _, _ := s.c.Epochs.Over(ctx, chain, rel.LookUntil, epoch); !sure {
		return nil
	}
	_, err = s.c.Store.Change(ctx, session.ID, "looked for long enough", func(r *record.Row) error {
		if rel := r.Session.Released(rel.Digest); rel != nil && rel.LookUntil > 0 {
			rel.LookUntil = 0
			r.Touch(s.now())
		}
		return nil
	})
	return err
}

// weigh is the transition for one node's unconfirmed report about a release. It records when the
// report was first made and, after long enough, marks the release as believed dead. A contradiction
// by the second node removes the mark.
func weigh(r *record.Row, d sui.Digest, v verdict, epoch uint64, now time.Time) error {
	s := &r.Session
	rel := s.Released(d)
	if rel == nil || rel.Dead || s.Status.Terminal() {
		return nil
	}
	switch {
	//mutant:never ./review/handoff TestBelief
	case v.contradicted:
		if rel.OverAt.IsZero() && rel.BelievedAt.IsZero() {
			return nil
		}
		rel.OverAt, rel.BelievedAt, rel.LookUntil = time.Time{}, time.Time{}, 0
	case v.proof == nil || epoch <= rel.LastEpoch:
		return nil
	case rel.OverAt.IsZero() || rel.OverAt.After(now):
		rel.OverAt = now
	case rel.BelievedAt.IsZero():
		//mutant:always `now.Sub(rel.OverAt) >= believedAfter` ./review/handoff TestBelief
		//mutant:always `epoch >= rel.LastEpoch+epochsBelieved` ./review/handoff TestBelief
		if now.Sub(rel.OverAt) >= believedAfter && epoch >= rel.LastEpoch+epochsBelieved {
			rel.BelievedAt, rel.LookUntil = now, epoch+epochsLooked
			break
		}
		return nil
	//mutant:always ./review/handoff TestBelief
	case epoch > rel.LookUntil && now.Sub(rel.BelievedAt) >= lookedFor:
		rel.LookUntil = 0
		return bury(r, d, *v.proof, 0, now)
	default:
		return nil
	}
	r.Touch(now)
	return nil
}

// reopen makes a failed review pending again, because effects of one of its releases, or a late
// signature, were found after all. Nothing else changes a final status.
func reopen(r *record.Row, now time.Time) {
	s := &r.Session
	s.Status, s.Execution = record.SignedPendingResult, nil
	r.Touch(now)
}

// corrected reports whether effects of a release can still correct a failed review, because the
// review ended without any.
func corrected(s *record.Session) bool {
	return s.Status == record.Failure && (s.Execution == nil || s.Execution.Receipt == nil)
}

// believedCheck returns a warning that the review's release is believed dead.
func believedCheck() plan.Check {
	return plan.Warn(plan.SourceNetwork, "released_transaction_believed_dead", "Earlier transaction", believedNote,
		"To do it anyway, prepare it again. The page then asks you to confirm.")
}
