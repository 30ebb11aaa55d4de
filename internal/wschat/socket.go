package wschat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Peer is who is at the other end of a socket, as judged when it connected.
type Peer struct {
	Session string // the id of the socket, ValidSession
	Project string // the one project of the socket, ValidProject
	Caller  string // the token it came with; the same for all sockets of one token
	Role    Role
	Writes  bool // of a backend: it may call ApplyChange
}

// Config is what a socket needs. Still may be nil; everything else is required.
type Config struct {
	Peer
	Conn  Conn
	Tools Tools
	// Still judges again whether the peer may be here. It is asked all the time, and
	// before each call; an error ends the socket, and its text is the reason.
	Still  func(ctx context.Context) error
	Timing Timing
	Now    func() time.Time
	Rand   io.Reader
	Log    *slog.Logger
}

// Socket is one connection. It is safe for concurrent use.
type Socket struct {
	Config
	pending pending
	running runs

	writing sync.Mutex
	heard   atomic.Int64 // nanoseconds of the last sign of life
	wrong   int          // messages that were no part of the protocol; of the reader alone

	ending sync.Once
	gone   chan struct{}
}

// NewSocket returns a socket over an open connection. Serve makes it work.
func NewSocket(c Config) *Socket {
	s := &Socket{Config: c, gone: make(chan struct{})}
	s.pending.gone = s.gone
	s.heard.Store(c.Now().UnixNano())
	return s
}

// Serve reads the socket until it ends, or ctx does. All calls have ended when it returns: those
// that wait for the peer have failed, those of the peer are canceled.
func (s *Socket) Serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer s.running.wait()
	defer s.End(CloseLeaving, "")
	defer cancel() // the first of these to happen
	for _, keep := range []func(context.Context){s.keepAlive, s.keepRight} {
		beside.Go(func() { keep(ctx) })
	}
	beside.Go(func() {
		select {
		case <-ctx.Done():
			s.End(CloseLeaving, "Say Ur Intent ends.")
		case <-s.gone:
			cancel()
		}
	})
	for {
		// Cutting the reading off would cut the connection, before its peer heard why.
		text, err := s.Conn.Read(context.WithoutCancel(ctx))
		if err != nil {
			s.Log.Debug("agent chat: a socket ended", "session", s.Session, "cause", err)
			return
		}
		select {
		case <-s.gone: // what still comes is not done
			return
		default:
		}
		s.heard.Store(s.Now().UnixNano())
		if !s.take(ctx, text) {
			return
		}
	}
}

// Gone is closed when the socket has ended.
func (s *Socket) Gone() <-chan struct{} { return s.gone }

// End ends the socket and fails at once what waits for its peer. Only the first one counts.
func (s *Socket) End(code int, reason string) {
	s.ending.Do(func() {
		close(s.gone)
		if len(reason) > mostReasonSize {
			reason = reason[:mostReasonSize]
		}
		// Closing waits for the peer's answer to it; nothing else does.
		_ = s.Conn.Close(code, reason)
	})
}

// keepAlive pings the peer, and ends the socket of one that shows no sign of life.
func (s *Socket) keepAlive(ctx context.Context) {
	tick := time.NewTicker(s.Timing.Ping)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.gone:
			return
		case <-ctx.Done():
			return
		}
		waiting, stop := context.WithTimeout(ctx, s.Timing.Ping)
		if s.Conn.Ping(waiting) == nil {
			s.heard.Store(s.Now().UnixNano())
		}
		stop()
		silent := time.Duration(s.Now().UnixNano() - s.heard.Load())
		//mutant:never ./internal/wschat TestSilence
		if silent >= s.Timing.Silence {
			s.End(CloseLeaving, "No sign of life for too long.")
			return
		}
	}
}

// keepRight ends the socket when its peer may not be here any more.
func (s *Socket) keepRight(ctx context.Context) {
	if s.Still == nil {
		return
	}
	tick := time.NewTicker(s.Timing.Right)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.gone:
			return
		case <-ctx.Done():
			return
		}
		if !s.still(ctx) {
			return
		}
	}
}

// still judges the right of the peer once more, and ends the socket without one.
func (s *Socket) still(ctx context.Context) bool {
	if s.Still == nil {
		return true
	}
	err := s.Still(ctx)
	if err == nil || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	s.End(ClosePolicy, fault.As(err).Text)
	return false
}

// take answers one message. It returns false when the socket has to end.
func (s *Socket) take(ctx context.Context, text []byte) bool {
	m, err := Parse(text)
	switch {
	case m.Type == TypeResult && err != nil:
		return s.misread(m, err)
	case m.Type == TypeResult:
		return s.HandleToolResult(m.Result) || s.tolerate()
	case m.Type == TypeCall && err != nil:
		// Without an id the answer has an empty one: there is no other way to say it.
		return s.answer(ctx, Result{ID: m.Call.ID, Error: fault.As(err).Text}) && s.tolerate()
	case err != nil:
		return s.complain(ctx, "BAD_MESSAGE", fault.As(err).Text+
			" A message is sent whole; wscat sends every line as a message of its own.")
	case m.Type == TypePing:
		return s.send(ctx, []byte(`{"type":"PONG"}`)) == nil
	//mutant:never ./internal/wschat TestRoles
	case m.Type == TypeCall && s.Role != ToBackend:
		return s.answer(ctx, Result{ID: m.Call.ID,
			Error: "this socket belongs to an editor, which answers calls and makes none"}) && s.tolerate()
	case m.Type == TypeCall:
		return s.execute(ctx, m.Call)
	}
	return true // PONG and ERROR have no answer
}

// tolerate counts a message that is no part of the protocol, and ends the socket of a
// peer that sends too many.
func (s *Socket) tolerate() bool {
	s.wrong++
	//mutant:always ./internal/wschat TestFlood
	if s.wrong <= MostWrong {
		return true
	}
	s.Log.Warn("agent chat: a socket was closed for messages outside the protocol", "session", s.Session, "caller",
		s.Caller)
	s.End(ClosePolicy, "Too many messages that are no part of the protocol.")
	return false
}

// complain answers a message that is no call and no result.
func (s *Socket) complain(ctx context.Context, code, text string) bool {
	b, err := encode(errorFrame{TypeError, code, text})
	return err == nil && s.send(ctx, b) == nil && s.tolerate()
}

// answer sends a result.
func (s *Socket) answer(ctx context.Context, r Result) bool {
	b, err := r.Message()
	//mutant:never ./internal/wschat TestTooLong
	if err == nil && len(b) > MaxMessage {
		b, err = Result{ID: r.ID, Error: "the result is longer than a message may be (1 MiB): ask for less of it"}.Message()
	}
	return err == nil && s.send(ctx, b) == nil
}

// send writes one message, and ends the socket of a peer that does not take it.
func (s *Socket) send(ctx context.Context, message []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	select {
	case <-s.gone:
		return errors.New("the socket has ended")
	default:
	}
	// Cutting a message off would cut the connection, before its peer heard why it ends.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), s.Timing.Write)
	defer stop()
	err := s.Conn.Write(ctx, message)
	if err != nil {
		go s.End(CloseLeaving, "A message was not taken in time.")
	}
	return err
}

// raw writes parameters as they are handed to Tools.
func raw(params map[string]any) (json.RawMessage, error) { return encode(params) }
