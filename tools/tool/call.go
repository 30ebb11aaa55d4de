package tool

import "context"

// Line is the transport's interface for a running call.
type Line interface {
	// Progress reports the call's progress to the client, with a sentence for the user; false means
	// that nobody listens.
	Progress(done, total int64, message string) bool
	// Park returns the call's working place back while it only waits; the
	// returned function takes one again.
	Park() (resume func())
	// InputEnded is closed when the client has closed its side.
	InputEnded() <-chan struct{}
	// Unsent registers a function that runs if the answer does not reach the client, for example
	// because the call was canceled.
	Unsent(undo func())
}

// Client is what is known about a call's client. Name and Version are its own words. AsksForm and
// OpensURL report which questions it can show to the user. AsksByResult means that a result asks it
// to, and that it calls again with the reply.
type Client struct {
	Name, Version      string
	AsksForm, OpensURL bool
	AsksByResult       bool
}

// Call is one call in progress.
type Call struct {
	ctx     context.Context
	line    Line
	client  Client
	asker   Asker
	session *Session
	resumed *resumed // nil unless the call contains a reply
}

// NewCall returns a call over line, which may be nil: then progress goes nowhere.
func NewCall(ctx context.Context, line Line, client Client) Call {
	return Call{ctx: ctx, line: line, client: client, session: sessionOf(ctx, &Session{})}
}

// Through returns the call with an asker; without one, nothing is asked.
func (c Call) Through(a Asker) Call {
	c.asker = a
	return c
}

// Context ends when the client cancels or the server stops.
func (c Call) Context() context.Context { return c.ctx }

// Browser starts a browser that the user of this client sees.
func (c Call) Browser() Browser { return c.session.Browser }

// Client returns what is known about the client.
func (c Call) Client() Client { return c.client }

// Progress tells the client, if it requested progress, what the call waits for. It also keeps
// clients from giving up. done must increase with each message.
func (c Call) Progress(done, total int64, message string) {
	if c.line != nil {
		c.line.Progress(done, total, message)
	}
}

// Began reports that the call continues as a task. A client that supports tasks gets the task as
// the answer; any other gets the tool's result.
func (c Call) Began(task string) {
	if s, ok := c.line.(interface{ Began(task string) }); ok {
		s.Began(task)
	}
}

// Park marks the call as only waiting from now on, so that it does not block other calls; call
// resume when the wait is over.
func (c Call) Park() (resume func()) {
	if c.line == nil {
		return func() {}
	}
	return c.line.Park()
}

// InputEnded is closed when the client has closed its side; a waiting call should then answer with
// what is known. It is nil if that cannot happen.
func (c Call) InputEnded() <-chan struct{} {
	if c.line == nil {
		return nil
	}
	return c.line.InputEnded()
}

// unsent registers a function that runs if the answer does not reach the client. Without a line,
// the caller has the answer at once.
func (c Call) unsent(undo func()) {
	if c.line != nil {
		c.line.Unsent(undo)
	}
}
