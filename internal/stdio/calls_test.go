package stdio_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
)

func toolNamed(name string) server.ServerTool { return server.ServerTool{Tool: mcp.NewTool(name)} }

// record is a log whose text a test can read.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

func TestFailures(t *testing.T) {
	var log record
	w := open(t, stdio.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	probes(t, w, []probe{
		{"panic", call("1", "test.panic", "{}") + "\n", "1", -32603, ""},
		{"runtime error", call("1", "test.bug", "{}") + "\n", "1", -32603, ""},
		{"Go error", call("1", "test.error", "{}") + "\n", "1", -32603, ""},
		{"fault", call("1", "test.fault", "{}") + "\n", "1", -32602, ""},
		{"nil result", call("1", "test.nil", "{}") + "\n", "1", -32603, ""},
		{"NaN", call("1", "test.nan", "{}") + "\n", "1", -32603, ""},
	})
	for _, tool := range []string{"panic", "error", "nan", "nil", "bug"} {
		w.send(call("1", "test."+tool, "{}"))
		if m := w.next(); m.Error == nil || !strings.Contains(m.Error.Message, "(ref ") || strings.Contains(m.line,
			"SECRET-MARKER") {
			t.Errorf("%s: %s", tool, m.line)
		}
	}
	w.send(call("1", "test.fault", "{}"))
	if m := w.next(); m.Error == nil || m.Error.Message != "input_invalid: Give a text." {
		t.Errorf("the sentence of a fault is meant to be read: %s", m.line)
	}
	for _, want := range []string{"a handler panicked", "index out of range", "cannot be written as JSON",
		"a handler failed", `"ref":`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	panicked, _, _ := strings.Cut(log.String(), "\n")
	if strings.Contains(panicked, "SECRET-MARKER") {
		t.Errorf("SD-04: the log of a panic shows its value: %s", panicked)
	}
}

func TestSilentLog(t *testing.T) {
	var log record
	w := open(t, stdio.Options{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	w.send("garbage")
	w.next()
	w.send(request("1", "none", "{}"))
	w.next()
	w.alive()
	if err := w.end(); err != nil || log.String() != "" {
		t.Errorf("a client's mistakes are not worth a log line at the default level: %q, %v", log.String(), err)
	}
}

func TestCancel(t *testing.T) {
	run := func(name string, f func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
	}
	run("running", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("5", "test.held", `{"text":"number"}`))
		w.send(call(`"5"`, "test.held", `{"text":"string"}`))
		w.started(2)
		w.send(cancel("5"))
		if name := w.stopped(); name != "number" {
			t.Errorf("cancelling 5 stopped %q", name)
		}
		w.quiet()
		close(w.fixture.gate)
		if m := w.next(); m.id() != `"5"` || m.text() != "released" {
			t.Errorf("the other id lives on: %s", m.line)
		}
		w.alive()
	})
	run("another spelling of the same id", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call(`"aé"`, "test.held", `{"text":"x"}`))
		w.started(1)
		w.send(cancel(`"\u0061\u00e9"`))
		w.stopped()
		w.quiet()
	})
	run("parked", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("5", "test.parked", `{"text":"p"}`))
		w.started(1)
		w.send(cancel("5"))
		w.stopped()
		w.quiet()
		w.alive()
	})
	run("queued", func(t *testing.T) {
		w := open(t, stdio.Options{Concurrency: 1})
		w.send(call("1", "test.held", `{"text":"first"}`))
		w.started(1)
		w.send(call("2", "test.held", `{"text":"queued"}`))
		w.send(cancel("2"))
		w.send(call("3", "test.echo", `{"text":"behind"}`))
		close(w.fixture.gate)
		got := []string{w.next().id(), w.next().id()}
		if got[0] != "1" || got[1] != "3" {
			t.Errorf("answers %v", got)
		}
		w.quiet()
		if len(w.fixture.started) != 0 {
			t.Error("a call cancelled in the queue was started")
		}
	})
	run("resource read", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(request("1", "resources/read", `{"uri":"test://held"}`))
		w.started(1)
		w.send(cancel("1"))
		w.stopped()
		w.quiet()
		w.alive()
	})
	run("finished", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.echo", `{"text":"x"}`))
		w.next()
		w.send(cancel("1"))
		w.alive()
	})
	run("progress afterwards", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(progressCall("test.afterwards", `"p"`, `{}`))
		w.started(1)
		w.send(cancel("1"))
		if said := w.stopped(); said != "told false <nil>" {
			t.Errorf("after a cancellation: %s", said)
		}
		w.quiet()
		w.alive()
	})
	run("id free again", func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.held", `{"text":"x"}`))
		w.started(1)
		w.send(cancel("1"))
		w.send(call("1", "test.echo", `{"text":"second"}`))
		if m := w.next(); m.id() != "1" || m.text() != "second" {
			t.Errorf("got %s", m.line)
		}
	})
}

// TestParkedCallsStarveNobody checks that other calls run while any number of calls is parked.
func TestParkedCallsStarveNobody(t *testing.T) {
	w := open(t, stdio.Options{Concurrency: 4})
	for i := range 40 {
		w.send(call(fmt.Sprint(i), "test.parked", `{"text":"p"}`))
	}
	w.started(40)
	w.alive()
	close(w.fixture.gate)
	for range 40 {
		if m := w.next(); m.text() != "released" {
			t.Fatalf("got %s", m.line)
		}
	}
	w.alive()
}

