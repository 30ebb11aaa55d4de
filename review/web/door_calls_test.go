package web_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/calls"
)

// TestChatOfCalls checks which calls a conversation shows in addition to its events.
func TestChatOfCalls(t *testing.T) {
	var recent *calls.Recent
	r, key := conversationOver(t, func(c *config) {
		recent = calls.New(c.Hub, time.Now)
		c.Calls = recent
	})
	stream := r.listenAt("/api/chat/stream", key, "")
	defer stream.close()
	// until reads states until one is as wanted. Several changes may arrive as one.
	until := func(want func(sessionFrame) bool) (v sessionFrame) {
		t.Helper()
		for !want(v) {
			v = sessionFrame{}
			if err := json.Unmarshal([]byte(stream.until("message").data), &v); err != nil {
				t.Fatal(err)
			}
		}
		return v
	}
	connected := func() {
		t.Helper()
		e, err := bus.NewEvent("abc123", "", bus.BackendConnected{})
		if err == nil {
			_, err = r.db.Append(t.Context(), e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Run("R003-111 the first connection adds the welcome, once", func(t *testing.T) {
		if v := until(func(v sessionFrame) bool { return v.Cursor != "" }); len(v.Messages) != 0 {
			t.Errorf("%+v", v)
		}
		for range 2 {
			connected()
			v := until(func(v sessionFrame) bool { return len(v.Events) > 0 })
			if len(v.Messages) != 1 || v.Messages[0].Sender != "assistant" || !strings.HasPrefix(v.Messages[0].Content,
				"Welcome") {
				t.Errorf("%+v", v.Messages)
			}
		}
	})
	end := recent.Begin("abc123", "read.get_server_status")
	t.Run("R003-84 a call is processing while it runs", func(t *testing.T) {
		until(func(v sessionFrame) bool { return v.Processing })
	})
	t.Run("R003-6 its result goes to the page", func(t *testing.T) {
		end("", `{"ok":true,"data":{"reviewUrl":"http://127.0.0.1:1/review/x#secret"}}`)
		recent.Begin("abc123", "read.resolve_name")("input_invalid", `{"ok":false}`)
		recent.Begin("other", "read.resolve_name")("", `{"foreign":1}`)
		v := until(func(v sessionFrame) bool { return len(v.Messages) == 3 })
		first, second := v.Messages[1], v.Messages[2]
		if v.Processing || first.Sender != "tool" || !strings.HasPrefix(first.Content, "read.get_server_status: ok, ") ||
			!strings.Contains(first.Content, `"reviewUrl":"http://127.0.0.1:1/review/x"`) ||
			!strings.HasPrefix(second.Content, "read.resolve_name: input_invalid, ") {
			t.Errorf("%+v", v)
		}
		if a := r.do("GET", "/api/state", key, nil); !strings.Contains(a.body, "read.get_server_status: ok") ||
			strings.Contains(a.body, "secret") || strings.Contains(a.body, "foreign") {
			t.Errorf("%s", a.body)
		}
	})
}

// TestRetry checks that a stream tells its reader how soon to reconnect.
func TestRetry(t *testing.T) {
	r, key := conversation(t)
	for _, path := range []string{"/api/events", "/api/chat/stream"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.origin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		_ = resp.Body.Close()
		if line != "retry: 500\n" {
			t.Errorf("%s begins with %q, %v", path, line, err)
		}
	}
}
