package door_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// greeted sends bytes to a server and returns everything that the server sends before it closes the
// connection.
func greeted(t *testing.T, dir, hello string) (said []byte, err error) {
	t.Helper()
	conn, err := net.Dial("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(double.Patience))
	go func() { _, _ = io.WriteString(conn, hello) }()
	return io.ReadAll(conn)
}

// TestHello checks that a server closes a connection with an invalid hello and still serves others.
func TestHello(t *testing.T) {
	dir := private(t)
	s := toy()
	admitted := make(chan door.Hello, 8)
	s.Admit = func(h door.Hello) door.Welcome {
		admitted <- h
		return door.Welcome{OK: true}
	}
	if err := s.Listen(dir); err != nil {
		t.Fatal(err)
	}
	run(t, s)
	sessions := func() int { n, _ := s.Sessions(); return n }
	idle := func(t *testing.T) {
		t.Helper()
		double.Until(t, "the connection is counted out", func() bool { return sessions() == 0 })
	}
	t.Run("proxy of another protocol", func(t *testing.T) {
		said, err := greeted(t, dir, `{"sui":2,"version":"9","later":{"x":[1]}}`+"\n")
		var w door.Welcome
		if failed := json.Unmarshal(said, &w); failed != nil || err != nil {
			t.Fatalf("%s %v", said, err)
		}
		if w.OK || w.Protocol != door.Protocol || w.Do != door.DoRestart || w.Why == "" {
			t.Errorf("%+v", w)
		}
		<-admitted
		idle(t)
	})
	for name, hello := range map[string]string{
		"longer than 64 KiB": `{"sui":1,"version":"` + strings.Repeat("v", 64<<10) + `"}` + "\n",
		"without an end":     strings.Repeat("v", 200<<10),
		"no JSON":            "GET / HTTP/1.1\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			said, err := greeted(t, dir, hello)
			if len(said) > 0 || (err != nil && !strings.Contains(err.Error(), "reset")) {
				t.Errorf("%s %v", said, err)
			}
			idle(t)
		})
	}
	t.Run("as long as it may be", func(t *testing.T) {
		hello := `{"sui":1,"version":"` + strings.Repeat("v", 63<<10) + `"}` + "\n"
		conn, err := net.Dial("unix", filepath.Join(dir, "s"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(double.Patience))
		if _, err := io.WriteString(conn, hello); err != nil {
			t.Fatal(err)
		}
		var w door.Welcome
		if err := json.NewDecoder(conn).Decode(&w); err != nil || !w.OK {
			t.Errorf("%+v %v", w, err)
		}
		<-admitted
	})
	idle(t)
	if len(admitted) > 0 {
		t.Errorf("%+v was admitted", <-admitted)
	}
}

// early returns a clock that is slow, so that the time for a hello is over soon.
func early() time.Time { return time.Now().Add(-1950 * time.Millisecond) }

// TestHalfHello checks that neither side waits forever for the first line of the other.
func TestHalfHello(t *testing.T) {
	t.Run("of a proxy", func(t *testing.T) {
		dir := private(t)
		s := toy()
		s.Now = early
		if err := s.Listen(dir); err != nil {
			t.Fatal(err)
		}
		run(t, s)
		if said, err := greeted(t, dir, `{"sui":1,"ver`); len(said) > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s %v", said, err)
		}
	})
	for name, answer := range map[string]string{
		"nothing of a server":     "",
		"half a line of a server": `{"sui":1,"ok":tr`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := private(t)
			proxy := newProxy(dir, "")
			proxy.Now = early
			heard := answers(t, dir, answer)
			var out bytes.Buffer
			err := proxy.Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), &out)
			if err == nil || !strings.Contains(err.Error(), "cannot connect") || !errors.Is(err, os.ErrDeadlineExceeded) ||
				!strings.Contains(out.String(), "cannot connect") {
				t.Errorf("%v %q", err, &out)
			}
			if started := begun(t, dir); len(started) > 0 {
				t.Errorf("it started %v", started)
			}
			for range len(heard) {
				if line := <-heard; strings.Contains(line, "ping") {
					t.Errorf("the server heard %s", line)
				}
			}
		})
	}
}

// TestOtherServer checks that a proxy rejects a server with another protocol version and reports
// what to do.
func TestOtherServer(t *testing.T) {
	for name, c := range map[string]struct{ answer, why, do string }{
		"that refuses": {`{"sui":2,"ok":false,"why":"This is version 9.","do":"restart_client","more":{}}`,
			"This is version 9.", door.DoRestart},
		"that accepts": {`{"sui":2,"ok":true,"version":"9"}`, "has another version", door.DoRestart},
	} {
		t.Run(name, func(t *testing.T) {
			dir := private(t)
			heard := answers(t, dir, c.answer+"\n")
			var out bytes.Buffer
			err := newProxy(dir, "").Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), &out)
			var refused *door.Refused
			if !errors.As(err, &refused) || refused.Do != c.do || !strings.Contains(refused.Why, c.why) {
				t.Errorf("%v %q", err, &out)
			}
			// The reason is sent as the response to the client's first request.
			var answer struct {
				ID    int
				Error struct{ Message string }
			}
			if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.ID != 1 ||
				!strings.Contains(answer.Error.Message, c.why) {
				t.Errorf("the client hears %q, %v", &out, err)
			}
			if line := <-heard; strings.Contains(line, "ping") || !strings.Contains(line, `"sui":1`) {
				t.Errorf("the server heard %s", line)
			}
		})
	}
}

// answers runs a server that sends answer on every connection. The channel receives what clients
// send.
func answers(t *testing.T, dir, answer string) <-chan string {
	t.Helper()
	ln, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "s"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	heard := make(chan string, 64)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(double.Patience))
			_, _ = io.WriteString(conn, answer)
			said, _ := io.ReadAll(conn)
			_ = conn.Close()
			select {
			case heard <- string(said):
			case <-ctx.Done():
				return
			}
		}
	}()
	t.Cleanup(func() { stop(); _ = ln.Close() })
	return heard
}

// TestPanic checks that a panic in one session affects neither other sessions nor the server.
func TestPanic(t *testing.T) {
	dir := private(t)
	s := toy()
	s.Serve = func(_ context.Context, h door.Hello, in io.Reader, out io.Writer) error {
		if h.Version == "bad" {
			panic("SECRET-MARKER")
		}
		return toySession(in, out)
	}
	var log lockedBuffer
	s.Log = slog.New(slog.NewTextHandler(&log, nil))
	if err := s.Listen(dir); err != nil {
		t.Fatal(err)
	}
	run(t, s)
	other := start(t, dir, "absent")
	other.ping()
	if said, err := greeted(t, dir, `{"sui":1,"version":"bad"}`+"\n"); err != nil || !strings.Contains(string(said),
		`"ok":true`) {
		t.Errorf("%s %v", said, err)
	}
	double.Until(t, "it is logged", func() bool { return strings.Contains(log.String(), "a session panicked") })
	if strings.Contains(log.String(), "SECRET-MARKER") {
		t.Errorf("the log repeats what the panic said: %s", &log)
	}
	other.ping()
	if err := other.stop(); err != nil {
		t.Error(err)
	}
}
