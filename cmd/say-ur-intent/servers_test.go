//go:build unix

package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/door"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// logged records a server's log and writes it to the test's log.
type logged struct {
	t  testing.TB
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(b)))
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startAlone starts a server that serves its own client and the other clients of the data
// directory.
func startAlone(t *testing.T, dir string, env ...string) (*mcpClient, *logged) {
	t.Helper()
	long.Skip(t, "it starts the program")
	log := &logged{t: t}
	c, err := startClient(program(t), []string{"--standalone", "--network", "sandbox"},
		append([]string{asProgram + "=1", dataDirVariable + "=" + dir}, env...), log)
	if err != nil {
		t.Fatal(err, log)
	}
	t.Cleanup(c.stop)
	return c, log
}

// outside starts a sandbox chain outside of any server, and returns the variable that selects it.
func outside(t testing.TB) (chain *sandbox.Sandbox, env string) {
	t.Helper()
	chain, err := sandbox.New(sandbox.Config{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(chain.Close)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = chain.Serve(ln) }()
	return chain, "SUI_GRPC_URL=http://" + ln.Addr().String()
}

// killed kills a client's process, to simulate a crash.
func killed(t *testing.T, c *mcpClient) {
	t.Helper()
	if err := c.child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-c.wait()
}

// TestStandalone checks a server that serves its own client in one process.
func TestStandalone(t *testing.T) {
	dir := shelter(t)
	first, _ := startAlone(t, dir)
	origin := pagesOf(t, first).Origin
	second := joins(t, dir)
	t.Run("another client joins it", func(t *testing.T) {
		if got := pagesOf(t, second.mcpClient); got.Pages != "served" || got.Origin != origin {
			t.Errorf("%+v, not at %s", got, origin)
		}
		var is serverStatus
		if err := askedServer(dir, door.KindStatus, &is); err != nil || is.Sessions != 2 || !strings.Contains(is.sentence(),
			"--standalone") {
			t.Errorf("%+v, %v", is, err)
		}
	})
	t.Run("another one is refused while it has a client", func(t *testing.T) {
		if said := refusedStart(t, dir, "--standalone"); !strings.Contains(said, "say-ur-intent stop") {
			t.Error(said)
		}
	})
	link, err := connectLink(first)
	if err != nil {
		t.Fatal(err)
	}
	second.stop()
	t.Run("it stays for the person when its client has left, and makes room for the next one", func(t *testing.T) {
		_ = first.in.Close()
		if gone, _ := ended(first, 700*time.Millisecond); gone {
			t.Fatal("it ended while the person holds a fresh link")
		}
		next, _ := startAlone(t, dir)
		if gone, err := ended(first, unhurried); !gone || err != nil {
			t.Errorf("two servers: %v, %v", gone, err)
		}
		if got := pagesOf(t, next); got.Origin != origin {
			t.Errorf("the pages moved from %s to %s", origin, got.Origin)
		}
		page, err := openLink(link)
		if err != nil {
			t.Fatalf("a link of the one before: %v", err)
		}
		third := joins(t, dir)
		killed(t, next)
		if got := pagesOf(t, third.mcpClient); got.Origin != origin {
			t.Errorf("killed, the pages moved from %s to %s", origin, got.Origin)
		}
		var state map[string]any
		if err := page.get("/api/wallet/"+page.id+"/state", &state); err != nil {
			t.Errorf("the open page: %v", err)
		}
	})
}

// openData opens the store in a server's data directory.
func openData(t *testing.T, data string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{Dir: data, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestNoServerInTheBackground checks that a client serves itself if no server can be started, and
// that it reports why.
func TestNoServerInTheBackground(t *testing.T) {
	dir := shelter(t)
	taken := filepath.Join(dir, "sandbox", "s.new", "x") // makes it impossible to create the socket
	if err := os.MkdirAll(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "sandbox"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := joins(t, dir)
	if got := pagesOf(t, c.mcpClient); got.Pages != "served" {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(c.log.String(), "other AI clients cannot join this server") {
		t.Errorf("logged: %s", c.log)
	}
	_ = c.in.Close()
	if gone, err := ended(c.mcpClient, unhurried); !gone || err != nil {
		t.Errorf("gone %v, %v", gone, err)
	}
}
