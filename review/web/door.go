package web

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/review/record"
)

// Bus is what the doors of the bus ask.
type Bus interface {
	bus.Reader
	bus.TaskReader
	Conversations
	TaskChanges
	Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error)
	// Latest returns the last events that a filter chooses, the latest first.
	Latest(ctx context.Context, f bus.Filter, most int) ([]bus.Event, error)
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

// Conversations knows which client leads which conversation.
type Conversations interface {
	// Conversation returns the newest conversation of a client.
	Conversation(ctx context.Context, client string) (session string, ok bool, err error)
	// Following returns the newest conversation of the client that leads one, and that
	// client's name, "" where it is not known.
	Following(ctx context.Context, session string) (newest, client string, err error)
	KnowsConversation(ctx context.Context, session string) (bool, error)
	// Clients lists the clients that were seen, for who makes an access token.
	Clients(ctx context.Context) ([]string, error)
}

// Limits of the doors.
const (
	mostDoorStreams = 16   // of all callers together
	doorBurst       = 40   // posts at once of one caller
	doorRate        = 20   // posts a second after that
	mostMinute      = 600  // posts a minute into one conversation
	mostNote        = 4000 // characters of a note
	mostDoorPaces   = 1000 // callers whose pace is remembered
)

// doorRoutes are the doors of the bus: for the page of a review of the conversation,
// and for programs of the person's with an access token.
func doorRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/api/events", withDoor, pagetoken.Review, false, (*Server).events},
		{get, "/api/chat/stream", withDoor, pagetoken.Review, false, (*Server).chatStream},
		{get, "/api/state", withDoor, pagetoken.Review, false, (*Server).chatState},
		{post, "/api/system/event", withDoor, pagetoken.Review, true, (*Server).systemEvent},
		{post, "/api/chat", withDoor, pagetoken.Review, true, (*Server).chat},
		// A review page works on its one review; it stops nothing else.
		{post, "/api/interrupt", withDoor, "", true, (*Server).interrupt},
	}
}

// door is who came in by a door of the bus.
type door struct {
	session string // the conversation that is open to the caller
	caller  string // names the caller among all, for limits
	key     string // the client that an access token is for; "" for a page
	acts    bool   // what the token of a backend opens beside
	reads   bool
}

// enterDoor judges the token of a call: that of a review's page where the route takes
// pages, or an access token. All others get one answer.
func (s *Server) enterDoor(c *call, rt *route) error {
	p, err := s.Desk.Check(c.ctx(), bearer(c.r))
	switch {
	case err == nil && rt.right == withDoor && p.Kind == pagetoken.Console:
		// Every tab of a console acts: nothing that it does is a step of another one.
		c.pass, c.door = p, door{caller: string(p.Kind) + "/" + p.Subject}
		c.door.session, _, err = s.Bus.Following(c.ctx(), p.Subject)
		return err
	case err == nil && rt.kind == pagetoken.Review && p.Kind == pagetoken.Review:
		if err := pagetoken.Acting(p); rt.json && err != nil {
			return err
		}
		c.pass = p
		task, ok, err := s.Bus.TaskOf(c.ctx(), record.Subject(record.ID(p.Subject)))
		if err == nil && !ok {
			err = fault.New(fault.SessionNotFound, "This review is of no conversation.")
		}
		c.door = door{session: task.Session, caller: string(p.Kind) + "/" + p.Subject}
		return err
	case err != nil && !fault.Is(err, fault.SessionMismatch):
		return err
	case err == nil || s.Keys == nil:
		return s.noRight(c.ctx())
	}
	key, err := s.Keys.Check(c.ctx(), bearer(c.r))
	if err != nil {
		return err
	}
	//mutant:never ./review/web TestAgentScopes
	if key.Scope != rt.right.scope() {
		return s.noRight(c.ctx())
	}
	c.door = door{caller: "key/" + key.ID, key: key.Client, acts: key.Acts, reads: key.Reads}
	if rt.right != withDoor && rt.right != open {
		return nil // actions are of no conversation
	}
	var ok bool
	if c.door.session, ok, err = s.Bus.Conversation(c.ctx(), key.Client); err == nil && !ok {
		err = fault.New(fault.SessionNotFound, "The client of this token has no conversation yet. It begins with its first call of a tool.")
	}
	return err
}

// noRight is the one answer to tokens that open no door.
func (s *Server) noRight(ctx context.Context) error {
	if s.Keys == nil {
		_, err := s.Desk.Check(ctx, "")
		return err
	}
	_, err := s.Keys.Check(ctx, "")
	return err
}

