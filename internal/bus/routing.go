package bus

import (
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Source identifies who created an event.
type Source string

// Sources of events.
const (
	FromServer Source = "server"
	FromTool   Source = "tool"
	FromUI     Source = "ui"
)

// route is one row of the routing matrix.
type route struct {
	sources  []Source
	audience Audience
	// notify reports whether the event's member llm_notify can add the agent to the audience.
	notify bool
	urgent bool // shown to the agent first
}

// routes is the specification's routing matrix with this program's additions.
var routes = map[Type]route{
	TypeSystemNotice:      {[]Source{FromServer}, UI, false, false},
	TypeSystemError:       {[]Source{FromServer}, UI, true, true},
	TypeBackendConnecting: {[]Source{FromServer}, UI, false, false},
	TypeBackendConnected:  {[]Source{FromServer}, UI, false, false},
	TypeMissingAPIKey:     {[]Source{FromServer}, UI, false, false},
	TypeWalletTxRequest:   {[]Source{FromServer, FromTool}, UI, false, true},
	TypeWalletTxResponse:  {[]Source{FromServer, FromUI}, UI | Agent, false, true},
	TypeToolProgress:      {[]Source{FromTool}, UI, false, false},
	TypeToolResult:        {[]Source{FromTool}, UI | Agent, false, false},
	TypeAsyncUpdate:       {[]Source{FromServer}, UI, true, false},
	TypeInlineDisplay:     {[]Source{FromServer}, UI, false, false},
	TypeUserRequest:       {[]Source{FromUI}, System, false, false},
	TypeUserResponse:      {[]Source{FromServer, FromUI}, UI, false, false},
}

// Admit returns fault.Blocked if the source may not create the event. HTTP endpoints report that as
// status 403.
func Admit(b Body, from Source) error {
	//mutant:never ./internal/bus TestRoutes
	if !slices.Contains(routes[b.Tag()].sources, from) {
		return fault.New(fault.Blocked, "This source cannot create events of type %s.", b.Tag())
	}
	return nil
}

// Urgent reports whether events of a type are listed first in a tool result.
func Urgent(t Type) bool { return routes[t].urgent }

// AudienceOf returns the audience of an event.
func AudienceOf(b Body) Audience {
	r := routes[b.Tag()]
	if r.notify && notifies(b) {
		return r.audience | Agent
	}
	return r.audience
}

// notifies reports whether an event asks to notify the agent.
func notifies(b Body) bool {
	switch v := b.(type) {
	case SystemError:
		return v.LLMNotify
	case AsyncUpdate:
		return v.Notifies()
	}
	return false
}

// NewEvent returns the event for a body, with its audience and deduplication key.
func NewEvent(session, subject string, b Body) (Event, error) {
	payload, err := Encode(b)
	if err != nil {
		return Event{}, err
	}
	return Event{Type: b.Tag(), Subject: subject, Session: session, Audience: AudienceOf(b), Dedup: keyOf(b),
		Payload: payload}, nil
}

// keyOf returns the deduplication key of an event.
func keyOf(b Body) string {
	switch v := b.(type) {
	case WalletTxResponse:
		if v.RequestID != "" {
			return v.RequestID + " " + string(v.Status)
		}
		if v.TxHash != nil {
			return *v.TxHash + " " + string(v.Status)
		}
	case WalletTxRequest:
		var p struct {
			RequestID string `json:"request_id"`
		}
		_ = json.Unmarshal(v.Payload, &p) // without a request_id it has no key
		return p.RequestID
	case ToolResult:
		return v.TaskID
	case UserRequest:
		if v.RequestID != nil {
			return *v.RequestID
		}
	case UserResponse:
		if v.RequestID != nil {
			return *v.RequestID
		}
	}
	return ""
}

// Check returns an error if an event must not be stored: fault.TooLarge if it is too large, and
// fault.InternalError for a bug in this program.
func (e Event) Check() error {
	tree, err := strictjson.Tree(e.Payload)
	switch {
	case len(e.Payload) > e.Type.MostPayload():
		return fault.New(fault.TooLarge, "Event too large for its type (max %d KiB).", e.Type.MostPayload()>>10)
	case err != nil:
		return err
	case routes[e.Type].sources == nil && !slices.Contains(inside, e.Type):
		return fault.New(fault.InternalError, "Unknown event type %q.", e.Type)
	case slices.Contains(inside, e.Type) != (e.Audience == Inside):
		return fault.New(fault.InternalError, "Only changes of stored data have the audience inside, and they have no other.")
	//mutant:never ./internal/bus TestCheck/agent
	case e.Audience&Agent != 0 && e.Session == "":
		return fault.New(fault.InternalError, "An event for the agent needs a session.")
	case e.Audience == 0:
		return fault.New(fault.InternalError, "This event has no audience.")
	case len(e.Subject) > 200 || len(e.Session) > 100 || len(e.Dedup) > 300:
		return fault.New(fault.TooLarge, "A name in the event is too long.")
	}
	//mutant:never ./internal/bus TestCheck/material
	if name := screen.ForbiddenMember(tree.Tree); name != "" {
		return fault.New(fault.InternalError, "The event has a member %q, which must not be stored.", name)
	}
	return nil
}
