package plans

import (
	"context"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// console is the tool that opens the page on which the user decides about groups.
const console = "events.create_console_session"

// draft is the request for a group, or the reason why the group cannot be requested.
type draft struct {
	request.Drafted
	blockers []Blocker
	defect   *Defect
}

// Blocker is a problem of a requested group, found by a preliminary check. The user's pages check
// again.
type Blocker struct {
	Check   string `json:"check"`
	Step    string `json:"step,omitempty"`
	Message string `json:"message"`
	Do      string `json:"do,omitempty"`
}

// blockers returns the problems that a preliminary check of a drafted request finds.
func (s *Service) blockers(ctx context.Context, req request.Request) (list []Blocker) {
	found, _ := s.c.Requests.Look(ctx, req)
	for _, f := range found[:min(len(found), maxBlockers)] {
		b := Blocker{Check: f.Check, Message: clipped(f.Message, maxMessage), Do: clipped(f.Do, maxMessage)}
		if f.Step > 0 {
			b.Step = clipped(req.Steps[f.Step-1].ID, maxStepID)
		}
		list = append(list, b)
	}
	return list
}

// Ask stores the request for the group at a position in the plan.
type Ask func(group int, d request.Drafted) (request.Request, error)

// next requests the ready groups of a plan. It drafts the requests before the write transaction,
// because that may query a node, and checks and stores them within it. If two calls run at the same
// time, even in two processes, only one of them requests a group.
//
// Up to MostOpen groups wait for the user at the same time, so that the user chooses the order. As
// always, an account runs one bundle at a time. While one is running, no new group is requested, so
// that the user can approve every group on display.
func (s *Service) next(ctx context.Context, c Call, p Plan) error {
	if p.Account == (sui.Address{}) {
		look, err := s.look(ctx, p)
		if err != nil {
			return err
		}
		if len(look.defects) > 0 {
			return s.c.Store.AnswerPlan(ctx, c, func(p *Plan, _ Ask) (bus.Body, error) {
				return c.update(false, checkedOf(*p, look.defects))
			})
		}
		p.Account = look.account
	}
	drafts, blockers := map[string]draft{}, map[string][]Blocker{}
	for _, n := range p.turn(s.now()) {
		g := p.Groups[Order(p.Groups)[n]]
		d, err := s.draft(ctx, p, n, g)
		if err != nil {
			return err
		}
		drafts[g.ID], blockers[g.ID] = d, d.blockers
	}
	return s.c.Store.AnswerPlan(ctx, c, func(now *Plan, ask Ask) (bus.Body, error) {
		now.Account = p.Account
		defects, held, err := s.ask(now, drafts, ask)
		if err != nil {
			return nil, err
		}
		v := offeredOf(*now, defects, held, s.now())
		for i, g := range v.Groups {
			v.Groups[i].Blockers = blockers[g.ID]
		}
		return c.update(len(defects) == 0 && v.Status != statusBlocked, v)
	})
}

// turn lists the groups to request in the next call, by position in the plan. Groups that were
// never requested come first.
func (p Plan) turn(now time.Time) (list []int) {
	states, order := p.States(now), Order(p.Groups)
	room := MostOpen
	for _, s := range states {
		if s.open() {
			room--
		}
	}
	for _, again := range []bool{false, true} {
		for n, i := range order {
			s := states[p.Groups[i].ID]
			if s.offered() && (s != Ready) == again && len(list) < room {
				list = append(list, n)
			}
		}
	}
	return list
}

// draft drafts the request for one group. It stores nothing.
func (s *Service) draft(ctx context.Context, p Plan, n int, g Group) (d draft, err error) {
	var account sui.Address
	wanted, defects := s.wanted(ctx, g, p.result)
	if len(defects) > 0 {
		return draft{defect: &defects[0]}, nil
	}
	if g.Atomic && (g.Ran == nil || g.Ran.Mode == request.Atomic) { // if the user split it, keep that
		made, e := s.c.Make.Read(ctx, together(wanted))
		if e == nil {
			e = s.c.Make.Together(ctx, made)
		}
		d.Review, account, err = &made, made.Account, e
		for _, w := range wanted {
			d.Request.Steps = append(d.Request.Steps, request.Step{ID: w.ID, Sequence: w.Sequence, Chain: w.Chain})
		}
	} else {
		// If the user approved the group for later, request exactly what was approved.
		later := g.Ran != nil && g.Ran.Reason == request.ApprovedLater
		d.Drafted, err = s.c.Requests.Draft(ctx, p.label(n, g), later, wanted)
		account = d.Request.Account
	}
	//mutant:never `account != p.Account` ./internal/plans TestOtherAccount
	if err == nil && account != p.Account {
		err = fault.New(fault.InvalidSessionTransition, "The plan is for a different account than the active one. "+
			"Connect that account again, or set a new plan.").With("reason", request.OtherAccount)
	}
	if ctx.Err() != nil {
		return draft{}, ctx.Err()
	}
	if err != nil {
		one := defectOf(g.ID, fault.As(err).Detail.Get("step"), err)
		return draft{defect: &one}, nil
	}
	d.blockers = s.blockers(ctx, d.Request)
	return d, nil
}

// ask requests the drafted groups that are still ready.
func (s *Service) ask(p *Plan, drafts map[string]draft, ask Ask) (defects []Defect, held *heldBy, err error) {
	order := Order(p.Groups)
	for _, n := range p.turn(s.now()) {
		g := &p.Groups[order[n]]
		d, ok := drafts[g.ID]
		switch {
		case !ok || held != nil: // it became ready after drafting, or nothing can be requested now
			continue
		case d.defect != nil:
			defects = append(defects, *d.defect)
			continue
		}
		req, err := ask(order[n], d.Drafted)
		switch {
		case err == nil:
			g.Ran = &req
		case fault.Is(err, fault.InvalidSessionTransition) && fault.As(err).Detail.Get("reason") == inProgress:
			f := fault.As(err)
			held = &heldBy{inProgress, f.Detail.Get("bundle_id"), f.Text}
		case fault.Is(err, fault.InvalidSessionTransition):
			defects = append(defects, defectOf(g.ID, "", err))
		default:
			return nil, nil, err
		}
	}
	return defects, held, nil
}

// inProgress is the reason of the error when the account is already running a bundle.
const inProgress = "bundle_in_progress"

// heldBy is the reason why no group is requested although some are ready.
type heldBy struct {
	Reason  string `json:"reason"`
	Bundle  string `json:"bundle_id"`
	Message string `json:"message"`
}

// States of a plan.
const (
	statusOpen    = "in_progress"
	statusBlocked = "blocked" // no group is waiting or running, and none can be requested
	statusDone    = "done"
)

// offered is the result of a call for the next groups. Every group is in one of its lists. Groups
// in Ready are requested by a later call.
type offered struct {
	Plan    ID          `json:"plan_id"`
	Status  string      `json:"status"`
	Groups  []openGroup `json:"groups"`
	Console string      `json:"console_tool,omitempty"`
	Next    string      `json:"next"`
	Defects []Defect    `json:"defects,omitempty"`
	Held    *heldBy     `json:"held,omitempty"`
	Done    []string    `json:"done"`
	Ready   []string    `json:"ready,omitempty"`
	Ended   []endedOne  `json:"ended,omitempty"`
	Blocked []string    `json:"blocked,omitempty"`
	Waiting []string    `json:"waiting,omitempty"`
}

// openGroup is a group that is waiting for the user or running.
type openGroup struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	State     State      `json:"state"`
	Bundle    request.ID `json:"bundle_id,omitempty"`
	Review    record.ID  `json:"reviewSessionId,omitempty"`
	Task      string     `json:"task_id,omitempty"`
	ApproveBy *time.Time `json:"approve_by,omitempty"`
	Blockers  []Blocker  `json:"blockers,omitempty"` // only if this call requested the group
}

