package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/stdio"
)

// wire is the client's side of a connection to the fixture.
type wire struct {
	t       *testing.T
	fixture *fixture
	in      *io.PipeWriter
	lines   chan string
	done    chan error
	stop    context.CancelFunc
}

func dial(t *testing.T, opts stdio.Options) *wire {
	t.Helper()
	return dialFixture(t, newFixture(), opts)
}

func dialFixture(t *testing.T, f *fixture, opts stdio.Options) *wire {
	t.Helper()
	if opts.Now == nil {
		opts.Now = time.Now
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	w := &wire{t: t, fixture: f, in: inW, lines: make(chan string, 5000), done: make(chan error, 1), stop: stop}
	go func() {
		err := stdio.Serve(ctx, inR, outW, f.MCPServer, opts)
		outW.Close()
		w.done <- err
	}()
	go func() {
		defer close(w.lines)
		r := bufio.NewReader(outR)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			w.lines <- line
		}
	}()
	t.Cleanup(func() {
		stop()
		inW.Close()
		inR.Close()
		outR.Close()
	})
	return w
}

// open connects to a new fixture and sends initialize.
func open(t *testing.T, opts stdio.Options) *wire {
	t.Helper()
	w := dial(t, opts)
	w.initialize(`{"elicitation":{"form":{},"url":{}}}`)
	return w
}

func (w *wire) initialize(capabilities string) {
	w.t.Helper()
	w.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` +
		capabilities + `,"clientInfo":{"name":"probe","version":"1"}}}`)
	if m := w.next(); m.id() != `"init"` || m.Result == nil {
		w.t.Fatalf("initialize: %s", m.line)
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (w *wire) send(line string) { w.sendRaw(line + "\n") }

func (w *wire) sendRaw(s string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, s); err != nil {
		w.t.Errorf("writing: %v", err)
	}
}

// frame is one frame that the client received.
type frame struct {
	line    string
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (f frame) id() string { return string(f.ID) }

func (f frame) code() int {
	if f.Error == nil {
		return 0
	}
	return f.Error.Code
}

// text returns the first text in a tool's result.
func (f frame) text() string {
	var r struct {
		Content []struct{ Text string } `json:"content"`
	}
	if json.Unmarshal(f.Result, &r) != nil || len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// parseFrame parses a frame and checks the rules of JSON-RPC.
func parseFrame(line string) (frame, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &members); err != nil {
		return frame{line: line}, fmt.Errorf("not JSON: %w", err)
	}
	f := frame{line: line}
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		return f, err
	}
	f.ID = members["id"] // distinguishes null from absent
	has := func(name string) bool { _, ok := members[name]; return ok }
	for name := range members {
		switch name {
		case "jsonrpc", "id", "method", "params", "result", "error":
		default:
			return f, fmt.Errorf("member %q", name)
		}
	}
	switch {
	case f.JSONRPC != "2.0":
		return f, errors.New("no version")
	case has("method") && (has("result") || has("error")):
		return f, errors.New("request and response at once")
	case has("method") && has("params") && members["params"][0] != '{':
		return f, errors.New("params are no object")
	case !has("method") && has("result") == has("error"):
		return f, errors.New("a response has one of result and error")
	case !has("method") && !has("id"):
		return f, errors.New("a response has an id")
	case has("result") && members["result"][0] != '{':
		return f, errors.New("a result is an object")
	case f.Error != nil && (f.Error.Code == 0 || f.Error.Message == ""):
		return f, errors.New("an error has a code and a message")
	}
	return f, nil
}

// next returns the next frame.
func (w *wire) next() frame {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.t.Fatal("the output ended")
		}
		f, err := parseFrame(line)
		if err != nil {
			w.t.Fatalf("frame %q: %v", line, err)
		}
		return f
	case <-time.After(20 * time.Second):
		w.t.Fatal("no frame for 20 s")
	}
	return frame{}
}

// quiet checks that nothing is written until all goroutines of the synctest bubble are blocked.
func (w *wire) quiet() {
	w.t.Helper()
	synctest.Wait()
	select {
	case line := <-w.lines:
		w.t.Errorf("unexpected frame %s", line)
	default:
	}
}

// alive checks that the next answer is that of an echo.
func (w *wire) alive() {
	w.t.Helper()
	w.send(call(`"alive"`, "test.echo", `{"text":"still here"}`))
	if m := w.next(); m.id() != `"alive"` || m.text() != "still here" {
		w.t.Fatalf("not alive: %s", m.line)
	}
}

func (w *wire) end() error {
	w.t.Helper()
	w.in.Close()
	select {
	case err := <-w.done:
		return err
	case <-time.After(20 * time.Second):
		w.t.Fatal("Serve does not end")
		return nil
	}
}

func (w *wire) started(n int) {
	w.t.Helper()
	for range n {
		select {
		case <-w.fixture.started:
		case <-time.After(20 * time.Second):
			w.t.Fatal("a call does not start")
		}
	}
}

func (w *wire) stopped() string {
	w.t.Helper()
	select {
	case name := <-w.fixture.cancelled:
		return name
	case <-time.After(20 * time.Second):
		w.t.Fatal("a call does not notice that it was cancelled")
		return ""
	}
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

func call(id, tool, arguments string) string {
	return request(id, "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
}

func cancel(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"modern-probe","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":%s}`

// modern returns a request of the era without a handshake.
func modern(id, method, capabilities, rest string) string {
	params := fmt.Sprintf(modernMeta, capabilities)
	if rest != "" {
		params += "," + rest
	}
	return request(id, method, "{"+params+"}")
}
