package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// took checks the duration of f, which is exact because it runs in a synctest bubble.
func took(t *testing.T, want time.Duration, f func()) {
	t.Helper()
	from := time.Now()
	f()
	if d := time.Since(from); d != want {
		t.Errorf("took %v, want %v", d, want)
	}
}

// straggling is how long Serve waits for canceled calls that do not return.
const straggling = 250 * time.Millisecond

func TestEndIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		took(t, 0, func() {
			if err := w.end(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
		if line, more := <-w.lines; more {
			t.Errorf("after the end: %s", line)
		}
	})
}

// TestEndLosesNothing checks that everything sent before the end of input is answered.
func TestEndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			w := dial(t, stdio.Options{})
			var b strings.Builder
			b.WriteString(request(`"init"`, "initialize",
				`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`) + "\n")
			b.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
			for i := range 20 {
				b.WriteString(call(fmt.Sprint(i), "test.sleep", fmt.Sprintf(`{"ms":%d}`, i%5)) + "\n")
			}
			go func() {
				w.sendRaw(b.String())
				w.in.Close()
			}()
			for range 21 {
				if m := w.next(); m.Result == nil {
					t.Fatalf("got %s", m.line)
				}
			}
			if err := w.end(); err != nil {
				t.Fatalf("Serve: %v", err)
			}
		}
	})
}

func TestEndWithRunningCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.sleep", `{"ms":300}`))
		took(t, 300*time.Millisecond, func() {
			if err := w.end(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
		if m := w.next(); m.id() != "1" || m.text() != "slept" {
			t.Errorf("got %s", m.line)
		}
	})
}

func TestEndWithWaitingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		for i := range 40 {
			w.send(call(fmt.Sprint(i), "test.wait", "{}"))
		}
		w.started(40)
		w.send(call("40", "test.elicit", "{}"))
		w.next()
		took(t, 0, func() {
			if err := w.end(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
		for range 41 {
			if m := w.next(); m.text() != "nothing yet" && !strings.Contains(m.text(), "left before it answered") {
				t.Errorf("got %s", m.line)
			}
		}
	})
}

func TestEndWithStubbornCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{Grace: 100 * time.Millisecond})
		w.send(call("1", "test.stubborn", "{}"))
		w.send(call("2", "test.held", `{"text":"h"}`))
		w.started(2)
		took(t, 100*time.Millisecond+straggling, func() {
			if err := w.end(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		})
		if name := w.stopped(); name != "h" {
			t.Errorf("stopped %q", name)
		}
		w.stopped() // the other call finishes
	})
}

// TestNothingAfterTheEnd checks that a call that outlives Serve writes nothing.
func TestNothingAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out record
		f := newFixture()
		in := strings.NewReader(strings.Replace(modern("1", "tools/call", "{}",
			`"name":"test.stubborn","arguments":{"ms":600}`),
			`"_meta":{`, `"_meta":{"progressToken":1,`, 1))
		if err := stdio.Serve(context.Background(), in, &out, f.MCPServer, stdio.Options{Now: time.Now,
			Grace: time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		<-f.cancelled
		synctest.Wait()
		if out.String() != "" {
			t.Errorf("written after the end: %s", out.String())
		}
	})
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, stdio.Options{})
		w.send(call("1", "test.held", `{"text":"h"}`))
		w.send(call("2", "test.stubborn", "{}"))
		w.started(2)
		took(t, straggling, func() {
			w.stop()
			if err := <-w.done; !errors.Is(err, context.Canceled) {
				t.Errorf("Serve: %v", err)
			}
		})
		w.stopped()
		w.stopped()
	})
}

// gone is the output of a client that has closed it.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		defer client.Close()
		done := make(chan error, 1)
		go func() {
			done <- stdio.Serve(context.Background(), in, gone{}, newFixture().MCPServer, stdio.Options{Now: time.Now})
		}()
		if _, err := io.WriteString(client, request("1", "ping", "{}")+"\n"); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			if !errors.Is(err, stdio.ErrOutputClosed) {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("Serve goes on without a client")
		}
	})
}

// failing is an input whose reads fail.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is on fire") }

func TestInputFails(t *testing.T) {
	err := stdio.Serve(context.Background(), failing{}, io.Discard, newFixture().MCPServer, stdio.Options{Now: time.Now})
	if err == nil || !strings.Contains(err.Error(), "on fire") {
		t.Errorf("Serve: %v", err)
	}
}

func TestNoClock(t *testing.T) {
	if err := stdio.Serve(context.Background(), failing{}, io.Discard, newFixture().MCPServer,
		stdio.Options{}); err == nil || !strings.Contains(err.Error(), "Now") {
		t.Errorf("Serve: %v", err)
	}
}

// TestReaderThatNeverReads checks that accepted work is limited and Serve still ends if the client
// does not read.
func TestReaderThatNeverReads(t *testing.T) {
	in, client := io.Pipe()
	_, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- stdio.Serve(ctx, in, out, newFixture().MCPServer, stdio.Options{Now: time.Now})
	}()
	const most = 3000
	var n atomic.Int32
	taken := make(chan struct{})
	go func() {
		defer close(taken)
		for ; n.Load() <= most; n.Add(1) {
			if _, err := io.WriteString(client, modern(fmt.Sprint(n.Load()), "tools/list", "{}", "")+"\n"); err != nil {
				return
			}
		}
	}()
	last, same := int32(0), 0
	double.Until(t, "the client is held up", func() bool {
		if now := n.Load(); now != last {
			last, same = now, 0
		}
		same++
		return last > most || same > 20
	})
	stop()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(double.Patience):
		t.Fatal("a client that does not read holds the end up")
	}
	in.Close()
	if <-taken; n.Load() > most {
		t.Errorf("more than %d requests were taken on", most)
	}
}
