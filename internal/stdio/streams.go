package stdio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// EventType describes one type of events that clients can read.
type EventType struct {
	Name, Description string
	Arguments         json.RawMessage // JSON schema of a subscription's arguments
	Data              json.RawMessage // JSON schema of an event's data
}

// Occurrence is one event.
type Occurrence struct {
	ID     string // the same in every delivery
	At     time.Time
	Data   json.RawMessage
	Cursor string // position in the log after the event
}

// Occurrences is a sequence of events, oldest first.
type Occurrences struct {
	List []Occurrence
	// From is the cursor before List: the requested one, unless events after it were lost.
	From string
	// Next is the cursor after List. It can advance although List is empty.
	Next string
	More bool
	// Truncated reports whether events after the requested cursor were lost.
	Truncated bool
}

// Events gives access to a log of events. Its errors are faults, as with Tasks.
type Events interface {
	// Types returns the types of events that clients can subscribe to.
	Types() []EventType
	// Subscribe returns a subscription to a listed type with the given arguments.
	Subscribe(ctx context.Context, name string, arguments json.RawMessage) (Subscription, error)
}

// Subscription reads the events of one type that match its arguments.
type Subscription interface {
	// Read returns at most most events after cursor and, unless age is 0, none older than age. If
	// cursor is empty, it returns no events, and the current end of the log as the next cursor. If
	// cursor belongs to another log, it reports lost events.
	Read(ctx context.Context, cursor string, age time.Duration, most int) (Occurrences, error)
	// Wait returns nil when there may be events after cursor, or ctx's error.
	Wait(ctx context.Context, cursor string) error
}

const (
	mostStreams   = 64 // per client
	usualPage     = 50
	mostPage      = 1000
	retryStream   = time.Second // delay after a failed read of the log
	usualBeat     = 20 * time.Second
	streamsMethod = "events/stream"
)

type eventParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Cursor    *string         `json:"cursor"`
	AgeMs     int64           `json:"maxAgeMs"`
	Most      *int            `json:"maxEvents"`
}

func (c *connection) eventTypes(context.Context, *Session, []byte) (any, *failure) {
	list := []map[string]any{}
	for _, t := range c.opts.Events.Types() {
		list = append(list, map[string]any{"name": t.Name, "description": t.Description,
			"delivery": []string{"poll", "push"}, "inputSchema": t.Arguments, "payloadSchema": t.Data})
	}
	return map[string]any{"events": list}, nil
}

// noWebhook rejects a subscription that would be delivered over HTTP.
func noWebhook(context.Context, *Session, []byte) (any, *failure) {
	return nil, &failure{Code: codeUnsupported, Message: "Webhooks are not supported. Use events/poll or events/stream.",
		Data: map[string]any{"feature": "deliveryMode", "value": "webhook"}}
}

// subscribed reads the parameters of a poll or a stream, and subscribes to the type they name.
func (c *connection) subscribed(ctx context.Context, s *Session, params []byte) (eventParams, Subscription, *failure) {
	p, failed := readParams[eventParams](params)
	if failed != nil {
		return p, nil, failed
	}
	known := false
	for _, t := range c.opts.Events.Types() {
		known = known || t.Name == p.Name
	}
	switch {
	case !known:
		return p, nil, &failure{Code: codeNoEvent, Message: "Unknown event. Call events/list.",
			Data: map[string]any{"kind": "event"}}
	case p.AgeMs < 0 || p.AgeMs > 1<<40:
		return p, nil, &failure{Code: codeInvalidParams, Message: "maxAgeMs must be a number of milliseconds."}
	case p.Most != nil && (*p.Most < 1 || s.method == streamsMethod):
		return p, nil, &failure{Code: codeInvalidParams, Message: "maxEvents must be at least 1 and is only valid for events/poll."}
	}
	sub, err := c.opts.Events.Subscribe(ctx, p.Name, p.Arguments)
	if err != nil {
		return p, nil, c.unserved(s, err)
	}
	return p, sub, nil
}

// from returns the cursor to read from, or "" for the current end of the log.
func (p eventParams) from() string {
	if p.Cursor == nil {
		return ""
	}
	return *p.Cursor
}

func (p eventParams) age() time.Duration { return time.Duration(p.AgeMs) * time.Millisecond }

