//go:build unix

package door_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sayurintent/sayurintent/internal/door"
)

// TestForeignSocket checks that a proxy does not connect to a file that another user may have put
// in place of the socket, and does not start a server either.
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
		{"regular file", "is not a socket", func(_ *testing.T, _, socket string) error {
			return os.WriteFile(socket, nil,
				0o600)
		}},
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

const stranger = 65534 // nobody, who owns no files

// TestForeignPeer checks that nothing is sent to or read from a process of another user, whoever
// owns the socket.
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
		err = newProxy(dir, "").Serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"),
			&served)
		if err == nil || !strings.Contains(err.Error(), "another user") || !strings.Contains(served.String(),
			"another user") {
			t.Errorf("%v %q", err, &served)
		}
		_ = in.Close() // makes it stop listening
		said, err := io.ReadAll(lines)
		if len(said) > 0 || err != nil {
			t.Errorf("it heard %s %v", said, err)
		}
		if err := child.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// asStranger returns a command that runs a copy of the test binary as another user. That user cannot
// access the directories of the binary and of tests.
func asStranger(t *testing.T, dir, what string) *exec.Cmd {
	t.Helper()
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	reachable := private(t)
	copied := filepath.Join(reachable, "foreigner")
	if err := errors.Join(os.Chmod(reachable, 0o755), os.WriteFile(copied, binary, 0o755), os.Chmod(copied,
		0o755)); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(copied, what)
	child.Dir = dir
	child.Env = as("foreigner")
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	return child
}
