package bundle

import (
	"context"
	"io"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// Store keeps bundles durably. Every method that changes something is one write
// transaction, and appends the events of the change in it.
type Store interface {
	// CreateBundle stores a new bundle with its task, and returns it with both ids. One of
	// no conversation is of that of this process. An equal
	// one that waits for its answer, and one of the account that runs, are refused. Where
	// prior, a stored approval of its hash that holds now is used up and the bundle runs at
	// once; without one it waits, and NotHonoured says why.
	CreateBundle(ctx context.Context, b Bundle, prior bool) (Bundle, error)
	// Bundle returns a bundle, or fault.SessionNotFound.
	Bundle(ctx context.Context, id ID) (Bundle, error)
	// ChangeBundle applies a transition. A transition that leaves Revision as it was changes
	// nothing. A review that it returns is stored with the bundle. Of one account at most
	// one bundle runs: another is refused.
	ChangeBundle(ctx context.Context, id ID, what string, law func(*Bundle) (*record.Session, error)) (Bundle, error)
	// LiveBundles lists bundles that are not over, and those with results that may still
	// come.
	LiveBundles(ctx context.Context) ([]ID, error)
	// BundleOf returns the latest bundle that a review is a step of, false where there is none.
	BundleOf(ctx context.Context, id record.ID) (Bundle, bool, error)
	// KeepApproval ends a bundle by its transition and stores that exactly such a one is
	// approved until a time, once.
	KeepApproval(ctx context.Context, id ID, page string, law func(*Bundle) (time.Time, error)) error
	Reviews
}

// Reviews is what is read of stored reviews.
type Reviews interface {
	Review(ctx context.Context, id record.ID) (record.Session, error)
}

// Maker reads intents, and reviews as they stand now.
type Maker interface {
	Draft(ctx context.Context, in plan.Intent) (review.Draft, error)
	Promises(s record.Session) (plan.Promise, error)
	// Try returns what would stop a draft as things are now, or nil.
	Try(ctx context.Context, draft record.Session) error
	Fee(ctx context.Context, s record.Session) (fee plan.Amount, ok bool)
	// Twins lists the other requests of an account that ask for the same as a step of an
	// intent, but for what the bundle itself asks for.
	Twins(ctx context.Context, account sui.Address, bundle string, in plan.Intent) ([]record.Beside, error)
	Get(ctx context.Context, id record.ID) (record.Session, error)
}

// Config is what a Service works with. All of it is required but Booked.
type Config struct {
	// Booked returns the address of an address-book entry, false for one that is not there
	// any more. Without it, entries are not looked at again.
	Booked func(ctx context.Context, entry string) (address string, ok bool, err error)
	Store  Store
	Make   Maker
	Active func(ctx context.Context) (record.Account, bool, error)
	Hub    *events.Hub
	Now    func() time.Time
	Rand   io.Reader
}

// Service makes bundles, takes the person's answers, and runs them.
type Service struct {
	c     Config
	apart trials
}

// New returns a Service.
func New(c Config) *Service { return &Service{c: c} }

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Get returns a bundle as it stands.
func (s *Service) Get(ctx context.Context, id ID) (Bundle, error) {
	b, err := s.c.Store.Bundle(ctx, id)
	if err == nil && b.State == Asked && !s.now().Before(b.ApproveBy) {
		return s.change(ctx, id, "lapsed", func(b *Bundle) error { b.Lapse(s.now()); return nil })
	}
	return b, err
}

// Live lists the bundles that are not over, the oldest first.
func (s *Service) Live(ctx context.Context) (list []Bundle, err error) {
	ids, err := s.c.Store.LiveBundles(ctx)
	for _, id := range ids {
		b, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if !b.State.Over() {
			list = append(list, b)
		}
	}
	return list, err
}

func (s *Service) change(ctx context.Context, id ID, what string, law func(*Bundle) error) (Bundle, error) {
	return s.c.Store.ChangeBundle(ctx, id, what, func(b *Bundle) (*record.Session, error) { return nil, law(b) })
}

// Answer is what a page shows as it answers, and its right to act, which is judged once
// more inside the transaction.
type Answer struct {
	Revision int64
	Right    func(ctx context.Context) error
}

// to applies an answer to the bundle that the page showed.
func (a Answer) to(ctx context.Context, b *Bundle) error {
	if err := a.Right(ctx); err != nil {
		return err
	}
	//mutant:never ./internal/bundle TestAnswers
	if b.Revision != a.Revision {
		return fault.New(fault.InvalidSessionTransition, "The bundle changed since this page showed it. Look at it again first.")
	}
	return nil
}

// Twins lists the other requests of the account that ask for the same as a step of a
// bundle. Equal steps of the bundle itself are meant.
func (s *Service) Twins(ctx context.Context, b Bundle) ([]record.Beside, error) {
	in := plan.Intent{Type: plan.Bundle}
	for _, step := range b.Steps {
		one := step.Intent
		one.Protocol = step.Protocol
		in.Steps = append(in.Steps, one)
	}
	return s.c.Make.Twins(ctx, b.Account, string(b.ID), in)
}

// Approve takes the person's yes, with what they ticked: again:<id> of other requests.
func (s *Service) Approve(ctx context.Context, id ID, a Answer, accepted []string) (Bundle, error) {
	return s.change(ctx, id, "approved", func(b *Bundle) error {
		if err := a.to(ctx, b); err != nil {
			return err
		}
		twins, err := s.Twins(ctx, *b)
		if err != nil {
			return err
		}
		return b.Approve(accepted, twins, s.now())
	})
}

// Reject takes the person's no.
func (s *Service) Reject(ctx context.Context, id ID, a Answer) (Bundle, error) {
	return s.change(ctx, id, "rejected", func(b *Bundle) error {
		if err := a.to(ctx, b); err != nil {
			return err
		}
		return b.Reject(s.now())
	})
}

// Later takes the person's yes to exactly such a bundle when it is asked for again within
// ApprovalLife, and ends this one. page names the page on which it was said.
func (s *Service) Later(ctx context.Context, id ID, a Answer, page string) error {
	return s.c.Store.KeepApproval(ctx, id, page, func(b *Bundle) (time.Time, error) {
		if err := a.to(ctx, b); err != nil {
			return time.Time{}, err
		}
		//mutant:never ./internal/bundle TestMode
		if b.Mode == Atomic {
			return time.Time{}, fault.New(fault.InvalidSessionTransition,
				"One transaction is approved by signing it. Choose one signature per step first.")
		}
		twins, err := s.Twins(ctx, *b)
		if err == nil && len(twins) > 0 {
			err = fault.New(fault.Blocked, "A step asks for what is open elsewhere, or was done just now. That is approved only at once.").
				With("reason", Duplicate)
		}
		if err != nil {
			return time.Time{}, err
		}
		return s.now().Add(ApprovalLife), b.Keep(s.now())
	})
}

// Stop ends a bundle that runs, or after the present step where that is with a wallet. It
// is for whatever has come meanwhile, so it names no revision.
func (s *Service) Stop(ctx context.Context, id ID, right func(context.Context) error) (Bundle, error) {
	return s.change(ctx, id, "stopped", func(b *Bundle) error {
		if err := right(ctx); err != nil {
			return err
		}
		return s.stop(ctx, b, Cancelled)
	})
}

// stop ends a bundle by what its present review says in this transaction.
func (s *Service) stop(ctx context.Context, b *Bundle, why string) error {
	var now *record.Session
	if step := b.Present(); step != nil && step.Review != "" && step.State != Waiting {
		r, err := s.c.Store.Review(ctx, step.Review)
		if err != nil {
			return err
		}
		now = &r
	}
	b.Stop(why, now, s.now())
	return nil
}

// Of returns the bundle that a review is a step of, false where there is none.
func (s *Service) Of(ctx context.Context, id record.ID) (Bundle, bool, error) {
	return s.c.Store.BundleOf(ctx, id)
}
