package request

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Mode determines how the steps of a request are signed.
type Mode string

// The modes. In an atomic request all steps share one review, and therefore one status and digest.
const (
	OneByOne Mode = "steps"  // one transaction per step, signed in turn
	Atomic   Mode = "atomic" // one transaction with all steps, signed once
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{OneByOne, Atomic} }

// MostAtomic is the maximum number of steps in one transaction.
const MostAtomic = 8

// Whole returns the steps as one intent. It returns an error if it is known without planning that
// they cannot be one transaction.
func (req *Request) Whole() (plan.Intent, error) {
	in := plan.Intent{Type: plan.Bundle}
	no := func(format string, args ...any) (plan.Intent, error) {
		return in, fault.New(fault.InputInvalid, format, args...).With("field", "mode")
	}
	if len(req.Steps) < 2 || len(req.Steps) > MostAtomic {
		return no("One transaction must have 2 to %d steps. Sign each step separately.", MostAtomic)
	}
	for i, s := range req.Steps {
		//mutant:never ./internal/request TestMode
		if s.Given != "" {
			return no("Step %d is a review prepared separately, with its own transaction. Sign each step separately.", i+1)
		}
		one := s.Intent
		if one.RecipientName != "" {
			one.Recipient = "" // the name is resolved again; see exceeds
		}
		in.Steps = append(in.Steps, one)
	}
	return in, nil
}

// Choose changes the mode before the user answers.
func (req *Request) Choose(m Mode, now time.Time) error {
	if err := req.answerable(now); err != nil {
		return err
	}
	if req.Mode != m {
		req.Mode = m
		req.touch(now)
	}
	return nil
}

// Choose changes the mode before the user answers. To choose Atomic, the steps must work as one
// transaction; if they do not, Choose returns the reason.
func (s *Service) Choose(ctx context.Context, id ID, a Answer, m Mode) (Request, error) {
	if !slices.Contains(Modes(), m) {
		return Request{}, fault.New(fault.InputInvalid, "The mode of a bundle must be steps or atomic.").With("field", "mode")
	}
	if m == Atomic {
		if err := s.whether(ctx, id); err != nil {
			return Request{}, err
		}
	}
	return s.change(ctx, id, "mode", func(req *Request) error {
		if err := a.to(ctx, req); err != nil {
			return err
		}
		return req.Choose(m, s.now())
	})
}

// whether returns an error if the steps of a request cannot be one transaction now.
func (s *Service) whether(ctx context.Context, id ID) error {
	req, err := s.Get(ctx, id)
	if err == nil {
		err = req.answerable(s.now())
	}
	if err == nil {
		err = s.together(ctx, req)
	}
	if err == nil {
		return nil
	}
	f := *fault.As(err)
	f.Text = "It stays one signature per step: " + f.Text
	return &f
}

// together returns an error if the steps cannot be one transaction now. It runs the trial that the
// page of that transaction would run.
func (s *Service) together(ctx context.Context, req Request) error {
	r, err := s.whole(ctx, req)
	if err != nil {
		return err
	}
	return s.c.Make.Try(ctx, r)
}

// Part splits a review of one transaction into separately signed steps, at the user's request. It
// ends the review, and returns an error if the review was released to a wallet.
func (s *Service) Part(ctx context.Context, id record.ID, right func(context.Context) error) (Request, error) {
	r, err := s.c.Make.Get(ctx, id)
	if err == nil {
		err = right(ctx)
	}
	if err != nil {
		return Request{}, err
	}
	req, ok, err := s.c.Store.RequestOf(ctx, id)
	switch {
	case err != nil:
		return req, err
	case !ok:
		return req, fault.New(fault.SessionNotFound, "This request is no longer stored. Request it again.")
	case req.State == Signing && len(r.Intent.Steps) > 0 && (r.Status.Terminal() || len(r.Releases) > 0):
		return req, record.NotNow(r.Status, "another way to sign")
	}
	if now := s.now(); req.State == Signing && len(req.Steps) > 1 {
		var steps []Wanted
		for _, step := range req.Steps {
			in := step.Intent
			if in.RecipientName != "" {
				in.Recipient = ""
			}
			steps = append(steps, Wanted{ID: step.ID, Sequence: step.Sequence, Chain: step.Chain, Intent: in, Wait: true,
				Timeout: DefaultReceipt})
		}
		drafted, err := s.Draft(ctx, "", false, steps)
		if err != nil {
			return req, err
		}
		return s.c.Store.PartRequest(ctx, req.ID, func(req *Request) error { return req.Part(drafted.Request, now) })
	}
	return req, req.Part(Request{}, s.now())
}

