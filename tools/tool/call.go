package tool

import "context"

// Line is the interface of a transport's session that running calls use.
type Line interface {
	// Progress reports the call's progress with a sentence for the user. It returns false if the
	// client gets no progress.
	Progress(done, total int64, message string) bool
	// Park frees the call's slot while the call only waits. The returned function takes a slot
	// again.
	Park() (resume func())
	// InputEnded returns a channel that is closed when the client closes its input.
	InputEnded() <-chan struct{}
	// Unsent registers a function to call if the answer does not reach the client, for example
	// because the call was canceled.
	Unsent(undo func())
}

// Client describes a call's client. Name and Version come from the client itself. AsksForm and
// OpensURL report which questions it can show to the user. AsksByResult means that a question is
// returned as the result, and the client repeats the call with the reply.
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

// NewCall returns a call over line. If line is nil, progress is dropped.
func NewCall(ctx context.Context, line Line, client Client) Call {
	return Call{ctx: ctx, line: line, client: client, session: sessionOf(ctx, &Session{})}
}

// Through returns the call with an asker for questions to the user.
func (c Call) Through(a Asker) Call {
	c.asker = a
	return c
}

// Context returns the call's context. It is done when the client cancels the call or the server
// stops.
func (c Call) Context() context.Context { return c.ctx }

// Browser returns the browser on this client's desktop.
func (c Call) Browser() Browser { return c.session.Browser }

// Client returns the description of the client.
func (c Call) Client() Client { return c.client }

// Progress reports what the call waits for, if the client requested progress. Some clients wait
// longer if they get progress. done must increase with each message.
func (c Call) Progress(done, total int64, message string) {
	if c.line != nil {
		c.line.Progress(done, total, message)
	}
}

// Began reports that the call continues as a task. A client that supports tasks gets the task as
// the answer. Any other client gets the tool's result.
func (c Call) Began(task string) {
	if s, ok := c.line.(interface{ Began(task string) }); ok {
		s.Began(task)
	}
}

// Park marks the call as waiting, so that it does not block other calls. The caller must call
// resume after the wait.
func (c Call) Park() (resume func()) {
	if c.line == nil {
		return func() {}
	}
	return c.line.Park()
}

// InputEnded returns a channel that is closed when the client closes its input. A waiting call
// should then return what it has. The channel is nil for a call without a line.
func (c Call) InputEnded() <-chan struct{} {
	if c.line == nil {
		return nil
	}
	return c.line.InputEnded()
}

// unsent registers a function to call if the answer does not reach the client. A call without a
// line always returns its answer to the caller.
func (c Call) unsent(undo func()) {
	if c.line != nil {
		c.line.Unsent(undo)
	}
}
