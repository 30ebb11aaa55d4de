package web_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/wschat"
)

// project registers a project with one file and returns its folder.
func (r *rig) project(key string, mode workspace.Mode) string {
	r.t.Helper()
	dir := r.t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "core", "src"), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "core", "src", "File.java"), []byte("// TODO one\nclass File {}\n"),
		0o644); err != nil {
		r.t.Fatal(err)
	}
	if err := r.db.AddFolder(r.t.Context(), workspace.Folder{Key: key, Root: dir, Mode: mode}, always); err != nil {
		r.t.Fatal(err)
	}
	return dir
}

func always(context.Context) error { return nil }

// socketKey creates a token for the socket.
func (r *rig) socketKey(want pagetoken.Key) (token string, key pagetoken.Key) {
	r.t.Helper()
	want.Name = "mine"
	secret, key, err := pagetoken.NewKeys(r.db, time.Now, rand.Reader).MakeOf(r.t.Context(), want, always)
	if err != nil {
		r.t.Fatal(err)
	}
	return secret.Reveal(), key
}

const socketAt = "/ws/agent/chat?sessionId=test-123&projectKey=autoloop"

// dialed is a peer of the socket.
type dialed struct {
	t    *testing.T
	conn *websocket.Conn
}

// dial connects a peer. The response is that of the upgrade.
func (r *rig) dial(path, token string, set func(*websocket.DialOptions)) (*dialed, *http.Response, error) {
	r.t.Helper()
	o := &websocket.DialOptions{HTTPHeader: http.Header{}}
	if token != "" {
		o.HTTPHeader.Set("Authorization", "Bearer "+token)
	}
	if set != nil {
		set(o)
	}
	conn, resp, err := websocket.Dial(r.t.Context(), "ws://"+r.host+path, o)
	if err != nil {
		return nil, resp, err
	}
	conn.SetReadLimit(-1)
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return &dialed{r.t, conn}, resp, nil
}

