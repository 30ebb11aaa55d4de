package mcphttp_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/mcphttp"
	"github.com/sayurintent/sayurintent/store"
)

// served is an endpoint on a listener of pages.
type served struct {
	t     *testing.T
	host  string
	keys  *pagetoken.Keys
	token string
	id    string // ID of the token
	on    atomic.Bool
	held  chan struct{} // the tool test_held waits for it
	ended chan string   // receives the names of callers that stopped waiting
}

func may(context.Context) error { return nil }

func serve(t *testing.T) *served {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{Dir: double.Dir(t), Now: time.Now, Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &served{t: t, keys: pagetoken.NewKeys(db, time.Now, rand.Reader), held: make(chan struct{}),
		ended: make(chan string, 8)}
	s.on.Store(true)
	s.token, s.id = s.make(pagetoken.Key{Name: "a client", Scope: pagetoken.AIClient})
	on := func(context.Context) (bool, error) { return s.on.Load(), nil }
	pages, err := web.New(web.Config{Network: "sui:toy", WalletChain: "sui:toy", Desk: &pagetoken.Desk{},
		Accounts: &account.Service{},
		Frozen:   on, Hub: &events.Hub{}, Journal: func(context.Context, events.Kind, string) (int64, error) {
			return 0,
				nil
		},
		Now: time.Now,
	}, mcphttp.New(mcphttp.Config{Keys: s.keys, On: on, Life: context.WithoutCancel(t.Context()),
		Log: slog.New(slog.DiscardHandler),
		Toolsets: func(text string) error {
			if text != "" && text != "core" {
				return fault.New(fault.InputInvalid, "There is no such toolset.")
			}
			return nil
		},
		Serve: func(ctx context.Context, _ mcphttp.Client, x *stdio.Exchanges, push io.Writer) error {
			return x.Serve(ctx, push, s.tools(), stdio.Options{Now: time.Now, ToolNames: stdio.ToolNamesUnderscore})
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
	s.host = ln.Addr().String()
	return s
}

func (s *served) make(k pagetoken.Key) (token, id string) {
	s.t.Helper()
	secret, key, err := s.keys.MakeOf(s.t.Context(), k, may)
	if err != nil {
		s.t.Fatal(err)
	}
	return secret.Reveal(), key.ID
}

func (s *served) tools() *server.MCPServer {
	m := server.NewMCPServer("toy", "1", server.WithToolCapabilities(false))
	m.AddTool(mcp.NewTool("test_echo"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("echo"), nil
	})
	m.AddTool(mcp.NewTool("test_held"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session := server.ClientSessionFromContext(ctx).(*stdio.Session)
		session.Progress(1, 0, "held")
		select {
		case <-s.held:
			return mcp.NewToolResultText("let go"), nil
		case <-ctx.Done():
			s.ended <- "cancelled"
			return nil, ctx.Err()
		}
	})
	m.AddTool(mcp.NewTool("test_ask"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session := server.ClientSessionFromContext(ctx).(*stdio.Session)
		r, err := session.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "Sure?",
			RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}}})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(string(r.Action)), nil
	})
	return m
}

// request sends one request. edits change it first.
func (s *served) request(ctx context.Context, method, body string, edits ...func(*http.Request)) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+s.host+"/mcp", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, edit := range edits {
		edit(r)
	}
	out, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = out.Body.Close() })
	return out
}

func (s *served) post(body string, edits ...func(*http.Request)) (status int, text string) {
	s.t.Helper()
	r := s.request(s.t.Context(), http.MethodPost, body, edits...)
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
	}
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}`

// call returns a request without a session.
func call(id int, tool string) (body string, edit func(*http.Request)) {
	b, _ := json.Marshal(id)
	return `{"jsonrpc":"2.0","id":` + string(b) + `,"method":"tools/call","params":{"name":"` + tool +
			`","arguments":{},` + modernMeta + `}}`,
		func(r *http.Request) {
			r.Header.Set("MCP-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", "tools/call")
			r.Header.Set("Mcp-Name", tool)
		}
}

// begin sends initialize and returns an edit that adds the session to a request.
func (s *served) begin(capabilities string) func(*http.Request) {
	s.t.Helper()
	r := s.request(s.t.Context(), http.MethodPost,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":`+capabilities+`,"clientInfo":{"name":"toy","version":"1"}}}`)
	id := r.Header.Get("Mcp-Session-Id")
	if r.StatusCode != http.StatusOK || id == "" {
		s.t.Fatalf("initialize: %d, session %q", r.StatusCode, id)
	}
	session := func(r *http.Request) {
		r.Header.Set("Mcp-Session-Id", id)
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	if status, text := s.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		session); status != http.StatusAccepted || text != "" {
		s.t.Fatalf("initialized: %d %s", status, text)
	}
	return session
}

// data reads the next message of a stream.
func (s *served) data(in *bufio.Reader) string {
	s.t.Helper()
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			s.t.Fatalf("the stream ended: %v", err)
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			return text
		}
	}
}
