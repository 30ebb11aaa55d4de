package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/stdio"
)

// fixture is a server with one tool per way in which a handler can behave.
type fixture struct {
	*server.MCPServer
	gate      chan struct{} // test.held waits for it
	started   chan string   // tells which held call runs
	cancelled chan string   // tells which held call was stopped
}

func text(s string) *mcp.CallToolResult { return mcp.NewToolResultText(s) }

func session(ctx context.Context) *stdio.Session {
	return server.ClientSessionFromContext(ctx).(*stdio.Session)
}

func newFixture() *fixture {
	f := &fixture{
		MCPServer: server.NewMCPServer("fixture", "1", server.WithLogging(), server.WithInstructions("Say echo."),
			server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true), server.WithToolCapabilities(true)),
		gate: make(chan struct{}), started: make(chan string, 2000), cancelled: make(chan string, 2000),
	}
	tool := func(name string, h server.ToolHandlerFunc) { f.AddTool(mcp.NewTool(name), h) }
	tool("test.echo", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(r.GetString("text", "")), nil
	})
	tool("test.raw", func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(string(r.Params.RawArguments)), nil
	})
	tool("test.held", f.held(false))
	tool("test.parked", f.held(true))
	tool("test.resume", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		resume := session(ctx).Park()
		f.started <- "parked"
		<-f.gate
		resume()
		resume()
		f.started <- "resumed"
		return text("resumed"), nil
	})
	tool("test.wait", f.wait)
	tool("test.sleep", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-time.After(time.Duration(r.GetInt("ms", 0)) * time.Millisecond):
			return text("slept"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	tool("test.stubborn", func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.started <- "stubborn"
		time.Sleep(time.Duration(r.GetInt("ms", 20_000)) * time.Millisecond)
		session(ctx).Progress("late")
		f.cancelled <- "stubborn"
		return text("late"), nil
	})
	tool("test.panic", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("SECRET-MARKER") })
	tool("test.bug", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var none []int
		return text(fmt.Sprint(none[len(f.gate)])), nil
	})
	tool("test.error", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("SECRET-MARKER")
	})
	tool("test.fault", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fault.New(fault.InputInvalid, "Give a text.")
	})
	tool("test.nil", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	tool("test.nan", func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultStructured(map[string]any{"n": math.NaN()}, "n"), nil
	})
	tool("test.progress", progressTool)
	tool("test.beat", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for range 3 {
			session(ctx).Progress("still waiting")
		}
		return text("done"), nil
	})
	tool("test.progresshold", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session(ctx).Progress("one")
		session(ctx).Progress("two")
		<-f.gate
		return text("released"), nil
	})
	tool("test.afterwards", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		f.started <- "afterwards"
		<-ctx.Done()
		told := session(ctx).Advance(5, 5, "too late")
		err := f.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": 6})
		f.cancelled <- fmt.Sprint("told ", told, err)
		return text("too late"), nil
	})
	tool("test.notify", f.notify)
	tool("test.log", f.log)
	tool("test.elicit", f.elicit)
	tool("test.input", f.input)
	tool("test.who", func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s := session(ctx)
		return text(fmt.Sprintf("%s form=%t url=%t modern=%t", s.ClientName(), s.ElicitsForm(), s.ElicitsURL(), s.Modern())), nil
	})
	f.AddResource(mcp.NewResource("test://one", "one"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: "test://one", Text: "<1>"}}, nil
	})
	f.AddResource(mcp.NewResource("test://held", "held"), func(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		f.started <- "resource"
		<-ctx.Done()
		f.cancelled <- "resource"
		return nil, ctx.Err()
	})
	f.AddResourceTemplate(mcp.NewResourceTemplate("test://of/{name}", "of"), func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, Text: fmt.Sprint(r.Params.Arguments["name"])}}, nil
	})
	f.AddPrompt(mcp.NewPrompt("greet"), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if r.Params.Arguments["name"] == "" {
			return nil, fault.New(fault.InputInvalid, "The argument name is missing.")
		}
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("Hi "+r.Params.Arguments["name"]))}), nil
	})
	return f
}

// held waits for the gate, parked or in its place.
func (f *fixture) held(park bool) server.ToolHandlerFunc {
	return func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if park {
			defer session(ctx).Park()()
		}
		f.started <- r.GetString("text", "")
		select {
		case <-f.gate:
			return text("released"), nil
		case <-ctx.Done():
			f.cancelled <- r.GetString("text", "")
			return nil, ctx.Err()
		}
	}
}

