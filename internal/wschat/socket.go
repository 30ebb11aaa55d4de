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
	"github.com/sayurintent/sayurintent/internal/strictjson"
)

// Peer describes the other end of a socket, as it was checked when it connected.
type Peer struct {
	Session string // ID of the socket, as ValidSession requires
	Project string // the only project of the socket, as ValidProject requires
	Caller  string // identifies the peer's token
	Role    Role
	Writes  bool // the peer is a backend that may call ApplyChange
}

// Config configures a socket. All fields except Still are required.
type Config struct {
	Peer
	Conn  Conn
	Tools Tools
	// Still returns an error if the peer is no longer allowed. It is called at intervals and before
	// each call. The text of the error becomes the reason for ending the socket.
	Still  func(ctx context.Context) error
	Timing Timing
	Now    func() time.Time
	Rand   io.Reader
	Log    *slog.Logger
}

// Socket is a connection to a peer. It is safe for concurrent use.
type Socket struct {
	Config
	pending pending
	running runs

	writing sync.Mutex
	heard   atomic.Int64 // Unix time in nanoseconds at which the peer last sent something
	wrong   int          // invalid messages; used only by the reader

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

// Serve runs the socket until it ends or ctx is done. When it returns, calls to the peer have
// failed and calls from the peer were canceled.
func (s *Socket) Serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer s.running.wait()
	defer s.End(CloseLeaving, "")
	defer cancel() // has no effect if the socket ended for another reason
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
		// Canceling the read would break the connection before the reason is sent.
		text, err := s.Conn.Read(context.WithoutCancel(ctx))
		if err != nil {
			s.Log.Debug("agent chat: a socket ended", "session", s.Session, "cause", err)
			return
		}
		select {
		case <-s.gone: // ignore messages that arrived in the meantime
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

// End ends the socket and fails all calls that wait for the peer. Only the first call has an
// effect.
func (s *Socket) End(code int, reason string) {
	s.ending.Do(func() {
		close(s.gone)
		if len(reason) > mostReasonSize {
			reason = reason[:mostReasonSize]
		}
		// Close waits for the close frame of the peer, so it comes last.
		_ = s.Conn.Close(code, reason)
	})
}

// keepAlive pings the peer, and ends the socket if there is no response.
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

// keepRight ends the socket when the peer is no longer allowed to use it.
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

// still reports whether the peer is still allowed to use the socket. If not, it ends the socket.
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
		// If the message has no ID, neither has the result. The protocol has no other way to report
		// the error.
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
	return true // PONG and ERROR need no response
}

// tolerate counts an invalid message. If there were too many, it ends the socket and returns false.
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

// complain sends an error about a message that is neither a call nor a result.
func (s *Socket) complain(ctx context.Context, code, text string) bool {
	b, err := strictjson.Encode(errorFrame{TypeError, code, text})
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

// send writes one message. If the peer does not read it in time, it ends the socket.
func (s *Socket) send(ctx context.Context, message []byte) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	select {
	case <-s.gone:
		return errors.New("the socket has ended")
	default:
	}
	// Canceling the write would break the connection before the reason is sent.
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), s.Timing.Write)
	defer stop()
	err := s.Conn.Write(ctx, message)
	if err != nil {
		go s.End(CloseLeaving, "The peer did not read a message in time.")
	}
	return err
}

// raw encodes parameters for Tools.
func raw(params map[string]any) (json.RawMessage, error) { return strictjson.Encode(params) }
