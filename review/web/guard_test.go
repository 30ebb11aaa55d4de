package web_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/web"
)

// connecting creates a connect session, opens its page, and returns the token.
func (r *rig) connecting() (id, token string) {
	r.t.Helper()
	i, err := r.accounts.Create(context.Background())
	if err != nil {
		r.t.Fatal(err)
	}
	return i.ID, r.token(pagetoken.Connect, i.ID)
}

// TestGuardTable tries every combination of the reported origin of a request, its body and its
// token. One case below decides each result.
func TestGuardTable(t *testing.T) {
	r := newRig(t, nil)
	id, token := r.connecting()
	_, foreign := r.connecting()
	port := r.host[strings.Index(r.host, ":"):]
	origins := []string{"", r.origin, "http://localhost" + port, "http://127.0.0.1:1", "null", "https://evil.test"}
	sites := []string{"", "same-origin", "none", "same-site", "cross-site"}
	types := []string{"application/json", "application/json; charset=UTF-8", "text/plain",
		"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json; x=y", ""}
	tokens := map[string]string{"right": token, "none": "", "of another page": foreign, "made up": strings.Repeat("A", 43)}

	want := func(origin, site, kind, which string) int {
		switch {
		case origin != "" && origin != r.origin:
			return http.StatusForbidden // another origin
		case site != "" && site != "same-origin":
			return http.StatusForbidden // the browser reports another site
		case which != "right":
			return http.StatusUnauthorized
		case kind != "application/json" && kind != "application/json; charset=UTF-8":
			return http.StatusUnsupportedMediaType // a form could send it
		}
		return http.StatusOK
	}
	passed := 0
	for _, origin := range origins {
		for _, site := range sites {
			for _, kind := range types {
				for which, token := range tokens {
					a := r.ask("POST", "/api/wallet/"+id+"/state", map[string]string{"status": "connecting"}, func(h http.Header) {
						h.Del("Content-Type")
						set(h, "Origin", origin)
						set(h, "Sec-Fetch-Site", site)
						set(h, "Content-Type", kind)
						if token != "" {
							h.Set("Authorization", "Bearer "+token)
						}
					})
					if w := want(origin, site, kind, which); a.status != w {
						t.Errorf("origin %q, site %q, type %q, token %s: %d, want %d: %s", origin, site, kind, which, a.status, w, a.body)
					}
					if a.status == http.StatusOK {
						passed++
					}
				}
			}
		}
	}
	if passed != 8 { // own origin or none, same-origin or none, two spellings of JSON
		t.Errorf("%d combinations passed", passed)
	}
}

