// Package doors gives HTTP access to the bus: to the review pages and the console of a
// conversation, and to the user's programs with an access token. They follow events, respond to
// them, and request actions.
package doors

import (
	"context"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web"
)

// Config configures Doors. The fields up to Now are required.
type Config struct {
	Bus     Bus
	Calls   *calls.Recent // the tool calls of each conversation
	Desk    *pagetoken.Desk
	Keys    *pagetoken.Keys
	Actions *actions.Executor
	Hub     *events.Hub
	Now     func() time.Time

	// Requests runs what pages request through events; if nil, every kind is unknown.
	Requests Requests
	// Hold is how long a frontend waits for work; 0 means 25 seconds.
	Hold time.Duration
}

// Doors serves the bus over HTTP. It is safe for concurrent use.
type Doors struct {
	Config
	streams *web.Streams
	paces   *paces
}

// New returns the routes.
func New(c Config) web.Page {
	if c.Hold == 0 {
		c.Hold = agentHold
	}
	d := &Doors{c, web.NewStreams(maxStreams, "Too many streams are open. Close some of them."), newPaces()}
	return web.Page{Routes: d.routes()}
}

// entry says who may use a door.
type entry struct {
	scope pagetoken.Scope // of an access token
	paged bool            // open to review pages and consoles
	posts bool            // a review page must be the active tab
	only  bool            // of pages, only consoles
}

func (d *Doors) routes() []web.Route {
	door := func(method, path string, e entry, run func(*visit) error) web.Route {
		e.posts = method == http.MethodPost
		rt := web.Route{Method: method, Path: path, Right: web.Judged, JSON: e.posts, Judge: d.judge(e, run)}
		if e.paged && !e.only {
			rt.Kind = pagetoken.Review
		}
		return rt
	}
	const get, post = http.MethodGet, http.MethodPost
	both := entry{scope: pagetoken.UIEvents, paged: true}
	backend, frontend := entry{scope: pagetoken.AgentBackend}, entry{scope: pagetoken.AgentFrontend}
	act := door(post, "/api/agent/actions", backend, d.agentActions)
	act.MaxBody = maxActions
	return []web.Route{
		door(get, "/api/events", both, d.events),
		door(get, "/api/chat/stream", both, d.chatStream),
		door(get, "/api/state", both, d.chatState),
		door(post, "/api/system/event", both, d.systemEvent),
		door(post, "/api/chat", both, d.chat),
		// A review page works on its one review; it stops nothing else.
		door(post, "/api/interrupt", entry{scope: pagetoken.UIEvents, paged: true, only: true}, d.interrupt),
		act,
		door(get, "/api/agent/stream", backend, d.agentStream),
		door(post, "/api/agent/messages", frontend, d.agentMessages),
	}
}

// Bus is what the doors of the bus ask.
type Bus interface {
	bus.Reader
	bus.TaskReader
	bus.Conversations
	TaskChanges
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
	// Claim records what somebody reports of a wallet's answer.
	Claim(ctx context.Context, session string, r bus.WalletTxResponse) (bus.Appended, error)
}

// TaskChanges changes tasks, as bus.Tasks.
type TaskChanges interface {
	StepTask(ctx context.Context, id string, s bus.Step) (bus.Task, bool, error)
	CancelTask(ctx context.Context, id string) (bus.Task, error)
	// SettleTasks ends the tasks whose time is over.
	SettleTasks(ctx context.Context) error
}

// Requests answers what pages ask of the program, by events.
type Requests interface {
	// Ask takes a request and returns at once; duplicate says that it came before.
	Ask(ctx context.Context, session string, r bus.UserRequest) (duplicate bool, err error)
}

// Limits of the doors.
const (
	maxStreams    = 16   // streams of all callers together
	doorBurst     = 40   // posts at once of one caller
	doorRate      = 20   // posts a second after that
	mostMinute    = 600  // posts a minute into one conversation
	mostDoorPaces = 1000 // callers whose pace is remembered
)

