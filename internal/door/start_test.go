package door_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestStarterKilled kills a proxy while its server starts. The server must still serve other
// clients, and there must be no second one. If the server holds the start lock, none may even be
// started.
func TestStarterKilled(t *testing.T) {
	dir := place(t)
	gate, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = gate.Close() }()
	starter := start(t, dir, waits+gate.Addr().String())
	server, err := gate.Accept() // the server is starting
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	if err := starter.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = starter.stop()
	others := []*client{start(t, dir, ""), start(t, dir, "")}
	if runtime.GOOS == "linux" {
		for _, c := range others {
			double.Until(t, "the other proxy is at the lock", func() bool { return holds(c.cmd.Process.Pid, "start.lock") })
		}
	}
	_ = server.Close()
	answers := map[int]bool{}
	for _, c := range others {
		answers[c.ping()] = true
		if err := c.stop(); err != nil {
			t.Error(err)
		}
	}
	started := begun(t, dir)
	if runtime.GOOS != "windows" && (len(started) != 1 || !answers[started[0]]) || len(answers) != 1 {
		t.Errorf("%v answer, and %v were started", answers, started)
	}
}

// holds reports whether a process has a file with this name open.
func holds(pid int, name string) bool {
	fds, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
	for _, fd := range fds {
		if path, err := os.Readlink(fd); err == nil && filepath.Base(path) == name {
			return true
		}
	}
	return false
}

// TestFailingStarts checks that a server that fails to start is started three times, and that the
// error gives the reason.
func TestFailingStarts(t *testing.T) {
	for how, why := range map[string]string{
		"fails": "the toy server does not want to",
		"dies":  "the server exited during startup; see server.log in the data directory",
	} {
		t.Run(how, func(t *testing.T) {
			dir := place(t)
			var out bytes.Buffer
			err := newProxy(dir, how).Serve(t.Context(), strings.NewReader(""), &out)
			if err == nil || !strings.Contains(err.Error(), why) || out.Len() > 0 {
				t.Errorf("%v %q", err, &out)
			}
			if n := len(begun(t, dir)); n != 3 {
				t.Errorf("%d servers were started", n)
			}
		})
	}
	t.Run("nothing can be started", func(t *testing.T) {
		dir := place(t)
		err := unstartable(dir, "").Serve(t.Context(), unread{t}, io.Discard)
		if !errors.Is(err, door.ErrNoServer) {
			t.Error(err)
		}
	})
	t.Run("no socket can be made", func(t *testing.T) {
		dir := place(t)
		err := newProxy(dir, "no sockets").Serve(t.Context(), unread{t}, io.Discard)
		if n := len(begun(t, dir)); !errors.Is(err, door.ErrNoServer) || n != 1 {
			t.Errorf("%v, and %d were started", err, n)
		}
	})
	t.Run("no program", func(t *testing.T) {
		p := newProxy(place(t), "")
		p.Start.Path = filepath.Join(p.Dir, "absent")
		if err := p.Serve(t.Context(), unread{t}, io.Discard); !errors.Is(err, door.ErrNoServer) {
			t.Error(err)
		}
	})
	t.Run("one that fails, then one that does not", func(t *testing.T) {
		dir := place(t)
		if err := newProxy(dir, "dies").Serve(t.Context(), strings.NewReader(""), io.Discard); err == nil {
			t.Fatal("it serves without a server")
		}
		c := start(t, dir, "")
		c.ping()
		if err := c.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestSilentServer checks that a reachable server is used even if it does not report its start.
func TestSilentServer(t *testing.T) {
	dir := place(t)
	c := start(t, dir, "silent")
	begin := time.Now()
	if c.ping(); time.Since(begin) > 20*time.Second { // the timeout for the report is 30 seconds
		t.Error("it waited for the news")
	}
	if err := c.stop(); err != nil {
		t.Error(err)
	}
}

// unread is an input that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the client's input was read")
	return 0, io.EOF
}

// unstartable returns a proxy whose command for starting a server cannot be run.
func unstartable(dir, how string) *door.Proxy {
	p := newProxy(dir, how)
	p.Start.Args = []string{strings.Repeat("x", 4<<20)}
	return p
}

// TestReadOnlyDirectory checks that no server can be started in a directory that is not writable.
func TestReadOnlyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fixed")
	if os.Geteuid() == 0 {
		dir = "/sys" // not even root can write there
	} else if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" || os.Geteuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("this user can write everywhere")
	}
	err := newProxy(filepath.Join(dir, "mainnet"), "").Serve(t.Context(), unread{t}, io.Discard)
	if !errors.Is(err, door.ErrNoServer) {
		t.Error(err)
	}
}

// TestNoServerLater checks that a proxy that has read some of the client's input does not return
// ErrNoServer, because no other server could serve the client then.
func TestNoServerLater(t *testing.T) {
	dir := private(t)
	s := toy()
	if err := s.Listen(dir); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Run(ctx) }()
	in, say := io.Pipe()
	hear, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- unstartable(dir, "").Serve(t.Context(), in, out) }()
	answers := bufio.NewReader(hear)
	ask := func() string {
		if _, err := io.WriteString(say, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
	if line := ask(); !strings.Contains(line, "result") {
		t.Fatal(line)
	}
	stop()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if line := ask(); !strings.Contains(line, "unavailable: ") || !strings.Contains(line, door.ErrNoServer.Error()) {
		t.Error(line)
	}
	if err := <-ended; err == nil || errors.Is(err, door.ErrNoServer) {
		t.Error(err)
	}
}
