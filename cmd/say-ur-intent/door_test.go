//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// joined is one of several AI clients of a server. It records everything that it receives.
type joined struct {
	*mcpClient
	log   *logged
	heard *heard
}

// heard records the output of a server to a client.
type heard struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.Write(b)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}

// joins starts an AI client of the data directory's server. Arguments that contain "=" are
// variables; others are flags.
func joins(t testing.TB, dir string, with ...string) *joined {
	t.Helper()
	c, err := joining(t, dir, with...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// joining is like joins for a client that the server may reject.
func joining(t testing.TB, dir string, with ...string) (*joined, error) {
	t.Helper()
	long.Skip(t, "it starts the program")
	args, env := []string{"--network", "sandbox"}, []string{asProgram + "=1", dataDirVariable + "=" + dir}
	for _, w := range with {
		if strings.HasPrefix(w, "--") {
			args = append(args, w)
		} else {
			env = append(env, w)
		}
	}
	c := &joined{log: &logged{t: t}, heard: &heard{}}
	var err error
	if c.mcpClient, err = spawnClient(program(t), args, env, c.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.stop)
	c.out = bufio.NewScanner(io.TeeReader(c.pipe.(io.Reader), c.heard))
	c.out.Buffer(nil, 4<<20)
	return c, c.initialize("client")
}

func program(t testing.TB) string {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return executable
}

// shelter returns a directory for data directories. At the end of the test, it kills their server.
func shelter(t testing.TB) string {
	t.Helper()
	long.Skip(t, "it starts the program")
	dir, err := os.MkdirTemp("", "sayurintent-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		endServer(dir)
		// A server that fails to start closes its files only after it has reported why.
		double.Until(t, "the directory goes", func() bool { return os.RemoveAll(dir) == nil })
	})
	return dir
}

// endServer kills the server of a data directory, if one runs, and waits until it is gone.
func endServer(dir string) {
	if pid := serverOf(dir); pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		double.Await(func() bool { return serverOf(dir) == 0 })
	}
}

// serverOf returns the process ID of a data directory's server, or 0 if none is running.
func serverOf(dir string) int {
	var is serverStatus
	if err := askedServer(dir, door.KindStatus, &is); err != nil {
		return 0
	}
	return is.PID
}

// askedServer queries the server of a data directory on any network.
func askedServer(dir, kind string, answer any) error {
	err := door.ErrAbsent
	for _, name := range []string{"sandbox", "mainnet"} {
		s := options{network: networks[name], dataDir: filepath.Join(dir, name)}
		if err = s.askServer(process{Now: time.Now}, kind, answer); !errors.Is(err, door.ErrAbsent) {
			break
		}
	}
	return err
}

// killServer kills the server of a data directory, to simulate a crash.
func killServer(t testing.TB, dir string) {
	t.Helper()
	pid := 0
	double.Until(t, "a server is there", func() bool { pid = serverOf(dir); return pid != 0 })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
}

// ownServer is a server that the test itself started.
type ownServer struct {
	*exec.Cmd
	log   *logged
	end   chan error
	letGo func() // ends the session that keeps the server running until the test's clients are connected
}

// serves starts the server of a data directory, and waits until it accepts connections.
func serves(t testing.TB, dir string, with ...string) *ownServer {
	t.Helper()
	long.Skip(t, "it starts the program")
	s := &ownServer{Cmd: exec.Command(program(t), "serve", "--network", "sandbox"), log: &logged{t: t},
		end: make(chan error, 1)}
	s.Env = append(os.Environ(), asProgram+"=1", dataDirVariable+"="+dir)
	for _, w := range with {
		if strings.HasPrefix(w, "--") {
			s.Args = append(s.Args, w)
		} else {
			s.Env = append(s.Env, w)
		}
	}
	s.Stderr, s.WaitDelay = s.log, time.Second
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() { defer close(gone); s.end <- s.Wait() }()
	t.Cleanup(func() { _ = s.Process.Kill(); <-gone })
	var kept net.Conn
	var err error
	double.Until(t, "the server serves", func() bool {
		kept, err = net.Dial("unix", filepath.Join(dir, "sandbox", "s"))
		return err == nil
	})
	s.letGo = func() { _ = kept.Close() }
	t.Cleanup(s.letGo)
	c, err := door.ReadClient([]string{"--network", "sandbox"},
		environment(map[string]string{dataDirVariable: dir}).Getenv)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(kept).Encode(c.Proxy("", version, time.Now).Hello); err != nil {
		t.Fatal(err)
	}
	return s
}

// ends waits until the server has ended, and returns its error.
func (s *ownServer) ends(t testing.TB) error {
	t.Helper()
	select {
	case err := <-s.end:
		s.end <- err
		return err
	case <-time.After(double.Patience):
		t.Fatal("the server keeps running")
		return nil
	}
}
