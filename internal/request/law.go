package request

import (
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// The methods in this file are the transitions of a request. Each operates on a request that a
// write transaction of the store has read, and does no I/O. If a transition does not apply, it
// leaves the request unchanged.

// Approve records the user's approval and the warnings that they accepted. twins are other requests
// for the same; each must have been accepted.
func (req *Request) Approve(accepted []string, twins []record.Related, now time.Time) error {
	if err := req.answerable(now); err != nil {
		return err
	}
	for _, t := range twins {
		//mutant:never ./internal/request TestLaw
		if !slices.Contains(accepted, t.Need()) {
			place := t.Equal[0].Own
			return fault.New(fault.Blocked,
				"Step %d repeats another request: %s. Tick “Yes, again” there if you want it a second time.",
				place, t.Known()).With("reason", Duplicate).With("step", req.Steps[place-1].ID)
		}
		req.Accepted = append(req.Accepted, t.Need())
	}
	req.State, req.Approval = Running, ByPage
	req.touch(now)
	return nil
}

// Reject records the user's rejection.
func (req *Request) Reject(now time.Time) error {
	if err := req.answerable(now); err != nil {
		return err
	}
	req.end(Rejected, UserRejected, now)
	return nil
}

// Keep ends a request whose approval the user stores for later use.
func (req *Request) Keep(now time.Time) error {
	if err := req.answerable(now); err != nil {
		return err
	}
	req.end(Rejected, ApprovedLater, now)
	return nil
}

// answerable returns an error unless the request is waiting for an answer.
func (req *Request) answerable(now time.Time) error {
	//mutant:never `!now.Before(req.ApproveBy)` ./internal/request TestLaw
	if req.State != Asked || !now.Before(req.ApproveBy) {
		return fault.New(fault.InvalidSessionTransition, "This bundle no longer waits for an answer. Reload the page.").
			With("reason", string(req.State))
	}
	return nil
}

// Lapse ends a request if the time for an answer is over.
func (req *Request) Lapse(now time.Time) {
	if req.State == Asked && (!now.Before(req.ApproveBy) || plan.SetBack(req.CreatedAt, now)) {
		req.end(Expired, TimeOver, now)
	}
}

// Stop ends a request for the reason why. If the current step was released and cannot be withdrawn,
// the request ends after that step. s is the review of the current step, or nil.
func (req *Request) Stop(why string, s *record.Session, now time.Time) {
	if req.State.Over() || req.Stopping != "" {
		return
	}
	step := req.Present()
	switch {
	case step == nil, step.State == Waiting:
		req.end(Stopped, why, now)
	//mutant:always ./internal/request TestModel
	case step.State == Open && s != nil && len(s.Releases) == 0:
		req.fail(step, why, now)
	default:
		req.Stopping = why
		req.touch(now)
	}
}

// MayOpen reports whether the step at place is the next to get a review.
func (req *Request) MayOpen(place int) bool {
	//mutant:never `req.Stopping == ""` ./internal/request TestModel
	return req.State == Running && req.Stopping == "" && req.present() == place && req.Steps[place].State == Waiting
}

// Opened records the review of the step at place. intent includes the amount if the step takes a
// result. most is the maximum that may leave the account.
func (req *Request) Opened(place int, id record.ID, intent plan.Intent, most []plan.Amount, now time.Time) {
	step := &req.Steps[place]
	step.State, step.Review, step.Intent, step.Most = Open, id, intent, most
	req.touch(now)
}

// Fail fails the current step, which has no review yet, and ends the request.
func (req *Request) Fail(place int, why string, now time.Time) {
	if req.State == Running && req.present() == place && req.Steps[place].State == Waiting {
		req.fail(&req.Steps[place], why, now)
	}
}

// Saw updates the step at place from its review.
func (req *Request) Saw(place int, s record.Session, now time.Time) {
	step := &req.Steps[place]
	before := *step
	switch {
	case step.State.Ended():
		req.sawLate(step, s)
	//mutant:never ./internal/request TestSigning
	case req.State == Signing:
		step.sawSigning(s, now)
	case place == req.present() && req.State == Running:
		req.sawPresent(place, s, now)
	}
	if *step.changeable() != *before.changeable() {
		req.shared(step)
		req.did(s)
		req.touch(now)
	}
	switch {
	case req.State == Signing:
		req.signed(now)
	case req.State != Running:
	case step.State == Failed && before.State == Pending:
		req.Stop(step.Error, nil, now)
	case step.State == Failed || step.State == TimedOut:
		req.end(Stopped, step.Error, now)
	case step.State.Ended() && !before.State.Ended() && req.Stopping != "" && req.present() >= 0:
		req.end(Stopped, req.Stopping, now)
	case req.present() < 0:
		req.finish(now)
	}
}

// did records the results of the steps that a review confirms.
func (req *Request) did(s record.Session) {
	for i := range req.Steps {
		step := &req.Steps[i]
		if step.Review != s.ID || step.State != Confirmed {
			continue
		}
		place := 0
		if req.Mode == Atomic {
			place = i
		}
		step.Done = s.Did(place)
	}
}

// finish ends a request after its last step.
func (req *Request) finish(now time.Time) {
	for _, s := range req.Steps {
		if s.State == Failed || s.State == TimedOut {
			req.end(Stopped, s.Error, now)
			return
		}
	}
	req.end(Completed, "", now)
}

// outcome is the part of a step that its review determines.
type outcome struct {
	state       StepState
	hash, error string
	handed      bool
	at          time.Time
}

func (s *Step) changeable() *outcome {
	return &outcome{s.State, s.TxHash, s.Error, s.Handed, s.SubmittedAt}
}

// sawPresent updates the current step from its review.
func (req *Request) sawPresent(place int, s record.Session, now time.Time) {
	step := &req.Steps[place]
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
		case !req.waits(place):
			step.State = Pending
		//mutant:never ./internal/request TestLaw
		case now.Sub(step.SubmittedAt) >= req.patience(place):
			step.State = TimedOut
		}
	case len(open) > 0 && refusedAll(open):
		step.State, step.Error = Failed, UserRejected
	case len(open) > 0:
		// The wallet may have signed, so the step must not fail.
		//mutant:never ./internal/request TestLaw
		if now.Sub(open[len(open)-1].At) >= WalletTime+req.patience(place) {
			step.State = TimedOut
		}
	//mutant:never ./internal/request TestLaw
	case req.Stopping != "":
		step.State, step.Error = Failed, req.Stopping // nothing was released, and nothing will be
	case s.Status == record.Blocked:
		step.State, step.Error = Failed, string(s.Reason)
	case req.exceeds(place, s) != "":
		step.State, step.Error = Failed, Outside
	}
}

