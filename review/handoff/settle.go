package handoff

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// sent is the transition for a finished attempt to send the signed transaction. It never makes the
// session final, because only effects or a proof do. An attempt with the same result as the one
// before changes nothing.
func sent(r *record.Row, d sui.Digest, submission, refusal string, now time.Time) error {
	s := &r.Session
	x := s.Execution
	if s.Status != record.SignedPendingResult || x.TxDigest != d.String() ||
		(x.Submission == submission && x.Refusal == refusal) {
		return nil
	}
	x.Submission, x.Refusal = submission, refusal
	x.Note = submissionNote(*x)
	if rel := s.Released(d); rel != nil {
		rel.SubmittedAt = now
	}
	r.Touch(now)
	return nil
}

// submissionNote explains what is unknown after the last attempt to send.
func submissionNote(x record.Execution) string {
	switch x.Submission {
	case record.SubmissionUnknown:
		return "The transaction was sent, but the node did not respond. It is not known whether it executed."
	case record.SubmissionRefused:
		return "The node refused to execute the transaction: " + x.Refusal +
			" It can still execute until its last epoch is over."
	}
	return ""
}

// remark is the transition for a watch that found no result. An empty note means that the node
// answers but does not have the transaction yet.
func remark(r *record.Row, note string, now time.Time) error {
	s := &r.Session
	if s.Status != record.SignedPendingResult {
		return doubt(r, note, now)
	}
	switch {
	case note != "":
	case signedDead(s):
		note = signedIsDead
	default:
		note = submissionNote(*s.Execution)
	}
	if s.Execution.Note != note {
		s.Execution.Note = note
		r.Touch(now)
	}
	return nil
}

// doubt records once, for a review whose release has no known signature, why the node cannot show
// what happened to it.
func doubt(r *record.Row, note string, now time.Time) error {
	const id = "released_transaction_unproved"
	s := &r.Session
	reported := slices.ContainsFunc(s.State.Checks, func(c plan.Check) bool { return c.ID == id })
	check := plan.Warn(plan.SourceNetwork, id, "Earlier transaction", note, "")
	if note == believedNote {
		check = believedCheck()
		reported = slices.ContainsFunc(s.State.Checks, func(c plan.Check) bool { return c.ID == check.ID })
	}
	if reported || s.Status.Terminal() || (note != noHistory && note != noResult && note != believedNote) {
		return nil
	}
	s.State.Checks = plan.WorstFirst(append([]plan.Check{check}, s.State.Checks...))
	r.Touch(now)
	return nil
}

// settle is the transition for effects: the chain executed a transaction that this review released,
// whatever the page reported about it. said is what the adapters read from the effects.
func settle(r *record.Row, e sui.Executed, said executionReport, p record.Proof,
	now time.Time) error {
	s := &r.Session
	rel := s.Released(e.Digest)
	//mutant:always `!corrected(s)` ./review TestEffectsWin
	if rel == nil || s.Status.Terminal() && !corrected(s) {
		return nil
	}
	if s.Status.Terminal() {
		reopen(r, now)
	}
	for i := range s.Releases {
		s.Releases[i].LookUntil = 0
	}
	rel.Dead, rel.BelievedAt = false, time.Time{}
	if s.Status != record.SignedPendingResult {
		if err := r.Move(record.SignedPendingResult, now); err != nil {
			return err
		}
	}
	if s.Execution == nil {
		s.Execution = &record.Execution{Submission: record.SubmissionWallet}
	}
	if !rel.Signed() {
		rel.SignedAt = now
	}
	x := s.Execution
	x.TxDigest, x.SignedAt, x.FinalAt = e.Digest.String(), rel.SignedAt, now
	x.Note, x.Refusal, x.Reported = "", "", false
	x.Receipt, x.Proved = receiptOf(*s, *rel, e, said, now), nil
	if p.State != "" {
		x.Proved = &p
	}
	x.Status = record.Success
	if !e.Status.OK {
		x.Status, x.FailureReason = record.Failure, record.FailureChainExecution
		x.Note = "The transaction failed on chain. Only gas was spent."
		if rel.Facts.Gas.Free() {
			x.Note = "The transaction failed on chain. Nothing was spent."
		}
		if x.Receipt.Why != "" {
			x.Note += " " + x.Receipt.Why
		}
	}
	s.Commitment = rel.Commitment
	facts := rel.Facts
	s.Facts = &facts
	return r.End(x.Status, now)
}

// bury is the transition for the proof that a released transaction can never execute. It ends the
// review only if none of its other releases can execute. Effects are still looked for up to the
// epoch until. If until is 0, the release was believed dead, and that search is over.
func bury(r *record.Row, d sui.Digest, p proof, until uint64, now time.Time) error {
	s := &r.Session
	rel := s.Released(d)
	if rel == nil || rel.Dead || s.Status.Terminal() {
		return nil
	}
	rel.Dead, rel.LookUntil = true, until
	why := p.sentence()
	if until > 0 {
		rel.BelievedAt = time.Time{}
	} else {
		why += " Only one node says so; it is not proved."
	}
	if s.Status == record.SignedPendingResult {
		if len(s.Outstanding()) == 0 {
			return buried(r, record.FailureCannotExecute, why, now)
		}
		if signedDead(s) {
			s.Execution.Note = signedIsDead
		}
		r.Touch(now)
		return nil
	}
	r.DropDead(d)
	r.Touch(now)
	if s.Status == record.Ready && s.Current() != nil && s.Current().Dead {
		err := r.Stop(plan.QuoteStale, plan.Fail(plan.SourceNetwork, record.CheckDead, "Earlier transaction",
			"The transaction that was handed to the wallet can never execute: "+why,
			"Update to build a new one."), now)
		if err != nil {
			return err
		}
	}
	return expire(r, now)
}

// signedIsDead is the note for a signed transaction that is proved dead while another release of
// the review is not.
const signedIsDead = "The signed transaction can never execute, but another one of this review was handed to the " +
	"wallet " +
	"and still can: the result is not known yet."

// signedDead reports whether the transaction whose result is awaited is proved dead.
func signedDead(s *record.Session) bool {
	if s.Execution == nil {
		return false
	}
	for _, rel := range s.Releases {
		if rel.Dead && rel.Digest.String() == s.Execution.TxDigest {
			return true
		}
	}
	return false
}

// deathOf returns the reason why a review ended if all of its releases are proved dead.
func deathOf(s record.Session) record.FailureReason {
	for _, rel := range s.Releases {
		if rel.Outcome != record.OutcomeDeclined && rel.Outcome != record.OutcomeRejected {
			return record.FailureCannotExecute
		}
	}
	return record.FailureWalletRejected
}

func buried(r *record.Row, reason record.FailureReason, why string, now time.Time) error {
	s := &r.Session
	if s.Execution == nil {
		s.Execution = &record.Execution{}
	}
	s.Execution.Status, s.Execution.FailureReason, s.Execution.FinalAt = record.Failure, reason, now
	s.Execution.Note = "It can never execute, and nothing was spent by it: " + why
	return r.End(record.Failure, now)
}
