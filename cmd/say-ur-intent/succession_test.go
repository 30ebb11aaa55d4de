//go:build unix

package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/instance"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// logged keeps a server's log, and shows it where the test fails.
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

// startAnother runs one more server of an installation, as a client does.
func startAnother(t *testing.T, dir string, env ...string) (*mcpClient, *logged) {
	t.Helper()
	long.Skip(t, "it starts the program")
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := &logged{t: t}
	c, err := startClient(executable, []string{"--network", "sandbox"},
		append([]string{asProgram + "=1", "SAY_UR_INTENT_DATA_DIR=" + dir}, env...), log)
	if err != nil {
		t.Fatal(err, log)
	}
	t.Cleanup(c.stop)
	return c, log
}

// outside is a sandbox chain that no server of the test owns.
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

// killed ends a server as a crash does.
func killed(t *testing.T, c *mcpClient) {
	t.Helper()
	if err := c.child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-c.wait()
}

// opens opens a link, waiting through the moment in which one server has gone and
// the next one has not come.
func opens(link string) (*person, error) {
	page, err := openLink(link)
	for end := time.Now().Add(unhurried); err != nil && time.Now().Before(end); page, err = openLink(link) {
		time.Sleep(50 * time.Millisecond)
	}
	return page, err
}

// takesOver waits until c serves the pages itself.
func takesOver(t *testing.T, c *mcpClient, within time.Duration) pagesStatus {
	t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(5 * time.Millisecond) {
		status := pagesOf(t, c)
		if status.Pages == "served" {
			return status
		}
		if time.Now().After(end) {
			t.Fatalf("after %s the pages are %+v", within, status)
		}
	}
}

func TestTwoServersShareAnInstallation(t *testing.T) {
	dir := t.TempDir()
	first, _ := startAnother(t, dir)
	second, _ := startAnother(t, dir)
	here, there := pagesOf(t, first), pagesOf(t, second)
	if here.Pages != "served" || there.Pages != "served_by_another_process" || here.Origin == "" || here.Origin != there.Origin {
		t.Fatalf("%+v, %+v", here, there)
	}
	link, err := connectLink(second)
	if err != nil || !strings.HasPrefix(link, here.Origin+"/connect/") {
		t.Fatalf("the second server hands out the first one's address: %q, %v", link, err)
	}
	t.Run("a wait in one hears what the page of the other did", func(t *testing.T) {
		played := &demo{process: process{Stdout: &logged{t: t}, Now: time.Now}, client: second}
		if err := played.connect(); err != nil {
			t.Fatal(err)
		}
		var active struct {
			Account string `json:"account"`
		}
		if err := first.call("account.get_active_account", map[string]any{}, &active); err != nil || active.Account != sandbox.Account.String() {
			t.Errorf("%+v, %v", active, err)
		}
	})
	t.Run("a page that was open stays good after the owner is killed", func(t *testing.T) {
		page, err := openLink(link)
		if err != nil {
			t.Fatal(err)
		}
		unopened, err := connectLink(first)
		if err != nil {
			t.Fatal(err)
		}
		killed(t, first)
		begin := time.Now()
		status := takesOver(t, second, unhurried)
		t.Logf("taken over within %s", time.Since(begin))
		if status.Origin != here.Origin {
			t.Errorf("the pages moved from %s to %s", here.Origin, status.Origin)
		}
		var state map[string]any
		if err := page.get("/api/wallet/"+page.id+"/state", &state); err != nil {
			t.Errorf("the tab's token: %v", err)
		}
		if _, err := openLink(unopened); err != nil {
			t.Errorf("a link that the killed server made: %v", err)
		}
	})
	t.Run("a third server defers to the second", func(t *testing.T) {
		third, _ := startAnother(t, dir)
		if got := pagesOf(t, third); got.Pages != "served_by_another_process" || got.Origin != here.Origin {
			t.Errorf("%+v", got)
		}
	})
}

