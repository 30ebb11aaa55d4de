package plans

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

const (
	answerTime = time.Minute      // for one answer, nodes and all
	leftAlone  = 10 * time.Second // after that an unanswered call is another process's to answer
)

// Store stores plans, and calls until they are answered.
type Store interface {
	// KeepPlanCall stores a call, and the plan that it sets, if any. It returns fault.RateLimited
	// if MostPending calls of its conversation are waiting.
	KeepPlanCall(ctx context.Context, c Call, set *Plan) error
	// Plan returns a plan with the state of its groups, or fault.SessionNotFound.
	Plan(ctx context.Context, id ID) (Plan, error)
	// AnswerPlan passes the plan of a call to law, in one write transaction, and stores the account
	// and the requests that law sets, and the event that it returns. A call that was already
	// answered or withdrawn changes nothing.
	AnswerPlan(ctx context.Context, c Call, law func(p *Plan, ask Ask) (bus.Body, error)) error
	// PlanCalls lists the calls from before a time that are not answered.
	PlanCalls(ctx context.Context, before time.Time) ([]Call, error)
	// WithdrawPlanCall withdraws a call whose answer the client does not receive, and what it
	// created, unless the user already has it.
	WithdrawPlanCall(ctx context.Context, c Call) error
	Conversations
}

// Conversations identifies the clients of conversations.
type Conversations interface {
	// Bus returns the conversation that a context's work belongs to.
	Bus(ctx context.Context) string
	Following(ctx context.Context, session string) (newest, client string, err error)
}

// Requests judges steps and drafts requests of them.
type Requests interface {
	Judge(ctx context.Context, label string, steps []request.Wanted) (sui.Address, []error, error)
	Draft(ctx context.Context, label string, skip bool, steps []request.Wanted) (request.Drafted, error)
	// Look returns the problems of a drafted request that can be found now.
	Look(ctx context.Context, req request.Request) (blockers []request.StepBlocker, whole bool)
}

// Maker reads intents of several steps that are one transaction.
type Maker interface {
	Read(ctx context.Context, in plan.Intent) (record.Session, error)
	// Together returns why the steps of a review cannot be one transaction now, or nil.
	Together(ctx context.Context, session record.Session) error
}

// Book resolves an address book entry.
type Book interface {
	Recipient(ctx context.Context, id string) (book.Entry, error)
}

// Config configures a Service. All fields are required.
type Config struct {
	Store    Store
	Requests Requests
	Make     Maker
	Book     Book
	Now      func() time.Time
}

// Service accepts plans and answers calls. It is safe for concurrent use.
type Service struct {
	c    Config
	all  context.Context
	stop context.CancelFunc

	mu     sync.Mutex // orders begin before Close
	closed bool
	work   sync.WaitGroup
}

// New returns a Service; Close ends it.
func New(c Config) *Service {
	s := &Service{c: c}
	s.all, s.stop = context.WithCancel(context.Background())
	return s
}

// Close interrupts calls being answered and waits for them. Another process answers the rest.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.work.Wait()
}

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Set accepts a plan whose groups can be ordered, and returns an error for any other. The bus
// reports whether its steps can be executed.
func (s *Service) Set(ctx context.Context, groups []Group) (Call, error) {
	if err := Check(groups); err != nil {
		return Call{}, err
	}
	text, err := json.Marshal(groups)
	if err != nil {
		return Call{}, fault.Wrap(err, fault.InternalError, "The plan cannot be written down.")
	}
	if err := actions.Screen(text); err != nil {
		return Call{}, err
	}
	now := s.now()
	p := Plan{ID: ID(bus.NewID("plan_")), Session: s.c.Store.Bus(ctx), Groups: groups, CreatedAt: now, UpdatedAt: now}
	return s.keep(ctx, Call{Tool: SetTool, Plan: p.ID}, &p)
}