// endedOne is a group that ended without being completed.
type endedOne struct {
	ID    string `json:"id"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"`
	Again bool   `json:"asked_again"` // whether the next call requests it
}

func offeredOf(p Plan, defects []Defect, held *heldBy, now time.Time) offered {
	v := offered{Plan: p.ID, Groups: []openGroup{}, Done: []string{}, Defects: defects, Held: held}
	states := p.States(now)
	again, unsettled := len(defects) == 0 && held != nil, false
	for _, i := range Order(p.Groups) {
		g := p.Groups[i]
		switch s := states[g.ID]; s {
		case Asked, Running:
			v.Groups = append(v.Groups, g.opened(s))
		case Done:
			v.Done = append(v.Done, g.ID)
		case Ready:
			v.Ready = append(v.Ready, g.ID)
		case Blocked:
			v.Blocked = append(v.Blocked, g.ID)
		case Waiting:
			v.Waiting = append(v.Waiting, g.ID)
		default:
			v.Ended = append(v.Ended, endedOne{g.ID, s, clipped(g.why(), maxMessage), s.offered()})
			again, unsettled = again || s.offered(), unsettled || s == Unsettled
		}
	}
	v.Status = statusOpen
	switch {
	case len(v.Done) == len(p.Groups):
		v.Status, v.Next = statusDone, "Every group is done."
	case len(v.Groups) > 0:
		v.Console = console
		v.Next = "The person answers these groups on the console, which " + console + " gives a link to, " +
			"and signs their steps there. task.get waits for a group's end; then call " + NextTool + " again."
	case len(v.Ready) > 0 || again:
		v.Next = "Call " + NextTool + " again for what can be asked for then."
	case unsettled:
		v.Next = "The result of a group's step is still unknown. Call " + NextTool +
			" again later; no group is asked for twice meanwhile."
	default:
		v.Status, v.Next = statusBlocked, "No further group can be requested. Tell the user, and set a new plan for "+
			"what remains if they want it."
	}
	return v
}

func (g Group) opened(s State) openGroup {
	b := g.Ran
	o := openGroup{ID: g.ID, Title: clipped(g.Title, maxMessage), State: s, Bundle: b.ID, Task: b.Task}
	if b.State == request.Signing {
		o.Bundle, o.Review = "", b.Review
	}
	if s == Asked {
		until := b.ApproveBy.UTC().Truncate(time.Second)
		o.ApproveBy = &until
	}
	return o
}

// clipped converts untrusted text to one line of at most limit bytes and an ellipsis.
func clipped(text string, limit int) string {
	if text = screen.Line(text, 0); len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
