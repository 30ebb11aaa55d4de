package stdio

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/screen"
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Session represents one request to its handler, which gets it from
// server.ClientSessionFromContext. In addition to what mcp-go requires, a handler can wait without
// blocking other calls ([Session.Park]), notice that the client is leaving ([Session.InputEnded]),
// report progress in order ([Session.Progress]), and read the client's capabilities.
//
// A session is valid only while its request is handled.
type Session struct {
	conn   *connection
	at     *place // destination of its messages
	id     requestID
	serial int64
	method string
	meta   requestMeta
	name   string
	waits  bool              // the call counts as waiting
	call   [sha256.Size]byte // fingerprint of the call, which binds its state to it
	args   strictjson.Value  // arguments of a tool call if Options.LendArguments is set

	ctx    context.Context
	cancel context.CancelFunc
	silent atomic.Bool // canceled by the client: nothing more is written

	slot     slot
	progress progress
	notices  notices

	mu     sync.Mutex
	asked  time.Duration // how long the client took to answer the last question
	unsent []func()
	introduced
	filter       mcp.SubscriptionFilter
	began        string // id of the task that continues the call
	needsTasks   bool   // the client must support tasks to get an answer
	followed     followed
	acknowledged chan struct{} // closed once the stream has been acknowledged
}

// introduced holds the client's description of itself.
type introduced struct {
	ready        bool
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
}

var (
	_ server.SessionWithLogging               = (*Session)(nil)
	_ server.SessionWithClientInfo            = (*Session)(nil)
	_ server.SessionWithElicitation           = (*Session)(nil)
	_ server.SessionWithProtocolVersion       = (*Session)(nil)
	_ server.SessionWithResourceSubscriptions = (*Session)(nil)
	_ server.SessionWithSubscriptionFilter    = (*Session)(nil)
)

// connections counts connections to give each client a unique session ID.
var connections atomic.Int64

// newSession returns the session of one request. The caller must call release.
func newSession(c *connection, at *place, e envelope, meta requestMeta) *Session {
	s := &Session{
		conn: c, at: at, method: e.method, meta: meta, name: c.name, serial: c.serial.Add(1),
		id: requestID{raw: append([]byte(nil), e.id.raw...), key: at.scope + e.id.key}, args: e.arguments,
	}
	s.meta.params = nil // the members refer to the frame
	s.ctx, s.cancel = context.WithCancel(c.ctx)
	if known := c.client.Load(); known != nil && !meta.modern {
		s.ready, s.info, s.capabilities, s.version = true, known.info, known.capabilities, known.version
	}
	return s
}

// release frees the session's resources. It may be called more than once.
func (s *Session) release() { s.cancel() }

// SessionID returns the ID of the client, or of the subscriptions/listen stream.
func (s *Session) SessionID() string { return s.name }

// Initialize marks the session as initialized. mcp-go calls it.
func (s *Session) Initialize() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
}

// Initialized reports whether the client has sent its name, in a handshake or in this request.
func (s *Session) Initialized() bool {
	if s == s.conn.broadcast {
		return s.conn.client.Load() != nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// SetLogLevel sets the minimum level of log messages sent to the client.
func (s *Session) SetLogLevel(level mcp.LoggingLevel) { s.conn.level.Store(&level) }

// GetLogLevel returns the minimum level of log messages sent to the client.
func (s *Session) GetLogLevel() mcp.LoggingLevel {
	if level := s.conn.level.Load(); level != nil {
		return *level
	}
	return mcp.LoggingLevelError
}

// GetClientInfo returns the client's name and version.
func (s *Session) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// SetClientInfo sets the client's name and version. mcp-go calls it.
func (s *Session) SetClientInfo(info mcp.Implementation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info.Name = namedBy(info.Name)
	s.info = info
}

// namedBy returns the client's name, or "" for a name that contains this program's.
func namedBy(name string) string {
	//mutant:never ./internal/stdio TestClientNamedLikeUs
	if screen.NamesUs(name) {
		return ""
	}
	return name
}

// GetClientCapabilities returns the capabilities that the client declared for this request.
func (s *Session) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilities
}

// SetClientCapabilities sets the client's capabilities. mcp-go calls it.
func (s *Session) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.capabilities = capabilities
}

// ProtocolVersion returns the version agreed at initialize. It is empty before initialize, and for
// a request that carries its version in _meta.
func (s *Session) ProtocolVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// SetProtocolVersion sets the agreed version. mcp-go calls it.
func (s *Session) SetProtocolVersion(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
}

