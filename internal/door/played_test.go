package door_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// played is one session of a server that the test plays line by line.
type played struct {
	t     *testing.T
	hello door.Hello
	in    io.Reader
	lines *bufio.Reader
	conn  net.Conn
	over  chan struct{}
}

// die ends the session like a killed server.
func (p *played) die() { close(p.over) }

// hear returns the next line from the proxy.
func (p *played) hear() string {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(double.Patience))
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("the server heard %.200q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// say sends a line to the proxy.
func (p *played) say(format string, args ...any) {
	p.t.Helper()
	_ = p.conn.SetWriteDeadline(time.Now().Add(double.Patience))
	if _, err := fmt.Fprintf(p.conn, format+"\n", args...); err != nil {
		p.t.Fatal(err)
	}
}

// answers reads a request and responds to it.
func (p *played) answers(want string) {
	p.t.Helper()
	if got := p.hear(); got != want {
		p.t.Fatalf("the server heard %.300s, want %.300s", got, want)
	}
	p.say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, idOf(p.t, want))
}

func idOf(t *testing.T, line string) string {
	t.Helper()
	var r struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return string(r.ID)
}

// stage is a proxy and a directory with servers that the test plays one after another.
type stage struct {
	t    *testing.T
	dir  string
	came chan *played
	link *played

	in    *os.File // the client's input to the proxy
	out   *bufio.Reader
	taken *os.File // underlies out
	ended chan error
}

// serve starts another server on the socket. The session of the previous one continues.
func (s *stage) serve(welcome door.Welcome) {
	s.t.Helper()
	came := s.came
	server := &door.Server{Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Admit: func(door.Hello) door.Welcome { return welcome },
		Serve: func(ctx context.Context, h door.Hello, in io.Reader, out io.Writer) error {
			p := &played{t: s.t, hello: h, in: in, lines: bufio.NewReader(in), conn: out.(net.Conn), over: make(chan struct{})}
			came <- p
			select {
			case <-p.over:
			case <-ctx.Done():
			}
			return nil
		}}
	if err := server.Listen(s.dir); err != nil {
		s.t.Fatal(err)
	}
	run(s.t, server)
}

var usual = door.Welcome{OK: true, Version: "test", Reads: []string{"toy.read"}}

// staged returns a stage whose proxy is connected to the first server.
func staged(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, dir: private(t), came: make(chan *played, 8), ended: make(chan error, 1)}
	s.serve(usual)
	in, said, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	taken, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.taken, s.out = said, taken, bufio.NewReader(taken)
	proxy := newProxy(s.dir, "")
	proxy.Start = door.Command{Path: "/bin/false"}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		err := proxy.Serve(ctx, in, out)
		_ = out.Close()
		s.ended <- err
	}()
	t.Cleanup(func() {
		stop()
		_, _ = said.Close(), taken.Close()
		_ = in.Close()
	})
	s.next()
	return s
}

// next waits for the proxy to connect, and makes that connection the current session.
func (s *stage) next() {
	s.t.Helper()
	select {
	case s.link = <-s.came:
	case err := <-s.ended:
		s.t.Fatal("the proxy ended: ", err)
	case <-time.After(double.Patience):
		s.t.Fatal("the proxy did not connect")
	}
}

// replace starts another server, kills the current one, and waits for the proxy to connect.
func (s *stage) replace() {
	s.t.Helper()
	s.serve(usual)
	s.link.die()
	s.next()
}

// say sends a line from the client.
func (s *stage) say(line string) {
	s.t.Helper()
	_ = s.in.SetWriteDeadline(time.Now().Add(double.Patience))
	if _, err := s.in.WriteString(line + "\n"); err != nil {
		s.t.Fatal(err)
	}
}

// asks sends a request from the client and waits until the server has received it.
func (s *stage) asks(line string) {
	s.t.Helper()
	s.say(line)
	if got := s.link.hear(); got != line {
		s.t.Fatalf("the server heard %.300s, want %.300s", got, line)
	}
}

// gets returns the next line that the client receives.
func (s *stage) gets() string {
	s.t.Helper()
	_ = s.taken.SetReadDeadline(time.Now().Add(double.Patience))
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatalf("the client got %.200q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// alive sends a ping and its response, and checks that no other line comes before them.
func (s *stage) alive() {
	s.t.Helper()
	const ping = `{"jsonrpc":"2.0","id":"alive","method":"ping"}`
	s.asks(ping)
	s.link.say(`{"jsonrpc":"2.0","id":"alive","result":{}}`)
	if got := s.gets(); got != `{"jsonrpc":"2.0","id":"alive","result":{}}` {
		s.t.Fatalf("the client got %s", got)
	}
}

// end waits for the proxy to end.
func (s *stage) end() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(double.Patience):
		s.t.Fatal("the proxy does not end")
		return nil
	}
}

// gone waits until the proxy has closed the connection of the session.
func (p *played) gone() {
	p.t.Helper()
	_ = p.conn.SetReadDeadline(time.Now().Add(double.Patience))
	if _, err := io.Copy(io.Discard, p.lines); errors.Is(err, os.ErrDeadlineExceeded) {
		p.t.Fatal("the connection stays open")
	}
}
