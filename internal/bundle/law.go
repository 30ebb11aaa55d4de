package bundle

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// The methods here are the transitions of a bundle. Each runs on a bundle as a write
// transaction of the store reads it, does no I/O, and leaves the bundle alone where it
// changes nothing.

// Approve takes the person's yes, with what they ticked. twins are the other requests that
// ask for the same, each of which needs its tick.
func (b *Bundle) Approve(accepted []string, twins []record.Beside, now time.Time) error {
	if err := b.answerable(now); err != nil {
		return err
	}
	for _, t := range twins {
		//mutant:never ./internal/bundle TestLaw
		if !slices.Contains(accepted, t.Need()) {
			place := t.Equal[0].Own
			return fault.New(fault.Blocked, "Step %d asks for what another request asks for: %s. Tick “Yes, again” there if you want it a second time.",
				place, t.Known()).With("reason", Duplicate).With("step", b.Steps[place-1].ID)
		}
		b.Accepted = append(b.Accepted, t.Need())
	}
	b.State, b.Approval = Running, ByPage
	b.touch(now)
	return nil
}

// Reject takes the person's no. Nothing was built.
func (b *Bundle) Reject(now time.Time) error {
	if err := b.answerable(now); err != nil {
		return err
	}
	b.end(Rejected, UserRejected, now)
	return nil
}

// Keep ends a bundle whose approval the person stores for later.
func (b *Bundle) Keep(now time.Time) error {
	if err := b.answerable(now); err != nil {
		return err
	}
	b.end(Rejected, ApprovedLater, now)
	return nil
}

// answerable refuses an answer to a bundle that does not wait for one.
func (b *Bundle) answerable(now time.Time) error {
	//mutant:never `!now.Before(b.ApproveBy)` ./internal/bundle TestLaw
	if b.State != Asked || !now.Before(b.ApproveBy) {
		return fault.New(fault.InvalidSessionTransition, "This bundle waits for no answer any more. Reload the page.").
			With("reason", string(b.State))
	}
	return nil
}

// Lapse ends a bundle that nobody answered in time.
func (b *Bundle) Lapse(now time.Time) {
	if b.State == Asked && (!now.Before(b.ApproveBy) || plan.SetBack(b.CreatedAt, now)) {
		b.end(Expired, TimeOver, now)
	}
}

// Stop ends a bundle for a reason: at once, or after a step that is with a wallet or on
// its way, which cannot be called back. s is the review of the present step, where it has
// one.
func (b *Bundle) Stop(why string, s *record.Session, now time.Time) {
	if b.State.Over() || b.Stopping != "" {
		return
	}
	step := b.Present()
	switch {
	case step == nil, step.State == Waiting:
		b.end(Stopped, why, now)
	//mutant:always ./internal/bundle TestModel
	case step.State == Open && s != nil && len(s.Releases) == 0:
		b.fail(step, why, now)
	default:
		b.Stopping = why
		b.touch(now)
	}
}

// MayOpen reports whether the step at a place is the one to make a review for.
func (b *Bundle) MayOpen(place int) bool {
	//mutant:never `b.Stopping == ""` ./internal/bundle TestModel
	return b.State == Running && b.Stopping == "" && b.present() == place && b.Steps[place].State == Waiting
}

// Opened records the review of a step. intent has the amount of a result, where it takes
// one, and most what may leave the account then.
func (b *Bundle) Opened(place int, id record.ID, intent plan.Intent, most []plan.Amount, now time.Time) {
	step := &b.Steps[place]
	step.State, step.Review, step.Intent, step.Most = Open, id, intent, most
	b.touch(now)
}

// Fail ends the present step, of which there is no review, and with it the bundle.
func (b *Bundle) Fail(place int, why string, now time.Time) {
	if b.State == Running && b.present() == place && b.Steps[place].State == Waiting {
		b.fail(&b.Steps[place], why, now)
	}
}

// Saw takes what a review of the bundle says of its step.
func (b *Bundle) Saw(place int, s record.Session, now time.Time) {
	step := &b.Steps[place]
	before := *step
	if step.State.Ended() {
		b.sawLate(step, s)
	} else if place == b.present() && b.State == Running {
		b.sawPresent(place, s, now)
	}
	if *step.changeable() != *before.changeable() {
		b.shared(step)
		b.did(s)
		b.touch(now)
	}
	switch {
	case b.State != Running:
	case step.State == Failed && before.State == Pending:
		b.Stop(step.Error, nil, now)
	case step.State == Failed || step.State == TimedOut:
		b.end(Stopped, step.Error, now)
	case step.State.Ended() && !before.State.Ended() && b.Stopping != "" && b.present() >= 0:
		b.end(Stopped, b.Stopping, now)
	case b.present() < 0:
		b.finish(now)
	}
}

// did records what the confirmed steps of a review did.
func (b *Bundle) did(s record.Session) {
	for i := range b.Steps {
		step := &b.Steps[i]
		if step.Review != s.ID || step.State != Confirmed {
			continue
		}
		place := 0
		if b.Mode == Atomic {
			place = i
		}
		step.Done = s.Did(place)
	}
}

// finish ends a bundle whose last step has ended.
func (b *Bundle) finish(now time.Time) {
	for _, s := range b.Steps {
		if s.State == Failed || s.State == TimedOut {
			b.end(Stopped, s.Error, now)
			return
		}
	}
	b.end(Completed, "", now)
}

// outcome is the part of a step that its review changes.
type outcome struct {
	state       StepState
	hash, error string
	handed      bool
	at          time.Time
}

func (s *Step) changeable() *outcome {
	return &outcome{s.State, s.TxHash, s.Error, s.Handed, s.SubmittedAt}
}