// A program that took the port, and knows how we answer but not the secret.
func TestSquatterIsRefused(t *testing.T) {
	dir := t.TempDir()
	asked := make(chan struct{}, 100)
	squatter := squat(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		var q instance.Question
		_ = json.NewDecoder(r.Body).Decode(&q)
		forged, err := instance.New("http://"+r.Host, "", 1, rand.Reader)
		if err != nil {
			t.Error(err)
		}
		proof, _ := forged.Prove(q.Nonce)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(instance.Answer{Proof: proof})
	})
	// A server owned the pages at that address and hangs: it has the lock, but the
	// port is another program's.
	data := filepath.Join(dir, "sandbox")
	hold(t, data)
	card, err := instance.New("http://"+squatter, "", os.Getpid(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := card.Text()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "owner.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, node := outside(t)
	c, log := startAnother(t, dir, node)
	link, err := connectLink(c)
	if err == nil || !strings.Contains(err.Error(), "Another program answers at http://"+squatter) || !strings.Contains(err.Error(), "blocked") {
		t.Errorf("link %q, %v", link, err)
	}
	if len(asked) == 0 {
		t.Error("the squatter was not even asked")
	}
	if status := pagesOf(t, c); status.Pages != "unavailable" || status.Origin != "" || !strings.Contains(status.Note, "could not prove") {
		t.Errorf("%+v", status)
	}
	if !strings.Contains(log.String(), "could not prove that it is Say Ur Intent") || strings.Contains(log.String(), card.Secret) {
		t.Errorf("log: %s", log)
	}
	var mid map[string]any
	if err := c.call("read.get_deepbook_mid_price", map[string]any{"poolKey": "SUI_USDC"}, &mid); err != nil {
		t.Errorf("MCP goes on: %v", err)
	}
	t.Run("a file of that name that others can read is refused", func(t *testing.T) {
		if err := os.Chmod(filepath.Join(data, "owner.json"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := connectLink(c); err == nil || !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("%v", err)
		}
	})
}

// In the moment between two servers a program takes the port.
func TestPortTakenDuringTakeOver(t *testing.T) {
	dir := t.TempDir()
	first, _ := startAnother(t, dir)
	second, log := startAnother(t, dir)
	origin := pagesOf(t, first).Origin
	if err := second.child.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	killed(t, first)
	foreign, err := net.Listen("tcp", strings.TrimPrefix(origin, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if err := second.child.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	status := takesOver(t, second, unhurried)
	if status.Origin == origin || !strings.Contains(status.Note, "used by another program") {
		t.Errorf("%+v", status)
	}
	if link, err := connectLink(second); err != nil || !strings.HasPrefix(link, status.Origin) {
		t.Errorf("%q, %v", link, err)
	}
	if !strings.Contains(log.String(), "another program has the port of the pages") {
		t.Errorf("log: %s", log)
	}
}

func TestEndOfInputHandsOver(t *testing.T) {
	_, node := outside(t)
	t.Run("what is owed goes to another server, and this one ends", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		first, log := startAnother(t, dir, node)
		second, _ := startAnother(t, dir, node)
		origin := pagesOf(t, first).Origin
		link, err := connectLink(first)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		_ = first.in.Close()
		if gone, err := ended(first, unhurried); !gone || err != nil {
			t.Fatalf("gone %v, %v", gone, err)
		}
		t.Logf("gone after %s", time.Since(begin))
		if !strings.Contains(log.String(), "another process serves the pages now") {
			t.Errorf("log: %s", log)
		}
		if status := pagesOf(t, second); status.Pages != "served" || status.Origin != origin {
			t.Errorf("at once the other one has the pages: %+v", status)
		}
		if _, err := openLink(link); err != nil {
			t.Errorf("the link of the server that has gone: %v", err)
		}
	})
	t.Run("where the other server has stopped, this one stays", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		first, _ := startAnother(t, dir, node)
		second, _ := startAnother(t, dir, node)
		link, err := connectLink(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := second.child.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = second.child.Process.Signal(syscall.SIGCONT) }()
		_ = first.in.Close()
		if gone, _ := ended(first, 3*time.Second); gone {
			t.Fatal("it ended although nobody took over")
		}
		if _, err := openLink(link); err != nil {
			t.Errorf("%v", err)
		}
	})
	t.Run("both clients go at once and what is owed is kept by one", func(t *testing.T) {
		t.Parallel()
		for range 4 {
			dir := t.TempDir()
			first, _ := startAnother(t, dir, node)
			second, _ := startAnother(t, dir, node)
			link, err := connectLink(second)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = first.in.Close(), second.in.Close()
			time.Sleep(400 * time.Millisecond) // who wants to go has gone
			page, err := opens(link)
			if err != nil || page.token == "" {
				t.Fatalf("nobody serves the link: %v", err)
			}
			for _, c := range []*mcpClient{first, second} {
				c.stop()
			}
		}
	})
	t.Run("the owner is killed and the other client goes at once: what is owed is kept", func(t *testing.T) {
		t.Parallel()
		for range 3 {
			dir := t.TempDir()
			first, _ := startAnother(t, dir, node)
			second, _ := startAnother(t, dir, node)
			link, err := connectLink(second)
			if err != nil {
				t.Fatal(err)
			}
			killed(t, first)
			_ = second.in.Close()
			time.Sleep(300 * time.Millisecond) // it could have gone
			if _, err := opens(link); err != nil {
				t.Errorf("nobody serves the link: %v", err)
			}
			second.stop()
		}
	})
	t.Run("a server without pages ends at once whatever is owed", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		startAnother(t, dir, node)
		second, _ := startAnother(t, dir, node)
		if _, err := connectLink(second); err != nil {
			t.Fatal(err)
		}
		_ = second.in.Close()
		if gone, err := ended(second, unhurried); !gone || err != nil {
			t.Errorf("gone %v, %v", gone, err)
		}
	})
}

// The chain that a server embeds is used by all of its installation, and is gone
// with it.
func TestOneEmbeddedChain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, _ := startAnother(t, dir)
	second, _ := startAnother(t, dir)
	played := &demo{process: process{Stdout: &logged{t: t}, Now: time.Now}, client: first}
	if err := played.connect(); err != nil {
		t.Fatal(err)
	}
	swap := func(c *mcpClient) (id string, shown shownReview, page *person) {
		t.Helper()
		played := &demo{process: process{Stdout: &logged{t: t}, Now: time.Now}, client: c}
		id, page, err := played.prepare("10")
		if err != nil {
			t.Fatal(err)
		}
		if shown, err = played.read(page); err != nil {
			t.Fatal(err)
		}
		return id, shown, page
	}
	before := balance(t, second)
	id, shown, page := swap(first)
	if err := played.sign(page, shown); err != nil {
		t.Fatal(err)
	}
	if err := played.receipt(id); err != nil {
		t.Fatal(err)
	}
	if after := balance(t, second); after == before || after == "" {
		t.Errorf("the second server sees another chain: %s before and after", after)
	}
	id, _, page = swap(second)
	if _, err := connectLink(first); err != nil {
		t.Fatal(err)
	}
	_ = first.in.Close() // a link is unopened, and the chain lives here
	if gone, _ := ended(first, 500*time.Millisecond); gone {
		t.Fatal("a server left with the chain while a link was unopened")
	}
	_ = first.child.Process.Kill()
	takesOver(t, second, unhurried)
	var state shownReview
	if err := page.get("/api/review/"+id+"/state", &state); err != nil {
		t.Fatal(err)
	}
	if err := page.post("/api/review/"+id+"/compute", map[string]any{"revision": state.Revision}, nil); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(unhurried); state.Status != "blocked" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err := page.get("/api/review/"+id+"/state", &state); err != nil {
			t.Fatal(err)
		}
	}
	if state.Status != "blocked" || state.Reason != "network_mismatch" {
		t.Errorf("after the chain is gone the review is %s, %s", state.Status, state.Reason)
	}
	if got := balance(t, second); got != before {
		t.Errorf("the second server's own chain begins anew: %s, want %s", got, before)
	}
}

// balance returns what the active account has of USDC, as a server's tools see it.
func balance(t *testing.T, c *mcpClient) string {
	t.Helper()
	var summary struct {
		Balances []struct {
			Type    string `json:"coinType"`
			Balance string `json:"balance"`
		} `json:"balances"`
	}
	if err := c.call("read.summarize_wallet_assets", map[string]any{}, &summary); err != nil {
		t.Fatal(err)
	}
	for _, b := range summary.Balances {
		if strings.HasSuffix(b.Type, "::usdc::USDC") {
			return b.Balance
		}
	}
	return ""
}

// squat answers at an address of its own as f says.
func squat(t *testing.T, f http.HandlerFunc) (host string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: f, ReadHeaderTimeout: time.Second}
	go func() {
		if err := s.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { _ = s.Close() })
	return ln.Addr().String()
}

// openData opens the store of a server's data directory.
func openData(t *testing.T, data string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{Dir: data, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// hold has the pages of a data directory, in this process, for the rest of the test.
func hold(t *testing.T, data string) {
	t.Helper()
	db := openData(t, data)
	if owned, err := db.Own(t.Context()); err != nil || !owned {
		t.Fatal(owned, err)
	}
}
