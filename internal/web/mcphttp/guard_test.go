package mcphttp_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// refused sends a call, and checks that it is refused with a status and no result.
func (s *served) refused(t *testing.T, want int, edits ...func(*http.Request)) {
	t.Helper()
	body, edit := call(1, "test_echo")
	status, text := s.post(body, append([]func(*http.Request){edit}, edits...)...)
	if status != want || strings.Contains(text, `"result"`) {
		t.Errorf("%d %s, not %d", status, text, want)
	}
}

// TestNoPage checks that no web page can use the endpoint, whatever its origin, even with a token.
func TestNoPage(t *testing.T) {
	s := serve(t)
	t.Run("DNS rebinding: another host is refused", func(t *testing.T) {
		for _, host := range []string{"evil.example", "localhost", "127.0.0.1", "127.0.0.1:1", "[::1]" +
			s.host[strings.Index(s.host, ":"):]} {
			s.refused(t, http.StatusMisdirectedRequest, func(r *http.Request) { r.Host = host })
		}
	})
	t.Run("another origin is refused", func(t *testing.T) {
		for _, origin := range []string{"https://evil.example", "null", "http://127.0.0.1:1", "http://localhost:1",
			"https://" + s.host} {
			s.refused(t, http.StatusForbidden, header("Origin", origin))
		}
	})
	t.Run("a browser is refused, of our own pages too", func(t *testing.T) {
		for _, site := range []string{"same-origin", "same-site", "cross-site", "none"} {
			s.refused(t, http.StatusForbidden, header("Sec-Fetch-Site", site))
		}
	})
	t.Run("a preflight gets no permission", func(t *testing.T) {
		r := s.request(t.Context(), http.MethodOptions, "", header("Origin", "https://evil.example"),
			header("Access-Control-Request-Method", "POST"))
		if r.StatusCode < 400 || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%d %v", r.StatusCode, r.Header)
		}
	})
}

// TestTokens checks that a request needs a token for an AI client in its header.
func TestTokens(t *testing.T) {
	s := serve(t)
	t.Run("no token", func(t *testing.T) { s.refused(t, http.StatusUnauthorized, header("Authorization", "")) })
	t.Run("a wrong token", func(t *testing.T) {
		s.refused(t, http.StatusUnauthorized, header("Authorization", "Bearer "+s.token+"A"))
	})
	t.Run("a token in the query", func(t *testing.T) {
		s.refused(t, http.StatusBadRequest, header("Authorization", ""), func(r *http.Request) {
			r.URL.RawQuery = "token=" +
				s.token
		})
		s.refused(t, http.StatusBadRequest, func(r *http.Request) { r.URL.RawQuery = "token=" + s.token })
	})
	t.Run("a token for something else", func(t *testing.T) {
		for _, k := range []pagetoken.Key{{Scope: pagetoken.UIEvents, Client: "mine"}, {Scope: pagetoken.AgentBackend,
			Client: "mine", Acts: true, Reads: true},
			{Scope: pagetoken.AgentFrontend, Client: "mine"}, {Scope: pagetoken.SocketBackend, Projects: []string{"p"}}} {
			k.Name = "other"
			token, _ := s.make(k)
			s.refused(t, http.StatusUnauthorized, header("Authorization", "Bearer "+token))
		}
	})
	t.Run("GET and DELETE need one too", func(t *testing.T) {
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			if r := s.request(t.Context(), method, "", header("Authorization", "")); r.StatusCode != http.StatusUnauthorized {
				t.Error(method, r.StatusCode)
			}
		}
	})
}

// TestOff checks that nothing is served until the user turns the endpoint on.
func TestOff(t *testing.T) {
	s := serve(t)
	s.on.Store(false)
	s.refused(t, http.StatusForbidden)
	s.on.Store(true)
	body, edit := call(1, "test_echo")
	if status, text := s.post(body, edit); status != http.StatusOK || !strings.Contains(text, "echo") {
		t.Errorf("%d %s", status, text)
	}
}

// TestHeaders checks that, without a handshake, headers must match the body.
func TestHeaders(t *testing.T) {
	s := serve(t)
	for _, edit := range []func(*http.Request){header("Mcp-Method", ""), header("Mcp-Method", "tools/list"),
		header("Mcp-Method", "TOOLS/CALL"),
		header("Mcp-Name", ""), header("Mcp-Name", "test_held"), header("Mcp-Name", "=?base64?!!?="),
		header("MCP-Protocol-Version", "2027-01-01"),
		header("MCP-Protocol-Version", "")} {
		body, whole := call(1, "test_echo")
		status, text := s.post(body, whole, edit)
		if status != http.StatusBadRequest || !strings.Contains(text, "-32020") || !strings.Contains(text, `"id":1`) {
			t.Errorf("%d %s", status, text)
		}
	}
	body, whole := call(1, "test_echo")
	if status, text := s.post(body, whole, header("Mcp-Name", "=?base64?dGVzdF9lY2hv?=")); status != http.StatusOK {
		t.Errorf("a name in Base64: %d %s", status, text)
	}
	if status, _ := s.post(body, whole, header("Accept", "application/json")); status != http.StatusNotAcceptable {
		t.Error(status)
	}
	if status, _ := s.post(body, whole, header("X-MCP-Toolsets", "none such")); status != http.StatusBadRequest {
		t.Error(status)
	}
	if status, text := s.post("{", whole); status != http.StatusBadRequest || !strings.Contains(text, "-32700") {
		t.Errorf("%d %s", status, text)
	}
}