func set(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// TestEveryRoute checks for every route who may call it, and the headers of all its responses.
func TestEveryRoute(t *testing.T) {
	r := newRig(t, func(c *config) {
		c.Sandbox = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	})
	id, connect := r.connecting()
	session, materials := sample(t, record.Ready)
	reviewID := r.put(session, materials)
	owner := r.token(pagetoken.Review, reviewID)
	looker := r.token(pagetoken.Review, reviewID)
	other, otherMaterials := sample(t, record.Blocked)
	stranger := r.token(pagetoken.Review, r.put(other, otherMaterials))

	homeLooker, home := r.token(pagetoken.Home, pagetoken.HomeSubject), r.token(pagetoken.Home, pagetoken.HomeSubject)
	names, listed := r.token(pagetoken.Book, pagetoken.BookSubject), r.token(pagetoken.Reviews, pagetoken.ReviewsSubject)
	console := r.token(pagetoken.Console, r.db.Bus(t.Context()))
	several, member := r.token(pagetoken.Bundle, reviewID), r.token(pagetoken.Sign, pagetoken.SignSubject)
	whose := r.token(pagetoken.Account, person.String())
	if err := r.db.Converse(t.Context(), "claude-code"); err != nil {
		t.Fatal(err)
	}
	key, setter := r.key("claude-code"), r.setter()

	for _, rt := range r.table() {
		if !slices.Contains(r.table(), rt) {
			t.Errorf("%s %s is not in the table", rt.Method, rt.Path)
		}
	}
	for _, rt := range r.table() {
		own, path := owner, strings.Replace(rt.Path, "{id}", reviewID, 1)
		if rt.Kind == pagetoken.Connect || strings.HasPrefix(rt.Path, "/connect") {
			own, path = connect, strings.Replace(rt.Path, "{id}", id, 1)
		}
		if rt.Kind == pagetoken.Home {
			own = home
		}
		if rt.Kind == pagetoken.Account {
			own, path = whose, strings.Replace(rt.Path, "{id}", person.String(), 1)
		}
		if rt.Kind == pagetoken.Settings {
			own, path = setter, strings.Replace(rt.Path, "{id}", settingsID, 1)
		}
		if rt.Kind == pagetoken.Reviews {
			own, path = listed, strings.Replace(rt.Path, "{id}", pagetoken.ReviewsSubject, 1)
		}
		if rt.Kind == pagetoken.Book {
			own, path = names, strings.Replace(rt.Path, "{id}", pagetoken.BookSubject, 1)
		}
		if rt.Kind == pagetoken.Console {
			own, path = console, strings.Replace(rt.Path, "{id}", r.db.Bus(t.Context()), 1)
		}
		if rt.Kind == pagetoken.Sign {
			own, path = member, strings.Replace(rt.Path, "{id}", pagetoken.SignSubject, 1)
		}
		if rt.Kind == pagetoken.Bundle {
			own = several
		}
		if rt.Path == "/api/interrupt" {
			own = key
		}
		if rt.Path == "/assets/{id}" {
			path = "/assets/style.css"
		}
		foreign := map[bool]string{true: owner, false: connect}[own == connect]
		if strings.HasPrefix(rt.Path, "/sandbox/") {
			rt.Kind, foreign = pagetoken.Review, home // available to two kinds of pages, this one and connect
		}
		t.Run(rt.Method+" "+rt.Path, func(t *testing.T) {
			r.t = t
			if scope := map[string]pagetoken.Scope{agentPath: pagetoken.AgentBackend,
				askPath: pagetoken.AgentFrontend}[rt.Path]; scope != "" {
				own = agentKey(t, r.db, scope, false)
			}
			if rt.Path == "/api/stream" || rt.Path == "/api/events" || rt.Path == "/api/agent/stream" {
				own = "" // tested as a stream
			}
			r.walkRefusals(rt, path, map[string]string{"no token": "", "of another page": stranger,
				"of another kind": foreign})
			if lookers := map[pagetoken.Kind]string{pagetoken.Review: looker, pagetoken.Home: homeLooker}; rt.ActiveOnly &&
				lookers[rt.Kind] != "" {
				a := r.do(rt.Method, path, lookers[rt.Kind], map[string]int{})
				if a.status != http.StatusConflict || a.text("error.kind") != "invalid_session_transition" {
					t.Errorf("a page that looks on: %d %s", a.status, a.body)
				}
			}
			r.walkMethods(rt, path)
			r.walkBodies(rt, path, own)
		})
	}
}

// ofPages reports whether pages of every kind call a path.
func ofPages(path string) bool {
	return path == "/api/stream" || path == "/api/leave" || path == "/api/freeze" || strings.HasPrefix(path,
		"/api/session/")
}

// walkRefusals calls a route without permission.
func (r *rig) walkRefusals(rt routeLine, path string, wrong map[string]string) {
	r.t.Helper()
	var body any
	if rt.JSON {
		body = map[string]string{}
	}
	if !rt.Open && !rt.Code {
		var texts []string
		for name, token := range wrong {
			if !strings.Contains(rt.Path, "{id}") && name == "of another page" {
				continue // only the token identifies the page
			}
			if token != "" && ofPages(rt.Path) {
				continue // every kind of page may call it
			}
			a := r.do(rt.Method, path, token, body)
			if a.status != http.StatusUnauthorized {
				r.t.Errorf("token %s: %d %s", name, a.status, a.body)
			}
			texts = append(texts, a.body)
		}
		for _, text := range texts {
			if text != texts[0] {
				r.t.Errorf("the answers tell tokens apart:\n%s\n%s", texts[0], text)
			}
		}
	}
	from := func(mode, dest string) int {
		a := r.ask(rt.Method, path, body, func(h http.Header) {
			h.Set("Sec-Fetch-Site", "cross-site")
			h.Set("Sec-Fetch-Mode", mode)
			h.Set("Sec-Fetch-Dest", dest)
		})
		r.hardened(a)
		return a.status
	}
	if got := from("no-cors", "image"); got != http.StatusForbidden {
		r.t.Errorf("a picture of another site got %d", got)
	}
	if got := from("navigate", "iframe"); got != http.StatusForbidden {
		r.t.Errorf("a frame of another site got %d", got)
	}
	want := http.StatusForbidden
	if rt.Open {
		want = http.StatusOK
	}
	if got := from("navigate", "document"); got != want {
		r.t.Errorf("a link on another site got %d, want %d", got, want)
	}
	for _, query := range []string{"?token=abc", "?code=abc", "?x", "?"} {
		if a := r.ask(rt.Method, path+query, body, nil); a.status != http.StatusBadRequest && query != "?" {
			r.t.Errorf("%s: %d", query, a.status)
		}
	}
}

// walkMethods tries methods that a route does not accept.
func (r *rig) walkMethods(rt routeLine, path string) {
	r.t.Helper()
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} {
		if method == rt.Method || (rt.Open && method == "HEAD") || (strings.HasPrefix(rt.Path, "/api/wallet/{id}/state") &&
			(method == "GET" || method == "POST")) {
			continue
		}
		a := r.ask(method, path, nil, nil)
		if a.status != http.StatusMethodNotAllowed || !strings.Contains(strings.Join(a.header.Values("Allow"), ","),
			rt.Method) {
			r.t.Errorf("%s: %d, Allow %q", method, a.status, a.header.Values("Allow"))
		}
		r.hardened(a)
	}
}