// still judges the right of a stream once more: it ends with its token, and when a
// newer conversation of the client begins.
func (s *Server) still(c *call) error {
	again := call{w: c.w, r: c.r}
	if err := s.enterDoor(&again, &route{kind: pagetoken.Review, right: withDoor}); err != nil {
		return err
	}
	//mutant:never ./review/web TestDoorFollowsTheNewest
	if again.door.session != c.door.session {
		return fault.New(fault.SessionNotFound, "A newer conversation began.")
	}
	return nil
}

// own refuses another conversation than the one that is open to the caller.
func (s *Server) own(c *call, session string) error {
	if session == c.door.session {
		return nil
	}
	known, err := s.Bus.KnowsConversation(c.ctx(), session)
	if err != nil {
		return err
	}
	if !known {
		return fault.New(fault.SessionNotFound, "There is no conversation with this id.")
	}
	return &refusal{http.StatusForbidden, fault.New(fault.SessionMismatch, "This conversation is not open to you.")}
}

// paces bounds how often each caller posts.
type paces struct {
	mu      sync.Mutex
	callers map[string]*bucket
	minutes map[string]*pace
}

// bucket holds what a caller may still post at once.
type bucket struct {
	left float64
	at   time.Time
}

func newPaces() *paces { return &paces{callers: map[string]*bucket{}, minutes: map[string]*pace{}} }

// admit takes one post of a caller into a conversation, or refuses it.
func (p *paces) admit(d door, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.callers) > mostDoorPaces || len(p.minutes) > mostDoorPaces {
		clear(p.callers)
		clear(p.minutes)
	}
	b := p.callers[d.caller]
	if b == nil {
		b = &bucket{doorBurst, now}
		p.callers[d.caller] = b
	}
	if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.left = min(doorBurst, b.left+passed*doorRate)
	}
	b.at = now
	if b.left < 1 {
		return false
	}
	b.left--
	into := cmp.Or(d.session, d.caller) // actions are of no conversation
	m := p.minutes[into]
	if m == nil {
		m = &pace{}
		p.minutes[into] = m
	}
	return m.admit(now, mostMinute, time.Minute)
}

// paced refuses a post that comes too soon after others.
func (s *Server) paced(c *call) error {
	//mutant:always ./review/web TestDoorFlood
	if s.paces.admit(c.door, s.Now()) {
		return nil
	}
	c.w.Header().Set("Retry-After", "1")
	return fault.New(fault.RateLimited, "Too much is posted at once. Wait a second.")
}

type eventIn struct {
	Session string          `json:"session_id"`
	Event   json.RawMessage `json:"event"`
}

type queuedOut struct {
	Queued    bool     `json:"queued"`
	Type      bus.Type `json:"event_type"`
	Duplicate bool     `json:"duplicate,omitempty"`
}

// systemEvent takes an event of a page or a program. Everything is judged before the
// answer; what goes wrong afterwards comes as an event.
func (s *Server) systemEvent(c *call) error {
	if err := s.paced(c); err != nil {
		return err
	}
	in, err := body[eventIn](c)
	if err != nil {
		return err
	}
	b, err := bus.Decode(in.Event)
	if err != nil {
		return err
	}
	if err := bus.Admit(b, bus.FromUI); err != nil {
		return &refusal{http.StatusForbidden, fault.As(err)}
	}
	if err := s.own(c, in.Session); err != nil {
		return err
	}
	var members any
	if err := json.Unmarshal(in.Event, &members); err != nil {
		return err
	}
	//mutant:never ./review/web TestDoorRefuses/material
	if name := screen.ForbiddenMember(members); name != "" {
		return fault.New(fault.InputInvalid, "The event has a member %q, which no event may have.", name)
	}
	out := queuedOut{Queued: true, Type: b.Tag()}
	switch v := b.(type) {
	case bus.WalletTxResponse:
		a, err := s.Bus.Claim(c.ctx(), in.Session, v)
		if err != nil {
			return err
		}
		out.Duplicate = a.Duplicate
	case bus.UserRequest:
		if out.Duplicate, err = s.request(c.ctx(), in.Session, v); err != nil {
			return err
		}
	case bus.UserResponse:
		if out.Duplicate, err = s.reply(c.ctx(), in.Session, v); err != nil {
			return err
		}
	}
	writeJSON(c.w, http.StatusAccepted, out)
	return nil
}