// connected is dial for a peer that must be accepted.
func (r *rig) connected(path, token string) *dialed {
	r.t.Helper()
	d, _, err := r.dial(path, token, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	d.send(`{"type":"PING"}`) // the response shows that the socket is registered
	if text := d.next(); text != `{"type":"PONG"}` {
		r.t.Fatalf("the first message is %s", text)
	}
	return d
}

func (d *dialed) send(text string) {
	d.t.Helper()
	if err := d.conn.Write(d.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		d.t.Fatal(err)
	}
}

// next returns the next message.
func (d *dialed) next() string {
	d.t.Helper()
	ctx, stop := context.WithTimeout(d.t.Context(), waitTime)
	defer stop()
	_, b, err := d.conn.Read(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

// closed waits until the server closes the connection, and returns the code and the reason.
func (d *dialed) closed() (code websocket.StatusCode, reason string) {
	d.t.Helper()
	ctx, stop := context.WithTimeout(d.t.Context(), waitTime)
	defer stop()
	_, b, err := d.conn.Read(ctx)
	var e websocket.CloseError
	if !errors.As(err, &e) {
		d.t.Fatalf("%s, %v", b, err)
	}
	return e.Code, e.Reason
}

// result is a TOOL_RESULT as another program parses it.
type result struct {
	Type string
	Data struct {
		ID      string `json:"toolCallId"`
		Success *bool
		Result  *string
		Error   *string
		Time    *float64 `json:"executionTime"`
	}
}

func (d *dialed) result() (r result, text string) {
	d.t.Helper()
	text = d.next()
	if err := json.Unmarshal([]byte(text), &r); err != nil || r.Type != "TOOL_RESULT" || r.Data.Success == nil {
		d.t.Fatalf("%v: %s", err, text)
	}
	return r, text
}

// The calls in the protocol's examples.
const (
	exampleGrep = `{
  "type": "TOOL_CALL",
  "toolCallId": "grep_file-83742e07-1767686721056",
  "toolName": "grep_file",
  "params": {
    "pattern": "TODO",
    "projectKey": "autoloop",
    "webSocketSessionId": "83742e07-...",
    "relativePath": "core/src/File.java",
    "regex": false,
    "case_sensitive": false,
    "context_lines": 2
  },
  "webSocketSessionId": "83742e07-..."
}`
	exampleManual = `{
  "type": "TOOL_CALL",
  "toolCallId": "test-001",
  "toolName": "grep_file",
  "params": {
    "pattern": "TODO",
    "projectKey": "autoloop"
  }
}`
)

// TestSocketBackend lets a backend run the tools on a project of this computer.
func TestSocketBackend(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	dir := r.project("autoloop", workspace.Auto)
	reads, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"autoloop"}})
	writes, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"autoloop"}, Acts: true})

	d := r.connected("/ws/agent/chat?sessionId=83742e07-...&projectKey=autoloop", reads)
	t.Run("R001-2 R001-10 R001-11 R001-20 the example", func(t *testing.T) {
		d.send(exampleGrep)
		got, text := d.result()
		if got.Data.ID != "grep_file-83742e07-1767686721056" || !*got.Data.Success || got.Data.Error != nil ||
			got.Data.Time == nil {
			t.Fatal(text)
		}
		if lines := strings.Split(*got.Data.Result, "\n"); !strings.HasPrefix(lines[0], "## ") || !strings.Contains(lines[0],
			"File.java") || !strings.Contains(lines[2], "1") {
			t.Errorf("%q", *got.Data.Result)
		}
	})
	t.Run("R001-21 a file that is missing", func(t *testing.T) {
		d.send(`{"type":"TOOL_CALL","toolCallId":"2","toolName":"read_file","params":{"relativePath":"core/src/Gone.java"}}`)
		if _, text := d.result(); text != `{"type":"TOOL_RESULT","data":{"toolCallId":"2","success":false,"error":"文件不存在: core/src/Gone.java"}}` {
			t.Error(text)
		}
	})
	t.Run("R001-57 a parameter that is missing", func(t *testing.T) {
		for tool, field := range map[string]string{"grep_file": "pattern", "read_file": "relativePath",
			"call_chain": "method"} {
			d.send(fmt.Sprintf(`{"type":"TOOL_CALL","toolCallId":%q,"toolName":%q,"params":{}}`, tool, tool))
			if got, text := d.result(); *got.Data.Success || !strings.Contains(*got.Data.Error, field) || got.Data.ID != tool {
				t.Error(text)
			}
		}
	})
	t.Run("R001-7 another tool", func(t *testing.T) {
		d.send(`{"type":"TOOL_CALL","toolCallId":"3","toolName":"run_shell","params":{"command":"id"}}`)
		if got, text := d.result(); *got.Data.Success || !strings.Contains(*got.Data.Error, "unknown tool") {
			t.Error(text)
		}
	})
	t.Run("R001-47 a change, with the right to it alone", func(t *testing.T) {
		change := `{"type":"TOOL_CALL","toolCallId":"4","toolName":"apply_change","params":{"relativePath":"core/src/File.java","searchContent":"// TODO one","replaceContent":"// done"}}`
		d.send(change)
		if got, text := d.result(); *got.Data.Success || !strings.Contains(*got.Data.Error, "read-only") {
			t.Error(text)
		}
		w := r.connected(socketAt, writes)
		w.send(change)
		if got, text := w.result(); !*got.Data.Success {
			t.Error(text)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "core", "src", "File.java")); err != nil ||
			string(b) != "// done\nclass File {}\n" {
			t.Errorf("%q, %v", b, err)
		}
	})
	t.Run("a message over 1 MiB closes the socket", func(t *testing.T) {
		big := r.connected("/ws/agent/chat?sessionId=big&projectKey=autoloop", reads)
		_ = big.conn.Write(t.Context(), websocket.MessageText, []byte(`{"type":"PING","x":"`+strings.Repeat("x", 1<<20)+`"}`))
		if code, _ := big.closed(); code != websocket.StatusMessageTooBig {
			t.Error(code)
		}
	})
	t.Run("a binary message closes the socket", func(t *testing.T) {
		b := r.connected("/ws/agent/chat?sessionId=bin&projectKey=autoloop", reads)
		_ = b.conn.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"PING"}`))
		if code, _ := b.closed(); code != websocket.StatusUnsupportedData {
			t.Error(code)
		}
	})
	t.Run("shutting down says goodbye", func(t *testing.T) {
		if err := r.server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if code, _ := d.closed(); code != websocket.StatusGoingAway {
			t.Error(code)
		}
	})
}

// TestSocketEditor sends this program's calls to an editor.
func TestSocketEditor(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	token, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"autoloop"}})
	ask := func(tool string, params map[string]any) (string, bool, error) {
		return r.editor.Peers().Forward(t.Context(), "autoloop", tool, params)
	}
	if _, connected, err := ask("grep_file", nil); connected || err != nil {
		t.Fatalf("nobody is connected: %v, %v", connected, err)
	}
	d := r.connected(socketAt, token)
	t.Run("R001-2 R001-11 R001-15 call and result", func(t *testing.T) {
		got := make(chan string, 1)
		go func() {
			text, connected, err := ask("read_file", map[string]any{"relativePath": "a.move"})
			got <- fmt.Sprint(text, connected, err)
		}()
		text := d.next()
		var c struct {
			Type, ToolCallID, ToolName, WebSocketSessionID string
			Params                                         map[string]any
		}
		if err := json.Unmarshal([]byte(text), &c); err != nil || c.Type != "TOOL_CALL" || c.ToolName != "read_file" ||
			c.WebSocketSessionID != "test-123" ||
			c.Params["projectKey"] != "autoloop" || c.Params["webSocketSessionId"] != "test-123" ||
			c.Params["relativePath"] != "a.move" {
			t.Fatal(text)
		}
		d.send(fmt.Sprintf(`{"type":"TOOL_RESULT","data":{"toolCallId":%q,"success":true,"result":"module a;","executionTime":1}}`, c.ToolCallID))
		if out := <-got; out != "module a;true <nil>" {
			t.Error(out)
		}
	})
	t.Run("R001-56 what lacks a parameter is sent to nobody", func(t *testing.T) {
		_, connected, err := ask("grep_file", nil)
		var missing *workspace.MissingError
		if !connected || !errors.As(err, &missing) || missing.Field != "pattern" {
			t.Errorf("%v, %v", connected, err)
		}
	})
	t.Run("a disconnect fails what waits at once", func(t *testing.T) {
		got := make(chan error, 1)
		go func() {
			_, _, err := ask("apply_change", map[string]any{"relativePath": "a", "replaceContent": ""})
			got <- err
		}()
		d.next()
		_ = d.conn.Close(websocket.StatusNormalClosure, "")
		if err := <-got; !errors.As(err, new(*wschat.Unanswered)) || strings.Contains(err.Error(), "within") {
			t.Errorf("it waited until the call was too old: %v", err)
		}
	})
}

// TestSocketRefuses checks which peers are rejected, and with which error, before the connection is
// upgraded.
func TestSocketRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	r.project("other", workspace.ReadOnly)
	_, page := r.connecting()
	token, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"autoloop", "gone"}})
	browser, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"autoloop"},
		Origin: "https://editor.example"})
	chat := agentKey(t, r.db, pagetoken.AgentBackend, true)
	header := func(pairs ...string) func(*websocket.DialOptions) {
		return func(o *websocket.DialOptions) {
			for i := 0; i < len(pairs); i += 2 {
				o.HTTPHeader.Set(pairs[i], pairs[i+1])
			}
		}
	}
	protocols := func(origin string, names ...string) func(*websocket.DialOptions) {
		return func(o *websocket.DialOptions) { o.Subprotocols = names; o.HTTPHeader.Set("Origin", origin) }
	}
	const good = "https://editor.example"
	for _, c := range []struct {
		name, path, token string
		set               func(*websocket.DialOptions)
		want              int
	}{
		{"a token", socketAt, token, nil, 101},
		{"no token", socketAt, "", nil, 401},
		{"a token of a page", socketAt, page, nil, 401},
		{"a token of another scope", socketAt, chat, nil, 401},
		{"a token made up", socketAt, "sui_events_" + strings.Repeat("A", 43), nil, 401},
		{"a token in the query", socketAt + "&token=" + token, "", nil, 400},
		{"a token of no web page, on one", socketAt, token, header("Origin", good), 403},
		{"our own origin", socketAt, token, header("Origin", r.origin), 403},
		{"a browser that hides where it is", socketAt, token, header("Sec-Fetch-Site", "cross-site"), 403},
		{"a web page", "/ws/agent/chat?projectKey=autoloop&sessionId=page", "", protocols(good, "say-ur-intent.agent-chat", "bearer."+browser), 101},
		{"a web page of another origin", socketAt, "", protocols("https://evil.example", "say-ur-intent.agent-chat",
			"bearer."+browser), 403},
		{"a web page of a part of the origin", socketAt, "", protocols("https://editor.example.evil.example", "bearer."+
			browser), 403},
		{"two tokens", socketAt, token, protocols(good, "bearer."+browser), 401},
		{"a project of another token", "/ws/agent/chat?sessionId=a&projectKey=other", token, nil, 403},
		{"a project that is not registered any more", "/ws/agent/chat?sessionId=a&projectKey=gone", token, nil, 404},
		{"no project", "/ws/agent/chat?sessionId=a", token, nil, 400},
		{"no id", "/ws/agent/chat?projectKey=autoloop", token, nil, 400},
		{"no query", "/ws/agent/chat", token, nil, 400},
		{"two ids", socketAt + "&sessionId=b", token, nil, 400},
		{"an id of 65 letters", "/ws/agent/chat?projectKey=autoloop&sessionId=" + strings.Repeat("a", 65), token, nil, 400},
		{"an id with a slash", "/ws/agent/chat?projectKey=autoloop&sessionId=a/b", token, nil, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.t = t
			_, resp, err := r.dial(c.path, c.token, c.set)
			if resp == nil || resp.StatusCode != c.want {
				t.Errorf("%v, %v, want %d", resp, err, c.want)
			}
			if resp != nil && strings.Contains(strings.Join(resp.Header.Values("Sec-WebSocket-Protocol"), ","), "bearer") {
				t.Error("the token comes back")
			}
		})
	}
	r.t = t
	if a := r.do("GET", "/ws/agent/chat?sessionId=a&projectKey=autoloop", token,
		nil); a.status != http.StatusUpgradeRequired {
		t.Errorf("without an upgrade: %d %s", a.status, a.body)
	}
}

// TestSocketHost checks that a program other than a browser may use the name localhost for the
// socket and for nothing else, and that a page may not.
func TestSocketHost(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	token, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"autoloop"},
		Origin: "https://editor.example"})
	_, port, _ := strings.Cut(r.host, ":")
	for _, c := range []struct {
		name, host, path, more string
		want                   int
	}{
		{"R001-58 localhost", "localhost:" + port, socketAt, "", 426},
		{"localhost elsewhere", "localhost:" + port, "/receipt/x", "", 421},
		{"another port", "localhost:1", socketAt, "", 421},
		{"a rebound name", "evil.test:" + port, socketAt, "", 421},
		{"localhost from a page", "localhost:" + port, socketAt, "Origin: https://editor.example\r\n", 421},
		{"localhost from a browser", "localhost:" + port, socketAt, "Sec-Fetch-Site: none\r\n", 421},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := r.raw("GET " + c.path + " HTTP/1.1\r\nHost: " + c.host + "\r\nAuthorization: Bearer " + token + "\r\n" +
				c.more + "Connection: close\r\n\r\n"); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

// TestSocketRevoked checks that revoking a token ends its sockets within a second, and no others.
func TestSocketRevoked(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	token, key := r.socketKey(pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"autoloop"}})
	other, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.Editor, Projects: []string{"autoloop"}})
	d, e := r.connected(socketAt, token), r.connected("/ws/agent/chat?sessionId=e&projectKey=autoloop", other)
	setter := r.setter()
	if a := r.post("/api/settings/"+settingsID+"/revoke", setter, `{"id":"`+key.ID+`"}`); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	if code, reason := d.closed(); code != websocket.StatusPolicyViolation || reason != "The token was revoked." {
		t.Errorf("%d %s", code, reason)
	}
	if each := wschat.Usual().Right; each > time.Second {
		t.Errorf("the right of a peer is judged every %s only", each)
	}
	e.send(`{"type":"PING"}`)
	if text := e.next(); text != `{"type":"PONG"}` {
		t.Error(text)
	}
}

// TestSocketIDs checks that a second socket with the same ID replaces the first if it has the same
// token, and is rejected before the upgrade otherwise.
func TestSocketIDs(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	token, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"autoloop"}})
	other, _ := r.socketKey(pagetoken.Key{Scope: pagetoken.SocketBackend, Projects: []string{"autoloop"}})
	first := r.connected(socketAt, token)
	if _, resp, _ := r.dial(socketAt, other, nil); resp == nil || resp.StatusCode != http.StatusConflict {
		t.Errorf("another token: %v", resp)
	}
	second := r.connected(socketAt, token)
	if code, _ := first.closed(); code != wschat.CloseReplaced {
		t.Error(code)
	}
	second.send(exampleManual)
	if got, text := second.result(); !*got.Data.Success {
		t.Error(text)
	}
}

// TestManualWindow opens the window on the settings page. The manual test of the protocol then
// passes without a token, nothing else does, and nothing at all once the window is closed.
func TestManualWindow(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.Auto)
	r.project("other", workspace.Auto)
	setter := r.setter()
	window := func(path, body string) answer { return r.post("/api/settings/"+settingsID+path, setter, body) }
	refused := func(what, path string, want int, set func(*websocket.DialOptions)) {
		t.Helper()
		if _, resp, err := r.dial(path, "", set); resp == nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v", what, resp, err)
		}
	}
	refused("before it is opened", socketAt, 401, nil)
	for _, body := range []string{`{"projects":[]}`, `{"projects":["autoloop","none"]}`} {
		if a := window("/window", body); a.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	if a := window("/window", `{"projects":["autoloop"]}`); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	refused("another project", "/ws/agent/chat?sessionId=test-123&projectKey=other", 401, nil)
	refused("a web page", socketAt, 401, func(o *websocket.DialOptions) {
		o.HTTPHeader.Set("Origin",
			"http://localhost:3000")
	})
	refused("a wrong token", socketAt, 401, func(o *websocket.DialOptions) {
		o.HTTPHeader.Set("Authorization",
			"Bearer x")
	})
	d := r.connected(socketAt, "")
	d.send(exampleManual)
	if got, text := d.result(); got.Data.ID != "test-001" || !*got.Data.Success || !strings.Contains(*got.Data.Result,
		"TODO one") {
		t.Errorf("R001-58 R001-59 R001-60: %s", text)
	}
	d.send(`{"type":"TOOL_CALL","toolCallId":"w","toolName":"apply_change","params":{"relativePath":"new.txt","replaceContent":"x"}}`)
	if got, text := d.result(); *got.Data.Success || !strings.Contains(*got.Data.Error, "read-only") {
		t.Error(text)
	}
	if a := r.do("GET", "/api/settings/"+settingsID+"/view", setter, nil); !strings.Contains(a.body, "wscat -c") ||
		!strings.Contains(a.body, "test-123") {
		t.Errorf("the page does not show it: %s", a.body)
	}
	if a := window("/window-end", `{}`); a.status != http.StatusOK {
		t.Fatal(a.body)
	}
	if code, _ := d.closed(); code != websocket.StatusPolicyViolation {
		t.Error(code)
	}
	refused("after it is closed", socketAt, 401, nil)
}

// TestManualWindowEnds checks that the window closes after 15 minutes, and when the clock is set
// back.
func TestManualWindowEnds(t *testing.T) {
	t.Parallel()
	start := time.Now().Round(0) // without the monotonic clock
	var passed atomic.Int64      // the server reads the clock while the test sets it
	r := newRig(t, func(c *config) {
		c.ManualTest, c.Now = []string{"autoloop"}, func() time.Time { return start.Add(time.Duration(passed.Load())) }
	})
	r.project("autoloop", workspace.ReadOnly)
	for _, c := range []struct {
		passed time.Duration
		want   int
	}{{0, 101}, {15*time.Minute - time.Second, 101}, {15 * time.Minute, 401}, {-time.Minute, 401}} {
		passed.Store(int64(c.passed))
		if _, resp, err := r.dial(socketAt, "", nil); resp == nil || resp.StatusCode != c.want {
			t.Errorf("after %s: %v, %v", c.passed, resp, err)
		}
	}
}

// TestManualWindowNeedsTheRight checks that neither a read-only tab nor a page whose link was
// opened twice can create a token or open the window.
func TestManualWindowNeedsTheRight(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	active := r.setter()
	looks := r.token(pagetoken.Settings, settingsID)
	wishes := map[string]string{"/window": `{"projects":["autoloop"]}`,
		"/token": `{"name":"x","client":"","scope":"ide","projects":["autoloop"]}`}
	for path, body := range wishes {
		for who, token := range map[string]string{"a tab that looks on": looks, "no tab": ""} {
			if a := r.post("/api/settings/"+settingsID+path, token, body); a.status != http.StatusConflict &&
				a.status != http.StatusUnauthorized {
				t.Errorf("%s, %s: %d %s", who, path, a.status, a.body)
			}
		}
	}
	_, code, _ := strings.Cut(r.link(pagetoken.Settings, settingsID), "#")
	for range 2 {
		r.do("POST", "/api/exchange", "", map[string]string{"kind": "settings", "id": settingsID, "code": code})
	}
	for path, body := range wishes {
		if a := r.post("/api/settings/"+settingsID+path, active, body); a.status == http.StatusOK {
			t.Errorf("after a second opening of a link, %s: %d %s", path, a.status, a.body)
		}
	}
	if _, resp, _ := r.dial(socketAt, "", nil); resp == nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("%v", resp)
	}
}

// TestSocketTokensOnTheSettingsPage creates tokens as the page does.
func TestSocketTokensOnTheSettingsPage(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.project("autoloop", workspace.ReadOnly)
	setter := r.setter()
	for body, want := range map[string]int{
		`{"name":"Plugin","client":"","scope":"ide","projects":["autoloop"]}`:                                         200,
		`{"name":"Web","client":"","scope":"ide","projects":["autoloop"],"origin":"https://editor.example"}`:          200,
		`{"name":"Web","client":"","scope":"ide","projects":["autoloop"],"origin":"https://*.example"}`:               400,
		`{"name":"Writer","client":"","scope":"ws-backend","acts":true,"projects":["autoloop"]}`:                      200,
		`{"name":"Plugin","client":"","scope":"ide","acts":true,"projects":["autoloop"]}`:                             400,
		`{"name":"Plugin","client":"","scope":"ide","projects":[]}`:                                                   400,
		`{"name":"Plugin","client":"","scope":"ide","projects":["autoloop","none"]}`:                                  400,
		`{"name":"Plugin","client":"claude-code","scope":"ui-events","projects":["autoloop"]}`:                        400,
		`{"name":"Plugin","client":"claude-code","scope":"agent-backend","projects":[],"origin":"https://e.example"}`: 400,
	} {
		if a := r.post("/api/settings/"+settingsID+"/token", setter, body); a.status != want {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	view := r.do("GET", "/api/settings/"+settingsID+"/view", setter, nil).body
	for _, text := range []string{"For <bdi>autoloop</bdi>", "may change them as the project allows",
		"only from https://editor.example"} {
		if !strings.Contains(view, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
}
