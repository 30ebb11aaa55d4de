package request

import (
	"context"
	"io"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Drafted is a request that is not stored yet.
type Drafted struct {
	Request Request
	// Prior means to use up a stored approval of its hash and run the request at once. If there is
	// none, the request waits, and NotHonoured is the reason.
	Prior bool
	// Review is set for a request with one transaction, which has no separate approval. Of Request,
	// only the conversation, the plan and the steps' names are then used.
	Review *record.Session
}

// Store stores requests. Every method that changes something is one write transaction that also
// appends the events.
type Store interface {
	Creator
	// ChangeRequest applies a transition. If the transition does not change Revision, nothing is
	// stored. A review that it returns is stored too. It refuses to start a request while another
	// of the account is running.
	ChangeRequest(ctx context.Context, id ID, what string, law func(*Request) (*record.Session, error)) (Request, error)
	// PartRequest applies a transition that splits a transaction into separately signed steps,
	// gives the request its own task, and ends its original review.
	PartRequest(ctx context.Context, id ID, law func(*Request) error) (Request, error)
	// ReplaceReview ends the only review of a request by a transition, which gets the new review's
	// task. It stores the new review for the same client.
	ReplaceReview(ctx context.Context, id record.ID, next record.Session, law func(old *record.Row,
		task string) error) error
	// KeepApproval ends a request by a transition and stores a one-time approval, valid until a
	// time, of an identical request.
	KeepApproval(ctx context.Context, id ID, page string, law func(*Request) (time.Time, error)) error
	Reader
}

// Creator stores requests. It is a store, or a transaction with other changes.
type Creator interface {
	// CreateRequest stores a drafted request with its task, and returns it with both ids. Without a
	// conversation, it uses the context's. It refuses a request beyond the limit, one identical to
	// a request that waits for an answer, and any while one of the account is running.
	CreateRequest(ctx context.Context, d Drafted) (Request, error)
}

// Reader reads stored requests.
type Reader interface {
	// Request returns a request, or fault.SessionNotFound.
	Request(ctx context.Context, id ID) (Request, error)
	// LiveRequests lists requests that wait for approval or are running, and those with results
	// that may still arrive.
	LiveRequests(ctx context.Context) ([]ID, error)
	// RequestOf returns the latest request that has the review as a step or started as it, or
	// false.
	RequestOf(ctx context.Context, id record.ID) (Request, bool, error)
	Review(ctx context.Context, id record.ID) (record.Session, error)
}

// Maker reads intents and current reviews.
type Maker interface {
	Draft(ctx context.Context, in plan.Intent) (record.Draft, error)
	Promises(s record.Session) (plan.Promise, error)
	// Try returns the error that a draft would cause now, or nil.
	Try(ctx context.Context, draft record.Session) error
	Fee(ctx context.Context, s record.Session) (fee plan.Amount, ok bool)
	// LookSteps runs the preflight of steps that are signed one after another.
	LookSteps(ctx context.Context, steps []record.LookedStep) (blockers []record.StepBlocker, whole bool)
	// Twins lists the account's other requests for the same as a step of an intent, without those
	// of the request itself.
	Twins(ctx context.Context, account sui.Address, bundle string, in plan.Intent) ([]record.Beside, error)
	Get(ctx context.Context, id record.ID) (record.Session, error)
}

// Config holds a Service's dependencies. Only Booked is optional.
type Config struct {
	// Booked returns the address of an address-book entry, or false if the entry was deleted. If it
	// is nil, entries are not checked again.
	Booked func(ctx context.Context, entry string) (address string, ok bool, err error)
	Store  Store
	Make   Maker
	Active func(ctx context.Context) (record.Account, bool, error)
	Hub    *events.Hub
	Now    func() time.Time
	Rand   io.Reader
}

// Service creates requests, records the user's answers, and runs the requests.
type Service struct {
	c     Config
	apart trials
}

// New returns a Service.
func New(c Config) *Service { return &Service{c: c} }

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Get returns the current request.
func (s *Service) Get(ctx context.Context, id ID) (Request, error) {
	req, err := s.c.Store.Request(ctx, id)
	if err != nil || s.now().Before(req.ApproveBy) {
		return req, err
	}
	switch req.State {
	case Asked:
		return s.change(ctx, id, "lapsed", func(req *Request) error { req.Lapse(s.now()); return nil })
	case Signing: // reading expires the review, and the request with it
		if _, err := s.c.Make.Get(ctx, req.Review); err != nil {
			return req, err
		}
		return s.c.Store.Request(ctx, id)
	}
	return req, nil
}

// Live lists the requests that have not ended, oldest first.
func (s *Service) Live(ctx context.Context) (list []Request, err error) {
	ids, err := s.c.Store.LiveRequests(ctx)
	for _, id := range ids {
		req, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if !req.State.Over() {
			list = append(list, req)
		}
	}
	return list, err
}

func (s *Service) change(ctx context.Context, id ID, what string, law func(*Request) error) (Request, error) {
	return s.c.Store.ChangeRequest(ctx, id, what, func(req *Request) (*record.Session, error) { return nil, law(req) })
}

// Answer identifies what a page showed when the user answered. It also contains the page's
// permission, which is checked again inside the transaction.
type Answer struct {
	Revision int64
	Right    func(ctx context.Context) error
}

// to applies an answer to the request that the page showed.
func (a Answer) to(ctx context.Context, req *Request) error {
	if err := a.Right(ctx); err != nil {
		return err
	}
	//mutant:never ./internal/request TestAnswers
	if req.Revision != a.Revision {
		return fault.New(fault.InvalidSessionTransition,
			"The bundle changed after this page showed it. Review it again first.")
	}
	return nil
}

// Twins lists the account's other requests for the same as a step of a request. Equal steps within
// the request are intended.
func (s *Service) Twins(ctx context.Context, req Request) ([]record.Beside, error) {
	in := plan.Intent{Type: plan.Bundle}
	for _, step := range req.Steps {
		one := step.Intent
		one.Protocol = step.Protocol
		in.Steps = append(in.Steps, one)
	}
	return s.c.Make.Twins(ctx, req.Account, string(req.ID), in)
}

// Approve records the user's approval, with what they accepted: again:<id> of other requests.
func (s *Service) Approve(ctx context.Context, id ID, a Answer, accepted []string) (Request, error) {
	return s.change(ctx, id, "approved", func(req *Request) error {
		if err := a.to(ctx, req); err != nil {
			return err
		}
		twins, err := s.Twins(ctx, *req)
		if err != nil {
			return err
		}
		return req.Approve(accepted, twins, s.now())
	})
}

// Reject records the user's rejection.
func (s *Service) Reject(ctx context.Context, id ID, a Answer) (Request, error) {
	return s.change(ctx, id, "rejected", func(req *Request) error {
		if err := a.to(ctx, req); err != nil {
			return err
		}
		return req.Reject(s.now())
	})
}

// Later stores the user's approval of exactly this request, for use within ApprovalLife, and ends
// this one. page names the page of the answer.
func (s *Service) Later(ctx context.Context, id ID, a Answer, page string) error {
	return s.c.Store.KeepApproval(ctx, id, page, func(req *Request) (time.Time, error) {
		if err := a.to(ctx, req); err != nil {
			return time.Time{}, err
		}
		//mutant:never ./internal/request TestMode
		if req.Mode == Atomic {
			return time.Time{}, fault.New(fault.InvalidSessionTransition,
				"A single transaction is approved by signing it. Choose one signature per step first.")
		}
		twins, err := s.Twins(ctx, *req)
		if err == nil && len(twins) > 0 {
			err = fault.New(fault.Blocked,
				"A step repeats a request that is open or was just executed. Such a bundle can only be approved now.").
				With("reason", Duplicate)
		}
		if err != nil {
			return time.Time{}, err
		}
		return s.now().Add(ApprovalLife), req.Keep(s.now())
	})
}

// Stop ends a running request, or lets it end after the current step if that was released. It
// applies to any revision.
func (s *Service) Stop(ctx context.Context, id ID, right func(context.Context) error) (Request, error) {
	return s.change(ctx, id, "stopped", func(req *Request) error {
		if err := right(ctx); err != nil {
			return err
		}
		return s.stop(ctx, req, Cancelled)
	})
}

// stop ends a request according to its current review in this transaction.
func (s *Service) stop(ctx context.Context, req *Request, why string) error {
	var now *record.Session
	if step := req.Present(); step != nil && step.Review != "" && step.State != Waiting {
		r, err := s.c.Store.Review(ctx, step.Review)
		if err != nil {
			return err
		}
		now = &r
	}
	req.Stop(why, now, s.now())
	return nil
}

// Of returns the request that a review is a step of, or false. It also returns false if the review
// is the whole request.
func (s *Service) Of(ctx context.Context, id record.ID) (Request, bool, error) {
	req, ok, err := s.c.Store.RequestOf(ctx, id)
	return req, ok && !req.only(id), err
}

// Key returns the key chosen to sign a review's transaction, or the zero Key.
func (s *Service) Key(ctx context.Context, id record.ID) (k actions.Key, err error) {
	req, ok, err := s.c.Store.RequestOf(ctx, id)
	if err != nil || !ok {
		return k, err
	}
	for _, step := range req.Steps {
		if k == (actions.Key{}) && (step.Review == id || req.Review == id) {
			k = step.Key
		}
	}
	return k, nil
}
