package tool

import "context"

// Session is the state shared by the calls of one client. A server of several clients has one for
// each.
type Session struct {
	Lines   Lines   // lines reported together with answers; may be nil
	Browser Browser // browser on the desktop of this client
	// Refuse returns an error for tools that this client may not call; may be nil.
	Refuse func(Tool) error
	// Began is called before each call. After the call, ended is called with the code of its error,
	// or "", and the complete answer. May be nil.
	Began func(tool string) (ended func(failure, answer string))

	manners manners
}

// Browser can open links in a browser on this machine. The zero value cannot.
type Browser struct {
	// Start opens a link in the browser. It is nil if this process cannot start one.
	Start func(ctx context.Context, link string) error
	// Unasked means that the user has allowed opening links without being asked.
	Unasked bool
}

type sessionKey struct{}

// WithSession returns a context whose calls belong to s.
func WithSession(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// sessionOf returns the session of a context's calls, or otherwise if the context has none.
func sessionOf(ctx context.Context, otherwise *Session) *Session {
	if s, ok := ctx.Value(sessionKey{}).(*Session); ok {
		return s
	}
	return otherwise
}