// request hands a request to the worker. Where there is none, no kind is known, and the
// answer says so at once. What a request carries is not kept.
func (s *Server) request(ctx context.Context, session string, r bus.UserRequest) (duplicate bool, err error) {
	if s.Requests != nil {
		return s.Requests.Ask(ctx, session, r)
	}
	r.Payload = json.RawMessage("null")
	unknown := "unknown_kind"
	asked, err := bus.NewEvent(session, "", r)
	if err != nil {
		return false, err
	}
	answered, err := bus.NewEvent(session, "", bus.UserResponse{RequestID: r.RequestID, Kind: r.Kind, Payload: r.Payload, Error: &unknown})
	if err != nil {
		return false, err
	}
	list, err := s.Bus.Append(ctx, asked, answered)
	if err != nil {
		return false, err
	}
	return list[0].Duplicate, nil
}

// reply ends the task of a question with its answer. An answer to one that has ended
// is a duplicate.
func (s *Server) reply(ctx context.Context, session string, r bus.UserResponse) (duplicate bool, err error) {
	none := fault.New(fault.InvalidSessionTransition, "No question with this request_id is open.")
	if r.RequestID == nil {
		return false, none
	}
	t, err := s.Bus.Task(ctx, *r.RequestID)
	switch {
	case fault.Is(err, fault.SessionNotFound), err == nil && (t.Session != session || t.Kind != bus.KindQuestion):
		return false, none
	case err != nil:
		return false, err
	}
	if t.Due(s.Now()) != "" {
		// Its time ends it, not an answer that comes later.
		return true, s.Bus.SettleTasks(ctx)
	}
	//mutant:never ./review/web TestAnswer
	if t.State.Ended() {
		return true, nil
	}
	step := bus.Step{End: bus.Completed, Stage: bus.StageAnswer}
	switch {
	case t.Question == nil || r.Kind != bus.PromptKind || r.Error != nil && *r.Error != bus.ErrorDeclined:
		return false, fault.New(fault.InputInvalid, "This is no answer to a question: its kind is %s, its error %s or none.",
			bus.PromptKind, bus.ErrorDeclined)
	case r.Error != nil:
		step.Stage, step.Error = "", bus.ErrorDeclined
	default:
		a, err := t.Question.Read(r.Payload)
		if err != nil {
			return false, err
		}
		if step.Result, err = json.Marshal(a); err != nil {
			return false, err
		}
	}
	_, took, err := s.Bus.StepTask(ctx, t.ID, step)
	return !took, err
}

type chatIn struct {
	Session string `json:"session_id"`
	Message string `json:"message"`
}

// chat keeps a note of the person for the agent. No model runs here: the note waits
// for the agent's next call.
func (s *Server) chat(c *call) error {
	if err := s.paced(c); err != nil {
		return err
	}
	in, err := body[chatIn](c)
	if err != nil {
		return err
	}
	if err := s.own(c, in.Session); err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(in.Message); {
	case n == 0:
		return fault.New(fault.InputInvalid, "A note has at least one character.").With("field", "message")
	case n > mostNote:
		return fault.New(fault.TooLarge, "A note has at most %d characters.", mostNote).With("field", "message")
	}
	if err := s.tellAgent(c, bus.UserNote{Message: in.Message}); err != nil {
		return err
	}
	return s.answerState(c, "Your note waits for the next call of your AI client. No model runs in this program.")
}

// tellAgent appends a value that the agent hears of.
func (s *Server) tellAgent(c *call, value bus.Value) error {
	told, err := bus.Update(value, true)
	if err != nil {
		return err
	}
	e, err := bus.NewEvent(c.door.session, "", told)
	if err != nil {
		return err
	}
	_, err = s.Bus.Append(c.ctx(), e)
	return err
}

type interruptIn struct {
	Session string `json:"session_id,omitempty"`
}

// interrupt asks all that runs in the conversation to stop. What is with the person
// stays with them, and what was signed cannot be called back.
func (s *Server) interrupt(c *call) error {
	if err := s.paced(c); err != nil {
		return err
	}
	in, err := body[interruptIn](c)
	if err != nil {
		return err
	}
	if in.Session != "" {
		if err := s.own(c, in.Session); err != nil {
			return err
		}
	}
	state, err := s.Bus.Snapshot(c.ctx(), c.door.session)
	if err != nil {
		return err
	}
	for _, t := range state.Tasks {
		if t.Kind == bus.KindReview {
			continue
		}
		if _, err := s.Bus.CancelTask(c.ctx(), t.ID); err != nil {
			return err
		}
	}
	if err := s.tellAgent(c, bus.Interrupt{}); err != nil {
		return err
	}
	return s.answerState(c, "Running work was asked to stop, and your AI client hears so with its next call. It cannot stop "+
		"the model itself, nor a transaction that was signed; an open review stays yours to decline.")
}
