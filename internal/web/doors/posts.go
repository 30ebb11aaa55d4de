package doors

import (
	"context"
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/web"
)

type eventIn struct {
	Session string          `json:"session_id"`
	Event   json.RawMessage `json:"event"`
}

type queuedOut struct {
	Queued    bool     `json:"queued"`
	Type      bus.Type `json:"event_type"`
	Duplicate bool     `json:"duplicate,omitempty"`
}

// systemEvent accepts an event of a page or a program. It is validated before the response. Later
// failures are reported as events.
func (d *Doors) systemEvent(c *visit) error {
	if err := d.paced(c); err != nil {
		return err
	}
	in, err := web.Body[eventIn](c.Call)
	if err != nil {
		return err
	}
	b, err := bus.Decode(in.Event)
	if err != nil {
		return err
	}
	if err := bus.Admit(b, bus.FromUI); err != nil {
		return web.RefuseAs(http.StatusForbidden, fault.As(err))
	}
	if err := d.own(c, in.Session); err != nil {
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
		a, err := d.Bus.Claim(c.Ctx(), in.Session, v)
		if err != nil {
			return err
		}
		out.Duplicate = a.Duplicate
	case bus.UserRequest:
		if out.Duplicate, err = d.request(c.Ctx(), in.Session, v); err != nil {
			return err
		}
	case bus.UserResponse:
		if out.Duplicate, err = bus.Reply(c.Ctx(), d.Bus, in.Session, v, d.Now()); err != nil {
			return err
		}
	}
	return web.JSON(c.Call, http.StatusAccepted, out)
}

// request passes a request to Requests. If Requests is nil, every kind is unknown, and the response
// is immediate. The contents of a request are not stored.
func (d *Doors) request(ctx context.Context, session string, r bus.UserRequest) (duplicate bool, err error) {
	if d.Requests != nil {
		return d.Requests.Ask(ctx, session, r)
	}
	r.Payload = json.RawMessage("null")
	unknown := "unknown_kind"
	asked, err := bus.NewEvent(session, "", r)
	if err != nil {
		return false, err
	}
	answered, err := bus.NewEvent(session, "", bus.UserResponse{RequestID: r.RequestID, Kind: r.Kind, Payload: r.Payload,
		Error: &unknown})
	if err != nil {
		return false, err
	}
	list, err := d.Bus.Append(ctx, asked, answered)
	if err != nil {
		return false, err
	}
	return list[0].Duplicate, nil
}

type chatIn struct {
	Session string `json:"session_id"`
	Message string `json:"message"`
}

// chat stores a note of the user for the agent. No model runs in this program: the agent receives
// the note with its next call.
func (d *Doors) chat(c *visit) error {
	if err := d.paced(c); err != nil {
		return err
	}
	in, err := web.Body[chatIn](c.Call)
	if err != nil {
		return err
	}
	if err := d.own(c, in.Session); err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(in.Message); {
	case n == 0:
		return fault.New(fault.InputInvalid, "A note has at least one character.").With("field", "message")
	case n > bus.MostNote:
		return fault.New(fault.TooLarge, "A note has at most %d characters.", bus.MostNote).With("field", "message")
	}
	if err := d.tellAgent(c, bus.UserNote{Message: in.Message}); err != nil {
		return err
	}
	return d.answerState(c, "Your note waits for the next call of your AI client. No model runs in this program.")
}

// tellAgent appends a value that the agent receives.
func (d *Doors) tellAgent(c *visit, value bus.Value) error {
	update, err := bus.Update(value, true)
	if err != nil {
		return err
	}
	e, err := bus.NewEvent(c.session, "", update)
	if err != nil {
		return err
	}
	_, err = d.Bus.Append(c.Ctx(), e)
	return err
}

type interruptIn struct {
	Session string `json:"session_id,omitempty"`
}

// interrupt requests cancellation of everything that runs in the conversation. It does not affect
// requests that wait for the user or were signed.
func (d *Doors) interrupt(c *visit) error {
	if err := d.paced(c); err != nil {
		return err
	}
	in, err := web.Body[interruptIn](c.Call)
	if err != nil {
		return err
	}
	if in.Session != "" {
		if err := d.own(c, in.Session); err != nil {
			return err
		}
	}
	state, err := d.Bus.Snapshot(c.Ctx(), c.session)
	if err != nil {
		return err
	}
	for _, t := range state.Tasks {
		if t.Kind == bus.KindReview {
			continue
		}
		if _, err := d.Bus.CancelTask(c.Ctx(), t.ID); err != nil {
			return err
		}
	}
	if err := d.tellAgent(c, bus.Interrupt{}); err != nil {
		return err
	}
	return d.answerState(c, "Running work was asked to stop, and your AI client hears so with its next call. It cannot "+
		"stop the model itself, nor a transaction that was signed; an open review stays yours to decline.")
}