// refusedAll reports whether the wallet declined all releases.
func refusedAll(open []record.Release) bool {
	return !slices.ContainsFunc(open, func(r record.Release) bool { return !r.Refused() })
}

// sawLate updates a step whose result was already reported.
func (req *Request) sawLate(step *Step, s record.Session) {
	if !slices.Contains(req.Owed(), slices.IndexFunc(req.Steps, func(o Step) bool { return o.ID == step.ID })) {
		return
	}
	switch {
	//mutant:never `executed(s)` ./internal/request TestLaw
	case s.Status == record.Success, s.Status == record.Failure && (step.State != Failed || executed(s)):
		step.settle(s)
	case s.Status.Terminal():
		step.Handed = mayAppear(s)
	case s.Status == record.SignedPendingResult && step.TxHash == "":
		step.TxHash = s.Execution.TxDigest
	}
}

// executed reports whether the transaction of a failed review was executed.
func executed(s record.Session) bool {
	return s.Execution != nil && s.Execution.FailureReason == record.FailureChainExecution
}

// mayAppear reports whether effects of a failed review are still being watched for. They would
// correct its result.
func mayAppear(s record.Session) bool {
	//mutant:always ./internal/request TestLaw
	return s.Status == record.Failure && !executed(s) && len(s.Watched()) > 0
}