// whole plans all steps as one transaction.
func (s *Service) whole(ctx context.Context, req Request) (record.Session, error) {
	in, err := req.Whole()
	if err != nil {
		return record.Session{}, err
	}
	d, err := s.c.Make.Draft(ctx, in)
	switch {
	case err != nil:
		return record.Session{}, err
	case d.Session.Account != req.Account:
		return record.Session{}, fault.New(fault.InvalidSessionTransition,
			"A different account is active now. Switch to the account of this bundle first.").
			With("reason", OtherAccount)
	}
	//mutant:never ./internal/request TestWholeBoundsName
	if what := req.exceedsWhole(d.Session); what != "" {
		return record.Session{}, fault.New(fault.InvalidSessionTransition, "As one transaction, %s.", what).With("reason",
			Outside)
	}
	return d.Session, nil
}

// shared copies the review's state to all steps of an atomic request.
func (req *Request) shared(from *Step) {
	if req.Mode != Atomic {
		return
	}
	for i := range req.Steps {
		o := &req.Steps[i]
		o.State, o.TxHash, o.Error, o.Handed, o.SubmittedAt = from.State, from.TxHash, from.Error, from.Handed,
			from.SubmittedAt
	}
}

// patience returns the timeout of the receipt for the step at place.
func (req *Request) patience(place int) time.Duration {
	longest := req.Steps[place].Timeout
	if req.Mode == Atomic {
		for _, s := range req.Steps {
			longest = max(longest, s.Timeout)
		}
	}
	return longest
}

// exceeds describes how the review of the step at place exceeds the approval. It returns "" if the
// review does not, or if nothing was built yet.
func (req *Request) exceeds(place int, r record.Session) string {
	if req.Mode != Atomic {
		return req.Steps[place].exceeds(r)
	}
	return req.exceedsWhole(r)
}

func (req *Request) exceedsWhole(r record.Session) string {
	if len(r.Intent.Steps) != len(req.Steps) {
		return "its steps differ from those you approved"
	}
	for i, in := range r.Intent.Steps {
		if in.Protocol != req.Steps[i].Protocol {
			return "it would use another protocol than you approved"
		}
		//mutant:never ./internal/request TestWholeBounds
		if in.Recipient != req.Steps[i].Intent.Recipient {
			return "it would pay another recipient than you approved"
		}
	}
	if r.Facts == nil {
		return ""
	}
	limits := req.Limits()
	return beyond(r.Facts.Promise(), func(a plan.Amount) bool {
		i := slices.IndexFunc(limits, func(o Outflow) bool { return o.CoinType == a.CoinType })
		if i < 0 {
			return false
		}
		most, ok := new(big.Int).SetString(limits[i].Raw, 10)
		return ok && plan.BigInt(a.Raw).Cmp(most) <= 0
	})
}

// beyond describes a loss under the promise that is not within the approved amounts, or returns "".
func beyond(p plan.Promise, within func(plan.Amount) bool) string {
	most, unbounded := losses(p)
	if unbounded.CoinType != "" {
		return "it does not limit how much " + unbounded.Symbol + " leaves your account"
	}
	for _, a := range most {
		//mutant:never ./internal/request TestHanding
		if !within(a) {
			return "up to " + a.String() + " would leave your account, which is more than you approved"
		}
	}
	return ""
}

// openWhole creates the review that contains all steps.
func (s *Service) openWhole(ctx context.Context, req Request) (Request, error) {
	for _, step := range req.Steps {
		if moved, err := s.moved(ctx, step); err != nil || moved {
			if err != nil {
				return req, err
			}
			return s.fail(ctx, req.ID, 0, EntryChanged)
		}
	}
	r, err := s.whole(ctx, req)
	if err != nil {
		if s.later(req, err) {
			return req, nil
		}
		return s.fail(ctx, req.ID, 0, reasonOf(err))
	}
	return s.c.Store.ChangeRequest(ctx, req.ID, "step", func(req *Request) (*record.Session, error) {
		if !req.MayOpen(0) {
			return nil, nil
		}
		for i := range req.Steps {
			req.Steps[i].State, req.Steps[i].Review = Open, r.ID
		}
		req.touch(s.now())
		return &r, nil
	})
}

// reasonOf returns the code with which a result states an error.
func reasonOf(err error) string {
	f := fault.As(err)
	if why := f.Detail.Get("reason"); why == OtherAccount || why == Outside {
		return why
	}
	return strings.TrimSpace(string(f.Code))
}