// walkBodies tries bodies that no route accepts.
func (r *rig) walkBodies(rt routeLine, path, token string) {
	r.t.Helper()
	send := func(body string, length int64) answer {
		req, err := http.NewRequest(rt.Method, r.origin+path, strings.NewReader(body))
		if err != nil {
			r.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		if length < 0 {
			req.ContentLength = -1 // chunked
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			r.t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return answer{r.t, resp.StatusCode, resp.Header, string(b)}
	}
	if !rt.JSON {
		if a := send("{}", 0); a.status != http.StatusBadRequest && a.status != http.StatusUnauthorized {
			r.t.Errorf("a body where none belongs: %d", a.status)
		}
		return
	}
	if a := send("{}", -1); a.status != http.StatusBadRequest {
		r.t.Errorf("a body in chunks: %d", a.status)
	}
	if a := r.ask(rt.Method, path, map[string]string{}, func(h http.Header) {
		h.Set("Authorization", "Bearer "+token)
		h.Set("Content-Encoding", "gzip")
	}); a.status != http.StatusUnsupportedMediaType {
		r.t.Errorf("a compressed body: %d", a.status)
	}
	most := 64 << 10
	if rt.Path == agentPath {
		most = 512 << 10
	}
	if strings.HasSuffix(rt.Path, "/stage") {
		most = 8 << 20
	}
	if a := send(`{"x":"`+strings.Repeat("y", most)+`"}`, 0); a.status != http.StatusRequestEntityTooLarge ||
		a.text("error.kind") != "too_large" {
		r.t.Errorf("a body over %d bytes: %d %s", most, a.status, a.body)
	}
	if strings.HasPrefix(rt.Path, "/sandbox/") {
		return // the sandbox parses its own bodies
	}
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for _, body := range []string{"", "[]", "1", "{", `{"nobody":1}`, `{} {}`, `{"a":1,"a":1}`, "{\"\xff\":1}", deep} {
		a := send(body, 0)
		if a.status != http.StatusBadRequest || a.text("error.kind") != "input_invalid" || a.text("error.message") == "" {
			r.t.Errorf("body %.40q: %d %s", body, a.status, a.body)
		}
		r.hardened(a)
	}
}

// hardened checks the headers that every response must have, and those that it must not have.
func (r *rig) hardened(a answer) {
	r.t.Helper()
	for name, value := range web.Hardening() {
		if got := a.header.Get(name); got != value {
			r.t.Errorf("%d answer: %s is %q", a.status, name, got)
		}
	}
	for name := range a.header {
		if strings.HasPrefix(name, "Access-Control-") || name == "Set-Cookie" || name == "Location" {
			r.t.Errorf("%d answer carries %s", a.status, name)
		}
	}
}

// TestHost tries spellings of the host other than the accepted one.
func TestHost(t *testing.T) {
	r := newRig(t, nil)
	port := r.host[strings.Index(r.host, ":")+1:]
	hosts := []string{"localhost:" + port, "LOCALHOST:" + port, "127.0.0.1", "127.0.0.1:80", "127.0.0.1:0" + port,
		"127.1:" + port,
		"127.0.1:" + port, "2130706433:" + port, "0x7f.1:" + port, "0x7f000001:" + port, "017700000001:" + port,
		"0177.0.0.1:" + port,
		"0.0.0.0:" + port, "[::1]:" + port, "[::ffff:127.0.0.1]:" + port, "127.0.0.2:" + port, "127.0.0.1.:" + port,
		"127.0.0.1:" + port + ".", "evil.test", "evil.test:" + port, "127.0.0.1.evil.test:" + port, "127.0.0.1.nip.io:" +
			port,
		"user@127.0.0.1:" + port, "127.0.0.1:" + port + "@evil.test", "127.000.000.001:" + port, "127.0.0.1:" + port + "/x",
		"xn--127:" + port, "", " ", "127.0.0.1:" + port + "," + r.host}
	for _, host := range hosts {
		if got := r.raw("GET /review/x HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"); got != 421 &&
			got != 400 {
			t.Errorf("Host %q got %d", host, got)
		}
	}
	for name, request := range map[string]string{
		"absolute form":        "GET http://" + r.host + "/review/x HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"absolute form, other": "GET http://evil.test/review/x HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"authority form":       "CONNECT " + r.host + " HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"asterisk form":        "OPTIONS * HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"no host":              "GET /review/x HTTP/1.1\r\n\r\n",
		"two hosts":            "GET /review/x HTTP/1.1\r\nHost: " + r.host + "\r\nHost: " + r.host + "\r\n\r\n",
		"HTTP/1.0":             "GET /review/x HTTP/1.0\r\nHost: " + r.host + "\r\n\r\n",
		"encoded slash":        "GET /review%2fx HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"encoded dots":         "GET /assets/%2e%2e HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"dots":                 "GET /assets/../review/x HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"empty segment":        "GET //review/x HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"slash at the end":     "GET /review/x/ HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"backslash":            "GET /review\\x HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"NUL":                  "GET /assets/style.css\x00 HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"long address":         "GET /review/" + strings.Repeat("x", 300) + " HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n",
		"length and chunks": "POST /api/exchange HTTP/1.1\r\nHost: " + r.host +
			"\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"chunks": "GET /review/x HTTP/1.1\r\nHost: " + r.host +
			"\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"compressed body": "POST /api/exchange HTTP/1.1\r\nHost: " + r.host +
			"\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
		"headers over the limit": "GET /review/x HTTP/1.1\r\nHost: " + r.host + "\r\nX: " + strings.Repeat("x", 20<<10) +
			"\r\n\r\n",
		"a service worker script": "GET /assets/api.js HTTP/1.1\r\nHost: " + r.host + "\r\nService-Worker: script\r\n\r\n",
	} {
		if got := r.raw(request); got < 400 || got >= 500 {
			t.Errorf("%s got %d", name, got)
		}
	}
	if got := r.raw("GET /review/x HTTP/1.1\r\nHost: " + r.host + "\r\n\r\n"); got != 200 {
		t.Errorf("the right spelling got %d", got)
	}
}

// raw sends bytes and returns the status of the response.
func (r *rig) raw(request string) int {
	r.t.Helper()
	return r.wire(request).status
}

// TestSlowHeaders sends headers very slowly.
func TestSlowHeaders(t *testing.T) {
	long.Skip(t, "it waits for connections to end")
	r := newRig(t, nil)
	conn, err := net.Dial("tcp", r.host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /review/x HTTP/1.1\r\nHost: "); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(waitTime))
	_, err = io.ReadAll(conn)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the connection stays open")
	}
}

// TestConnectionLimit opens more connections than there are places and sends nothing. The oldest
// ones are closed, the latest are kept, and the next caller gets a response. TestListenerWaits
// covers the case that all places are needed.
func TestConnectionLimit(t *testing.T) {
	r := newRig(t, nil)
	const places = 128 - 16 // the others are reserved for connections that presented a token
	var held []net.Conn
	for range 128 {
		conn, err := net.Dial("tcp", r.host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		held = append(held, conn)
	}
	conn, err := net.Dial("tcp", r.host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /review/x HTTP/1.1\r\nHost: "+r.host+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	conn.SetReadDeadline(time.Now().Add(waitTime))
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Error("the caller waits for connections that send nothing:", err)
	}
	for i, c := range held[:128-places+1] {
		c.SetReadDeadline(time.Now().Add(waitTime))
		var timeout net.Error
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("connection %d did not give way: %v", i, err)
		}
	}
	for i, c := range held[128-places+1:] {
		if _, err := io.WriteString(c, "GET /review/x HTTP/1.1\r\nHost: "+r.host+"\r\n\r\n"); err != nil {
			t.Fatalf("connection %d from the end: %v", places-1-i, err)
		}
	}
	for i, c := range held[128-places+1:] {
		c.SetReadDeadline(time.Now().Add(waitTime))
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Errorf("connection %d from the end was closed without need: %v", places-1-i, err)
		}
	}
}

// TestPanic lets a handler panic. The response does not mention it, and the next request is
// answered.
func TestPanic(t *testing.T) {
	r := newRig(t, func(c *config) {
		c.Sandbox = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("marker-7f3a") })
	})
	s, materials := sample(t, record.Ready)
	token := r.token(pagetoken.Review, r.put(s, materials))
	for range 2 {
		a := r.do("POST", "/sandbox/wallet/sign", token, map[string]string{"transaction": "{}"})
		if a.status != http.StatusInternalServerError || a.text("error.kind") != "internal_error" || strings.Contains(a.body,
			"marker") {
			t.Errorf("%d %s", a.status, a.body)
		}
		r.hardened(a)
	}
}

