package tool

import "context"

// Line is what a transport lends to one call in progress.
type Line interface {
	// Progress tells the client how far the call is, with a sentence for the user; false means that
	// nobody listens.
	Progress(done, total int64, message string) bool
	// Park returns the call's working place back while it only waits; the
	// returned function takes one again.
	Park() (resume func())
	// InputEnded is closed when the client has closed its side.
	InputEnded() <-chan struct{}
	// Unsent registers what must be undone where the answer does not reach the client, as when the
	// call was canceled meanwhile.
	Unsent(undo func())
}

// Client is what is known of the client of a call. Name and Version are its own words. AsksForm and
// OpensURL say which questions to the user it can pass on. AsksByResult says that it does so when a
// call's result asks it to, and calls again with the reply.
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
	resumed *resumed // nil unless the call brings a reply
}

// NewCall returns a call over line, which may be nil: then progress goes nowhere.
func NewCall(ctx context.Context, line Line, client Client) Call {
	return Call{ctx: ctx, line: line, client: client, session: sessionOf(ctx, &Session{})}
}

// Through returns the call with someone to put questions to the user through; without one nothing
// is asked.
func (c Call) Through(a Asker) Call {
	c.asker = a
	return c
}

// Context ends when the client cancels or the server stops.
func (c Call) Context() context.Context { return c.ctx }

// Browser starts a browser that the user of this client sees.
func (c Call) Browser() Browser { return c.session.Browser }

// Client returns what is known of the client.
func (c Call) Client() Client { return c.client }

// Progress tells the client, if it wants to know, what the call waits for. It
// also keeps clients from giving up on a call that waits. done grows from one
// message to the next.
func (c Call) Progress(done, total int64, message string) {
	if c.line != nil {
		c.line.Progress(done, total, message)
	}
}

// Began says that the call continues as a task. A client that declared that it takes tasks is
// answered with the task; any other with what the tool returns.
func (c Call) Began(task string) {
	if s, ok := c.line.(interface{ Began(task string) }); ok {
		s.Began(task)
	}
}

// Park marks that the call from now on only waits, so that it stands in no
// other call's way; call the returned function when the wait is over.
func (c Call) Park() (resume func()) {
	if c.line == nil {
		return func() {}
	}
	return c.line.Park()
}

// InputEnded is closed when the client has closed its side: whoever waits
// should answer at once with what is known. It is nil when that cannot happen.
func (c Call) InputEnded() <-chan struct{} {
	if c.line == nil {
		return nil
	}
	return c.line.InputEnded()
}

// unsent registers what must be undone where the answer does not reach the
// client. Without a line the answer is the caller's at once.
func (c Call) unsent(undo func()) {
	if c.line != nil {
		c.line.Unsent(undo)
	}
}
