package tool

import "context"

// Session is shared by the calls of one client. A server of several clients gives each its own.
type Session struct {
	Lines   Lines   // lines that accompany answers; may be nil
	Browser Browser // on this client's machine and desktop
	// Refuse returns an error for tools that this client may not call; may be nil.
	Refuse func(Tool) error
	// Began is called before each call. The function it returns is called with the kind of the
	// call's error, or "", and the complete answer. It may be nil.
	Began func(tool string) (ended func(failure, answer string))

	manners manners
}

// Browser starts the browser of this machine. The zero value has none.
type Browser struct {
	// Start opens a link in the browser. nil means that this process cannot start one.
	Start func(ctx context.Context, link string) error
	// Unasked means that the user agreed beforehand, so that calls do not ask.
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