// Next accepts a call for the ready groups of a plan. It does not find a plan of another client
// than this conversation's.
func (s *Service) Next(ctx context.Context, id ID) (Call, error) {
	p, err := s.c.Store.Plan(ctx, id)
	own := false
	if err == nil {
		own, err = s.own(ctx, p)
	}
	//mutant:never `!own` ./tools TestPlanOfAnother
	if err == nil && !own || fault.Is(err, fault.SessionNotFound) {
		return Call{}, fault.New(fault.SessionNotFound,
			"No plan has this ID. Set one; plans are kept for 30 days.").
			With("reason", "plan_not_found")
	}
	if err != nil {
		return Call{}, err
	}
	if len(p.Groups) == 0 {
		return Call{}, ended()
	}
	return s.keep(ctx, Call{Tool: NextTool, Plan: id}, nil)
}

// ended returns the error for a plan of an earlier version, which stored plans differently.
func ended() error {
	return fault.New(fault.SessionNotFound,
		"This plan ended when Say Ur Intent was updated. What it asked for goes on by itself: "+
			"see task.list. Set a new plan for what remains.").With("reason", "plan_ended")
}

// own reports whether a plan is of this conversation, or of an earlier one of the client
// whose newest this is.
func (s *Service) own(ctx context.Context, p Plan) (bool, error) {
	here := s.c.Store.Bus(ctx)
	if p.Session == here {
		return true, nil
	}
	newest, _, err := s.c.Store.Following(ctx, p.Session)
	return newest == here, err
}

// keep stores a call and begins to answer it.
func (s *Service) keep(ctx context.Context, c Call, set *Plan) (Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Call{}, fault.New(fault.RequestAborted, "This process is ending.")
	}
	c.ID, c.Session, c.At = bus.NewID("call_"), s.c.Store.Bus(ctx), s.now()
	if err := s.c.Store.KeepPlanCall(ctx, c, set); err != nil {
		return Call{}, err
	}
	s.work.Go(func() { _ = s.answer(s.all, c) }) // Sweep answers what cannot be answered now
	return c, nil
}

// Withdraw withdraws a call whose answer the client does not receive.
func (s *Service) Withdraw(ctx context.Context, c Call) error {
	return s.c.Store.WithdrawPlanCall(ctx, c)
}

// Sweep answers calls that a process took which has not answered them: it ended, or the
// store could not be written. One process of a store does it; a second one does no harm.
func (s *Service) Sweep(ctx context.Context) error {
	list, err := s.c.Store.PlanCalls(ctx, s.now().Add(-leftAlone))
	for _, c := range list {
		if one := s.answer(ctx, c); one != nil {
			err = one
		}
	}
	return err
}

// answer answers a call once. Errors of the work become its result; a returned error means that
// nothing could be reported.
func (s *Service) answer(ctx context.Context, c Call) (err error) {
	ctx, stop := context.WithTimeout(bus.WithConversation(ctx, c.Session), answerTime)
	defer stop()
	if err = s.attempt(ctx, c); err == nil || ctx.Err() != nil && s.all.Err() != nil {
		return err
	}
	last, end := context.WithTimeout(context.WithoutCancel(ctx), leftAlone)
	defer end()
	f := fault.As(err)
	return s.c.Store.AnswerPlan(last, c, func(*Plan, Ask) (bus.Body, error) {
		return c.update(false, failure{c.Plan, string(f.Code), f.Text, "Call the tool again."})
	})
}

func (s *Service) attempt(ctx context.Context, c Call) (err error) {
	defer fault.Recover(&err)
	p, err := s.c.Store.Plan(ctx, c.Plan)
	if err != nil {
		return err
	}
	switch {
	case len(p.Groups) == 0:
		return ended()
	case c.Tool == SetTool:
		return s.check(ctx, c, p)
	//mutant:never ./internal/plans TestLeftCall
	case s.now().Sub(c.At) >= request.ApprovalLife:
		return fault.New(fault.SessionExpired, "Nobody answered this call in time, so no group was asked for.")
	}
	return s.next(ctx, c, p)
}
