package doors

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/strictjson"
	"github.com/sayurintent/sayurintent/internal/web"
)

const (
	// maxActions is the maximum size of a request with actions, in bytes. Two full lists of entries
	// fit.
	maxActions = 512 << 10
	// agentHold is how long a frontend's request waits for work.
	agentHold = 25 * time.Second
)

// actionsIn is a backend's request. Transactions is an earlier form of it, a bundle without an
// action around it, and is used only if Actions is missing.
type actionsIn struct {
	Actions      []json.RawMessage `json:"actions"`
	Transactions []json.RawMessage `json:"transactions"`
}

// actionsOut contains the available results, in the order of the actions, and the ids of actions
// whose results will be sent over the stream.
type actionsOut struct {
	Results  []actions.Result `json:"action_results"`
	Accepted []string         `json:"accepted"`
}

// screened decodes a body. It returns an error if the body contains a secret.
func screened[T any](c *visit) (T, error) {
	var none T
	b, err := io.ReadAll(c.R.Body) // the body has already been read
	if err != nil {
		return none, err
	}
	if err := actions.Screen(b); err != nil {
		return none, err
	}
	return strictjson.Decode[T](b)
}

// agentActions executes actions in order.
func (d *Doors) agentActions(c *visit) error {
	if err := d.paced(c); err != nil {
		return err
	}
	in, err := screened[actionsIn](c)
	if err != nil {
		return err
	}
	if in.Actions == nil && in.Transactions != nil {
		params, err := json.Marshal(map[string]any{"transactions": in.Transactions})
		if err != nil {
			return err
		}
		one, err := json.Marshal(actions.Action{Type: "sign_tx", Params: params})
		if err != nil {
			return err
		}
		in = actionsIn{Actions: []json.RawMessage{one}}
	}
	//mutant:never ./review/web TestAgentActions
	if n := len(in.Actions); n < 1 || n > actions.MostAtOnce || in.Transactions != nil {
		return fault.New(fault.InputInvalid, "One request has 1 to %d actions.", actions.MostAtOnce).With("field", "actions")
	}
	caller := actions.Caller{ID: c.caller, Client: c.key, Acts: c.acts, Reads: c.reads}
	out := actionsOut{Results: []actions.Result{}, Accepted: []string{}}
	for _, raw := range in.Actions {
		a, err := d.Actions.Execute(c.Ctx(), caller, raw)
		if err != nil {
			return err
		}
		if a.Accepted {
			out.Accepted = append(out.Accepted, a.Result.ActionID)
			continue
		}
		out.Results = append(out.Results, a.Result)
	}
	status := http.StatusOK
	if len(out.Results) == 0 {
		status = http.StatusAccepted
	}
	return web.JSON(c.Call, status, out)
}

// resultFrame is one result on the wire, in either direction.
type resultFrame struct {
	Result json.RawMessage `json:"action_result"`
}

// agentStream sends the results of changes and bundles in the order in which they ended. It
// continues after Last-Event-ID. Without that header, it begins with the oldest stored result.
func (d *Doors) agentStream(c *visit) error { return d.streamDoor(c, d.sendResults) }

func (d *Doors) sendResults(ctx context.Context, c *visit, out *web.Stream, from bus.Cursor) error {
	from, err := d.ownLog(ctx, out, from)
	if err != nil {
		return err
	}
	watch := d.Hub.Watch(events.Subject{Kind: events.Action, ID: c.caller}, events.Subject{Kind: events.Bundle})
	defer watch.Close()
	for {
		if err := d.enter(&visit{Call: c.Call, entry: c.entry}); err != nil {
			return err
		}
		rows, err := d.Actions.Results(ctx, c.caller, int64(from.Seq))
		if err != nil {
			return err
		}
		for _, row := range rows {
			from.Seq = bus.Seq(row.Seq)
			if err := web.Frame(out, from.String(), "action_result", resultFrame{row.Result}); err != nil {
				return err
			}
		}
		if len(rows) > 0 {
			continue
		}
		if err := d.awaitAgent(ctx, watch, out); err != nil {
			return err
		}
	}
}

