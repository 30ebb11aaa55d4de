package doors

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/web"
)

// mostFrames is the maximum number of events that are read at once for a stream.
const mostFrames = 200

// eventFrame is one event on the wire. Event is the tagged object of the specification.
type eventFrame struct {
	Seq     bus.Seq         `json:"seq"`
	At      time.Time       `json:"at"`
	Session string          `json:"session_id"`
	Event   json.RawMessage `json:"event"`
}

// snapshotFrame is the state at the beginning of a stream without a cursor.
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

// events streams the events of the conversation that pages may see. Last-Event-ID continues an
// earlier stream. Without it, the first event is a snapshot. The ids are cursors.
func (d *Doors) events(c *visit) error { return d.streamDoor(c, d.sendEvents) }

// lastEvent parses the caller's cursor. It returns the zero cursor if there is none.
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

// streamDoor runs send until the caller or the server is gone, or the caller's token is no longer
// valid.
func (d *Doors) streamDoor(c *visit, send func(context.Context, *visit, *web.Stream, bus.Cursor) error) error {
	from, err := lastEvent(c.R)
	if err != nil {
		return err
	}
	out, err := c.Stream(d.streams, c.caller)
	if err != nil {
		return err
	}
	defer out.Close()
	// After the stream has started, errors can no longer be reported.
	_ = send(out.Context(), c, out, from)
	return nil
}

// awaitEvent waits until there is an event after from or the next heartbeat is due. changed reports
// whether also was the first to wake it. A nil also never wakes it.
func (d *Doors) awaitEvent(ctx context.Context, c *visit, out *web.Stream, from bus.Cursor,
	also <-chan struct{}) (changed bool, err error) {
	waiting, stop := context.WithTimeout(ctx, out.Beat)
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
	err = d.Bus.Wait(waiting, bus.Filter{Session: c.session, Sees: bus.UI}, from.Seq)
	stop()
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if <-woken {
		return true, nil
	}
	if err != nil {
		return false, out.Comment()
	}
	return false, nil
}

// sendEvents sends each event separately.
func (d *Doors) sendEvents(ctx context.Context, c *visit, out *web.Stream, from bus.Cursor) error {
	session := c.session
	if from.Log == "" {
		state, err := d.Bus.Snapshot(ctx, session)
		if err != nil {
			return err
		}
		if err := web.Frame(out, state.Cursor.String(), "snapshot", snapshotOf(session, state)); err != nil {
			return err
		}
		from = state.Cursor
	}
	also, leave, err := d.consoleWatch(c, out, from)
	if err != nil {
		return err
	}
	defer leave()
	for {
		// Nothing is sent to a caller whose token is no longer valid.
		if err := d.still(c); err != nil {
			return err
		}
		page, err := d.Bus.Since(ctx, from, bus.Filter{Session: session, Sees: bus.UI}, mostFrames)
		if err != nil {
			return err
		}
		if page.Truncated {
			if err := web.Frame(out, page.Next.String(), "truncated", struct{}{}); err != nil {
				return err
			}
		}
		for _, e := range page.Events {
			id := bus.Cursor{Log: page.Next.Log, Seq: e.Seq}
			if err := web.Frame(out, id.String(), "system_event", eventFrame{e.Seq, e.At.UTC(), session,
				e.Payload}); err != nil {
				return err
			}
		}
		if from = page.Next; page.More {
			continue
		}
		changed, err := d.awaitEvent(ctx, c, out, from, also)
		if changed {
			err = web.Frame(out, from.String(), "changed", struct{}{})
		}
		if err != nil {
			return err
		}
	}
}

// consoleWatch watches the parts of a console that change without an event, such as the list of
// reviews. It begins with a "changed" frame, because something may have changed before the watch
// started. For other callers it watches nothing.
func (d *Doors) consoleWatch(c *visit, out *web.Stream, from bus.Cursor) (also <-chan struct{}, leave func(),
	err error) {
	if c.Pass.Kind != pagetoken.Console {
		return nil, func() {}, nil
	}
	lists := d.Hub.Watch(events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	if err := web.Frame(out, from.String(), "changed", struct{}{}); err != nil {
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
