package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Error codes of JSON-RPC and MCP that this package itself returns.
const (
	codeInvalidRequest    = mcp.INVALID_REQUEST
	codeInvalidParams     = mcp.INVALID_PARAMS
	codeInternal          = mcp.INTERNAL_ERROR
	codeMissingCapability = mcp.MISSING_REQUIRED_CLIENT_CAPABILITY
	codeBusy              = -32000
)

// connection is one client on one pair of streams.
type connection struct {
	server *server.MCPServer
	name   string // mcp-go's session ID
	opts   Options
	out    *output
	home   *place // destination of messages that do not belong to a request
	names  *spelling
	states *states
	asks   asks

	ctx       context.Context // parent context of every call
	stop      context.CancelCauseFunc
	input     context.Context // done when the input ends
	closeIn   context.CancelFunc
	slots     chan struct{}
	pool      *pool
	serial    atomic.Int64
	client    atomic.Pointer[client] // nil before initialize
	level     atomic.Pointer[mcp.LoggingLevel]
	broadcast *Session
	channel   sync.Once // opens the channel
	watched   watched
	streams   atomic.Int64 // number of open event streams
	introduction

	mu sync.Mutex
	inFlight
}

// inFlight holds a connection's calls.
type inFlight struct {
	calls   map[string]*Session // by request key
	work    load                // accepted calls that run or wait for a slot
	waits   load                // streams, and calls of tools that wait
	closing bool
	idle    chan struct{} // closed once closing is set and no call is running
}

// load counts accepted calls and the size of their messages.
type load struct{ held, bytes int }

// full reports whether one more message of the given size would exceed the limits. The first call
// is accepted whatever its size.
func (l load) full(size, most, mostBytes int) bool {
	return l.held >= most || (l.held > 0 && l.bytes+size > mostBytes)
}

// client is the content of one initialize request.
type client struct {
	info         mcp.Implementation
	capabilities mcp.ClientCapabilities
	version      string
	logging      bool // the server announced log messages to the client
}

func newConnection(ctx context.Context, out io.Writer, s *server.MCPServer, opts Options) (*connection, error) {
	names, err := newSpelling(opts.ToolNames, s, opts.Names)
	if err != nil {
		return nil, err
	}
	c := &connection{
		server: s, name: "stdio-" + strconv.FormatInt(connections.Add(1), 10),
		opts: opts, names: names, states: newStates(opts.Now),
		slots:    make(chan struct{}, opts.Concurrency),
		inFlight: inFlight{calls: map[string]*Session{}, idle: make(chan struct{})},
	}
	c.ctx, c.stop = context.WithCancelCause(ctx)
	c.pool = newPool(c.ctx.Done())
	c.input, c.closeIn = context.WithCancel(c.ctx)
	c.out = &output{w: out, failed: func(error) { c.stop(ErrOutputClosed) }}
	c.home = &place{out: c.out}
	return c, nil
}

// cancel cancels every call.
func (c *connection) cancel() { c.stop(context.Canceled) }

// receive handles one frame, which is valid only during the call. It returns the session of an
// accepted request, which may already have ended, or nil.
func (c *connection) receive(at *place, frame []byte) *Session {
	e, refused := parse(frame, c.opts.Depth, c.opts.LendArguments)
	switch {
	case refused != nil:
		c.refuse(at, refused)
	case e.response():
		c.asks.answered(e)
	case e.notification():
		c.notified(at, e)
	default:
		return c.request(at, e, len(frame))
	}
	return nil
}

// refuse answers a rejected message, unless it is one that expects no answer.
func (c *connection) refuse(at *place, r *refusal) {
	c.opts.Log.Debug("a message was refused", "code", r.code, "why", r.text)
	if !r.silent {
		at.out.write(errorFrame(r.id, failure{Code: r.code, Message: r.text}), nil)
	}
}

// notified handles a notification. Cancellations do not go through mcp-go, because it compares ids
// as text.
func (c *connection) notified(at *place, e envelope) {
	if e.method == "notifications/cancelled" {
		for _, m := range e.members {
			if id, ok := idOf(m.raw); ok && m.name == "requestId" {
				c.cancelled(at.scope + id.key)
			}
		}
		return
	}
	s := newSession(c, at, envelope{method: e.method}, requestMeta{})
	defer s.release()
	c.dispatch(s, message(0, e.method, e.params)) // mcp-go's answer is dropped because notifications have none
	s.settle()
	if e.method == "notifications/initialized" {
		c.openChannel()
	}
}

// cancelled cancels a queued, running or parked call and drops its output.
func (c *connection) cancelled(key string) {
	c.mu.Lock()
	s := c.calls[key]
	delete(c.calls, key)
	c.mu.Unlock()
	if s != nil {
		s.silent.Store(true)
		s.release()
	}
}

// request accepts and handles one request: initialize and ping synchronously, everything else
// concurrently.
func (c *connection) request(at *place, e envelope, size int) *Session {
	meta, refused := readMeta(e, c.opts.Depth)
	if refused == nil {
		refused = c.gate(e, meta)
	}
	if refused != nil {
		c.refuse(at, refused)
		return nil
	}
	s := newSession(c, at, e, meta)
	s.waits = c.waiting(e, meta)
	if refused := c.admit(s, size); refused != nil {
		s.release()
		c.refuse(at, refused)
		return nil
	}
	params, refused := c.incoming(s, e, meta)
	if refused != nil {
		c.finish(s, size, func() { c.refuse(at, refused) })
		return s
	}
	c.begin(s, size, params, c.extension(meta, e.method))
	return s
}

