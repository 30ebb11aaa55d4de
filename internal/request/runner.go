package request

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

const (
	busyBeat = time.Second      // polling interval while a request is running
	idleBeat = 10 * time.Second // polling interval otherwise

	mostTurns = 64 // maximum changes of a request per sweep
)

// Run advances requests until ctx ends. One process per store should run it, but a second one does
// no harm, because transitions are checked against stored data. All state is stored, so another
// process can continue after Run returns.
func (s *Service) Run(ctx context.Context, report func(error)) {
	last := "" // to log a repeated error only once
	_ = s.c.Hub.Until(ctx, func() (bool, time.Duration, error) {
		busy, err := s.Sweep(ctx)
		switch {
		case err == nil:
			last = ""
		case ctx.Err() == nil && err.Error() != last:
			last = err.Error()
			report(err)
		}
		if busy {
			return false, busyBeat, nil
		}
		return false, idleBeat, nil
	}, events.Subject{Kind: events.Bundle}, events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
}

// Sweep advances every live request as far as possible without waiting. It reports whether any is
// still running.
func (s *Service) Sweep(ctx context.Context) (busy bool, err error) {
	list, err := s.c.Store.LiveRequests(ctx)
	for _, id := range list {
		over, one := s.advance(ctx, id)
		if one != nil {
			err = one
		}
		busy = busy || !over
	}
	return busy, err
}

// advance advances one request as far as possible without waiting.
func (s *Service) advance(ctx context.Context, id ID) (over bool, err error) {
	for range mostTurns {
		req, err := s.c.Store.Request(ctx, id)
		if err != nil {
			return false, err
		}
		after, err := s.turn(ctx, req)
		if err != nil || after.Revision == req.Revision {
			return after.State.Over(), err
		}
	}
	return false, nil
}

// turn changes a request at most once.
func (s *Service) turn(ctx context.Context, req Request) (Request, error) {
	now := s.now()
	switch {
	case req.CancelRequested && !req.State.Over() && req.Stopping == "":
		return s.change(ctx, req.ID, "cancelled", func(req *Request) error { return s.stop(ctx, req, Cancelled) })
	case req.State == Asked && !now.Before(req.ApproveBy):
		return s.change(ctx, req.ID, "lapsed", func(req *Request) error { req.Lapse(s.now()); return nil })
	case req.State == Asked:
		return req, nil
	}
	for _, place := range req.Owed() {
		if after, err := s.look(ctx, req, place); err != nil || after.Revision != req.Revision {
			return after, err
		}
	}
	step := req.Present()
	switch {
	case step == nil:
		return req, nil
	case step.State == Waiting:
		return s.open(ctx, req, req.present())
	}
	return s.look(ctx, req, req.present())
}

// look updates a step from its review. It reads the review inside the transaction, so that it does
// not end a step that is being released at the same time.
func (s *Service) look(ctx context.Context, req Request, place int) (Request, error) {
	// Get expires a review that is due.
	if _, err := s.c.Make.Get(ctx, req.Steps[place].Review); err != nil && !fault.Is(err, fault.SessionNotFound) {
		return req, err
	}
	return s.change(ctx, req.ID, "seen", func(req *Request) error {
		r, err := s.c.Store.Review(ctx, req.Steps[place].Review)
		if err == nil {
			req.Saw(place, r, s.now())
		}
		return err
	})
}

// open creates the review of the step at place. The review and the step are stored in one
// transaction, so a step never has two reviews, and no review can be signed before the step refers
// to it.
func (s *Service) open(ctx context.Context, req Request, place int) (Request, error) {
	step := req.Steps[place]
	if req.Stopping != "" {
		return req, nil
	}
	if req.Mode == Atomic {
		return s.openWhole(ctx, req)
	}
	if step.Given != "" {
		return s.change(ctx, req.ID, "step", func(req *Request) error {
			if req.MayOpen(place) {
				req.Opened(place, step.Given, step.Intent, step.Most, s.now())
			}
			return nil
		})
	}
	fail := func(why string) (Request, error) { return s.fail(ctx, req.ID, place, why) }
	//mutant:never `moved` ./internal/request TestEntry
	if moved, err := s.moved(ctx, step); err != nil || moved {
		if err != nil {
			return req, err
		}
		return fail(EntryChanged)
	}
	in, most, ok, err := s.resolve(ctx, req, step)
	if err != nil {
		return req, err
	}
	if !ok {
		return fail(NoResult)
	}
	d, err := s.c.Make.Draft(ctx, in)
	switch {
	case err != nil && s.later(req, err):
		return req, nil // the next sweep tries again
	case err != nil:
		return fail(string(fault.As(err).Code))
	case d.Session.Account != req.Account:
		return fail(OtherAccount)
	}
	//mutant:never ./internal/request TestModel
	if step.exceeds(d.Session) != "" {
		return fail(Outside)
	}
	return s.c.Store.ChangeRequest(ctx, req.ID, "step", func(req *Request) (*record.Session, error) {
		//mutant:always ./internal/request TestTwoRunners
		if !req.MayOpen(place) {
			return nil, nil
		}
		stored := d.Session.Intent
		stored.From.ResultOf, stored.From.Share = req.Steps[place].Intent.From.ResultOf, req.Steps[place].Intent.From.Share
		stored.ManagerOf = req.Steps[place].Intent.ManagerOf
		req.Opened(place, d.Session.ID, stored, most, s.now())
		return &d.Session, nil
	})
}

// resolve returns a step's intent with the results of earlier steps that it uses, and the maximum
// that may leave the account. It returns false if such a result does not exist.
func (s *Service) resolve(ctx context.Context, req Request, step Step) (plan.Intent, []plan.Amount, bool, error) {
	in, most := step.Intent, step.Most
	if in.RecipientName != "" {
		in.Recipient = "" // resolve the name again; if its address changed, the step ends
	}
	if from := in.From.ResultOf; from > 0 {
		amount, ok, err := s.resultOf(ctx, req.Steps[from-1])
		if err != nil || !ok {
			return in, most, false, err
		}
		if in.From.Share != "" {
			if amount, ok = plan.ShareOf(amount, in.From.Share); !ok {
				return in, most, false, nil
			}
		}
		in.From.ResultOf, in.From.Share, in.From.Amount, most = 0, "", string(amount.Display), []plan.Amount{amount}
	}
	if in.ManagerOf > 0 {
		id, err := s.made(ctx, req.Steps[in.ManagerOf-1])
		if err != nil || id == "" {
			return in, most, false, err
		}
		in.ManagerOf, in.Manager = 0, id
	}
	return in, most, true, nil
}

// fail fails a step that has no review, and ends the request.
func (s *Service) fail(ctx context.Context, id ID, place int, why string) (Request, error) {
	return s.change(ctx, id, "step failed", func(req *Request) error { req.Fail(place, why, s.now()); return nil })
}

// later reports whether to try again later to create a review.
func (s *Service) later(req Request, err error) bool {
	return fault.Lookup(fault.As(err).Code).Retry == fault.RetryLater && s.now().Sub(req.UpdatedAt) < buildPatience
}

// resultOf returns the amount that the account received in an earlier step, according to the
// receipt.
func (s *Service) resultOf(ctx context.Context, from Step) (plan.Amount, bool, error) {
	r, err := s.c.Store.Review(ctx, from.Review)
	if err != nil || r.Execution == nil || r.Execution.Receipt == nil {
		return plan.Amount{}, false, err
	}
	raw, ok := received(r.Execution.Receipt, from.Result.CoinType)
	return from.Result.Of(raw), ok, nil
}
