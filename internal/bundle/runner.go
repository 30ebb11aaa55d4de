package bundle

import (
	"context"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

const (
	busyBeat = time.Second      // between two looks while a bundle is not over
	idleBeat = 10 * time.Second // else

	mostTurns = 64 // changes of one bundle in a row; the next sweep makes the rest
)

// Run carries bundles on until ctx ends. One process of a store does it; a second one does
// no harm, because each transition is judged on what is stored. It keeps nothing in memory,
// so whoever runs next goes on where this one ended.
func (s *Service) Run(ctx context.Context, report func(error)) {
	bundles := s.c.Hub.Watch(events.Subject{Kind: events.Bundle})
	defer bundles.Close()
	reviews := s.c.Hub.Watch(events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	defer reviews.Close()
	told := "" // the same trouble is reported once
	for {
		busy, err := s.Sweep(ctx)
		switch {
		case err == nil:
			told = ""
		case ctx.Err() == nil && err.Error() != told:
			told = err.Error()
			report(err)
		}
		beat := idleBeat
		if busy {
			beat = busyBeat
		}
		timer := time.NewTimer(beat)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-bundles.C:
		case <-reviews.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// Sweep carries every live bundle on by what can be done now. It reports whether one is
// not over.
func (s *Service) Sweep(ctx context.Context) (busy bool, err error) {
	list, err := s.c.Store.LiveBundles(ctx)
	for _, id := range list {
		over, one := s.advance(ctx, id)
		if one != nil {
			err = one
		}
		busy = busy || !over
	}
	return busy, err
}

// advance carries one bundle on as far as it goes without waiting.
func (s *Service) advance(ctx context.Context, id ID) (over bool, err error) {
	for range mostTurns {
		b, err := s.c.Store.Bundle(ctx, id)
		if err != nil {
			return false, err
		}
		after, err := s.turn(ctx, b)
		if err != nil || after.Revision == b.Revision {
			return after.State.Over(), err
		}
	}
	return false, nil
}

// turn makes one change of a bundle, or none.
func (s *Service) turn(ctx context.Context, b Bundle) (Bundle, error) {
	now := s.now()
	switch {
	case b.CancelRequested && !b.State.Over() && b.Stopping == "":
		return s.change(ctx, b.ID, "cancelled", func(b *Bundle) error { return s.stop(ctx, b, Cancelled) })
	case b.State == Asked && !now.Before(b.ApproveBy):
		return s.change(ctx, b.ID, "lapsed", func(b *Bundle) error { b.Lapse(s.now()); return nil })
	case b.State == Asked:
		return b, nil
	}
	for _, place := range b.Owed() {
		if after, err := s.look(ctx, b, place); err != nil || after.Revision != b.Revision {
			return after, err
		}
	}
	step := b.Present()
	switch {
	case step == nil:
		return b, nil
	case step.State == Waiting:
		return s.open(ctx, b, b.present())
	}
	return s.look(ctx, b, b.present())
}

// look takes what the review of a step says now. The review is read again inside the
// transaction, so that a step which is handed out this moment is not ended as if it were
// not.
func (s *Service) look(ctx context.Context, b Bundle, place int) (Bundle, error) {
	// A review whose time is over expires by this call.
	if _, err := s.c.Make.Get(ctx, b.Steps[place].Review); err != nil && !fault.Is(err, fault.SessionNotFound) {
		return b, err
	}
	return s.change(ctx, b.ID, "seen", func(b *Bundle) error {
		r, err := s.c.Store.Review(ctx, b.Steps[place].Review)
		if err == nil {
			b.Saw(place, r, s.now())
		}
		return err
	})
}

// open makes the review of the step whose turn it is. Before it is stored, nothing can be
// signed; and it is stored together with the step, so that a step never has two.
func (s *Service) open(ctx context.Context, b Bundle, place int) (Bundle, error) {
	step := b.Steps[place]
	if b.Stopping != "" {
		return b, nil
	}
	if b.Mode == Atomic {
		return s.openWhole(ctx, b)
	}
	if step.Given != "" {
		return s.change(ctx, b.ID, "step", func(b *Bundle) error {
			if b.MayOpen(place) {
				b.Opened(place, step.Given, step.Intent, step.Most, s.now())
			}
			return nil
		})
	}
	fail := func(why string) (Bundle, error) { return s.fail(ctx, b.ID, place, why) }
	//mutant:never `moved` ./internal/bundle TestEntry
	if moved, err := s.moved(ctx, step); err != nil || moved {
		if err != nil {
			return b, err
		}
		return fail(EntryChanged)
	}
	in, most := step.Intent, step.Most
	if in.RecipientName != "" {
		in.Recipient = "" // the name is read again; where it leads elsewhere, the step ends
	}
	if from := in.From.ResultOf; from > 0 {
		amount, ok, err := s.resultOf(ctx, b.Steps[from-1])
		if err != nil {
			return b, err
		}
		if !ok {
			return fail(NoResult)
		}
		if in.From.Share != "" {
			if amount, ok = plan.ShareOf(amount, in.From.Share); !ok {
				return fail(NoResult)
			}
		}
		in.From.ResultOf, in.From.Share, in.From.Amount, most = 0, "", string(amount.Display), []plan.Amount{amount}
	}
	if in.ManagerOf > 0 {
		id, err := s.made(ctx, b.Steps[in.ManagerOf-1])
		if err != nil {
			return b, err
		}
		if id == "" {
			return fail(NoResult)
		}
		in.ManagerOf, in.Manager = 0, id
	}
	d, err := s.c.Make.Draft(ctx, in)
	switch {
	case err != nil && s.later(b, err):
		return b, nil // the next sweep tries again
	case err != nil:
		return fail(string(fault.As(err).Code))
	case d.Session.Account != b.Account:
		return fail(OtherAccount)
	}
	//mutant:never ./internal/bundle TestModel
	if step.exceeds(d.Session) != "" {
		return fail(Outside)
	}
	return s.c.Store.ChangeBundle(ctx, b.ID, "step", func(b *Bundle) (*record.Session, error) {
		//mutant:always ./internal/bundle TestTwoRunners
		if !b.MayOpen(place) {
			return nil, nil
		}
		stored := d.Session.Intent
		stored.From.ResultOf, stored.From.Share = b.Steps[place].Intent.From.ResultOf, b.Steps[place].Intent.From.Share
		stored.ManagerOf = b.Steps[place].Intent.ManagerOf
		b.Opened(place, d.Session.ID, stored, most, s.now())
		return &d.Session, nil
	})
}

// fail ends a step of which there is no review.
func (s *Service) fail(ctx context.Context, id ID, place int, why string) (Bundle, error) {
	return s.change(ctx, id, "step failed", func(b *Bundle) error { b.Fail(place, why, s.now()); return nil })
}

// later reports whether a step that could not be made now is tried again.
func (s *Service) later(b Bundle, err error) bool {
	return fault.Lookup(fault.As(err).Code).Retry == fault.RetryLater && s.now().Sub(b.UpdatedAt) < buildPatience
}

// resultOf is what an earlier step brought to the account, by its receipt.
func (s *Service) resultOf(ctx context.Context, from Step) (plan.Amount, bool, error) {
	r, err := s.c.Store.Review(ctx, from.Review)
	if err != nil || r.Execution == nil || r.Execution.Receipt == nil {
		return plan.Amount{}, false, err
	}
	raw, ok := received(r.Execution.Receipt, from.Result.CoinType)
	return from.Result.Of(raw), ok, nil
}