// begin starts an accepted request. serve is nil unless an extension handles the request.
func (c *connection) begin(s *Session, size int, params []byte, serve extended) {
	raw := message(s.serial, s.method, params)
	switch {
	case serve != nil:
		own := bytes.Clone(params)
		c.pool.run(func() {
			c.finish(s, size, func() {
				if s.take() {
					defer s.give()
					c.serveExtended(s, serve, own)
				}
			})
		})
		return
	case s.method == streamsMethod && s.waits:
		own := bytes.Clone(params)
		go c.finish(s, size, func() { c.stream(s, own) })
		return
	}
	switch s.method {
	case "initialize", "ping":
		c.finish(s, size, func() { c.answer(s, c.dispatch(s, raw)) })
	case "subscriptions/listen":
		own := bytes.Clone(params)
		go c.finish(s, size, func() { c.listen(s, own, raw) })
	default:
		c.pool.run(func() {
			c.finish(s, size, func() {
				if s.take() {
					defer s.give()
					c.answer(s, c.dispatch(s, raw))
				}
			})
		})
	}
}

// gate rejects requests that need initialize before the client has sent it. Methods that only probe
// the server pass, and mcp-go answers unknown ones with -32601.
func (c *connection) gate(e envelope, meta requestMeta) *refusal {
	if meta.modern || c.client.Load() != nil || !needsInitialize(e.method) {
		return nil
	}
	return &refusal{id: e.id.raw, code: codeInvalidRequest, text: "Send initialize first, " +
		"or put the protocol version 2026-07-28 and the client's capabilities into the request's _meta."}
}

func needsInitialize(method string) bool {
	switch mcp.MCPMethod(method) {
	case "skills/list", "skills/get", mcp.MethodToolsList, mcp.MethodToolsCall, mcp.MethodPromptsList,
		mcp.MethodPromptsGet,
		mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList, mcp.MethodResourcesRead,
		mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe,
		mcp.MethodCompletionComplete, mcp.MethodSetLogLevel:
		return true
	}
	return false
}

// admit registers a call, or rejects it if its id is in use or a limit is reached. The rejection of
// a duplicate id carries no id, so that the client does not take it for the first call's answer.
func (c *connection) admit(s *Session, size int) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.calls[s.id.key] != nil:
		return &refusal{code: codeInvalidRequest, text: "A request with this id is still running."}
	case c.closing:
		return &refusal{silent: true, text: "The input has ended."}
	case s.method == "ping" || s.method == "initialize":
	case s.waits && c.waits.full(size, c.opts.WaitMost, waitBytes):
		return &refusal{id: s.id.raw, code: codeBusy,
			text: fmt.Sprintf("%d calls of this client are already waiting, which is the maximum. "+
				"Cancel some of them, or use a call that does not wait. Other calls still work.", c.waits.held)}
	case !s.waits && c.work.full(size, c.opts.Admission, admissionBytes),
		c.work.held+c.waits.held > 0 && c.opts.Shared.full(size):
		return &refusal{id: s.id.raw, code: codeBusy, text: "The server is busy. Send the request again later."}
	}
	c.calls[s.id.key] = s
	c.count(s, 1, size)
	return nil
}

// count adds a call, or removes it if call is -1 and size is negative. The caller must hold c.mu.
func (c *connection) count(s *Session, call, size int) {
	l := &c.work
	if s.waits {
		l = &c.waits
	}
	l.held += call
	l.bytes += size
	c.opts.Shared.add(size)
}

// waiting reports whether a request is expected to wait for something outside the server.
func (c *connection) waiting(e envelope, meta requestMeta) bool {
	switch mcp.MCPMethod(e.method) {
	case mcp.MethodSubscriptionsListen:
		return true
	case streamsMethod:
		return meta.modern && meta.capable && c.opts.Events != nil
	case mcp.MethodToolsCall:
		var name string
		return json.Unmarshal(meta.param("name"), &name) == nil && c.opts.Waits(c.names.called(name))
	}
	return false
}

// forget removes a call so that its id can be reused.
func (c *connection) forget(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[s.id.key] == s {
		delete(c.calls, s.id.key)
	}
}

// unanswered reports whether a call is still running.
func (c *connection) unanswered(s *Session) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[s.id.key] == s
}

// finish runs serve for an accepted call and then removes the call.
func (c *connection) finish(s *Session, size int, serve func()) {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(s.serial, s.method, v)
			if c.unanswered(s) {
				c.refuse(s.at, &refusal{id: s.id.raw, code: codeInternal, text: c.internal(s)})
			}
		}
		s.release()
		c.forget(s)
		s.at.leave()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.count(s, -1, -size)
		c.rest()
	}()
	serve()
}

// endInput records that no more requests will arrive. The returned channel is closed after the last
// call.
func (c *connection) endInput() <-chan struct{} {
	c.closeIn()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.closing = true
		c.rest()
	}
	return c.idle
}

// rest closes idle if no call is running. The caller must hold c.mu.
func (c *connection) rest() {
	if c.closing && c.work.held+c.waits.held == 0 {
		select {
		case <-c.idle:
		default:
			close(c.idle)
		}
	}
}

// message returns a request, or a notification if id is 0, as JSON for mcp-go. The id is one of
// this package, because mcp-go would round large numbers.
func message(id int64, method string, params []byte) []byte {
	name, err := encode(method)
	if err != nil {
		return nil // unreachable: a string can always be encoded
	}
	m := make([]byte, 0, len(params)+len(name)+64)
	m = append(m, `{"jsonrpc":"2.0"`...)
	if id != 0 {
		m = strconv.AppendInt(append(m, `,"id":`...), id, 10)
	}
	m = append(append(m, `,"method":`...), name...)
	if params != nil {
		m = append(append(m, `,"params":`...), params...)
	}
	return append(m, '}')
}
