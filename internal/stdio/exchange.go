package stdio

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// ErrEnded is returned when a message is sent to a connection that has ended.
var ErrEnded = errors.New("stdio: the connection has ended")

// place is the destination of a message's answer.
type place struct {
	out   *output
	scope string        // prefix of request keys if several clients share the connection
	over  chan struct{} // closed when the request ends; nil if nobody waits for it
}

func (p *place) leave() {
	if p.over != nil {
		close(p.over)
	}
}

// Exchanges is a connection whose messages arrive separately, each with its own destination for the
// answer, as over HTTP. It is safe for concurrent use.
type Exchanges struct {
	many   bool // several clients share the connection
	serial atomic.Int64
	conn   *connection
	ready  chan struct{} // closed once conn is set
	closed chan struct{}
	ended  chan struct{}
	end    sync.Once
}

// NewExchanges returns a connection on which messages wait until Serve starts. If many is set,
// several clients without a handshake share it, and their request ids may overlap.
func NewExchanges(many bool) *Exchanges {
	return &Exchanges{many: many, ready: make(chan struct{}), closed: make(chan struct{}), ended: make(chan struct{})}
}

// Serve serves messages until Close is called or ctx is done, and then ends as the function [Serve]
// does. It writes messages that do not belong to a request to push.
func (x *Exchanges) Serve(ctx context.Context, push io.Writer, s *server.MCPServer, opts Options) error {
	defer close(x.ended)
	return run(ctx, push, s, opts, func(c *connection) error {
		x.conn = c
		close(x.ready)
		<-x.closed
		return nil
	})
}

// Close ends the connection after its running calls.
func (x *Exchanges) Close() { x.end.Do(func() { close(x.closed) }) }

// Do handles one message and returns once the complete answer is written to out. If ctx is done
// because the caller has disconnected, a request of the era without a handshake is canceled, and
// any other request continues.
func (x *Exchanges) Do(ctx context.Context, message []byte, out io.Writer) error {
	select {
	case <-x.ready:
	case <-x.ended:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	c := x.conn
	if c.input.Err() != nil {
		return ErrEnded
	}
	at := &place{out: &output{w: out, failed: func(error) {}}, over: make(chan struct{})}
	if x.many {
		at.scope = strconv.FormatInt(x.serial.Add(1), 10) + " "
	}
	defer at.out.settle()
	s := c.receive(at, message)
	if s == nil {
		return nil
	}
	select {
	case <-at.over:
		return nil
	case <-ctx.Done():
		//mutant:never ./internal/web/mcphttp TestGone
		if s.meta.modern {
			c.cancelled(s.id.key)
		}
		return ctx.Err()
	case <-x.ended:
		return ErrEnded
	}
}

// settle waits for a write in progress and drops all later writes.
func (o *output) settle() {
	o.shut()
	o.mu.Lock()
	defer o.mu.Unlock()
}

// Outline holds the parts of a message that a transport needs to forward it.
type Outline struct {
	ID     []byte // as written; nil in a notification or response
	Method string // empty in a response
	// Name is the tool, prompt, resource URI or task id that the method refers to; empty if none.
	Name string
	// Version is the protocol version in a request's _meta. Capable reports whether _meta contains
	// the client's capabilities.
	Version string
	Capable bool
}

// ReadOutline reads a message. If the message is malformed, refused is the frame to answer with.
func ReadOutline(message []byte) (o Outline, refused []byte) {
	e, no := parse(message, 64, false)
	if no != nil {
		return o, errorFrame(no.id, failure{Code: no.code, Message: no.text})
	}
	o.ID, o.Method = e.id.raw, e.method
	if e.response() {
		o.ID = nil
		return o, nil
	}
	text := func(raw []byte) string {
		s, _ := exact(raw).(string)
		return s
	}
	for _, p := range e.members {
		switch {
		case p.name == "name" && (e.method == string(mcp.MethodToolsCall) || e.method == string(mcp.MethodPromptsGet)),
			p.name == "uri" && e.method == string(mcp.MethodResourcesRead),
			p.name == "taskId" && (e.method == "tasks/get" || e.method == "tasks/update" || e.method == "tasks/cancel"):
			o.Name = text(p.raw)
		case p.name == "_meta":
			meta, _ := exact(p.raw).(map[string]any)
			o.Version, _ = meta[mcp.MetaKeyProtocolVersion].(string)
			_, o.Capable = meta[mcp.MetaKeyClientCapabilities].(map[string]any)
		}
	}
	return o, nil
}

// ErrorFrame returns the answer to a request that a transport rejects.
func ErrorFrame(id []byte, code int, text string) []byte {
	return errorFrame(id, failure{Code: code, Message: text})
}

// Handshake reports whether clients of a protocol version begin with initialize.
func Handshake(version string) bool {
	return mcp.IsValidProtocolVersion(version) && !mcp.IsModernProtocol(version)
}