// sawPresent moves the step whose turn it is.
func (b *Bundle) sawPresent(place int, s record.Session, now time.Time) {
	step := &b.Steps[place]
	open := s.Outstanding()
	step.Handed = len(open) > 0
	switch {
	case s.Status.Terminal():
		step.settle(s)
	case s.Status == record.SignedPendingResult:
		if step.State == Open {
			step.State, step.TxHash, step.SubmittedAt = Submitted, s.Execution.TxDigest, now
		}
		switch {
		case !b.waits(place):
			step.State = Pending
		//mutant:never ./internal/bundle TestLaw
		case now.Sub(step.SubmittedAt) >= b.patience(place):
			step.State = TimedOut
		}
	case len(open) > 0 && refusedAll(open):
		step.State, step.Error = Failed, UserRejected
	case len(open) > 0:
		// Whether the wallet signed is not known. It is never called failed.
		//mutant:never ./internal/bundle TestLaw
		if now.Sub(open[len(open)-1].At) >= WalletTime+b.patience(place) {
			step.State = TimedOut
		}
	//mutant:never ./internal/bundle TestLaw
	case b.Stopping != "":
		step.State, step.Error = Failed, b.Stopping // nothing was handed out, and nothing will be
	case s.Status == record.Blocked:
		step.State, step.Error = Failed, string(s.Reason)
	case b.exceeds(place, s) != "":
		step.State, step.Error = Failed, Outside
	}
}

// refusedAll reports whether a wallet answered of every release that it did not sign.
func refusedAll(open []record.Release) bool {
	return !slices.ContainsFunc(open, func(r record.Release) bool { return !r.Refused() })
}

// sawLate takes what the chain says of a step after its word was given.
func (b *Bundle) sawLate(step *Step, s record.Session) {
	if !slices.Contains(b.Owed(), slices.IndexFunc(b.Steps, func(o Step) bool { return o.ID == step.ID })) {
		return
	}
	switch {
	//mutant:never `executed(s)` ./internal/bundle TestLaw
	case s.Status == record.Success, s.Status == record.Failure && (step.State != Failed || executed(s)):
		step.settle(s)
	case s.Status.Terminal():
		step.Handed = mayAppear(s)
	case s.Status == record.SignedPendingResult && step.TxHash == "":
		step.TxHash = s.Execution.TxDigest
	}
}

// executed reports whether the chain ran the transaction of a failed review.
func executed(s record.Session) bool {
	return s.Execution != nil && s.Execution.FailureReason == record.FailureChainExecution
}

// mayAppear reports whether effects are looked for that would correct a final review.
func mayAppear(s record.Session) bool {
	//mutant:always ./internal/bundle TestLaw
	return s.Status == record.Failure && !executed(s) && len(s.Watched()) > 0
}

// settle ends a step by its final review.
func (s *Step) settle(r record.Session) {
	s.Handed = mayAppear(r)
	if r.Execution != nil && r.Execution.TxDigest != "" {
		s.TxHash = r.Execution.TxDigest
	}
	switch {
	case r.Status == record.Success:
		s.State, s.Error = Confirmed, ""
		return
	case r.Status == record.Expired:
		s.State, s.Error = Failed, TimeOver
		return
	}
	s.State, s.Error = Failed, string(record.FailureUnknown)
	if r.Execution == nil {
		return
	}
	switch why := r.Execution.FailureReason; why {
	case record.FailureWalletRejected:
		s.Error = UserRejected
	case record.FailureCannotExecute:
		s.Error = NotSubmitted
	default:
		s.Error = string(why)
		if c := r.Execution.Receipt; c != nil && c.FailureKind != "" {
			s.Error += ": " + c.FailureKind
		}
	}
}

// fail ends a step that was never handed out, and the bundle.
func (b *Bundle) fail(step *Step, why string, now time.Time) {
	step.State, step.Error = Failed, why
	b.shared(step)
	b.end(Stopped, why, now)
}

func (b *Bundle) end(state State, why string, now time.Time) {
	b.State, b.Reason, b.Stopping = state, why, ""
	b.touch(now)
}

func (b *Bundle) touch(now time.Time) {
	b.Revision++
	b.UpdatedAt = now
}

// Handing judges, inside the transaction of a release, whether the transaction of a
// review may be handed out. A review that is no step of the bundle may. A step may while
// the bundle runs and it is the step's turn, within what was approved. After a refusal
// for which the bundle has ended, none of its steps is handed out any more, so that a
// step that was never handed out has failed for good.
func (b *Bundle) Handing(s record.Session) error {
	place := b.Place(s.ID)
	if place < 0 {
		return nil
	}
	no := func(format string, args ...any) error {
		return fault.New(fault.HandoffUnavailable, format, args...).With("reason", "bundle").With("bundle_id", string(b.ID))
	}
	step := b.Steps[place]
	if b.State.Over() && step.State == Waiting {
		return nil // a review that the client named, and whose turn never came
	}
	//mutant:never ./internal/bundle TestHanding
	if b.State == Asked {
		return no("This is step %d of a bundle that you have not approved. Nothing was handed out. Answer the bundle first.", place+1)
	}
	//mutant:never ./internal/bundle TestLaw
	if b.State != Running || b.Stopping != "" {
		return no("This is step %d of a bundle that has ended. Nothing was handed out. Ask for it anew if you still want it.", place+1)
	}
	//mutant:never ./internal/bundle TestHanding
	if place != b.present() || step.State != Open {
		return no("This is step %d of a bundle, and it is not its turn. Nothing was handed out.", place+1)
	}
	//mutant:never ./internal/bundle TestHanding
	if what := b.exceeds(place, s); what != "" {
		return no("This is step %d of a bundle, and %s. Nothing was handed out.", place+1, what)
	}
	return nil
}