func (c *connection) eventPoll(ctx context.Context, s *Session, params []byte) (any, *failure) {
	p, sub, failed := c.subscribed(ctx, s, params)
	if failed != nil {
		return nil, failed
	}
	most := usualPage
	if p.Most != nil {
		most = min(*p.Most, mostPage)
	}
	page, err := sub.Read(ctx, p.from(), p.age(), most)
	if err != nil {
		return nil, c.unserved(s, err)
	}
	list := []any{}
	for _, o := range page.List {
		list = append(list, o.members(p.Name))
	}
	return map[string]any{"events": list, "cursor": page.Next, "truncated": page.Truncated, "hasMore": page.More,
		"nextPollMs": pollEvery.Milliseconds()}, nil
}

func (o Occurrence) members(name string) map[string]any {
	return map[string]any{"eventId": o.ID, "name": name, "timestamp": moment(o.At), "data": o.Data}
}

// stream serves events/stream until the client cancels it, the input ends, or a write fails. It
// writes each message before it reads the next, so that a client that does not read blocks only its
// own stream.
func (c *connection) stream(s *Session, params []byte) {
	defer context.AfterFunc(c.input, s.release)()
	ctx := c.server.WithContext(s.ctx, s)
	p, sub, failed := c.subscribed(ctx, s, params)
	if failed == nil {
		failed = c.openStream()
	}
	if failed != nil {
		c.serveExtended(s, func(context.Context, *Session, []byte) (any, *failure) { return nil, failed }, nil)
		return
	}
	defer c.streams.Add(-1)
	c.names.settle(s.ClientName())
	t := &streaming{c: c, s: s, name: p.Name, sub: sub}
	err := t.run(ctx, p.from(), p.age())
	c.serveExtended(s, func(context.Context, *Session, []byte) (any, *failure) {
		if err != nil && ctx.Err() == nil {
			return nil, c.unserved(s, err)
		}
		return map[string]any{"_meta": t.meta()}, nil
	}, nil)
}

// openStream counts a new stream, or returns an error if too many are open.
func (c *connection) openStream() *failure {
	//mutant:never ./internal/stdio TestEventStreams/too many
	if c.streams.Add(1) > mostStreams {
		c.streams.Add(-1)
		return &failure{Code: codeExhausted,
			Message: fmt.Sprintf("Too many open streams (max %d). Close one.", mostStreams),
			Data:    map[string]any{"limit": "streams", "max": mostStreams}}
	}
	return nil
}

// streaming is an open events/stream.
type streaming struct {
	c    *connection
	s    *Session
	name string
	sub  Subscription
}

// run sends the cursor, then each event, and heartbeats while there are none. After a gap in the
// log it sends the cursor again.
func (t *streaming) run(ctx context.Context, cursor string, age time.Duration) error {
	page, err := t.sub.Read(ctx, cursor, age, mostPage)
	if err != nil {
		return err
	}
	t.tell("active", map[string]any{"cursor": page.From, "truncated": page.Truncated})
	for first := true; ; first = false {
		if !first {
			if page, err = t.read(ctx, cursor); err != nil {
				return err
			}
			if page.Truncated {
				t.tell("active", map[string]any{"cursor": page.From, "truncated": true})
			}
		}
		for _, o := range page.List {
			m := o.members(t.name)
			m["cursor"] = o.Cursor
			t.tell("event", m)
		}
		if cursor = page.Next; ctx.Err() != nil {
			return ctx.Err()
		}
		if !page.More {
			if err := t.quiet(ctx, cursor); err != nil {
				return err
			}
		}
	}
}

// read returns the next events. While the log cannot be read, it reports errors to the client and
// retries.
func (t *streaming) read(ctx context.Context, cursor string) (Occurrences, error) {
	for {
		page, err := t.sub.Read(ctx, cursor, 0, mostPage)
		if err == nil || ctx.Err() != nil {
			return page, err
		}
		t.tell("error", map[string]any{"error": failure{Code: codeInternal, Message: t.c.internal(t.s)}})
		select {
		case <-time.After(retryStream):
		case <-ctx.Done():
		}
	}
}

// quiet waits for events after cursor and sends heartbeats meanwhile.
func (t *streaming) quiet(ctx context.Context, cursor string) error {
	for {
		waiting, stop := context.WithTimeout(ctx, t.c.opts.Heartbeat)
		err := t.sub.Wait(waiting, cursor)
		over := errors.Is(waiting.Err(), context.DeadlineExceeded)
		stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil || !over {
			return nil // the next read reports the error
		}
		t.tell("heartbeat", map[string]any{"cursor": cursor})
	}
}

func (t *streaming) meta() map[string]any {
	return map[string]any{mcp.MetaKeySubscriptionID: json.RawMessage(t.s.id.raw)}
}

func (t *streaming) tell(what string, params map[string]any) {
	params["_meta"] = t.meta()
	t.c.tell(t.s, "notifications/events/"+what, params)
}
