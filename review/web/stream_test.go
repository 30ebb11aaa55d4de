package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// reading is an open stream.
type reading struct {
	t      *testing.T
	status int
	lines  *bufio.Scanner
	close  context.CancelFunc
}

// event is one server-sent event.
type event struct{ id, name, data string }

func (r *rig) listen(token, last string) *reading {
	r.t.Helper()
	return r.listenAt("/api/stream", token, last)
}

func (r *rig) listenAt(path, token, last string) *reading {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), double.Patience)
	r.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", r.origin+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	set(req.Header, "Last-Event-ID", last)
	transport := &http.Transport{}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.hardened(answer{r.t, resp.StatusCode, resp.Header, ""})
	return &reading{r.t, resp.StatusCode, bufio.NewScanner(resp.Body), func() { cancel(); resp.Body.Close() }}
}

// next returns the next event, or false if the stream has ended.
func (s *reading) next() (event, bool) {
	var e event
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if e.name != "" || value == "here" {
				return e, true
			}
		}
	}
	return e, false
}

// until reads events until it gets one with the given name.
func (s *reading) until(name string) event {
	s.t.Helper()
	for {
		e, ok := s.next()
		if !ok {
			s.t.Fatalf("the stream ended before %q", name)
		}
		if e.name == name {
			return e
		}
	}
}

type told struct {
	Revision  int64
	Status    string
	Access    string
	Computing bool
}

func (e event) told(t *testing.T) told {
	t.Helper()
	var out told
	if err := json.Unmarshal([]byte(e.data), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStream follows a review. The first event is the current state, the others are changes, and
// ids only increase.
func TestStream(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	first := r.token(pagetoken.Review, id)
	stream := r.listen(first, "")
	now := stream.until("changed")
	if got := now.told(t); got.Revision != 3 || got.Status != string(record.Ready) || got.Access != "active" ||
		now.id == "" {
		t.Errorf("the first event is %+v", now)
	}
	if r.server.Connected() != 1 {
		t.Errorf("%d pages are connected", r.server.Connected())
	}
	a := r.do("POST", "/api/review/"+id+"/outcome", first, map[string]string{"outcome": "declined"})
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	later := stream.until("changed")
	if got := later.told(t); got.Status != string(record.Failure) || got.Revision <= 3 || len(later.id) < len(now.id) ||
		later.id == now.id {
		t.Errorf("after declining: %+v", later)
	}
	// A page that reconnects gets the current state, whatever its last event.
	for _, last := range []string{now.id, later.id, "999999", "nonsense"} {
		if got := r.listen(first, last).until("changed").told(t); got.Status != string(record.Failure) {
			t.Errorf("from %s on: %+v", last, got)
		}
	}
}

// TestStreamTellsTakeOver checks that a page is notified when another one becomes active.
func TestStreamTellsTakeOver(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	id := r.put(s, materials)
	first, second := r.token(pagetoken.Review, id), r.token(pagetoken.Review, id)
	stream := r.listen(first, "")
	stream.until("changed")
	if a := r.do("POST", "/api/review/"+id+"/continue", second, map[string]int{"revision": 3}); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if got := stream.until("changed").told(t); got.Access != "read_only" {
		t.Errorf("%+v", got)
	}
}

// TestStreamLimits opens more streams than one session, and all sessions together, may have.
func TestStreamLimits(t *testing.T) {
	r := newRig(t, nil)
	id, token := r.connecting()
	var streams []*reading
	for range 5 {
		s := r.listen(token, "")
		s.until("changed")
		streams = append(streams, s)
	}
	streams[0].until("replaced")
	if _, more := streams[0].next(); more {
		t.Error("a replaced stream goes on")
	}
	double.Until(t, "four streams are left", func() bool { return r.server.Connected() == 4 })
	// Streams do not count toward the limit of requests.
	if a := r.do("GET", "/api/wallet/"+id+"/state", token, nil); a.status != http.StatusOK {
		t.Errorf("%d %s", a.status, a.body)
	}
	for range 15 {
		_, token := r.connecting()
		for range 4 {
			r.listen(token, "").until("changed")
		}
	}
	_, late := r.connecting()
	if s := r.listen(late, ""); s.status != http.StatusTooManyRequests {
		t.Errorf("stream 65 got %d", s.status)
	}
	streams[4].close()
	double.Until(t, "a closed stream leaves its place", func() bool { return r.server.Connected() < 64 })
	if s := r.listen(late, ""); s.status != http.StatusOK {
		t.Errorf("after one left: %d", s.status)
	}
}

// TestStreamHeartbeat waits for the heartbeat of a stream, and checks that the stream ends when the
// server shuts down.
func TestStreamHeartbeat(t *testing.T) {
	r := newRig(t, nil)
	r.server.Heartbeat = 20 * time.Millisecond
	_, token := r.connecting()
	s := r.listen(token, "")
	s.until("changed")
	for range 3 {
		if e, ok := s.next(); !ok || e.name != "" {
			t.Fatalf("%+v, %v", e, ok)
		}
	}
	if err := r.server.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	// A stream that delays the shutdown is cut off. Heartbeats from before may still come.
	for e, more := s.next(); more; e, more = s.next() {
		if e.name != "" {
			t.Errorf("%+v", e)
		}
	}
	if err := s.lines.Err(); err != nil {
		t.Errorf("the stream does not end by itself: %v", err)
	}
}

// TestBusy sends more concurrent requests of one session than it may.
func TestBusy(t *testing.T) {
	hold, entered := make(chan struct{}), make(chan struct{}, 32)
	r := newRig(t, func(c *config) {
		c.Sandbox = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- struct{}{}; <-hold })
	})
	s, materials := sample(t, record.Ready)
	token := r.token(pagetoken.Review, r.put(s, materials))
	// Streams do not count toward the limit of requests.
	r.listen(token, "").until("changed")
	r.listen(token, "").until("changed")
	done := make(chan int, 16)
	for range 16 {
		go func() {
			req, _ := http.NewRequest("POST", r.origin+"/sandbox/wallet/sign", strings.NewReader(`{"transaction":"{}"}`))
			req.Header.Set("Authorization", "Bearer "+token)
			req.Header.Set("Content-Type", "application/json")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				done <- 0
				return
			}
			resp.Body.Close()
			done <- resp.StatusCode
		}()
	}
	for range 16 {
		select {
		case <-entered:
		case status := <-done:
			t.Fatalf("a request within the limit got %d", status)
		}
	}
	sign := map[string]string{"transaction": "{}"}
	if a := r.do("POST", "/sandbox/wallet/sign", token, sign); a.status != http.StatusTooManyRequests ||
		a.text("error.kind") != "rate_limited" {
		t.Errorf("request 17: %d %s", a.status, a.body)
	}
	close(hold)
	for range 16 {
		if status := <-done; status != http.StatusOK {
			t.Errorf("a request within the limit got %d", status)
		}
	}
	if a := r.do("POST", "/sandbox/wallet/sign", token, sign); a.status != http.StatusOK {
		t.Errorf("afterwards: %d", a.status)
	}
}
