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

// Peer identifies the other end of a socket, as checked when it connected.
type Peer struct {
	Session string // id of the socket, as ValidSession requires
	Project string // the socket's only project, as ValidProject requires
	Caller  string // the peer's token; sockets with the same token have the same value
	Role    Role
	Writes  bool // for a backend: it may call ApplyChange
}

// Config configures a socket. Still may be nil; everything else is required.
type Config struct {
	Peer
	Conn  Conn
	Tools Tools
	// Still checks again whether the peer is allowed. It is called periodically and before each
	// call. An error ends the socket with its text as the reason.
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
	heard   atomic.Int64 // Unix time in nanoseconds of the peer's last sign of life
	wrong   int          // number of invalid messages; used only by the reader

	ending sync.Once
	gone   chan struct{}
}

// NewSocket returns a socket over an open connection. Call Serve to run it.
func NewSocket(c Config) *Socket {
	s := &Socket{Config: c, gone: make(chan struct{})}
	s.pending.gone = s.gone
	s.heard.Store(c.Now().UnixNano())
	return s
}

// Serve runs the socket until it ends or ctx does. When it returns, all calls have ended: calls to
// the peer have failed, and calls from the peer are canceled.
func (s *Socket) Serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer s.running.wait()
	defer s.End(CloseLeaving, "")
	defer cancel() // keeps only the first of these reasons
	for _, keep := range []func(context.Context){s.keepAlive, s.keepRight} {
		beside.Go(func() { keep(ctx) })
	}
	beside.Go(func() {
		select {
		case <-ctx.Done():
			s.End(CloseLeaving, "Say Ur Intent is shutting down.")
		case <-s.gone:
			cancel()
		}
	})
	for {
		// Canceling the read would break the connection before the peer gets the reason.
		text, err := s.Conn.Read(context.WithoutCancel(ctx))
		if err != nil {
			s.Log.Debug("agent chat: a socket ended", "session", s.Session, "cause", err)
			return
		}
		select {
		case <-s.gone: // messages that still arrive are ignored
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

// End ends the socket and immediately fails the calls that wait for its peer. Only the first call
// has an effect.
func (s *Socket) End(code int, reason string) {
	s.ending.Do(func() {
		close(s.gone)
		if len(reason) > mostReasonSize {
			reason = reason[:mostReasonSize]
		}
		// Close waits for the peer's close frame, so it comes last.
		_ = s.Conn.Close(code, reason)
	})
}

// keepAlive pings the peer and closes the socket if it does not respond.
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
			s.End(CloseLeaving, "The peer did not respond for too long.")
			return
		}
	}
}

// keepRight ends the socket when its peer is no longer allowed.
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

// still checks again whether the peer is allowed, and ends the socket if not.
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

// take handles one message. It returns false if the socket must be closed.
func (s *Socket) take(ctx context.Context, text []byte) bool {
	m, err := Parse(text)
	switch {
	case m.Type == TypeResult && err != nil:
		return s.misread(m, err)
	case m.Type == TypeResult:
		return s.HandleToolResult(m.Result) || s.tolerate()
	case m.Type == TypeCall && err != nil:
		// The answer's id is empty if the message has none; the protocol has no other way to report
		// it.
		return s.answer(ctx, Result{ID: m.Call.ID, Error: fault.As(err).Text}) && s.tolerate()
	case err != nil:
		return s.complain(ctx, "BAD_MESSAGE", fault.As(err).Text+
			" Send a message as one line: wscat sends each line as a separate message.")
	case m.Type == TypePing:
		return s.send(ctx, []byte(`{"type":"PONG"}`)) == nil
	//mutant:never ./internal/wschat TestRoles
	case m.Type == TypeCall && s.Role != ToBackend:
		return s.answer(ctx, Result{ID: m.Call.ID,
			Error: "this socket belongs to an editor, which cannot call tools"}) && s.tolerate()
	case m.Type == TypeCall:
		return s.execute(ctx, m.Call)
	}
	return true // PONG and ERROR get no answer
}

// tolerate counts an invalid message, and ends the socket of a peer that sends too many.
func (s *Socket) tolerate() bool {
	s.wrong++
	//mutant:always ./internal/wschat TestFlood
	if s.wrong <= MostWrong {
		return true
	}
	s.Log.Warn("agent chat: a socket was closed for invalid messages", "session", s.Session, "caller",
		s.Caller)
	s.End(ClosePolicy, "Too many invalid messages.")
	return false
}

// complain answers a message that is neither a call nor a result.
func (s *Socket) complain(ctx context.Context, code, text string) bool {
	b, err := encode(errorFrame{TypeError, code, text})
	return err == nil && s.send(ctx, b) == nil && s.tolerate()
}

// answer sends a result.
func (s *Socket) answer(ctx context.Context, r Result) bool {
	b, err := r.Message()
	//mutant:never ./internal/wschat TestTooLong
	if err == nil && len(b) > MaxMessage {
		b, err = Result{ID: r.ID, Error: "the result is too long (max 1 MiB): request less"}.Message()
	}
	return err == nil && s.send(ctx, b) == nil
}

// send writes one message, and ends the socket if the peer does not read it in time.
func (s *Socket) send(ctx context.Context, message []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	select {
	case <-s.gone:
		return errors.New("the socket has ended")
	default:
	}
	// Canceling the write would break the connection before the peer gets the reason.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), s.Timing.Write)
	defer stop()
	err := s.Conn.Write(ctx, message)
	if err != nil {
		go s.End(CloseLeaving, "The peer did not read a message in time.")
	}
	return err
}

// raw returns parameters in the form that Tools expects.
func raw(params map[string]any) (json.RawMessage, error) { return encode(params) }
