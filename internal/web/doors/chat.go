package doors

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/web"
)

// mostMessages is the maximum number of messages of a conversation that are returned.
const mostMessages = 200

// chatMessage is one message of a conversation: the welcome, a note of the user, a tool call, or a
// notice to the agent.
type chatMessage struct {
	Sender  string    `json:"sender"` // assistant, user, tool or system
	Content string    `json:"content"`
	At      time.Time `json:"timestamp"`
}

// sessionResponse is the state of a conversation in the form that the specification requires.
// Session, PendingAll, Cursor, Truncated, More and Notice are additions.
type sessionResponse struct {
	Messages   []chatMessage     `json:"messages"`
	Processing bool              `json:"is_processing"`
	Pending    *string           `json:"pending_wallet_tx"`
	Events     []json.RawMessage `json:"system_events"`

	Session    string            `json:"session_id"`
	PendingAll []json.RawMessage `json:"pending_wallet_txs"`
	Cursor     string            `json:"cursor"`
	Truncated  bool              `json:"truncated,omitempty"`
	More       bool              `json:"more,omitempty"`
	Notice     string            `json:"notice,omitempty"`
}

// transcript collects the messages of a conversation as they arrive.
type transcript struct {
	from     bus.Cursor
	list     []chatMessage
	welcomed bool
}

// welcome is the message that the user reads when the node first responds in a conversation.
const welcome = "Welcome to Say Ur Intent. The Sui node answers. Your AI client prepares transactions here; " +
	"you review each one and sign it in your wallet."

// read reads the messages since the last call from the log.
func (t *transcript) read(ctx context.Context, log Bus, session string) error {
	if t.from.Log == "" {
		id, err := log.ID(ctx)
		if err != nil {
			return err
		}
		t.from = bus.Cursor{Log: id}
	}
	if err := t.welcome(ctx, log, session); err != nil {
		return err
	}
	for {
		page, err := log.Since(ctx, t.from, bus.Filter{Session: session, Sees: bus.Agent}, bus.MostRead)
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if m, ok := messageOf(e); ok {
				t.list = append(t.list, m)
			}
		}
		t.list = t.list[max(0, len(t.list)-mostMessages):]
		if t.from = page.Next; !page.More {
			return nil
		}
	}
}

// welcome adds the welcome once, at the time of the node's first response.
func (t *transcript) welcome(ctx context.Context, log Bus, session string) error {
	if t.welcomed {
		return nil
	}
	page, err := log.Since(ctx, bus.Cursor{Log: t.from.Log},
		bus.Filter{Session: session, Sees: bus.UI, Types: []bus.Type{bus.TypeBackendConnected}}, 1)
	if err == nil && len(page.Events) > 0 {
		t.welcomed = true
		t.list = append(t.list, chatMessage{"assistant", welcome, page.Events[0].At.UTC()})
	}
	return err
}

// with returns the messages together with the finished calls, sorted by time.
func (t *transcript) with(called []calls.Call) []chatMessage {
	all := append([]chatMessage{}, t.list...)
	for _, c := range called {
		how := "ok"
		if c.Failure != "" {
			how = c.Failure
		}
		text := fmt.Sprintf("%s: %s, %d ms", c.Tool, how, c.Took.Milliseconds())
		if c.Excerpt != "" {
			text += "\n" + c.Excerpt
		}
		all = append(all, chatMessage{"tool", text, c.At.UTC()})
	}
	slices.SortStableFunc(all, func(a, b chatMessage) int { return a.At.Compare(b.At) })
	return all[max(0, len(all)-mostMessages):]
}

func messageOf(e bus.Event) (chatMessage, bool) {
	line, ok := bus.LineOf(e)
	m := chatMessage{"system", line.Text, e.At.UTC()}
	if body, err := bus.Decode(e.Payload); err == nil {
		if update, is := body.(bus.AsyncUpdate); is {
			if note, is := update.Read().(bus.UserNote); is {
				m.Sender, m.Content = "user", note.Message
			}
		}
	}
	return m, ok
}

// stateSince returns the state and the events after a cursor. Without a cursor, it returns no
// events.
func (d *Doors) stateSince(ctx context.Context, t *transcript, session string, from bus.Cursor) (sessionResponse,
	error) {
	out := sessionResponse{Session: session, Events: []json.RawMessage{}, PendingAll: []json.RawMessage{}}
	state, err := d.Bus.Snapshot(ctx, session)
	if err != nil {
		return out, err
	}
	out.Cursor = state.Cursor.String()
	if from.Log != "" {
		page, err := d.Bus.Since(ctx, from, bus.Filter{Session: session, Sees: bus.UI}, mostFrames)
		if err != nil {
			return out, err
		}
		for _, e := range page.Events {
			out.Events = append(out.Events, e.Payload)
		}
		out.Cursor, out.Truncated, out.More = page.Next.String(), page.Truncated, page.More
	}
	if err := t.read(ctx, d.Bus, session); err != nil {
		return out, err
	}
	called, running := d.Calls.Of(session)
	out.Messages, out.Processing = t.with(called), running > 0
	for _, task := range state.Tasks {
		out.Processing = out.Processing || task.WaitingFor == ""
	}
	for _, r := range state.Requests {
		out.PendingAll = append(out.PendingAll, r.Payload)
	}
	if len(state.Requests) > 0 {
		text, err := json.Marshal(map[string]json.RawMessage{"wallet_transaction_request": state.Requests[0].Payload})
		if err != nil {
			return out, err
		}
		pending := string(text)
		out.Pending = &pending
	}
	return out, nil
}

// chatState responds with the state once. The caller keeps its own cursor, so the server stores
// none.
func (d *Doors) chatState(c *visit) error {
	from, err := lastEvent(c.R)
	if err != nil {
		return err
	}
	out, err := d.stateSince(c.Ctx(), &transcript{}, c.session, from)
	if err != nil {
		return err
	}
	return web.JSON(c.Call, http.StatusOK, out)
}

// answerState responds to a post with the state and a notice.
func (d *Doors) answerState(c *visit, notice string) error {
	out, err := d.stateSince(c.Ctx(), &transcript{}, c.session, bus.Cursor{})
	if err != nil {
		return err
	}
	out.Notice = notice
	return web.JSON(c.Call, http.StatusOK, out)
}

// chatStream sends the state whenever it changes.
func (d *Doors) chatStream(c *visit) error { return d.streamDoor(c, d.sendStates) }

func (d *Doors) sendStates(ctx context.Context, c *visit, out *web.Stream, from bus.Cursor) error {
	var lines transcript
	called := d.Hub.Watch(events.Subject{Kind: events.Calls, ID: c.session})
	defer called.Close()
	for changed := true; ; {
		if err := d.still(c); err != nil {
			return err
		}
		v, err := d.stateSince(ctx, &lines, c.session, from)
		if err != nil {
			return err
		}
		if changed || len(v.Events) > 0 || v.Truncated {
			if err := web.Frame(out, v.Cursor, "message", v); err != nil {
				return err
			}
		}
		if from, err = bus.ParseCursor(v.Cursor); err != nil {
			return err
		}
		if changed = false; v.More {
			continue
		}
		if changed, err = d.awaitEvent(ctx, c, out, from, called.C); err != nil {
			return err
		}
	}
}
