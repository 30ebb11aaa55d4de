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
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const (
	answerTime = time.Minute      // time to answer one call, including queries to nodes
	leftAlone  = 10 * time.Second // age of an unanswered call at which another process answers it
)

// Store stores plans and unanswered calls.
type Store interface {
	// KeepPlanCall stores a call, and the plan that it sets, if any. It returns fault.RateLimited
	// if the conversation has MostPending unanswered calls or has set MostPlans plans.
	KeepPlanCall(ctx context.Context, c Call, set *Plan) error
	// Plan returns a plan with the state of its groups, or fault.SessionNotFound.
	Plan(ctx context.Context, id ID) (Plan, error)
	// AnswerPlan answers a call in one write transaction. It calls update with the call's plan. It
	// stores the plan's account, the requests that update creates with ask, and the event that
	// update returns. If the call was already answered or withdrawn, AnswerPlan changes nothing.
	AnswerPlan(ctx context.Context, c Call, update func(p *Plan, ask Ask) (bus.Body, error)) error
	// PlanCalls lists the unanswered calls made before a time.
	PlanCalls(ctx context.Context, before time.Time) ([]Call, error)
	// WithdrawPlanCall withdraws a call whose answer the client will not receive. It also deletes
	// what the call created, unless the user has already opened it.
	WithdrawPlanCall(ctx context.Context, c Call) error
	Conversations
}

// Conversations identifies conversations and their clients.
type Conversations interface {
	// Bus returns the conversation whose client requested the work of ctx.
	Bus(ctx context.Context) string
	Following(ctx context.Context, session string) (newest, client string, err error)
}

// Requests checks steps and drafts requests from them.
type Requests interface {
	Judge(ctx context.Context, label string, steps []request.Wanted) (sui.Address, []error, error)
	Draft(ctx context.Context, label string, skip bool, steps []request.Wanted) (request.Drafted, error)
	// Look returns the problems of a drafted request that a preliminary check finds. whole reports
	// whether all checks finished.
	Look(ctx context.Context, req request.Request) (blockers []record.StepBlocker, whole bool)
}

// Maker checks intents whose steps form one transaction.
type Maker interface {
	Read(ctx context.Context, in plan.Intent) (record.Session, error)
	// Together returns the reason why the steps of a review cannot be one transaction now, or nil.
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

	mu     sync.Mutex // guards closed and the start of work
	closed bool
	work   sync.WaitGroup
}

// New returns a Service. The caller must Close it.
func New(c Config) *Service {
	s := &Service{c: c}
	s.all, s.stop = context.WithCancel(context.Background())
	return s
}

// Close interrupts unfinished calls and waits for them to return. Another process will answer them.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop()
	s.work.Wait()
}

func (s *Service) now() time.Time { return s.c.Now().UTC().Truncate(time.Millisecond) }

// Set accepts a plan whose groups can be ordered. The bus reports later whether its steps can be
// requested.
func (s *Service) Set(ctx context.Context, groups []Group) (Call, error) {
	if err := Check(groups); err != nil {
		return Call{}, err
	}
	text, err := json.Marshal(groups)
	if err != nil {
		return Call{}, fault.Wrap(err, fault.InternalError, "The plan cannot be encoded.")
	}
	if err := actions.Screen(text); err != nil {
		return Call{}, err
	}
	now := s.now()
	p := Plan{ID: ID(bus.NewID("plan_")), Session: s.c.Store.Bus(ctx), Groups: groups, CreatedAt: now, UpdatedAt: now}
	return s.keep(ctx, Call{Tool: SetTool, Plan: p.ID}, &p)
}

// Next accepts a call for the ready groups of a plan. Plans of other clients count as not found.
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

// ended returns the error for a plan from an earlier version, which stored plans differently.
func ended() error {
	return fault.New(fault.SessionNotFound,
		"This plan ended when Say Ur Intent was updated. Its requests continue: see task.list. Set a new plan for what "+
			"remains.").With("reason", "plan_ended")
}

// own reports whether a plan belongs to the conversation of ctx, or to an earlier one of the same
// client.
func (s *Service) own(ctx context.Context, p Plan) (bool, error) {
	here := s.c.Store.Bus(ctx)
	if p.Session == here {
		return true, nil
	}
	newest, _, err := s.c.Store.Following(ctx, p.Session)
	return newest == here, err
}

// keep stores a call and starts answering it.
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
	s.work.Go(func() { _ = s.answer(s.all, c) }) // if this fails, Sweep answers the call
	return c, nil
}

// Withdraw withdraws a call whose answer the client will not receive.
func (s *Service) Withdraw(ctx context.Context, c Call) error {
	return s.c.Store.WithdrawPlanCall(ctx, c)
}

// Sweep answers calls that were left unanswered because their process ended or could not write to
// the store. One process per store should call it, but several may.
func (s *Service) Sweep(ctx context.Context) error {
	list, err := s.c.Store.PlanCalls(ctx, s.now().Add(-leftAlone))
	for _, c := range list {
		if one := s.answer(ctx, c); one != nil {
			err = one
		}
	}
	return err
}

// answer answers a call once. If the work fails, the failure is the result of the call. answer
// returns an error only if it could not store a result.
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
		return fault.New(fault.SessionExpired, "This call was not answered in time, so no group was requested.")
	}
	return s.next(ctx, c, p)
}