// ClientName returns the client's name, or "" if it has not sent one.
func (s *Session) ClientName() string {
	if s.meta.modern {
		return s.meta.clientName
	}
	return s.GetClientInfo().Name
}

// Modern reports whether the request belongs to the era without a handshake (2026-07-28), in which
// a handler asks the user by returning "input required".
func (s *Session) Modern() bool { return s.meta.modern }

// ElicitsForm reports whether the client declared that it can show a form to the user.
func (s *Session) ElicitsForm() bool {
	e := s.GetClientCapabilities().Elicitation
	return e != nil && (e.Form != nil || e.URL == nil) // {} means form
}

// ElicitsURL reports whether the client declared that it can ask the user to open a link.
func (s *Session) ElicitsURL() bool {
	e := s.GetClientCapabilities().Elicitation
	return e != nil && e.URL != nil && !s.conn.opts.NoLinks
}

// CardType is the media type of the HTML cards that clients with the MCP Apps extension show with
// tool results.
const CardType = "text/html;profile=mcp-app"

const extensionCards = "io.modelcontextprotocol/ui"

// ShowsCards reports whether the client declared that it shows cards of type CardType.
func (s *Session) ShowsCards() bool {
	if s.conn.opts.NoLinks { // a card links to a page on this machine
		return false
	}
	settings, _ := s.GetClientCapabilities().Extensions[extensionCards].(map[string]any)
	types, _ := settings["mimeTypes"].([]any)
	//mutant:never ./internal/stdio TestShowsCards
	return slices.Contains(types, any(CardType))
}

// Arguments returns a tool call's arguments if Options.LendArguments is set.
func (s *Session) Arguments() strictjson.Value { return s.args }

// Asked returns how long the client took to answer this call's last question: the last elicitation
// or, in the era without a handshake, the question that this request answers. It returns 0 if the
// client was not asked.
func (s *Session) Asked() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// answered records that a question asked at the given time has just been answered.
func (s *Session) answered(asked time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = s.conn.opts.Now().Sub(asked)
}

// InputEnded returns a channel that is closed when the client closes its input. Handlers that wait
// should then return what they have.
func (s *Session) InputEnded() <-chan struct{} { return s.conn.input.Done() }

// Unsent registers a function to call if the result does not reach the client: the call was
// canceled, the client is gone, or an error replaced the result.
func (s *Session) Unsent(undo func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsent = append(s.unsent, undo)
}

// undo calls the registered functions in reverse order.
func (s *Session) undo() {
	s.mu.Lock()
	all := s.unsent
	s.unsent = nil
	s.mu.Unlock()
	for _, f := range slices.Backward(all) {
		f()
	}
}

// watched holds the resources whose updates the client requested.
type watched struct {
	mu   sync.Mutex
	uris map[string]context.CancelFunc
}

// SubscribeToResource adds uri to the resources whose updates the client gets. mcp-go calls it.
func (s *Session) SubscribeToResource(uri string) {
	w := &s.conn.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.uris == nil {
		w.uris = map[string]context.CancelFunc{}
	}
	if w.uris[uri] != nil || len(w.uris) >= mostFollowed {
		return
	}
	ctx, stop := context.WithCancel(s.conn.input)
	w.uris[uri] = stop
	if s.conn.opts.Changes != nil {
		go s.conn.opts.Changes(ctx, uri, func() {
			s.conn.tell(nil, "notifications/resources/updated", map[string]any{"uri": uri})
		})
	}
}

// UnsubscribeFromResource ends the updates of uri. mcp-go calls it.
func (s *Session) UnsubscribeFromResource(uri string) {
	w := &s.conn.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.uris[uri]; stop != nil {
		stop()
	}
	delete(w.uris, uri)
}

// SubscribedResources returns the URIs of the resources whose updates the client requested.
func (s *Session) SubscribedResources() []string {
	w := &s.conn.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Sorted(maps.Keys(w.uris))
}

// IsSubscribedToResource reports whether the client requested updates of uri.
func (s *Session) IsSubscribedToResource(uri string) bool {
	w := &s.conn.watched
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.uris[uri] != nil
}

// SetSubscriptionFilter sets the filter of a subscriptions/listen stream. mcp-go calls it.
func (s *Session) SetSubscriptionFilter(filter mcp.SubscriptionFilter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.filter = filter
}

// SubscriptionFilter returns the filter of a subscriptions/listen stream, or false for any other
// session.
func (s *Session) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filter, s.method == string(mcp.MethodSubscriptionsListen)
}

func (s *Session) listenName() string {
	return s.conn.name + "-listen-" + strconv.FormatInt(s.serial, 10)
}