// visit is a call and its caller.
type visit struct {
	*web.Call
	entry entry
	door
}

// door is who came in by a door of the bus.
type door struct {
	session string // the conversation that is open to the caller
	caller  string // names the caller among all, for limits
	key     string // the client that an access token is for; "" for a page
	acts    bool   // what the token of a backend opens beside
	reads   bool
}

// judge returns the Judge of an entry.
func (d *Doors) judge(e entry, run func(*visit) error) web.Judge {
	return func(c *web.Call) (string, func() error, error) {
		v := &visit{Call: c, entry: e}
		if err := d.enter(v); err != nil {
			return "", nil, err
		}
		return v.caller, func() error { return run(v) }, nil
	}
}

// enter judges the token of a call: that of a review's page or a console where the entry
// takes pages, or an access token. All others get one answer.
func (d *Doors) enter(v *visit) error {
	p, err := d.Desk.Check(v.Ctx(), web.Bearer(v.R))
	switch {
	case err == nil && v.entry.paged && p.Kind == pagetoken.Console:
		// Every tab of a console acts: nothing that it does is a step of another one.
		v.Pass, v.door = p, door{caller: string(p.Kind) + "/" + p.Subject}
		v.session, _, err = d.Bus.Following(v.Ctx(), p.Subject)
		return err
	case err == nil && v.entry.paged && !v.entry.only && p.Kind == pagetoken.Review:
		if err := pagetoken.Acting(p); v.entry.posts && err != nil {
			return err
		}
		v.Pass = p
		task, ok, err := d.Bus.TaskOf(v.Ctx(), record.Subject(record.ID(p.Subject)))
		if err == nil && !ok {
			err = fault.New(fault.SessionNotFound, "This review does not belong to a conversation.")
		}
		v.door = door{session: task.Session, caller: string(p.Kind) + "/" + p.Subject}
		return err
	case err != nil && !fault.Is(err, fault.SessionMismatch):
		return err
	case err == nil:
		return d.noRight(v.Ctx())
	}
	key, err := d.Keys.Check(v.Ctx(), web.Bearer(v.R))
	if err != nil {
		return err
	}
	//mutant:never ./review/web TestAgentScopes
	if key.Scope != v.entry.scope {
		return d.noRight(v.Ctx())
	}
	v.door = door{caller: "key/" + key.ID, key: key.Client, acts: key.Acts, reads: key.Reads}
	if !v.entry.paged {
		return nil // actions are of no conversation
	}
	var ok bool
	if v.session, ok, err = d.Bus.Conversation(v.Ctx(), key.Client); err == nil && !ok {
		err = fault.New(fault.SessionNotFound,
			"The client of this token has no conversation yet. It begins with its first call of a tool.")
	}
	return err
}

// noRight is the one answer to tokens that open no door.
func (d *Doors) noRight(ctx context.Context) error {
	_, err := d.Keys.Check(ctx, "")
	return err
}

// still judges the right of a stream once more: it ends with its token, and when a
// newer conversation of the client begins.
func (d *Doors) still(v *visit) error {
	again := visit{Call: v.Call, entry: v.entry}
	if err := d.enter(&again); err != nil {
		return err
	}
	//mutant:never ./review/web TestDoorFollowsTheNewest
	if again.session != v.session {
		return fault.New(fault.SessionNotFound, "A newer conversation began.")
	}
	return nil
}

// own refuses another conversation than the one that is open to the caller.
func (d *Doors) own(c *visit, session string) error {
	if session == c.session {
		return nil
	}
	known, err := d.Bus.KnowsConversation(c.Ctx(), session)
	if err != nil {
		return err
	}
	if !known {
		return fault.New(fault.SessionNotFound, "There is no conversation with this id.")
	}
	return web.RefuseAs(http.StatusForbidden, fault.New(fault.SessionMismatch, "This conversation is not open to you."))
}