// TestSandboxMount checks that the sandbox does not receive headers of a page, and that other
// networks do not have its route.
func TestSandboxMount(t *testing.T) {
	var got http.Header
	r := newRig(t, func(c *config) {
		c.Sandbox = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			got = req.Header.Clone()
			b, _ := io.ReadAll(req.Body)
			fmt.Fprintf(w, "%s %s", req.URL.Path, b)
		})
	})
	s, materials := sample(t, record.Ready)
	token := r.token(pagetoken.Review, r.put(s, materials))
	a := r.ask("POST", "/sandbox/wallet/sign", map[string]string{"transaction": "{}"}, func(h http.Header) {
		h.Set("Authorization", "Bearer "+token)
		h.Set("Origin", r.origin)
		h.Set("Sec-Fetch-Site", "same-origin")
	})
	if a.status != http.StatusOK || a.body != `/sandbox/wallet/sign {"transaction":"{}"}` {
		t.Errorf("%d %s", a.status, a.body)
	}
	if len(got) != 1 || got.Get("Content-Type") != "application/json" {
		t.Errorf("the sandbox saw %v", got)
	}
	for _, path := range []string{"/sandbox/faucet", "/sandbox/fault"} {
		if a := r.do("POST", path, token, map[string]string{}); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	shell := r.do("GET", "/review/x", "", nil).body
	if !strings.Contains(shell, "Sandbox: practice coins") || !strings.Contains(shell, "/assets/sandbox.js") {
		t.Error("a page on the sandbox network has no banner or no test wallet")
	}

	live := newRig(t, func(c *config) {
		c.Network, c.WalletChain, c.HomeCommand = "sui:mainnet", "sui:mainnet", "say-ur-intent pages"
	})
	if a := live.do("POST", "/sandbox/wallet/sign", "", map[string]string{}); a.status != http.StatusNotFound {
		t.Errorf("mainnet: %d", a.status)
	}
	shell = live.do("GET", "/review/x", "", nil).body
	if strings.Contains(shell, "andbox") || live.do("GET", "/assets/sandbox.js", "", nil).status != http.StatusNotFound {
		t.Error("a page on mainnet knows the test wallet")
	}
}