// settle ends a step with the result of its final review.
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
	switch why := r.Execution.FailureReason; {
	case r.ReplacedBy() != "":
		s.Error = Replaced
	case why == record.FailureWalletRejected:
		s.Error = UserRejected
	case why == record.FailureCannotExecute:
		s.Error = NotSubmitted
	default:
		s.Error = string(why)
		if c := r.Execution.Receipt; c != nil && c.FailureKind != "" {
			s.Error += ": " + c.FailureKind
		}
	}
}

// fail fails a step that was never released, and ends the request.
func (req *Request) fail(step *Step, why string, now time.Time) {
	step.State, step.Error = Failed, why
	req.shared(step)
	req.end(Stopped, why, now)
}

func (req *Request) end(state State, why string, now time.Time) {
	req.State, req.Reason, req.Stopping = state, why, ""
	req.touch(now)
}

func (req *Request) touch(now time.Time) {
	req.Revision++
	req.UpdatedAt = now
}

// Handing returns an error if a review may not be released. It runs inside the transaction of the
// release. A step may be released only while the request is running, in its turn, and within the
// approval. A step that was not released before the request ended can therefore never be released.
// Reviews that are not steps of the request are not restricted.
func (req *Request) Handing(s record.Session) error {
	place := req.Place(s.ID)
	if place < 0 {
		return nil
	}
	no := func(format string, args ...any) error {
		return fault.New(fault.HandoffUnavailable, format, args...).With("reason", "bundle").With("bundle_id", string(req.ID))
	}
	step := req.Steps[place]
	if req.State.Over() && step.State == Waiting {
		return nil // a review that the client named, but whose turn never came
	}
	if req.only(s.ID) {
		return nil // the review's own page asks for approval
	}
	//mutant:never ./internal/request TestHanding
	if req.State == Asked {
		return no("This is step %d of a bundle that you have not approved. Nothing was sent to your wallet. Answer the bundle first.",
			place+1)
	}
	//mutant:never ./internal/request TestLaw
	if req.State != Running || req.Stopping != "" {
		return no("This is step %d of a bundle that has ended. Nothing was sent to your wallet. Request it again if you still want it.",
			place+1)
	}
	//mutant:never ./internal/request TestHanding
	if place != req.present() || step.State != Open {
		return no("This is step %d of a bundle, and it is not its turn. Nothing was sent to your wallet.", place+1)
	}
	//mutant:never ./internal/request TestHanding
	if what := req.exceeds(place, s); what != "" {
		return no("This is step %d of a bundle, and %s. Nothing was sent to your wallet.", place+1, what)
	}
	return nil
}

// Other is another request of the same account. It is running, or it is identical and waiting for
// an answer.
type Other struct {
	ID    ID
	Task  string
	State State
}

// Barred returns an error if another request of the account is running, or an identical one is
// waiting for an answer. The latter does not prevent a request from being approved.
func (req *Request) Barred(others []Other) error {
	for _, o := range others {
		why := fault.New(fault.InvalidSessionTransition,
			"This exact bundle already waits for the user. Follow its task.").
			With("reason", Duplicate)
		switch {
		case o.State == Running:
			why = fault.New(fault.InvalidSessionTransition,
				"A bundle of this account is already running. Wait until it ends, or ask the user to stop it.").
				With("reason", "bundle_in_progress")
		case req.State != Asked:
			continue
		}
		return why.With("bundle_id", string(o.ID)).With("task_id", o.Task)
	}
	return nil
}

// Window is the period in which requests are counted.
const Window = 10 * time.Minute

// TooMany returns the error for more than most requests per Window. oldest is the time of the
// oldest request that still counts.
func TooMany(whose string, most int, oldest time.Time) error {
	again := oldest.Add(Window).UTC().Format(time.RFC3339)
	return fault.New(fault.RateLimited,
		"%s sent %d requests in ten minutes, so this one was refused. Ask again after %s.",
		whose, most, again).With("retry_at", again)
}
