package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// mostFrames is how many events are read at once for one stream.
const mostFrames = 200

// eventFrame is one event on the wire. Event is the tagged object of the specification.
type eventFrame struct {
	Seq     bus.Seq         `json:"seq"`
	At      time.Time       `json:"at"`
	Session string          `json:"session_id"`
	Event   json.RawMessage `json:"event"`
}

// snapshotFrame is what stands when a stream begins that continues none.
type snapshotFrame struct {
	Session  string            `json:"session_id"`
	Requests []json.RawMessage `json:"pending_wallet_txs"`
	Tasks    []taskFrame       `json:"tasks"`
}

type taskFrame struct {
	ID         string        `json:"task_id"`
	Tool       string        `json:"tool_name"`
	State      bus.TaskState `json:"state"`
	Stage      string        `json:"stage"`
	WaitingFor string        `json:"waiting_for,omitempty"`
}

// events streams what pages may see of the conversation. Last-Event-ID continues an
// earlier stream; without it the first event is a snapshot. The ids are cursors.
func (s *Server) events(c *call) error { return s.streamDoor(c, s.sendEvents) }

// lastEvent reads the cursor of a caller, the zero one where there is none.
func lastEvent(r *http.Request) (from bus.Cursor, err error) {
	last := r.Header.Values("Last-Event-ID")
	if len(last) == 0 {
		return from, nil
	}
	if from, err = bus.ParseCursor(last[0]); err != nil || len(last) > 1 {
		return from, fault.New(fault.InputInvalid, "Last-Event-ID is the id of an earlier event.")
	}
	return from, nil
}

// streamDoor lets send write events until the caller, its right or the server is gone.
func (s *Server) streamDoor(c *call, send func(context.Context, *call, *eventWriter, bus.Cursor) error) error {
	from, err := lastEvent(c.r)
	if err != nil {
		return err
	}
	gone, leave, ok := s.doorStreams.enter(c.door.caller)
	if !ok {
		return fault.New(fault.RateLimited, "Too many streams are open. Close some of them.")
	}
	defer leave()
	// The stream holds no place among the caller's short requests.
	s.busy.leave(c.door.caller)
	defer s.busy.hold(c.door.caller)
	out := &eventWriter{w: c.w, control: http.NewResponseController(c.w)}
	if err := out.open(); err != nil {
		return fault.Wrap(err, fault.InternalError, "This connection cannot carry a stream.")
	}
	ctx, end := context.WithTimeout(c.ctx(), streamLife)
	defer end()
	go func() {
		defer end()
		select {
		case <-gone:
		case <-s.done:
		case <-ctx.Done():
		}
	}()
	// Once the stream has begun, there is nobody left to tell an error to.
	_ = send(ctx, c, out, from)
	return nil
}

// awaitEvent waits until there is an event after a place, or for a heartbeat. It reports
// whether also woke it first; a nil channel never does.
func (s *Server) awaitEvent(ctx context.Context, c *call, out *eventWriter, from bus.Cursor,
	also <-chan struct{}) (changed bool, err error) {
	waiting, stop := context.WithTimeout(ctx, s.heartbeat)
	defer stop()
	woken := make(chan bool, 1)
	go func() {
		select {
		case <-also:
			woken <- true
			stop()
		case <-waiting.Done():
			woken <- false
		}
	}()
	err = s.Bus.Wait(waiting, bus.Filter{Session: c.door.session, Sees: bus.UI}, from.Seq)
	stop()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if <-woken {
		return true, nil
	}
	if err != nil {
		return false, out.comment()
	}
	return false, nil
}

// sendEvents writes every event by itself.
func (s *Server) sendEvents(ctx context.Context, c *call, out *eventWriter, from bus.Cursor) error {
	session := c.door.session
	if from.Log == "" {
		state, err := s.Bus.Snapshot(ctx, session)
		if err != nil {
			return err
		}
		if err := out.frame(state.Cursor.String(), "snapshot", snapshotOf(session, state)); err != nil {
			return err
		}
		from = state.Cursor
	}
	also, leave, err := s.consoleWatch(c, out, from)
	if err != nil {
		return err
	}
	defer leave()
	for {
		// A caller whose right has ended hears nothing more.
		if err := s.still(c); err != nil {
			return err
		}
		page, err := s.Bus.Since(ctx, from, bus.Filter{Session: session, Sees: bus.UI}, mostFrames)
		if err != nil {
			return err
		}
		if page.Truncated {
			if err := out.frame(page.Next.String(), "truncated", struct{}{}); err != nil {
				return err
			}
		}
		for _, e := range page.Events {
			id := bus.Cursor{Log: page.Next.Log, Seq: e.Seq}
			if err := out.frame(id.String(), "system_event", eventFrame{e.Seq, e.At.UTC(), session, e.Payload}); err != nil {
				return err
			}
		}
		if from = page.Next; page.More {
			continue
		}
		changed, err := s.awaitEvent(ctx, c, out, from, also)
		if changed {
			err = out.frame(from.String(), "changed", struct{}{})
		}
		if err != nil {
			return err
		}
	}
}

// consoleWatch watches what a console shows besides events: the list of reviews, which
// changes without one when a review is prepared. It says once that something may have
// changed, for what did before the watch began. For other callers it watches nothing.
func (s *Server) consoleWatch(c *call, out *eventWriter, from bus.Cursor) (also <-chan struct{}, leave func(), err error) {
	if c.pass.Kind != pagetoken.Console {
		return nil, func() {}, nil
	}
	lists := s.Hub.Watch(events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	if err := out.frame(from.String(), "changed", struct{}{}); err != nil {
		lists.Close()
		return nil, nil, err
	}
	return lists.C, lists.Close, nil
}

func snapshotOf(session string, state bus.State) snapshotFrame {
	v := snapshotFrame{Session: session, Requests: []json.RawMessage{}, Tasks: []taskFrame{}}
	for _, r := range state.Requests {
		v.Requests = append(v.Requests, r.Payload)
	}
	for _, t := range state.Tasks {
		v.Tasks = append(v.Tasks, taskFrame{t.ID, t.Tool, t.State, t.Stage, t.WaitingFor})
	}
	return v
}
