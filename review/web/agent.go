package web

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
)

const (
	agentActionsPath = "/api/agent/actions"
	// maxActions bounds a request with actions: two full lists of entries fit.
	maxActions = 512 << 10
	// agentHold is how long a frontend's request stays open for work to appear.
	agentHold = 25 * time.Second
)

// agentRoutes are the doors of the executor of actions: a backend of the person's asks
// for actions and follows their results, a frontend shows what waits for the person.
func agentRoutes() []route {
	return []route{
		{http.MethodPost, agentActionsPath, withBackend, "", true, (*Server).agentActions},
		{http.MethodGet, "/api/agent/stream", withBackend, "", false, (*Server).agentStream},
		{http.MethodPost, "/api/agent/messages", withFrontend, "", true, (*Server).agentMessages},
	}
}

// actionsIn is a request of a backend. Transactions is the earlier shape of a response
// of it: a bundle without an action around it.
type actionsIn struct {
	Actions      []json.RawMessage `json:"actions"`
	Transactions []json.RawMessage `json:"transactions"`
}

// actionsOut has the results that are there, in the order of the actions, and the ids
// of those whose results come by the stream.
type actionsOut struct {
	Results  []actions.Result `json:"action_results"`
	Accepted []string         `json:"accepted"`
}

// screened reads a body that must hold no secret.
func screened[T any](c *call) (T, error) {
	var none T
	b, err := io.ReadAll(c.r.Body) // it is here already
	if err != nil {
		return none, err
	}
	if err := actions.Screen(b); err != nil {
		return none, err
	}
	return strictjson.Decode[T](b)
}

// agentActions carries out actions in their order.
func (s *Server) agentActions(c *call) error {
	if err := s.paced(c); err != nil {
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
	caller := actions.Caller{ID: c.door.caller, Client: c.door.key, Acts: c.door.acts, Reads: c.door.reads}
	out := actionsOut{Results: []actions.Result{}, Accepted: []string{}}
	for _, raw := range in.Actions {
		a, err := s.Actions.Execute(c.ctx(), caller, raw)
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
	writeJSON(c.w, status, out)
	return nil
}

// resultFrame is one report, as it travels in both directions.
type resultFrame struct {
	Result json.RawMessage `json:"action_result"`
}

// agentStream sends the results of changes and bundles in the order of their ends.
// Last-Event-ID continues; without it, it begins with the oldest that is kept.
func (s *Server) agentStream(c *call) error { return s.streamDoor(c, s.sendResults) }

func (s *Server) sendResults(ctx context.Context, c *call, out *eventWriter, from bus.Cursor) error {
	from, err := s.ownLog(ctx, out, from)
	if err != nil {
		return err
	}
	watch := s.Hub.Watch(events.Subject{Kind: events.Action, ID: c.door.caller}, events.Subject{Kind: events.Bundle})
	defer watch.Close()
	for {
		again := call{w: c.w, r: c.r}
		if err := s.enterDoor(&again, &route{right: withBackend}); err != nil {
			return err
		}
		rows, err := s.Actions.Results(ctx, c.door.caller, int64(from.Seq))
		if err != nil {
			return err
		}
		for _, row := range rows {
			from.Seq = bus.Seq(row.Seq)
			if err := out.frame(from.String(), "action_result", resultFrame{row.Result}); err != nil {
				return err
			}
		}
		if len(rows) > 0 {
			continue
		}
		if err := s.awaitAgent(ctx, watch, out); err != nil {
			return err
		}
	}
}

// ownLog makes a cursor one of this log. One of another log is told, and begins anew.
func (s *Server) ownLog(ctx context.Context, out *eventWriter, from bus.Cursor) (bus.Cursor, error) {
	id, err := s.Bus.ID(ctx)
	if err != nil || from.Log == id {
		return from, err
	}
	if from.Log != "" {
		err = out.frame(bus.Cursor{Log: id}.String(), "truncated", struct{}{})
	}
	return bus.Cursor{Log: id}, err
}

// awaitAgent waits for a change, or for a heartbeat.
func (s *Server) awaitAgent(ctx context.Context, watch *events.Watch, out *eventWriter) error {
	beat := time.NewTimer(s.heartbeat)
	defer beat.Stop()
	select {
	case <-watch.C:
		return nil
	case <-beat.C:
		return out.comment()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// messageIn is a request of a frontend: a note of the person for the AI client, what
// the person said to an action, or the question whether there is work.
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

// agentMessages takes what a frontend says, and answers with a stream: what became of
// it, the actions that wait for the person after Last-Event-ID, and the end.
func (s *Server) agentMessages(c *call) error {
	if err := s.paced(c); err != nil {
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
		if err := s.noteOf(c, *in.Content); err != nil {
			return err
		}
		said = append(said, messageFrame{Content: "Your note waits for the next call of your AI client. No model runs in this program."})
	}
	if in.Result != nil {
		r, err := s.Actions.Report(c.ctx(), *in.Result)
		if err != nil {
			return err
		}
		said = append(said, messageFrame{Result: &r})
	}
	return s.streamDoor(c, func(ctx context.Context, c *call, out *eventWriter, from bus.Cursor) error {
		return s.sendWork(ctx, out, from, said)
	})
}

// noteOf keeps a note of the person for the client that the token is for.
func (s *Server) noteOf(c *call, note string) error {
	if n := utf8.RuneCountInString(note); n == 0 || n > mostNote {
		return fault.New(fault.InputInvalid, "A note has 1 to %d characters.", mostNote).With("field", "content")
	}
	session, ok, err := s.Bus.Conversation(c.ctx(), c.door.key)
	if err != nil {
		return err
	}
	if !ok {
		return fault.New(fault.SessionNotFound, "The client of this token has no conversation yet. It begins with its first call of a tool.")
	}
	c.door.session = session
	return s.tellAgent(c, bus.UserNote{Message: note})
}

// sendWork sends what was said back, then waits for actions until there are some.
func (s *Server) sendWork(ctx context.Context, out *eventWriter, from bus.Cursor, said []messageFrame) error {
	from, err := s.ownLog(ctx, out, from)
	if err != nil {
		return err
	}
	for _, m := range said {
		if err := out.event("message", 0, m); err != nil {
			return err
		}
	}
	watch := s.Hub.Watch(events.Subject{Kind: events.Action})
	defer watch.Close()
	held, end := context.WithTimeout(ctx, s.hold)
	defer end()
	for {
		work, err := s.Actions.Waiting(ctx, int64(from.Seq))
		if err != nil {
			return err
		}
		if len(work) > 0 {
			f := actionsFrame{}
			for _, o := range work {
				f.Actions, from.Seq = append(f.Actions, o.Action), bus.Seq(o.Seq)
			}
			if err := out.frame(from.String(), "actions", f); err != nil {
				return err
			}
			break
		}
		if s.awaitAgent(held, watch, out) != nil {
			break // its time is up, or the caller is gone
		}
	}
	return out.event("done", 0, struct{}{})
}
