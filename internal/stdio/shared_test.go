package stdio_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// TestShared checks the limits that all sessions of a server share, and that each session can still
// use its part.
func TestShared(t *testing.T) {
	t.Run("calls that run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			both := stdio.Options{Concurrency: 3, Shared: stdio.NewShared(4, 1<<20)}
			greedy, other := open(t, both), open(t, both)
			for i := range 20 {
				greedy.send(call(fmt.Sprint(i), "test.held", `{"text":"h"}`))
			}
			greedy.started(3)
			other.alive() // takes the fourth slot
			for i := range 2 {
				other.send(call(fmt.Sprint(i), "test.held", `{"text":"h"}`))
			}
			other.started(1)
			synctest.Wait()
			if n := len(greedy.fixture.started) + len(other.fixture.started); n > 0 {
				t.Errorf("%d calls more than 4 run", n)
			}
			close(greedy.fixture.gate)
			close(other.fixture.gate)
			for range 20 {
				greedy.next()
			}
			for range 2 {
				other.next()
			}
			greedy.alive()
			other.alive()
		})
	})
	t.Run("a client that does not read takes no place of others", func(t *testing.T) {
		both := stdio.Options{Concurrency: 3, Shared: stdio.NewShared(2, 1<<20)}
		f := newFixture()
		stuck := func() {
			in, give := io.Pipe()
			out := stalled{begun: make(chan struct{}), end: make(chan struct{})}
			done := make(chan struct{})
			opts := both
			opts.Now = time.Now
			go func() {
				defer close(done)
				_ = stdio.Serve(context.Background(), in, out, f.MCPServer, opts)
			}()
			t.Cleanup(func() { close(out.end); _ = give.Close(); <-done })
			for i := range 3 {
				_, _ = io.WriteString(give, modern(fmt.Sprint(i), "tools/call", "{}",
					`"name":"test.echo","arguments":{"text":"x"}`)+"\n")
			}
			<-out.begun
		}
		stuck()
		stuck()
		other := open(t, both)
		other.alive()
		other.alive()
	})
	t.Run("bytes of requests", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			both := stdio.Options{Shared: stdio.NewShared(64, 4<<20)}
			greedy, other := open(t, both), open(t, both)
			large := func(id string) string {
				return call(id, "test.held", `{"text":"h","rest":"`+strings.Repeat("z", 3<<20)+`"}`)
			}
			refused := func(w *wire, id string) {
				t.Helper()
				w.send(large(id))
				if m := w.next(); m.id() != id || m.code() != -32000 {
					t.Errorf("got %.200s", m.line)
				}
			}
			greedy.send(large("1"))
			greedy.started(1)
			refused(greedy, "2")
			other.send(large("1")) // each session may have one request
			other.started(1)
			refused(other, "2")
			close(greedy.fixture.gate)
			greedy.next()
			synctest.Wait() // until the server has removed it
			other.send(call("3", "test.held", `{"text":"h"}`))
			other.started(1)
			close(other.fixture.gate)
			other.next()
			other.next()
			greedy.alive()
			other.alive()
		})
	})
}

// TestSessionPanics checks that a panic outside a handler ends only one session or one call.
func TestSessionPanics(t *testing.T) {
	other := open(t, stdio.Options{})
	w := open(t, stdio.Options{Waits: func(name string) bool {
		if name == "test.wait" {
			panic("SECRET-MARKER")
		}
		return false
	}})
	w.alive()
	w.send(call("1", "test.wait", "{}"))
	if err := <-w.done; err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("the session ended with %v", err)
	}
	other.alive()
}

// TestAnswerOfAnotherConnection checks that an answer to a question of an earlier connection is not
// accepted by the next.
func TestAnswerOfAnotherConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := func() (*wire, string) {
			w := open(t, stdio.Options{})
			w.send(call("1", "test.elicit", "{}"))
			m := w.next()
			if m.Method != "elicitation/create" {
				t.Fatalf("got %s", m.line)
			}
			return w, m.id()
		}
		before, old := asked()
		after, id := asked()
		if old == id {
			t.Fatalf("two questions have the id %s", id)
		}
		answer := func(id string) string {
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"action":"accept","content":{}}}`
		}
		after.send(answer(old))
		after.quiet()
		after.send(answer(id))
		if m := after.next(); m.id() != "1" || m.text() != "accept" {
			t.Errorf("got %s", m.line)
		}
		before.send(answer(old))
		before.next()
	})
}

// stalled is the output of a client that does not read.
type stalled struct{ begun, end chan struct{} }

func (s stalled) Write([]byte) (int, error) {
	close(s.begun)
	<-s.end
	return 0, io.ErrClosedPipe
}
