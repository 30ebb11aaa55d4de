package mcphttp_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

var aClient = pagetoken.Key{Name: "another", Scope: pagetoken.AIClient}

const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`

// TestSessions checks that a session can be used only with its token, and is unknown after its end.
func TestSessions(t *testing.T) {
	s := serve(t)
	session := s.begin(`{}`)
	if status, text := s.post(list, session); status != http.StatusOK || !strings.Contains(text, "test_echo") {
		t.Fatalf("%d %s", status, text)
	}
	other, _ := s.make(aClient)
	if status, _ := s.post(list, session, header("Authorization", "Bearer "+other)); status != http.StatusNotFound {
		t.Errorf("a session of another token: %d", status)
	}
	if status, _ := s.post(list, header("MCP-Protocol-Version", "2025-11-25")); status != http.StatusBadRequest {
		t.Errorf("no session: %d", status)
	}
	if status, _ := s.post(list, session, header("MCP-Protocol-Version", "1900-01-01")); status != http.StatusBadRequest {
		t.Errorf("an unknown version: %d", status)
	}
	if r := s.request(t.Context(), http.MethodDelete, "", session); r.StatusCode != http.StatusNoContent {
		t.Errorf("the end: %d", r.StatusCode)
	}
	if status, _ := s.post(list, session); status != http.StatusNotFound {
		t.Errorf("an ended session: %d", status)
	}
}

// TestTooMany checks that a token has at most 16 sessions, and that the least recently used one
// makes room.
func TestTooMany(t *testing.T) {
	s := serve(t)
	first, second := s.begin(`{}`), s.begin(`{}`)
	for range 15 {
		s.begin(`{}`)
	}
	if status, _ := s.post(list, first); status != http.StatusNotFound {
		t.Errorf("the oldest session: %d", status)
	}
	if status, _ := s.post(list, second); status != http.StatusOK {
		t.Errorf("the next: %d", status)
	}
}

// TestStream checks that progress and questions are sent on the same stream as the answer.
func TestStream(t *testing.T) {
	s := serve(t)
	session := s.begin(`{"elicitation":{}}`)
	r := s.request(t.Context(), http.MethodPost,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"test_ask","arguments":{}}}`, session)
	in := bufio.NewReader(r.Body)
	asked := s.data(in)
	_, after, _ := strings.Cut(asked, `"id":`)
	id, _, _ := strings.Cut(after, ",")
	if r.Header.Get("Content-Type") != "text/event-stream" || !strings.Contains(asked, "elicitation/create") || id == "" {
		t.Fatalf("%v %s", r.Header, asked)
	}
	status, text := s.post(`{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"decline"}}`, session)
	if status != http.StatusAccepted || text != "" {
		t.Errorf("%d %s", status, text)
	}
	if answer := s.data(in); !strings.Contains(answer, "decline") || !strings.Contains(answer, `"id":3`) {
		t.Error(answer)
	}
}

// TestListen checks that a session has one stream for messages that belong to no request, which
// ends with the session.
func TestListen(t *testing.T) {
	s := serve(t)
	session := s.begin(`{}`)
	open := func() *bufio.Reader {
		r := s.request(t.Context(), http.MethodGet, "", session)
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%d %v", r.StatusCode, r.Header)
		}
		return bufio.NewReader(r.Body)
	}
	over := func(in *bufio.Reader) {
		for {
			if _, err := in.ReadString('\n'); err != nil {
				return
			}
		}
	}
	one := open()
	two := open()
	for range 20 {
		over(one)
		one, two = two, open()
	}
	over(one)
	s.request(t.Context(), http.MethodDelete, "", session)
	over(two)
	if r := s.request(t.Context(), http.MethodGet, "", header("MCP-Protocol-Version",
		"2026-07-28")); r.StatusCode != http.StatusMethodNotAllowed {
		t.Error(r.StatusCode)
	}
}

// TestGone checks that closing the stream of a request without a session cancels it, and that two
// clients can use the same id at once.
func TestGone(t *testing.T) {
	s := serve(t)
	body, edit := call(1, "test_held")
	ctx, leave := context.WithCancel(t.Context())
	first := s.request(ctx, http.MethodPost, body, edit)
	if text := s.data(bufio.NewReader(first.Body)); !strings.Contains(text, `"held"`) {
		t.Fatal(text)
	}
	second := s.request(t.Context(), http.MethodPost, body, edit)
	in := bufio.NewReader(second.Body)
	if text := s.data(in); !strings.Contains(text, `"held"`) {
		t.Fatal(text)
	}
	leave()
	if who := <-s.ended; who != "cancelled" {
		t.Error(who)
	}
	close(s.held)
	if text := s.data(in); !strings.Contains(text, "let go") {
		t.Error(text)
	}
}

// TestRevoked checks that revoking a token ends open streams.
func TestRevoked(t *testing.T) {
	s := serve(t)
	body, edit := call(1, "test_held")
	r := s.request(t.Context(), http.MethodPost, body, edit)
	in := bufio.NewReader(r.Body)
	s.data(in)
	if _, err := s.keys.Revoke(t.Context(), s.id, may); err != nil {
		t.Fatal(err)
	}
	s.refused(t, http.StatusUnauthorized)
	close(s.held)
	for {
		line, err := in.ReadString('\n')
		if strings.Contains(line, "let go") {
			t.Error("a revoked token gets an answer")
		}
		if err != nil {
			return
		}
	}
}
