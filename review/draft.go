package review

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/review/gate"
)

// Read reads an intent of one or several actions as Prepare does, with the same errors in the same
// order, but stores nothing. The caller may store the session.
func (s *Service) Read(ctx context.Context, in plan.Intent) (record.Session, error) {
	return s.prepared(ctx, in)
}

// Draft reads an intent with one action as Read does, and adds its promise.
func (s *Service) Draft(ctx context.Context, in plan.Intent) (record.Draft, error) {
	session, err := s.prepared(ctx, in)
	if err != nil {
		return record.Draft{}, err
	}
	if len(in.Steps) > 0 {
		return record.Draft{Session: session}, nil
	}
	planned, err := s.planOf(session)
	return record.Draft{Session: session, Promise: planned.Promise, Makes: planned.Makes != ""}, err
}

// Fee quotes the fee of a session with one action, if it is charged in a separate coin. It returns
// the zero Amount if there is no such fee, and false if no quote is available. The session need not
// be stored.
func (s *Service) Fee(ctx context.Context, session record.Session) (fee plan.Amount, ok bool) {
	q := gate.Look(ctx, s.gates, session).Expected
	if q == nil {
		return plan.Amount{}, false
	}
	if q.Fee.CoinType == q.Input.CoinType {
		return plan.Amount{}, true // it is a part of what is paid
	}
	return q.Fee, true
}

// LookSteps runs the preflight of steps that are signed one after another.
func (s *Service) LookSteps(ctx context.Context, steps []record.LookedStep) ([]record.StepBlocker, bool) {
	return gate.LookSteps(ctx, s.gates, steps)
}

// Try computes a draft as its page would, without storing anything. If a check would stop it now,
// Try returns fault.Blocked with the reason.
func (s *Service) Try(ctx context.Context, session record.Session) error {
	ctx, cancel := context.WithTimeout(ctx, s.c.Limits.ComputeTime)
	defer cancel()
	found := gate.Examine(ctx, s.gates, session, func(plan.StageID, string) {})
	//mutant:always ./internal/request TestModeTried
	if found.State.Status == record.Ready || len(found.State.Checks) == 0 {
		return nil
	}
	return fault.New(fault.Blocked, "%s", found.State.Checks[0].Message).With("reason", string(found.Reason))
}

// Together computes a draft as its page would and returns why its steps cannot be one transaction.
// It returns nil if they can, if there is only one step, or if a source did not respond. If the
// first step can be built by itself, the error suggests signing the steps one by one.
func (s *Service) Together(ctx context.Context, session record.Session) error {
	if len(session.Intent.Steps) == 0 {
		return nil
	}
	err := s.Try(ctx, session)
	if err == nil || !barred(err) {
		return nil
	}
	f := *fault.As(err)
	f.Text = "These steps cannot be one transaction: " + f.Text
	switch why := plan.Reason(f.Detail.Get("reason")); {
	case !s.oneByOne(ctx, session):
	case why == plan.InsufficientBalance || why == plan.InsufficientGas:
		f.Text += " Change the amount. Mode steps helps only if an earlier step brings more than it guarantees."
		return (&f).With("mode", "steps")
	default:
		f.Text += " Ask for them one by one: mode steps. Each is then built when its turn comes."
		return (&f).With("mode", "steps")
	}
	return &f
}

// barred reports whether a trial's error is a failed check rather than an unavailable source.
func barred(err error) bool {
	return record.StatusOf(plan.Reason(fault.As(err).Detail.Get("reason"))) == record.Blocked
}

// oneByOne reports whether the first step can be built by itself. Later steps depend on the results
// of earlier ones.
func (s *Service) oneByOne(ctx context.Context, session record.Session) bool {
	first, err := s.prepared(ctx, session.Intent.Steps[0])
	return err == nil && s.Try(ctx, first) == nil
}

// Promises returns the promise of a review with one action, computed from its intent without
// reading the chain.
func (s *Service) Promises(session record.Session) (plan.Promise, error) {
	planned, err := s.planOf(session)
	return planned.Promise, err
}

// planOf plans the intent of a review with one action again.
func (s *Service) planOf(session record.Session) (plan.Plan, error) {
	adapters := plan.AdaptersOf(s.c.Adapters, session.Wanted())
	if len(adapters) != 1 {
		return plan.Plan{}, fault.New(fault.UnsupportedAction,
			"This is not a review of one action that can be carried out here. Prepare a new one.")
	}
	return plan.PlanStep(adapters[0], session.Wanted(), session.CreatedAt)
}
