package tool

import "context"

// Line is the transport's interface for a running call.
type Line interface {
	// Progress reports the call's progress with a sentence for the user. It returns false if the
	// client does not listen.
	Progress(done, total int64, message string) bool
	// Park frees the call's place among running calls while it only waits. The returned function
	// takes a place again.
	Park() (resume func())
	// InputEnded is closed when the client has closed its side.
	InputEnded() <-chan struct{}
	// Unsent registers a function that runs if the answer does not reach the client, for example
	// because the call was canceled.
	Unsent(undo func())
}

// Client describes a call's client. Name and Version are its own words. AsksForm and OpensURL
// report which questions it can show to the user. AsksByResult means that a question is returned as
// the result, and the client repeats the call with the reply.
type Client struct {
	Name, Version      string
	AsksForm, OpensURL bool
	AsksByResult       bool
}

// Call is a running call.
type Call struct {
	ctx     context.Context
	line    Line
	client  Client
	asker   Asker
	session *Session
	resumed *resumed // nil unless the call contains a reply
}

// NewCall returns a call over line, which may be nil; then progress is dropped.
func NewCall(ctx context.Context, line Line, client Client) Call {
	return Call{ctx: ctx, line: line, client: client, session: sessionOf(ctx, &Session{})}
}

// Through returns the call with an asker. Without one, nothing is asked.
func (c Call) Through(a Asker) Call {
	c.asker = a
	return c
}

// Context ends when the client cancels or the server stops.
func (c Call) Context() context.Context { return c.ctx }

// Browser starts a browser on this client's desktop.
func (c Call) Browser() Browser { return c.session.Browser }

// Client describes the client.
func (c Call) Client() Client { return c.client }

// Progress reports what the call waits for, if the client requested progress. It also keeps clients
// from giving up. done must increase with each message.
func (c Call) Progress(done, total int64, message string) {
	if c.line != nil {
		c.line.Progress(done, total, message)
	}
}

// Began reports that the call continues as a task. A client that supports tasks gets the task as
// the answer; any other client gets the tool's result.
func (c Call) Began(task string) {
	if s, ok := c.line.(interface{ Began(task string) }); ok {
		s.Began(task)
	}
}

// Park marks the call as waiting, so that it does not block other calls. Call resume after the
// wait.
func (c Call) Park() (resume func()) {
	if c.line == nil {
		return func() {}
	}
	return c.line.Park()
}

// InputEnded is closed when the client has closed its side. A waiting call should then return what
// it has. It is nil if that cannot happen.
func (c Call) InputEnded() <-chan struct{} {
	if c.line == nil {
		return nil
	}
	return c.line.InputEnded()
}

// unsent registers a function that runs if the answer does not reach the client. Without a line,
// the caller always gets the answer.
func (c Call) unsent(undo func()) {
	if c.line != nil {
		c.line.Unsent(undo)
	}
}
