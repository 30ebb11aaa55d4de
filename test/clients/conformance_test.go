//go:build clients

package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/extension"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/built"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
	"github.com/sayurintent/sayurintent/store"
)

// suite runs one scenario of the protocol's own conformance suite.
func suite(t *testing.T, url, version, scenario string) {
	t.Helper()
	index := filepath.Join("node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(index); err != nil {
		t.Skip("the conformance suite is not installed; run test/setup.sh")
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	var out []byte
	var err error
	// The suite gives each scenario 30 seconds, which a busy machine may need for Node alone.
	for range 3 {
		out, err = exec.CommandContext(ctx, nodeForInspector(), index, "server", "--url", url, "--spec-version", version,
			"--scenario", scenario).CombinedOutput()
		if !bytes.Contains(out, []byte("Scenario timed out")) {
			break
		}
	}
	if err != nil || bytes.Contains(out, []byte("FAILURE")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// authorized adds the token to what the suite sends, which knows none. All else is passed on
// as it is: a request for another host or from another origin stays one.
func authorized(t *testing.T, host, token string) string {
	var own string
	// The default transport is shared: a server of another test that closes ends its connections.
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	s := httptest.NewServer(&httputil.ReverseProxy{Transport: transport, FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: host})
			r.Out.Host = strings.Replace(r.In.Host, own, host, 1)
			if origin := r.In.Header.Get("Origin"); origin != "" {
				r.Out.Header.Set("Origin", strings.Replace(origin, own, host, 1))
			}
			r.Out.Header.Set("Authorization", "Bearer "+token)
			// The body is read first: a server closes it when the answer begins, and a transport that
			// still waits for its end then ends the connection.
			if body, _ := io.ReadAll(r.In.Body); len(body) > 0 {
				r.Out.Body = io.NopCloser(bytes.NewReader(body))
			}
		}})
	own = strings.TrimPrefix(s.URL, "http://")
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// program starts the program, and returns its data directory, its host, and a token for an AI client.
func program(t *testing.T, on bool) (data, host, token string) {
	data = t.TempDir()
	port := strconv.Itoa(double.Ports(t, 1)[0])
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(data, "sandbox"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	may := func(context.Context) error { return nil }
	key, _, err := pagetoken.NewKeys(db, time.Now, rand.Reader).MakeOf(t.Context(), pagetoken.Key{Name: "suite",
		Scope: pagetoken.AIClient}, may)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	server := exec.CommandContext(t.Context(), built.Program(t), "pages", "--standalone", "--network", "sandbox",
		"--open-browser=never",
		"--http="+strconv.FormatBool(on))
	server.Env = append(os.Environ(), "SAY_UR_INTENT_DATA_DIR="+data, "SAY_UR_INTENT_REVIEW_PORT="+port)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, port) {
		t.Fatalf("%q, %v", line, err)
	}
	return data, "127.0.0.1:" + port, key.Reveal()
}

// TestConformance has the suite judge the program itself, in the scenarios that need none of the tools,
// prompts and resources that it names. docs/AI_CLIENTS.md lists the others. TestTaskConformance serves the
// tools that the scenarios of tasks name.
func TestConformance(t *testing.T) {
	long.Skip(t, "it starts Node and the program")
	_, host, token := program(t, true)
	url := authorized(t, host, token)
	both := []string{"2025-11-25", "2026-07-28"}
	for scenario, versions := range map[string][]string{
		"server-initialize": both[:1], "server-session-lifecycle": both[:1], "ping": both[:1],
		"server-sse-multiple-streams": both, "tools-list": both, "resources-list": both, "prompts-list": both,
		"dns-rebinding-protection": both, "caching": both[1:], "http-header-validation": both[1:],
		"sep-2640-skills-enumeration": both[1:], "sep-2640-skills-manifest": both[1:], "sep-2640-skills-directory": both[1:],
		"resources-subscribe": both[:1], "resources-unsubscribe": both[:1], "completion-complete": both,
		"sep-2164-resource-not-found": both[1:], "input-required-result-unsupported-methods": both[1:],
	} {
		for _, version := range slices.Sorted(slices.Values(versions)) {
			t.Run(scenario+" "+version, func(t *testing.T) { suite(t, url, version, scenario) })
		}
	}
}

// conform serves the tools that the suite names over HTTP, on the listener of pages.
func conform(t *testing.T) (url string) {
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(double.Dir(t), "data"), Now: time.Now,
		Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	keys := pagetoken.NewKeys(db, time.Now, rand.Reader)
	token, _, err := keys.MakeOf(t.Context(), pagetoken.Key{Name: "suite", Scope: pagetoken.AIClient},
		func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	x := conforming{db}
	on := func(context.Context) (bool, error) { return true, nil }
	pages, err := web.New(web.Config{Network: "sui:sandbox", WalletChain: "sui:localnet", Desk: &pagetoken.Desk{},
		Accounts: &account.Service{},
		Frozen:   on, Hub: &events.Hub{}, Journal: func(context.Context, events.Kind, string) (int64, error) {
			return 0,
				nil
		},
		Now: time.Now,
	}, mcphttp.New(mcphttp.Config{Keys: keys, On: on, Toolsets: func(string) error { return nil },
		Life: context.WithoutCancel(t.Context()), Log: slog.New(slog.DiscardHandler),
		Serve: func(ctx context.Context, _ mcphttp.Client, e *stdio.Exchanges, push io.Writer) error {
			return e.Serve(ctx, push, x.server(), stdio.Options{Now: time.Now, ToolNames: stdio.ToolNamesDotted,
				Tasks: extension.Tasks{Log: db, Source: x}})
		}}))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = pages.Serve(ln) }()
	t.Cleanup(func() { _ = pages.Shutdown(context.Background()) })
	return authorized(t, ln.Addr().String(), token.Reveal())
}