// TestResume checks that a call counts as running again after it resumes.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{Concurrency: 1})
		w.send(call("1", "test.resume", "{}"))
		w.started(1)
		w.send(request("2", "resources/read", `{"uri":"test://held"}`))
		w.started(1)
		close(w.fixture.gate)
		w.quiet()
		if len(w.fixture.started) != 0 {
			t.Error("two calls run where there is one place")
		}
		w.send(cancel("2"))
		if m := w.next(); m.id() != "1" || m.text() != "resumed" {
			t.Errorf("got %s", m.line)
		}
		w.alive()
		w.alive() // no slot was lost or gained
	})
}

// TestBlockedCalls checks that handlers that do not park occupy all slots, that further calls wait,
// and that ping is still answered.
func TestBlockedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, n := range []int{5, 32} {
			w := open(t, stdio.Options{})
			for i := range n {
				w.send(call(fmt.Sprint(i), "test.held", `{"text":"h"}`))
			}
			w.started(n)
			w.send(call(`"echo"`, "test.echo", `{"text":"behind"}`))
			w.send(request(`"ping"`, "ping", "{}"))
			first := w.next()
			if n < 32 {
				if second := w.next(); first.id() == second.id() {
					t.Error("one answer came twice")
				}
			} else {
				if first.id() != `"ping"` {
					t.Errorf("ping needs no place: first came %s", first.line)
				}
				w.quiet()
			}
			close(w.fixture.gate)
			for range n {
				w.next()
			}
			if n == 32 {
				w.next() // the echo's answer arrives among the others
			}
			w.alive()
		}
	})
}

func TestConcurrencyBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{Concurrency: 3})
		for i := range 10 {
			w.send(call(fmt.Sprint(i), "test.held", `{"text":"h"}`))
		}
		w.started(3)
		synctest.Wait()
		if n := len(w.fixture.started); n != 0 {
			t.Errorf("%d more than 3 calls run", n)
		}
		close(w.fixture.gate)
		for range 10 {
			w.next()
		}
	})
}

func TestAdmission(t *testing.T) {
	w := open(t, stdio.Options{Admission: 10})
	for i := range 10 {
		w.send(call(fmt.Sprint(i), "test.parked", `{"text":"p"}`))
	}
	w.started(10)
	w.send(call("10", "test.echo", `{}`))
	if m := w.next(); m.id() != "10" || m.code() != -32000 || !strings.Contains(m.Error.Message, "busy") {
		t.Errorf("got %s", m.line)
	}
	w.send(request("11", "ping", "{}"))
	if m := w.next(); m.id() != "11" || m.Result == nil {
		t.Errorf("ping is always admitted: %s", m.line)
	}
	close(w.fixture.gate)
	for range 10 {
		w.next()
	}
	w.alive()
}

// TestAdmissionBytes checks that the total size of requests is limited, not only their number.
func TestAdmissionBytes(t *testing.T) {
	long.Skip(t, "it sends many megabytes")
	w := open(t, stdio.Options{Concurrency: 1})
	w.send(call(`"first"`, "test.held", `{"text":"h"}`))
	w.started(1)
	large := `{"text":"` + strings.Repeat("z", 3<<20) + `"}`
	for i := range 6 {
		w.send(call(fmt.Sprint(i), "test.echo", large))
	}
	if m := w.next(); m.id() != "5" || m.code() != -32000 {
		t.Errorf("18 MiB are too much at once: %.200s", m.line)
	}
	close(w.fixture.gate)
	for range 6 {
		if m := w.next(); m.code() != 0 {
			t.Errorf("got %.200s", m.line)
		}
	}
}

// TestMany checks that of many concurrent calls each is answered once, with its own answer.
func TestMany(t *testing.T) {
	w := open(t, stdio.Options{})
	go func() {
		for i := range 500 {
			w.send(call(fmt.Sprint(i), "test.echo", fmt.Sprintf(`{"text":"%d"}`, i)))
			w.send(modern(fmt.Sprintf(`"m%d"`, i), "tools/call", "{}",
				fmt.Sprintf(`"name":"test_echo","arguments":{"text":"m%d"}`, i)))
			w.send(request(fmt.Sprintf(`"p%d"`, i), "ping", "{}"))
			w.send(request(fmt.Sprintf(`"e%d"`, i), "none", "{}"))
		}
	}()
	seen := map[string]bool{}
	for range 2000 {
		m := w.next()
		if seen[m.id()] {
			t.Fatalf("%s came twice", m.id())
		}
		seen[m.id()] = true
		if text := m.text(); text != "" && text != strings.Trim(m.id(), `"`) {
			t.Fatalf("a foreign answer: %s", m.line)
		}
	}
}

// TestFlood checks that unknown and repeated messages leave nothing in memory.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.alive()
		before := runtime.NumGoroutine()
		for i := range 2000 {
			w.send(cancel(fmt.Sprint(i)))
			w.send(request(fmt.Sprint(i), "none", "{}"))
			w.send(`{"jsonrpc":"2.0","id":` + fmt.Sprint(i) + `,"result":{}}`)
			w.next()
		}
		w.alive()
		synctest.Wait()
		if after := runtime.NumGoroutine(); after > before+5 {
			t.Errorf("%d goroutines before the flood, %d after", before, after)
		}
	})
}
