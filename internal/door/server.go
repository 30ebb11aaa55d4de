package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"
)

const (
	mostConnections = 256 // maximum number of concurrent connections
	drainTime       = 2 * time.Second
)

// untilExit keeps connections open until this process exits, so that the other end notices the
// exit. Without it, the garbage collector would close them.
var untilExit sync.Map

// Server accepts clients for one data directory.
type Server struct {
	Now func() time.Time
	Log *slog.Logger
	// Admit decides whether to accept a client. A Welcome that is not OK rejects it.
	Admit func(Hello) Welcome
	// Serve serves MCP to an accepted client until its input ends.
	Serve func(ctx context.Context, hello Hello, in io.Reader, out io.Writer) error

	dir      string
	ln       net.Listener
	drain    sync.Once
	draining chan struct{} // closed when a newer server takes over
	closing  sync.Once
	closed   chan struct{}

	mu      sync.Mutex
	open    int
	changed chan struct{} // closed when open changes
	work    sync.WaitGroup
}

// Listen creates the socket of a data directory. It must be called before any other method, while
// the caller holds the directory's server lock.
func (s *Server) Listen(dir string) error {
	s.dir, s.changed = dir, make(chan struct{})
	s.draining, s.closed = make(chan struct{}), make(chan struct{})
	ln, err := listen(dir)
	if err != nil {
		return err
	}
	s.ln = ln
	return nil
}

// Run serves clients until ctx ends or Close is called. It then removes the socket and ends the
// sessions. If Listen failed, Run only waits.
func (s *Server) Run(ctx context.Context) error {
	// The sessions end after the socket is removed, so that their proxies know that the server was
	// stopped.
	sessions, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer s.work.Wait()
	defer stop()
	defer context.AfterFunc(ctx, s.Close)()
	if s.ln == nil {
		<-s.closed
		return nil
	}
	for {
		conn, err := s.ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			// The lock of the data directory is still held, so the socket is this server's.
			_ = os.Remove(filepath.Join(s.dir, socketName))
			s.rest(ctx)
			return nil
		}
		if err != nil {
			s.Log.Warn("accepting a client failed", "cause", err)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		s.work.Go(func() { s.serve(sessions, conn.(*net.UnixConn)) })
	}
}

// rest gives sessions time to finish before a newer server takes over.
func (s *Server) rest(ctx context.Context) {
	select {
	case <-s.draining:
	default:
		return
	}
	end := time.NewTimer(drainTime)
	defer end.Stop()
	for {
		open, changed := s.Sessions()
		if open == 0 {
			return
		}
		select {
		case <-changed:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Close stops accepting clients.
func (s *Server) Close() {
	s.closing.Do(func() {
		close(s.closed)
		if s.ln != nil {
			_ = s.ln.Close()
		}
	})
}

// Sessions returns the number of connected clients, and a channel that is closed when the number
// changes.
func (s *Server) Sessions() (int, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open, s.changed
}

// count adds n to the number of connected clients. It returns false if there would be too many.
func (s *Server) count(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > 0 && s.open >= mostConnections {
		return false
	}
	s.open += n
	close(s.changed)
	s.changed = make(chan struct{})
	return true
}

// serve serves one connection. It rejects processes of other users.
func (s *Server) serve(ctx context.Context, conn *net.UnixConn) {
	held := false
	defer func() {
		if !held {
			_ = conn.Close()
		}
	}()
	//mutant:never ./internal/door TestForeignPeer
	if err := samePeer(conn); err != nil {
		s.Log.Warn("a connection was closed", "cause", err)
		return
	}
	if !s.count(1) {
		_ = writeLine(conn, Welcome{Protocol: Protocol, Why: "The server has reached its limit of clients. Close one."})
		return
	}
	defer s.count(-1)
	hangUp := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer hangUp()
	_ = conn.SetDeadline(s.Now().Add(helloTime))
	in := bufio.NewReaderSize(conn, 64<<10)
	var hello Hello
	if err := readLine(in, &hello); err != nil {
		return // a response could not be read
	}
	w := s.Admit(hello)
	w.Protocol, w.PID = Protocol, os.Getpid()
	if hello.Protocol != Protocol {
		w = Welcome{Protocol: Protocol, Do: DoRestart, Why: otherVersion}
	}
	if err := writeLine(conn, w); err != nil || !w.OK {
		if err == nil && hello.TakeOver && w.Do == DoTakeOver {
			held = true
			untilExit.Store(conn, true)
			s.drain.Do(func() { close(s.draining); s.Close() })
		}
		return
	}
	_ = conn.SetDeadline(time.Time{})
	if hello.Kind == KindStop && hangUp() {
		held = true
		untilExit.Store(conn, true)
	}
	// A panic in one session must not end another.
	defer func() {
		if v := recover(); v != nil {
			s.Log.Error("a session panicked", "client", hello.Client.PID, "panic", fmt.Sprintf("%T", v),
				"stack", string(debug.Stack()))
		}
	}()
	if err := s.Serve(ctx, hello, in, conn); err != nil && ctx.Err() == nil {
		s.Log.Warn("a session ended", "client", hello.Client.PID, "cause", err)
	}
}
