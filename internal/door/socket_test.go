package door_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// private returns a directory that only this user can access. Its name is short enough for a
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

// TestStaleSocket checks that a proxy starts a server if the socket belongs to one that was killed.
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
	if left, err := filepath.Glob(filepath.Join(dir, "s.*")); err != nil || len(left) > 0 {
		t.Errorf("in the directory are %v, %v", left, err)
	}
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

// foreigner connects to the socket in its working directory, or listens there. It prints what the
// other side sends.
func foreigner(what string) error {
	if what == "connect" {
		conn, err := net.Dial("unix", "s")
		if err != nil {
			return err
		}
		_ = conn.SetDeadline(time.Now().Add(double.Patience))
		_, _ = conn.Write([]byte(`{"sui":1}` + "\n")) // fails if the server closes the connection first
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
