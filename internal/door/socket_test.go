//go:build unix

package door_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestForeignSocket: a proxy connects to nothing that others may have put in the place of
// the socket, and starts no server over it.
func TestForeignSocket(t *testing.T) {
	serve := func(t *testing.T, dir string) {
		t.Helper()
		s := toy()
		if err := s.Listen(dir); err != nil {
			t.Fatal(err)
		}
		run(t, s)
	}
	for _, c := range []struct {
		name, why string
		make      func(t *testing.T, dir, socket string) error
	}{
		{"regular file", "is not a socket", func(_ *testing.T, _, socket string) error { return os.WriteFile(socket, nil, 0o600) }},
		{"directory", "is not a socket", func(_ *testing.T, _, socket string) error { return os.Mkdir(socket, 0o700) }},
		{"pipe", "is not a socket", func(_ *testing.T, _, socket string) error { return syscall.Mkfifo(socket, 0o600) }},
		{"symbolic link to a server", "is not a socket", func(t *testing.T, _, socket string) error {
			other := private(t)
			serve(t, other)
			return os.Symlink(filepath.Join(other, "s"), socket)
		}},
		{"socket that others can reach", "run chmod 600", func(t *testing.T, dir, socket string) error {
			serve(t, dir)
			return os.Chmod(socket, 0o666)
		}},
		{"directory that others can reach", "run chmod 700", func(t *testing.T, dir, _ string) error {
			serve(t, dir)
			return os.Chmod(dir, 0o755)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := private(t)
			if err := c.make(t, dir, filepath.Join(dir, "s")); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			err := newProxy(dir, "").Serve(t.Context(), strings.NewReader(""), &out)
			if err == nil || !strings.Contains(err.Error(), c.why) || out.Len() > 0 {
				t.Errorf("%v %q", err, &out)
			}
			if started := begun(t, dir); len(started) > 0 {
				t.Errorf("it started %v", started)
			}
		})
	}
}

// private is a directory that only this user can reach, with a name short enough for a
// socket.
func private(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "door-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, pid := range begun(t, dir) {
			kill(pid)
		}
		_ = os.RemoveAll(dir)
	})
	return dir
}

// run runs a server until the test ends.
func run(t *testing.T, s *door.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestStaleSocket: what a killed server left is no server.
func TestStaleSocket(t *testing.T) {
	dir := place(t)
	first := start(t, dir, "")
	pid := first.ping()
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	kill(pid)
	if info, err := os.Lstat(filepath.Join(dir, "s")); err != nil || info.Mode().Type() != os.ModeSocket {
		t.Fatalf("the killed server left %v, %v", info, err)
	}
	second := start(t, dir, "")
	if next := second.ping(); next == pid {
		t.Errorf("%d answers again", next)
	}
	if err := second.stop(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "s?*")); err != nil || len(left) != 2 { // start.lock, serve.lock
		t.Errorf("in the directory are %v, %v", left, err)
	}
}

const stranger = 65534 // the user of programs that own nothing

// TestForeignPeer: nothing is said to another user's process, and nothing that one says is
// read, whoever owns the socket.
func TestForeignPeer(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start another user's process")
	}
	t.Run("the server does not read what another user's proxy says", func(t *testing.T) {
		dir := private(t)
		var log lockedBuffer
		s := toy()
		s.Log = slog.New(slog.NewTextHandler(&log, nil))
		s.Admit = func(door.Hello) door.Welcome {
			t.Error("a hello was read")
			return door.Welcome{OK: true}
		}
		if err := s.Listen(dir); err != nil {
			t.Fatal(err)
		}
		run(t, s)
		if err := errors.Join(os.Chmod(dir, 0o777), os.Chmod(filepath.Join(dir, "s"), 0o666)); err != nil {
			t.Fatal(err)
		}
		said, err := asStranger(t, dir, "connect").CombinedOutput()
		if string(said) != "closed\n" || err != nil || !strings.Contains(log.String(), "another user") {
			t.Errorf("%s %v; the server says %s", said, err, &log)
		}
	})
	t.Run("the proxy says nothing to another user's server", func(t *testing.T) {
		dir := private(t)
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		child := asStranger(t, dir, "listen")
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		in, err := child.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		if line, err := lines.ReadString('\n'); line != "listening\n" {
			t.Fatalf("%q %v", line, err)
		}
		socket := filepath.Join(dir, "s")
		if err := errors.Join(os.Chown(socket, 0, 0), os.Chmod(socket, 0o600), os.Chmod(dir, 0o700)); err != nil {
			t.Fatal(err)
		}
		var served bytes.Buffer
		err = newProxy(dir, "").Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"), &served)
		if err == nil || !strings.Contains(err.Error(), "another user") || served.Len() > 0 {
			t.Errorf("%v %q", err, &served)
		}
		_ = in.Close() // it stops listening
		said, err := io.ReadAll(lines)
		if len(said) > 0 || err != nil {
			t.Errorf("it heard %s %v", said, err)
		}
		if err := child.Wait(); err != nil {
			t.Error(err)
		}
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// asStranger is the test binary as another user, who can reach neither the binary itself
// nor a test's directories.
func asStranger(t *testing.T, dir, what string) *exec.Cmd {
	t.Helper()
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	reachable := private(t)
	copied := filepath.Join(reachable, "foreigner")
	if err := errors.Join(os.Chmod(reachable, 0o755), os.WriteFile(copied, binary, 0o755), os.Chmod(copied, 0o755)); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(copied, what)
	child.Dir = dir
	child.Env = as("foreigner")
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	return child
}

// foreigner connects to the socket of its directory, or listens there. It prints what the
// other side says.
func foreigner(what string) error {
	if what == "connect" {
		conn, err := net.Dial("unix", "s")
		if err != nil {
			return err
		}
		_ = conn.SetDeadline(time.Now().Add(double.Patience))
		_, _ = conn.Write([]byte(`{"sui":1}` + "\n")) // the server may be faster
		said, err := io.ReadAll(conn)
		if len(said) == 0 && (err == nil || errors.Is(err, syscall.ECONNRESET)) {
			said = []byte("closed\n")
		}
		_, err = os.Stdout.Write(said)
		return err
	}
	ln, err := net.Listen("unix", "s")
	if err != nil {
		return err
	}
	fmt.Println("listening")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = ln.Close()
	}()
	for {
		conn, err := ln.Accept()
		if err != nil {
			return nil
		}
		_ = conn.SetDeadline(time.Now().Add(double.Patience))
		_, _ = io.Copy(os.Stdout, conn)
		_ = conn.Close()
	}
}
