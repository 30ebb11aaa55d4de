package handoff

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	validators "github.com/sayurintent/sayurintent/internal/sui/proof"
)

// How long a result waits for its proof, and the timeout of one attempt.
const (
	proofWait    = 15 * time.Second
	proofAttempt = 5 * time.Second
)

// Pauses between attempts to prove a result that settled without a proof.
const (
	lateFirst = 5 * time.Second
	lateMost  = 10 * time.Minute
)

const unlike = "What the node reports is not what the validators signed, so none of it is used. Set another node."

// proved requests the proof of a reported transaction. It returns the report with its status, gas,
// epoch, events and time replaced by the proved ones. It returns fault.ProviderMismatch if the
// report or the proof is false.
func (s *Service) proved(ctx context.Context, reported sui.Executed) (sui.Executed, record.Proof, error) {
	if s.c.Prover == nil {
		return reported, record.Proof{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, proofAttempt)
	defer cancel()
	o, err := s.c.Prover.Prove(ctx, reported.Digest)
	p := record.ProofOf(o, err, s.now())
	switch {
	case p.State == record.Mismatched:
		return reported, record.Proof{}, fault.Wrap(err, fault.ProviderMismatch, unlike)
	case p.State != record.Proved:
		return reported, p, nil
	}
	//mutant:never ./review TestReportAndProofDiffer
	if !agree(reported, o) {
		return reported, record.Proof{}, fault.New(fault.ProviderMismatch, unlike)
	}
	reported, p.Amounts, err = s.amounts(ctx, reported, o)
	return restOn(reported, o), p, err
}

// amounts checks reported balance changes against the proved ones, and adds the proved ones if none
// were reported. It returns true if they are proved, and fault.ProviderMismatch if the report is
// false.
func (s *Service) amounts(ctx context.Context, reported sui.Executed, o *validators.Outcome) (sui.Executed, bool,
	error) {
	list, err := s.c.Prover.Amounts(ctx, o)
	//mutant:never ./review TestAmountsAreProved
	if validators.ReasonOf(err) == validators.Mismatch {
		return reported, false, fault.Wrap(err, fault.ProviderMismatch, unlike)
	}
	if err != nil {
		return reported, false, nil // balance changes remain unproved
	}
	if len(reported.Balances) == 0 {
		reported.Balances = list
	}
	//mutant:never ./review TestAmountsAreProved
	if !sameAmounts(reported.Balances, list) {
		return reported, false, fault.New(fault.ProviderMismatch, unlike)
	}
	return reported, true, nil
}

// sameAmounts reports whether reported and proved changes agree for all addresses that have proved
// changes. A node may also list balances of objects.
func sameAmounts(reported, signed []sui.BalanceChange) bool {
	for _, c := range signed {
		if !slices.Contains(reported, c) {
			return false
		}
	}
	return !slices.ContainsFunc(reported, func(c sui.BalanceChange) bool {
		of := func(v sui.BalanceChange) bool { return v.Owner == c.Owner }
		return slices.ContainsFunc(signed, of) && !slices.Contains(signed, c)
	})
}

// agree reports whether a node's report matches what validators signed. It ignores balance changes,
// which a node computes and nobody signs.
func agree(reported sui.Executed, o *validators.Outcome) bool {
	e := o.Effects
	number := o.Checkpoint.Summary.Sequence
	if reported.Digest != o.Transaction || reported.Status.OK != e.OK() || reported.Gas != e.Gas ||
		reported.Epoch != e.Epoch || (reported.Checkpoint != nil && *reported.Checkpoint != number) {
		return false
	}
	for _, c := range reported.Objects {
		if c.Input > 0 && !same(e, c.ID, true, c.Input) || c.Output > 0 && !same(e, c.ID, false, c.Output) {
			return false
		}
	}
	for _, v := range reported.Events {
		if uint64(v.Index) >= uint64(len(o.Events)) {
			return false
		}
		p := o.Events[v.Index]
		if p.Package != v.Package || p.Module != v.Module || p.Sender != v.Sender || p.Type.String() != v.Type ||
			!bytes.Equal(p.Contents, v.Contents) {
			return false
		}
	}
	return true
}

// same reports whether signed effects name this version of an object. Effects of version 1 may not
// name the object at all.
func same(e *sui.TransactionEffects, id sui.ObjectID, before bool, version uint64) bool {
	ref, ok := e.Ref(id, before)
	return ok && ref.Version == version || !ok && e.First != nil
}

// restOn returns the report with everything that is proved replaced by the proved values.
func restOn(reported sui.Executed, o *validators.Outcome) sui.Executed {
	reported.Gas, reported.Epoch, reported.Status.OK = o.Effects.Gas, o.Effects.Epoch, o.Effects.OK()
	number := o.Checkpoint.Summary.Sequence
	reported.Checkpoint, reported.Timestamp = &number, o.Time
	reported.Events = nil
	for i, v := range o.Events {
		reported.Events = append(reported.Events, sui.Event{Package: v.Package, Module: v.Module, Sender: v.Sender,
			Type: v.Type.String(), Contents: v.Contents, Index: uint32(i)})
	}
	return reported
}

// onlyProved explains why a reported result stays open.
const onlyProved = " You set that only proved results are final, so this one stays open."

// notProved records the state of an awaited proof. A reported result already counts as executed for
// other releases: with or without a proof, its coins are spent.
func (s *Service) notProved(ctx context.Context, id record.ID, d sui.Digest, p record.Proof) error {
	_, err := s.c.Store.Change(ctx, id, "proof", func(r *record.Row) error { return await(r, d, p, s.now()) })
	return err
}

// await is the transition for a reported result whose proof is awaited, or which turned out to be
// false (record.Mismatched).
func await(r *record.Row, d sui.Digest, p record.Proof, now time.Time) error {
	s := &r.Session
	rel, reported := s.Released(d), p.State != record.Mismatched
	x := s.Execution
	if rel == nil || s.Status.Terminal() || x == nil && !reported ||
		x != nil && x.Proved != nil && x.Proved.State == p.State && x.Reported == reported {
		return nil
	}
	if s.Status != record.SignedPendingResult {
		if err := r.Move(record.SignedPendingResult, now); err != nil {
			return err
		}
	}
	if x == nil {
		x = &record.Execution{Submission: record.SubmissionWallet}
		s.Execution = x
	}
	if reported && !rel.Signed() {
		rel.SignedAt = now
	}
	if reported {
		x.TxDigest, x.SignedAt = d.String(), rel.SignedAt
	}
	x.Status, x.Reported, x.Proved = s.Status, reported, &p
	r.Touch(now)
	return nil
}

// unprovedFor is how long after a result its proof is still looked for. Nodes do not keep
// checkpoints forever.
const unprovedFor = 7 * 24 * time.Hour

// proveEarlier continues to look for proofs that an earlier process did not find.
func (s *Service) proveEarlier(life context.Context) {
	ids, err := s.c.Unproved(life, s.now().Add(-unprovedFor))
	if err != nil {
		return // the next process tries again
	}
	for _, id := range ids {
		s.c.Go(func(life context.Context) {
			if !s.ProveAgain(life, id) {
				s.late(life, id)
			}
		})
	}
}

// late looks for the proof of a result that settled without one, until the proof is found or
// refuted, or life ends. It never changes the status.
func (s *Service) late(life context.Context, id record.ID) {
	for pause := lateFirst; ; pause = min(2*pause, lateMost) {
		select {
		case <-life.Done():
			return
		case <-time.After(pause):
		}
		if s.ProveAgain(life, id) {
			return
		}
	}
}

// ProveAgain looks once for the missing proof of a settled result, and reports whether there is
// nothing left to look for. If the result is refuted, the receipt shows it, but the status does not
// change.
func (s *Service) ProveAgain(ctx context.Context, id record.ID) (done bool) {
	session, err := s.c.Store.Review(ctx, id)
	if err != nil {
		return fault.Is(err, fault.SessionNotFound)
	}
	x := session.Execution
	if s.c.Prover == nil || x == nil || x.Receipt == nil || x.Proof().State == record.Proved ||
		x.Proof().State == record.Mismatched {
		return true
	}
	digest, err := sui.ParseDigest(x.TxDigest)
	if err != nil || !s.sameChain(ctx, session) {
		return err != nil
	}
	found, p, err := s.proved(ctx, toldBy(x.Receipt, digest))
	//mutant:never ./review TestAmountsAreProved
	if err == nil && p.Amounts && !sameAmounts(x.Receipt.BalanceChanges, changesOf(session.Account, found.Balances)) {
		err = fault.New(fault.ProviderMismatch, unlike)
	}
	if fault.Is(err, fault.ProviderMismatch) {
		p = record.Proof{State: record.Mismatched, At: s.now()}
	} else if err != nil || p.State != record.Proved {
		return false
	}
	_, err = s.c.Store.Change(ctx, id, "proof", func(r *record.Row) error {
		x := r.Session.Execution
		if x == nil || x.Receipt == nil || x.Proof().State == record.Proved {
			return nil
		}
		x.Proved = &p
		r.Touch(s.now())
		return nil
	})
	return err == nil
}

// changesOf returns the changes of one address.
func changesOf(owner sui.Address, list []sui.BalanceChange) []sui.BalanceChange {
	return slices.DeleteFunc(slices.Clone(list), func(c sui.BalanceChange) bool { return c.Owner != owner })
}

// toldBy returns the part of a node's report that a receipt contains.
func toldBy(r *record.Receipt, digest sui.Digest) sui.Executed {
	return sui.Executed{Effects: sui.Effects{Digest: digest, Sender: r.Sender, Status: sui.ExecutionStatus{OK: r.OK},
		Gas: r.Gas, Epoch: r.Epoch}, Checkpoint: r.Checkpoint}
}
