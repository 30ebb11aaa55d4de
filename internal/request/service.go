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
	// Prior asks to use a stored approval with the same hash, and to run the request at once. If
	// there is none, the request waits for approval and NotHonoured is set.
	Prior bool
	// Review is set for a request with one transaction, which needs no separate approval. In this
	// case only the conversation, the plan and the step names of Request are used.
	Review *record.Session
}

// Store stores requests. Each method that changes data is one write transaction, which also appends
// the events.
type Store interface {
	Creator
	// ChangeRequest applies a transition. Nothing is stored if law leaves Revision unchanged. If
	// law returns a review, it is stored too. ChangeRequest returns an error if law starts a
	// request while another one of the account is running.
	ChangeRequest(ctx context.Context, id ID, what string, law func(*Request) (*record.Session, error)) (Request, error)
	// PartRequest applies a transition that splits one transaction into separately signed steps. It
	// gives the request a task of its own and ends its original review.
	PartRequest(ctx context.Context, id ID, law func(*Request) error) (Request, error)
	// ReplaceReview replaces the only review of a request with next, which belongs to the same
	// client. law ends the old review; task is the task of the new one.
	ReplaceReview(ctx context.Context, id record.ID, next record.Session, law func(old *record.Row,
		task string) error) error
	// KeepApproval ends a request and stores an approval that an identical request can use once.
	// law ends the request and returns when the approval expires.
	KeepApproval(ctx context.Context, id ID, page string, law func(*Request) (time.Time, error)) error
	Reader
}

// Creator stores new requests. It is a store, or a transaction that also changes other data.
type Creator interface {
	// CreateRequest stores a drafted request with its task, and returns it with its IDs. If the
	// request has no conversation, it belongs to that of ctx. CreateRequest returns an error if
	// there were too many requests, if an identical request is waiting for an answer, or if a
	// request of the account is running.
	CreateRequest(ctx context.Context, d Drafted) (Request, error)
}

// Reader reads stored requests.
type Reader interface {
	// Request returns a request, or fault.SessionNotFound.
	Request(ctx context.Context, id ID) (Request, error)
	// LiveRequests lists the requests that are waiting for approval or running, and those with
	// results that may still arrive.
	LiveRequests(ctx context.Context) ([]ID, error)
	// RequestOf returns the latest request that has the review as a step, or as its original
	// review. It returns false if there is none.
	RequestOf(ctx context.Context, id record.ID) (Request, bool, error)
	Review(ctx context.Context, id record.ID) (record.Session, error)
}

// Maker drafts reviews and reads existing ones.
type Maker interface {
	Draft(ctx context.Context, in plan.Intent) (record.Draft, error)
	Promises(s record.Session) (plan.Promise, error)
	// Try returns the error that computing the draft's transaction would cause now, or nil.
	Try(ctx context.Context, draft record.Session) error
	Fee(ctx context.Context, s record.Session) (fee plan.Amount, ok bool)
	// LookSteps runs the preliminary checks of steps that are signed one after another.
	LookSteps(ctx context.Context, steps []record.LookedStep) (blockers []record.StepBlocker, whole bool)
	// Twins lists the account's other requests for the same as a step of an intent. It excludes
	// those of the bundle itself.
	Twins(ctx context.Context, account sui.Address, bundle string, in plan.Intent) ([]record.Related, error)
	Get(ctx context.Context, id record.ID) (record.Session, error)
}

// Config configures a Service. All fields except Booked are required.
type Config struct {
	// Booked returns the address of an address-book entry, or false if the entry was deleted. If
	// Booked is nil, entries are not checked again after approval.
	Booked func(ctx context.Context, entry string) (address string, ok bool, err error)
	Store  Store
	Make   Maker
	Active func(ctx context.Context) (record.Account, bool, error)
	Hub    *events.Hub
	Now    func() time.Time
	Rand   io.Reader
}

// Service creates requests, records the user's answers, and advances requests.
type Service struct {
	c     Config
	apart trials
}

// New returns a Service.
func New(c Config) *Service { return &Service{c: c} }

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Get returns a request, after ending it if it has expired.
func (s *Service) Get(ctx context.Context, id ID) (Request, error) {
	req, err := s.c.Store.Request(ctx, id)
	if err != nil || s.now().Before(req.ApproveBy) {
		return req, err
	}
	switch req.State {
	case Asked:
		return s.change(ctx, id, "lapsed", func(req *Request) error { req.Lapse(s.now()); return nil })
	case Signing: // reading the review expires it, and the request with it
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

// Answer is the user's answer on a page. Revision identifies what the page showed. Right checks the
// page's permission inside the transaction.
type Answer struct {
	Revision int64
	Right    func(ctx context.Context) error
}

// to returns an error if the page's permission has ended or req differs from what the page showed.
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

// Twins lists the account's other requests for the same as a step of req. Equal steps within req
// are not listed, because they are intended.
func (s *Service) Twins(ctx context.Context, req Request) ([]record.Related, error) {
	in := plan.Intent{Type: plan.Bundle}
	for _, step := range req.Steps {
		one := step.Intent
		one.Protocol = step.Protocol
		in.Steps = append(in.Steps, one)
	}
	return s.c.Make.Twins(ctx, req.Account, string(req.ID), in)
}

// Approve records the user's approval. accepted contains again:<id> for each repeated request that
// the user confirmed.
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

// Later ends a request and stores the user's approval of exactly this request, to be used within
// ApprovalLife. page is the page on which the user answered.
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

// Stop ends a running request. If the current step was released, the request ends after that step.
// Stop does not require that the page showed the current revision.
func (s *Service) Stop(ctx context.Context, id ID, right func(context.Context) error) (Request, error) {
	return s.change(ctx, id, "stopped", func(req *Request) error {
		if err := right(ctx); err != nil {
			return err
		}
		return s.stop(ctx, req, Cancelled)
	})
}

// stop ends a request, with the state of its current review in this transaction.
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

// Of returns the request that has a review as a step. It returns false if there is none, or if the
// review is the whole request.
func (s *Service) Of(ctx context.Context, id record.ID) (Request, bool, error) {
	req, ok, err := s.c.Store.RequestOf(ctx, id)
	return req, ok && !req.only(id), err
}

// Key returns the key that the requester chose to sign a review's transaction, or the zero Key.
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
