package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// planning is a store with a plan of one group.
type planning struct {
	*store.DB
	t     *testing.T
	c     *double.Clock
	calls int
}

func newPlanning(t *testing.T) *planning {
	db, c := fresh(t)
	p := &planning{DB: db, t: t, c: c}
	p.keep(p.call(plans.SetTool, "plan"), true)
	return p
}

func (p *planning) call(tool string, id plans.ID) plans.Call {
	p.calls++
	return plans.Call{ID: fmt.Sprint("call_", p.calls), Tool: tool, Plan: id, Session: p.Bus(context.Background()),
		At: p.c.Now()}
}

func (p *planning) keep(c plans.Call, set bool) plans.Call {
	p.t.Helper()
	var plan *plans.Plan
	if set {
		plan = &plans.Plan{ID: c.Plan, Session: c.Session, Groups: []plans.Group{{ID: "a", Title: "A"}},
			CreatedAt: p.c.Now(), UpdatedAt: p.c.Now()}
	}
	if err := p.KeepPlanCall(p.t.Context(), c, plan); err != nil {
		p.t.Fatal(err)
	}
	return c
}

// ask requests the group of the plan, with one step.
func (p *planning) ask(ask plans.Ask, id request.ID) {
	p.t.Helper()
	if _, err := ask(0, request.Drafted{Request: p.one(id)}); err != nil {
		p.t.Fatal(err)
	}
}

// bundle stores a request with one step.
func (p *planning) bundle(ctx context.Context, id request.ID) {
	p.t.Helper()
	if _, err := p.CreateRequest(ctx, request.Drafted{Request: p.one(id)}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *planning) one(id request.ID) request.Request {
	now := p.c.Now()
	return request.Request{ID: id, Account: sui.MustAddress("0xa"), Hash: request.Hash{byte(id[0])},
		Mode: request.OneByOne, State: request.Asked, Revision: 1,
		CreatedAt: now, UpdatedAt: now, ApproveBy: now.Add(time.Minute), Steps: []request.Step{{ID: "s",
			State: request.Waiting}}}
}

func told(*plans.Plan, plans.Ask) (bus.Body, error) {
	return bus.AsyncUpdate{Value: json.RawMessage(`{"llm_notify":true}`)}, nil
}

// TestPlanCalls checks that a call is answered once, and in full or not at all.
func TestPlanCalls(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		p := newPlanning(t)
		c := p.keep(p.call(plans.NextTool, "plan"), false)
		answered := 0
		for range 2 {
			if err := p.AnswerPlan(t.Context(), c, func(plan *plans.Plan, ask plans.Ask) (bus.Body, error) {
				answered++
				return told(plan, ask)
			}); err != nil {
				t.Fatal(err)
			}
		}
		if answered != 1 {
			t.Errorf("it was answered %d times", answered)
		}
	})
	t.Run("not in part", func(t *testing.T) {
		p := newPlanning(t)
		c := p.keep(p.call(plans.NextTool, "plan"), false)
		broken := errors.New("broken")
		if err := p.AnswerPlan(t.Context(), c, func(_ *plans.Plan, ask plans.Ask) (bus.Body, error) {
			p.ask(ask, "b")
			return nil, broken
		}); !errors.Is(err, broken) {
			t.Fatal(err)
		}
		plan, err := p.Plan(t.Context(), "plan")
		if _, e := p.Request(t.Context(), "b"); err != nil || plan.Groups[0].Ran != nil ||
			!fault.Is(e, fault.SessionNotFound) {
			t.Errorf("something was kept: %+v, %v, %v", plan, err, e)
		}
		if list, err := p.PlanCalls(t.Context(), p.c.Now()); err != nil || len(list) != 2 {
			t.Errorf("%+v, %v", list, err)
		}
	})
	t.Run("too many", func(t *testing.T) {
		p := newPlanning(t)
		for range plans.MostPending - 1 {
			p.keep(p.call(plans.NextTool, "plan"), false)
		}
		if err := p.KeepPlanCall(t.Context(), p.call(plans.NextTool, "plan"), nil); !fault.Is(err, fault.RateLimited) {
			t.Error(err)
		}
	})
}

// TestPlanCallsOfOne checks that a conversation can set at most MostPlans plans, and can then still make
// other calls.
func TestPlanCallsOfOne(t *testing.T) {
	p := newPlanning(t)
	for i := range plans.MostPlans {
		c := p.call(plans.SetTool, plans.ID(fmt.Sprint("plan_", i)))
		plan := plans.Plan{ID: c.Plan, Session: c.Session, Groups: []plans.Group{{ID: "a"}}, CreatedAt: p.c.Now(),
			UpdatedAt: p.c.Now()}
		err := p.KeepPlanCall(t.Context(), c, &plan)
		if last := i == plans.MostPlans-1; last != fault.Is(err, fault.RateLimited) || !last && err != nil {
			t.Fatalf("plan %d: %v", i+2, err)
		}
		if err := p.AnswerPlan(t.Context(), c, told); err != nil {
			t.Fatal(err)
		}
	}
	p.keep(p.call(plans.NextTool, "plan"), false)
}

// TestPlansAreKept checks that a request is kept as long as the plan that it belongs to, and that
// both are then deleted.
func TestPlansAreKept(t *testing.T) {
	p := newPlanning(t)
	answer := func(law func(*plans.Plan, plans.Ask) (bus.Body, error)) {
		t.Helper()
		if err := p.AnswerPlan(t.Context(), p.keep(p.call(plans.NextTool, "plan"), false), law); err != nil {
			t.Fatal(err)
		}
	}
	answer(func(plan *plans.Plan, ask plans.Ask) (bus.Body, error) {
		p.ask(ask, "b")
		return told(plan, ask)
	})
	if _, err := p.ChangeRequest(t.Context(), "b", "rejected",
		func(b *request.Request) (*record.Session, error) { return nil, b.Reject(p.c.Now()) }); err != nil {
		t.Fatal(err)
	}
	p.c.Advance(actions.Kept - time.Hour)
	answer(told)
	p.c.Advance(2 * time.Hour)
	p.bundle(t.Context(), "c")
	if plan, err := p.Plan(t.Context(), "plan"); err != nil || plan.Groups[0].Ran == nil ||
		plan.Groups[0].Ran.State != request.Rejected {
		t.Fatalf("the bundle of a plan that is kept is gone: %+v, %v", plan, err)
	}
	p.c.Advance(actions.Kept)
	p.keep(p.call(plans.SetTool, "other"), true)
	p.bundle(t.Context(), "d")
	_, plan := p.Plan(t.Context(), "plan")
	if _, err := p.Request(t.Context(), "b"); !fault.Is(plan, fault.SessionNotFound) ||
		!fault.Is(err, fault.SessionNotFound) {
		t.Errorf("%v, %v", plan, err)
	}
}
