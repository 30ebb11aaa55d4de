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
	Calls   *calls.Recent // tool calls of each conversation
	Desk    *pagetoken.Desk
	Keys    *pagetoken.Keys
	Actions *actions.Executor
	Hub     *events.Hub
	Now     func() time.Time

	// Requests executes requests that pages send as events. If it is nil, every kind of request is
	// unknown.
	Requests Requests
	// Hold is how long a frontend's request waits for work; 0 means 25 seconds.
	Hold time.Duration
}

// Doors serves the bus over HTTP. It is safe for concurrent use.
type Doors struct {
	Config
	streams *web.Streams
	paces   *paces
}

// New returns a page without a shell, with the routes.
func New(c Config) web.Page {
	if c.Hold == 0 {
		c.Hold = agentHold
	}
	d := &Doors{c, web.NewStreams(maxStreams, "Too many streams are open. Close some of them."), newPaces()}
	return web.Page{Routes: d.routes()}
}

// entry states who may use a route.
type entry struct {
	scope pagetoken.Scope // required scope of an access token
	paged bool            // review pages and consoles may use it
	posts bool            // a review page must be in the active tab
	only  bool            // among pages, only consoles may use it
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
		// A review page handles only its own review, so it cannot interrupt the conversation.
		door(post, "/api/interrupt", entry{scope: pagetoken.UIEvents, paged: true, only: true}, d.interrupt),
		act,
		door(get, "/api/agent/stream", backend, d.agentStream),
		door(post, "/api/agent/messages", frontend, d.agentMessages),
	}
}

// Bus is the part of the bus that Doors uses.
type Bus interface {
	bus.Reader
	bus.TaskReader
	bus.Conversations
	TaskChanges
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
	// Claim records a reported response of a wallet.
	Claim(ctx context.Context, session string, r bus.WalletTxResponse) (bus.Appended, error)
}

// TaskChanges changes tasks, like bus.Tasks.
type TaskChanges interface {
	StepTask(ctx context.Context, id string, s bus.Step) (bus.Task, bool, error)
	CancelTask(ctx context.Context, id string) (bus.Task, error)
	// SettleTasks ends the tasks that have expired.
	SettleTasks(ctx context.Context) error
}

// Requests executes requests that pages send to this program as events.
type Requests interface {
	// Ask starts a request and returns immediately. duplicate reports that it was received before.
	Ask(ctx context.Context, session string, r bus.UserRequest) (duplicate bool, err error)
}

// Limits of Doors.
const (
	maxStreams    = 16   // concurrent streams of all callers
	doorBurst     = 40   // posts that one caller may send at once
	doorRate      = 20   // further posts of one caller per second
	mostMinute    = 600  // posts per minute into one conversation
	mostDoorPaces = 1000 // callers whose rate is remembered
)

// visit is a call and its caller.
type visit struct {
	*web.Call
	entry entry
	door
}

// door describes an authorized caller.
type door struct {
	session string // the conversation that the caller may use
	caller  string // identifies the caller in limits
	key     string // the client of an access token; "" for a page
	acts    bool   // additional permissions of a backend's token
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

// enter authorizes a call by its token: that of a review page or console if the entry allows pages,
// or an access token. All other tokens get the same error.
func (d *Doors) enter(v *visit) error {
	p, err := d.Desk.Check(v.Ctx(), web.Bearer(v.R))
	switch {
	case err == nil && v.entry.paged && p.Kind == pagetoken.Console:
		// Every tab of a console may act, because its actions do not affect other tabs.
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
		return nil // actions belong to no conversation
	}
	var ok bool
	if v.session, ok, err = d.Bus.Conversation(v.Ctx(), key.Client); err == nil && !ok {
		err = fault.New(fault.SessionNotFound,
			"The client of this token has no conversation yet. It begins with its first call of a tool.")
	}
	return err
}

// noRight returns the error for all tokens that are not accepted.
func (d *Doors) noRight(ctx context.Context) error {
	_, err := d.Keys.Check(ctx, "")
	return err
}

// still authorizes an open stream again. The stream ends with its token, and when a newer
// conversation of the client begins.
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

// own returns an error for any conversation other than the caller's.
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