// ownLog converts a cursor to one of the current log. If the cursor belongs to another log, ownLog
// sends an event about that and returns the beginning of the log.
func (d *Doors) ownLog(ctx context.Context, out *web.Stream, from bus.Cursor) (bus.Cursor, error) {
	id, err := d.Bus.ID(ctx)
	if err != nil || from.Log == id {
		return from, err
	}
	if from.Log != "" {
		err = web.Frame(out, bus.Cursor{Log: id}.String(), "truncated", struct{}{})
	}
	return bus.Cursor{Log: id}, err
}

// awaitAgent waits for a change or until the next heartbeat is due.
func (d *Doors) awaitAgent(ctx context.Context, watch *events.Watch, out *web.Stream) error {
	beat := time.NewTimer(out.Beat)
	defer beat.Stop()
	select {
	case <-watch.C:
		return nil
	case <-beat.C:
		return out.Comment()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// messageIn is a frontend's request: a note of the user for the AI client, the user's decision
// about an action, or a query for pending actions.
type messageIn struct {
	Content *string         `json:"content"`
	Result  *actions.Result `json:"action_result"`
	Poll    bool            `json:"poll"`
}

type messageFrame struct {
	Content string          `json:"content,omitempty"`
	Result  *actions.Result `json:"action_result,omitempty"`
}

type actionsFrame struct {
	Actions []actions.Action `json:"actions"`
}

// agentMessages handles a frontend's messages. It responds with a stream: the results, the actions
// after Last-Event-ID that wait for the user, and the end.
func (d *Doors) agentMessages(c *visit) error {
	if err := d.paced(c); err != nil {
		return err
	}
	in, err := screened[messageIn](c)
	if err != nil {
		return err
	}
	if in.Content == nil && in.Result == nil && !in.Poll {
		return fault.New(fault.InputInvalid, "A message has content, an action_result or poll.")
	}
	var said []messageFrame
	if in.Content != nil {
		if err := d.noteOf(c, *in.Content); err != nil {
			return err
		}
		said = append(said, messageFrame{Content: "Your note waits for the next call of your AI client. No model runs in " +
			"this program."})
	}
	if in.Result != nil {
		r, err := d.Actions.Report(c.Ctx(), *in.Result)
		if err != nil {
			return err
		}
		said = append(said, messageFrame{Result: &r})
	}
	return d.streamDoor(c, func(ctx context.Context, c *visit, out *web.Stream, from bus.Cursor) error {
		return d.sendWork(ctx, out, from, said)
	})
}

// noteOf stores a note of the user for the client of the token.
func (d *Doors) noteOf(c *visit, note string) error {
	if n := utf8.RuneCountInString(note); n == 0 || n > bus.MostNote {
		return fault.New(fault.InputInvalid, "A note has 1 to %d characters.", bus.MostNote).With("field", "content")
	}
	session, ok, err := d.Bus.Conversation(c.Ctx(), c.key)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.SessionNotFound,
			"The client of this token has no conversation yet. It begins with its first call of a tool.")
	}
	c.session = session
	return d.tellAgent(c, bus.UserNote{Message: note})
}

// sendWork sends the results of messages, then waits until there are actions.
func (d *Doors) sendWork(ctx context.Context, out *web.Stream, from bus.Cursor, said []messageFrame) error {
	from, err := d.ownLog(ctx, out, from)
	if err != nil {
		return err
	}
	for _, m := range said {
		if err := web.Event(out, "message", 0, m); err != nil {
			return err
		}
	}
	watch := d.Hub.Watch(events.Subject{Kind: events.Action})
	defer watch.Close()
	held, end := context.WithTimeout(ctx, d.Hold)
	defer end()
	for {
		work, err := d.Actions.Waiting(ctx, int64(from.Seq))
		if err != nil {
			return err
		}
		if len(work) > 0 {
			f := actionsFrame{}
			for _, o := range work {
				f.Actions, from.Seq = append(f.Actions, o.Action), bus.Seq(o.Seq)
			}
			if err := web.Frame(out, from.String(), "actions", f); err != nil {
				return err
			}
			break
		}
		if d.awaitAgent(held, watch, out) != nil {
			break // the time is up, or the caller is gone
		}
	}
	return web.Event(out, "done", 0, struct{}{})
}