// wait is a long poll that answers with what is known when the input ends.
func (f *fixture) wait(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s := session(ctx)
	defer s.Park()()
	f.started <- "wait"
	select {
	case <-s.InputEnded():
		return text("nothing yet"), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(45 * time.Second):
		return text("timeout"), nil
	}
}

func progressTool(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	n := int64(r.GetInt("n", 3))
	for i := range n {
		session(ctx).Advance(i+1, n, fmt.Sprintf("step %d", i+1))
	}
	session(ctx).Advance(1, 0, "backwards")
	return text("done"), nil
}

// notify sends progress the way mcp-go offers.
func (f *fixture) notify(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var token any
	if r.Params.Meta != nil {
		token = r.Params.Meta.ProgressToken
	}
	for i := range 3 {
		if err := f.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progress": i, "progressToken": token}); err != nil {
			return nil, err
		}
	}
	return text("done"), nil
}

func (f *fixture) log(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, level := range []mcp.LoggingLevel{mcp.LoggingLevelInfo, mcp.LoggingLevelError} {
		err := f.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(level, "fixture", string(level)))
		if err != nil {
			return nil, err
		}
	}
	return text("logged"), nil
}

func (f *fixture) elicit(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	params := mcp.ElicitationParams{Message: "Sure?", RequestedSchema: map[string]any{"type": "object"}}
	if r.GetBool("url", false) {
		params = mcp.ElicitationParams{Mode: "url", Message: "Open", ElicitationID: "e1", URL: "http://127.0.0.1:1/"}
	}
	answer, err := f.RequestElicitation(ctx, mcp.ElicitationRequest{Params: params})
	if err != nil {
		if ctx.Err() != nil {
			f.cancelled <- "elicit"
		}
		return mcp.NewToolResultError(err.Error()), nil
	}
	return text(string(answer.Action)), nil
}

// input asks by result; its state counts the rounds.
func (f *fixture) input(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if answer := server.ElicitationResponse(r.Params.InputResponses, "sure"); answer != nil {
		return text(string(answer.Action) + " with state " + r.Params.RequestState), nil
	}
	params := mcp.ElicitationParams{Message: "Sure?", RequestedSchema: map[string]any{"type": "object"}}
	if r.GetBool("url", false) {
		params = mcp.ElicitationParams{Mode: "url", Message: "Open", ElicitationID: "e1", URL: "http://127.0.0.1:1/"}
	}
	return server.NewInputRequestBuilder("round-1").Elicit("sure", params).ToolResult(), nil
}

// wire is the client's end of a served fixture.
type wire struct {
	t       *testing.T
	fixture *fixture
	in      *io.PipeWriter
	lines   chan string
	done    chan error
	stop    context.CancelFunc

	mu     sync.Mutex
	closed bool
}

// clock is a clock that a test moves.
type clock struct {
	mu   sync.Mutex
	at   time.Time
	step time.Duration // moved on by each look
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(c.step)
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
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

// open dials and initializes.
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

// frame is one frame as the client reads it.
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

// text is the first text of a tool's result.
func (f frame) text() string {
	var r struct {
		Content []struct{ Text string } `json:"content"`
	}
	if json.Unmarshal(f.Result, &r) != nil || len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// parseFrame holds a frame against the rules of JSON-RPC.
func parseFrame(line string) (frame, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &members); err != nil {
		return frame{line: line}, fmt.Errorf("not JSON: %w", err)
	}
	f := frame{line: line}
	if err := json.Unmarshal([]byte(line), &f); err != nil {
		return f, err
	}
	f.ID = members["id"] // null stays to be seen
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

// next gives the next frame.
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

// quiet expects that nothing is written for a while.
func (w *wire) quiet(d time.Duration) {
	w.t.Helper()
	select {
	case line := <-w.lines:
		w.t.Errorf("unexpected frame %s", line)
	case <-time.After(d):
	}
}

// alive expects an echo to be answered next.
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

// modern is a request of the era without a handshake.
func modern(id, method, capabilities, rest string) string {
	params := fmt.Sprintf(modernMeta, capabilities)
	if rest != "" {
		params += "," + rest
	}
	return request(id, method, "{"+params+"}")
}

func TestMain(m *testing.M) {
	if os.Getenv("STDIO_FIXTURE") != "" {
		os.Exit(fixtureMain())
	}
	os.Exit(m.Run())
}
