package tool

import "context"

// Session is what the calls of one client share. A server of several clients gives each
// client its own.
type Session struct {
	Lines   Lines   // put beside answers; nil: there are none
	Browser Browser // of the machine and desktop of this client
	// Refuse refuses calls of a tool for this client; nil: none are.
	Refuse func(Tool) error
	// Began hears of each call before it runs, and returns what hears how it ended: the kind
	// of its error, "" for none, and the whole answer. nil: nobody does.
	Began func(tool string) (ended func(failure, answer string))

	manners manners
}

// Browser starts the browser of this machine. The zero value has none.
type Browser struct {
	// Start shows a link in the browser and reports what went wrong. nil: there
	// is no browser that this process can start.
	Start func(ctx context.Context, link string) error
	// Unasked says that the user agreed beforehand: no call asks.
	Unasked bool
}

type sessionKey struct{}

// WithSession returns a context for the calls of a session's client.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// sessionOf returns the session that a context's calls belong to, or otherwise.
func sessionOf(ctx context.Context, otherwise *Session) *Session {
	if s, ok := ctx.Value(sessionKey{}).(*Session); ok {
		return s
	}
	return otherwise
}
