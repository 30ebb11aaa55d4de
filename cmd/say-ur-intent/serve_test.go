//go:build unix

package main

import (
	"bufio"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

// asProgram is the variable that makes the test binary run as the program.
const asProgram = "SAY_UR_INTENT_TEST_AS_PROGRAM"

// asVersion is the variable with the version that such a program reports.
const asVersion = "SAY_UR_INTENT_TEST_VERSION"

// startServer is like startAlone without the log.
func startServer(t *testing.T, dir string) *mcpClient {
	t.Helper()
	c, _ := startAlone(t, dir)
	return c
}

// pagesStatus is what a server reports about its pages.
type pagesStatus struct {
	Pages  string `json:"reviewPages"`
	Origin string `json:"reviewPagesOrigin"`
	Note   string `json:"reviewPagesNote"`
}

func pagesOf(t *testing.T, c *mcpClient) pagesStatus {
	t.Helper()
	var status pagesStatus
	if err := c.call("read.get_server_status", map[string]any{}, &status); err != nil {
		t.Fatal(err)
	}
	return status
}

func pagesOrigin(t *testing.T, c *mcpClient) string {
	t.Helper()
	return pagesOf(t, c).Origin
}

func connectLink(c *mcpClient) (string, error) {
	var session struct {
		URL string `json:"walletUrl"`
	}
	err := c.call("session.create_wallet_identity", map[string]any{}, &session)
	return session.URL, err
}

// ended waits for the server to end by itself, and reports whether it did within the given time.
func ended(c *mcpClient, within time.Duration) (bool, error) {
	select {
	case <-c.wait():
		return true, c.end
	case <-time.After(within):
		return false, nil
	}
}

func TestPagesKeepTheirPort(t *testing.T) {
	dir := t.TempDir()
	first := startServer(t, dir)
	origin := pagesOrigin(t, first)
	first.stop()
	again := startServer(t, dir)
	if got := pagesOrigin(t, again); got != origin {
		t.Errorf("the origin moved from %s to %s", origin, got)
	}
	again.stop()

	u, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := net.Listen("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	third := startServer(t, dir)
	got := pagesOrigin(t, third)
	if got == origin || got == "" {
		t.Errorf("with a foreign program on the port the pages are at %q", got)
	}
}

func TestForeignProgramOnThePort(t *testing.T) {
	foreign, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	port := strconv.Itoa(foreign.Addr().(*net.TCPAddr).Port)
	c, log := startAlone(t, t.TempDir(), "SAY_UR_INTENT_REVIEW_PORT="+port)
	status := pagesOf(t, c)
	if status.Pages != "served" || status.Origin == "" || strings.HasSuffix(status.Origin, ":"+port) {
		t.Errorf("the pages are %+v", status)
	}
	if !strings.Contains(status.Note, "Port "+port+" is used by another program") || !strings.Contains(log.String(),
		`"port":`+port) {
		t.Errorf("that the port is taken is said: %q, %s", status.Note, log)
	}
	if link, err := connectLink(c); err != nil || !strings.HasPrefix(link, status.Origin+"/") {
		t.Errorf("links lead there: %q, %v", link, err)
	}
}

func TestEndOfInput(t *testing.T) {
	t.Parallel()
	t.Run("idle server ends by itself", func(t *testing.T) {
		c := startServer(t, t.TempDir())
		_ = c.in.Close()
		if gone, err := ended(c, unhurried); !gone || err != nil {
			t.Errorf("gone %v, %v", gone, err)
		}
	})
	t.Run("fresh link keeps it until it is told to stop", func(t *testing.T) {
		c := startServer(t, t.TempDir())
		if _, err := connectLink(c); err != nil {
			t.Fatal(err)
		}
		_ = c.in.Close()
		if gone, _ := ended(c, 700*time.Millisecond); gone {
			t.Fatal("the server ended while the person holds a fresh link")
		}
		if err := c.child.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if gone, _ := ended(c, unhurried); !gone {
			t.Error("the server did not end on SIGTERM")
		}
	})
}

func TestAdmit(t *testing.T) {
	mainnet, err := sui.ParseDigest("4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		network string
		genesis sui.Digest
		ok      bool
	}{
		{"mainnet", mainnet, true}, {"mainnet", sui.Digest{1}, false},
		{"sandbox", mainnet, false}, {"sandbox", sui.Digest{1}, true},
	} {
		if err := networks[c.network].accept(c.genesis); (err == nil) != c.ok {
			t.Errorf("%s admits %s: %v", c.network, c.genesis, err)
		}
	}
}

func TestPagesWithoutClient(t *testing.T) {
	long.Skip(t, "it starts the program")
	dir := shelter(t)
	start := func(flags ...string) (*exec.Cmd, *bufio.Scanner, *strings.Builder) {
		child := exec.Command(program(t), append([]string{"pages", "--network", "sandbox"}, flags...)...)
		child.Env = append(os.Environ(), asProgram+"=1", "SAY_UR_INTENT_DATA_DIR="+dir)
		var log strings.Builder
		child.Stderr = &log
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		return child, bufio.NewScanner(out), &log
	}
	home := regexp.MustCompile(`^http://127\.0\.0\.1:\d+/#[\w-]{43}$`)
	var at []string
	for range 2 {
		child, lines, log := start()
		var said []string
		for lines.Scan() {
			said = append(said, lines.Text())
		}
		if err := child.Wait(); err != nil || len(said) != 3 || !strings.HasPrefix(said[0], "Pages at http://127.0.0.1:") ||
			!home.MatchString(said[2]) {
			t.Fatalf("it gives a link and ends: %v, %q, %s", err, said, log)
		}
		origin, code, _ := strings.Cut(said[2], "/#")
		resp, err := http.Post(origin+"/api/exchange", "application/json",
			strings.NewReader(`{"kind":"home","id":"home","code":"`+code+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("the link does not open: %d", resp.StatusCode)
		}
		at = append(at, origin)
	}
	if at[0] != at[1] {
		t.Errorf("the second one leads to %s, and not to the pages of the first at %s", at[1], at[0])
	}
	t.Run("in this process until it is stopped", func(t *testing.T) {
		killServer(t, dir)
		child, lines, _ := start("--standalone")
		for range 4 {
			if !lines.Scan() {
				t.Fatalf("it ended after %q", lines.Text())
			}
		}
		if lines.Text() != "Ctrl-C ends this." {
			t.Errorf("it says %q", lines.Text())
		}
		if err := child.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := child.Wait(); err != nil {
			t.Errorf("told to stop, it ends well: %v", err)
		}
	})
}

// TestHomeCommand checks the command that pages show for opening the home page.
func TestHomeCommand(t *testing.T) {
	for _, c := range []struct {
		network, dir  string
		command, note string
	}{
		{"mainnet", "", "say-ur-intent pages", ""},
		{"mainnet", "/somewhere", "say-ur-intent pages", "Set SAY_UR_INTENT_DATA_DIR there as your AI client does."},
		{"sandbox", "", "", ""},
		{"sandbox", "/somewhere", "say-ur-intent pages --network sandbox",
			"Set SAY_UR_INTENT_DATA_DIR there as your AI client does."},
	} {
		s, err := parseOptions(environment(map[string]string{"HOME": t.TempDir(), "SAY_UR_INTENT_DATA_DIR": c.dir}),
			[]string{"--network", c.network})
		if err != nil || s.homeCommand() != c.command || s.homeNote() != c.note {
			t.Errorf("%s %q: %q %q %v", c.network, c.dir, s.homeCommand(), s.homeNote(), err)
		}
	}
}

func TestWaitToolsPushNothing(t *testing.T) {
	t.Parallel()
	c := startServer(t, t.TempDir())
	var session struct {
		ID string `json:"walletSessionId"`
	}
	if err := c.call("session.create_wallet_identity", map[string]any{}, &session); err != nil {
		t.Fatal(err)
	}
	t.Run("R004-431 a wait gives its answer and no notification", func(t *testing.T) {
		err := c.send(map[string]any{"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": map[string]any{
			"name": "session.wait_wallet_identity", "arguments": map[string]any{"walletSessionId": session.ID, "timeoutMs": 300},
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"id":900`, `"id":901`} {
			if want == `"id":901` {
				if err := c.send(map[string]any{"jsonrpc": "2.0", "id": 901, "method": "ping"}); err != nil {
					t.Fatal(err)
				}
			}
			if !c.out.Scan() || !strings.Contains(c.out.Text(), want) {
				t.Fatalf("after %s came %s", want, c.out.Text())
			}
		}
	})
}
