//go:build agents && unix

package agents_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// standIn serves the APIs of models on loopback. Each takes what the client sends
// as the conversation's tools and results, and answers with the job's next word.
type standIn struct {
	t   testing.TB
	job *job
	URL string

	mu     sync.Mutex
	asked  []string // method and path of every request
	record string   // directory where the bodies are kept, or empty
}

func newStandIn(t testing.TB, j *job) *standIn {
	s := &standIn{t: t, job: j, record: os.Getenv(recordDir)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *standIn) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.Method+" "+r.URL.String())
	number := len(s.asked)
	s.mu.Unlock()
	if s.record != "" {
		name := fmt.Sprintf("%s-%03d.json", filepath.Base(s.t.Name()), number)
		text := append([]byte(r.Method+" "+r.URL.String()+"\n"), body...)
		_ = os.WriteFile(filepath.Join(s.record, name), text, 0o600)
	}
	path := r.URL.Path
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/messages"):
		s.anthropic(w, body)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/chat/completions"):
		s.chat(w, body)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/responses"):
		s.responses(w, body)
	case strings.HasSuffix(path, ":generateContent"):
		s.gemini(w, body, false)
	case strings.HasSuffix(path, ":streamGenerateContent"):
		s.gemini(w, body, true)
	case strings.HasSuffix(path, ":countTokens"):
		write(w, map[string]any{"totalTokens": 100})
	case strings.HasSuffix(path, "/count_tokens"):
		write(w, map[string]any{"input_tokens": 100})
	case strings.HasSuffix(path, "/models"):
		write(w, map[string]any{"object": "list", "data": []any{map[string]any{"id": "stand-in", "object": "model"}}})
	default:
		http.Error(w, `{"error":{"message":"the stand-in has no such path"}}`, http.StatusNotFound)
	}
}

// The names of tools that the APIs take; another is an error for the whole request.
var (
	anthropicNames = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	openAINames    = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	geminiNames    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)
)

// refuses answers, as the API does, a request that names a tool as it takes none.
func (s *standIn) refuses(w http.ResponseWriter, names *regexp.Regexp, tools []offered) bool {
	i := slices.IndexFunc(tools, func(o offered) bool { return !names.MatchString(o.Name) })
	if i < 0 {
		return false
	}
	s.job.fail(fmt.Errorf("the model's API takes no tool of the name %q (%s)", tools[i].Name, names))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w,
		`{"error":{"type":"invalid_request_error","code":400,"message":"tools.%d.name: does not match %s"}}`, i, names)
	return true
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// events writes server-sent events; a name is left out if it is empty.
type events struct{ http.ResponseWriter }

func stream(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream")
	return events{w}
}

func (e events) send(name string, v any) {
	if name != "" {
		_, _ = fmt.Fprintf(e, "event: %s\n", name)
	}
	text, _ := json.Marshal(v)
	_, _ = fmt.Fprintf(e, "data: %s\n\n", text)
	if f, ok := e.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// textOf joins the texts of a content that is a string or a list of parts. What is
// no text is returned as it was written.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) == nil {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text)
		}
		if b.Len() > 0 {
			return b.String()
		}
	}
	return string(raw)
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
