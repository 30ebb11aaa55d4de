package wschat

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// pipe is one end of a connection in memory.
type pipe struct {
	in, out chan []byte
	mute    *atomic.Bool // this end does not answer pings
	shared  *ended
}

type ended struct {
	once   sync.Once
	done   chan struct{}
	code   int
	reason string
}

func pipes() (a, b *pipe) {
	e := &ended{done: make(chan struct{})}
	one, two := make(chan []byte, 256), make(chan []byte, 256)
	return &pipe{one, two, new(atomic.Bool), e}, &pipe{two, one, new(atomic.Bool), e}
}

func (p *pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-p.in:
		return text, nil
	case <-p.shared.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Write(ctx context.Context, text []byte) error {
	select {
	case p.out <- bytes.Clone(text):
		return nil
	case <-p.shared.done:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipe) Ping(ctx context.Context) error {
	if p.mute.Load() {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (p *pipe) Close(code int, reason string) error {
	p.shared.once.Do(func() { p.shared.code, p.shared.reason = code, reason; close(p.shared.done) })
	return nil
}

// toolbox checks and runs calls.
type toolbox struct {
	check  error
	invoke func(ctx context.Context, tool, params string) (string, error)
}

func (t toolbox) Check(string, json.RawMessage) error { return t.check }

func (t toolbox) Invoke(ctx context.Context, tool string, params json.RawMessage) (string, error) {
	return t.invoke(ctx, tool, string(params))
}

var echo = toolbox{invoke: func(_ context.Context, tool, params string) (string, error) {
	return tool + " " + params,
		nil
}}

// logbook is a log that can be read while it is written.
type logbook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// bench is a socket of this program and the peer's end of its connection.
type bench struct {
	t      *testing.T
	socket *Socket
	peer   *pipe
	log    *logbook
	ended  chan struct{}
}

func newBench(t *testing.T, peer Peer, tools Tools, change func(*Config)) *bench {
	t.Helper()
	ours, theirs := pipes()
	b := &bench{t: t, peer: theirs, log: &logbook{}, ended: make(chan struct{})}
	c := Config{Peer: peer, Conn: ours, Tools: tools, Timing: Usual(), Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.NewTextHandler(b.log, nil))}
	if change != nil {
		change(&c)
	}
	b.socket = NewSocket(c)
	go func() { defer close(b.ended); b.socket.Serve(context.Background()) }()
	t.Cleanup(func() { b.socket.End(CloseLeaving, ""); <-b.ended })
	return b
}

func (b *bench) send(text string) {
	b.t.Helper()
	if err := b.peer.Write(context.Background(), []byte(text)); err != nil {
		b.t.Fatal(err)
	}
}

// next returns the next message for the peer.
func (b *bench) next() (m Message, text string) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	got, err := b.peer.Read(ctx)
	if err != nil {
		b.t.Fatalf("no message: %v", err)
	}
	m, err = Parse(got)
	if err != nil {
		b.t.Fatalf("%s: %v", got, err)
	}
	return m, string(got)
}

// silent fails if the peer gets anything.
func (b *bench) silent(what string) {
	b.t.Helper()
	synctest.Wait()
	select {
	case text := <-b.peer.in:
		b.t.Errorf("%s: %s", what, text)
	default:
	}
}

var (
	editor  = Peer{Session: "83742e07-abcd", Project: "autoloop", Caller: "key/e", Role: ToEditor}
	backend = Peer{Session: "test-123", Project: "autoloop", Caller: "key/b", Role: ToBackend, Writes: true}
)

func callOf(id, tool, params string) string {
	return fmt.Sprintf(`{"type":"TOOL_CALL","toolCallId":%q,"toolName":%q,"params":%s}`, id, tool, params)
}

func resultOf(id, text string) string {
	return fmt.Sprintf(`{"type":"TOOL_RESULT","data":{"toolCallId":%q,"success":true,"result":%q,"executionTime":3}}`, id,
		text)
}

// began is the outcome of a call that runs concurrently with a test.
type began struct {
	text string
	err  error
}

func (b *bench) call(tool string, params map[string]any) <-chan began {
	out := make(chan began, 1)
	go func() {
		text, err := b.socket.Call(context.Background(), tool, params)
		out <- began{text, err}
	}()
	return out
}

// TestExecutor runs the calls of a backend.
func TestExecutor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, backend, echo, nil)
		b.silent("the first message is unasked for")
		b.send(exampleManual)
		m, text := b.next()
		if !m.Result.Success || m.Result.ID != "test-001" ||
			m.Result.Text != `grep_file {"pattern":"TODO","projectKey":"autoloop"}` || !strings.Contains(text,
			`"executionTime"`) {
			t.Errorf("R001-11 R001-59 R001-60: %s", text)
		}
		b.send(callOf("2", "read_file", `{"relativePath":"a","webSocketSessionId":"test-123"}`))
		if m, text := b.next(); !m.Result.Success || !strings.Contains(m.Result.Text, `"projectKey":"autoloop"`) {
			t.Errorf("R001-23 the project is not filled in: %s", text)
		}
		b.send(`{"type":"PING","at":1}`)
		if m, text := b.next(); m.Type != TypePong {
			t.Errorf("PING: %s", text)
		}
		b.send("{")
		if m, text := b.next(); m.Type != TypeError || !strings.Contains(text, "BAD_MESSAGE") {
			t.Errorf("garbage: %s", text)
		}
		b.send(`{"type":"AGENT_CHAT","message":"hi"}`)
		if m, text := b.next(); m.Type != TypeError {
			t.Errorf("a type that is none: %s", text)
		}
		b.send(`{"type":"TOOL_CALL","toolCallId":"3","toolName":"grep_file"}`)
		if m, text := b.next(); m.Result.ID != "3" || m.Result.Success || !strings.Contains(m.Result.Error, "params") {
			t.Errorf("R001-57: %s", text)
		}
		b.send(`{"type":"TOOL_CALL","toolName":"grep_file","params":{}}`)
		got, err := b.peer.Read(context.Background())
		if err != nil || !strings.Contains(string(got),
			`{"type":"TOOL_RESULT","data":{"toolCallId":"","success":false,"error":"the TOOL_CALL needs a toolCallId`) {
			t.Errorf("R001-57 without an id: %s", got)
		}
		b.send(resultOf("nobody", "x"))
		b.send(`{"type":"PONG"}`)
		b.silent("a result on a backend's socket is answered")
	})
}

// TestExecutorFailures checks that a tool's error is sent, that a panic ends only its call, and
// that a call is answered after its timeout.
func TestExecutorFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, backend, toolbox{invoke: func(ctx context.Context, tool, _ string) (string, error) {
			switch tool {
			case "read_file":
				return "", errors.New("文件不存在: core/src/File.java")
			case "grep_file":
				panic("x")
			}
			<-ctx.Done()
			return "", errors.New("took too long")
		}}, nil)
		b.send(callOf("1", "read_file", `{}`))
		if _, text := b.next(); text != `{"type":"TOOL_RESULT","data":{"toolCallId":"1","success":false,"error":"文件不存在: core/src/File.java"}}` {
			t.Errorf("R001-21: %s", text)
		}
		b.send(callOf("2", "grep_file", `{}`))
		if m, text := b.next(); m.Result.ID != "2" || m.Result.Success {
			t.Errorf("a panic: %s", text)
		}
		for tool, most := range map[string]time.Duration{"call_chain": 30 * time.Second, ApplyChange: 25 * time.Second} {
			from := time.Now()
			b.send(callOf(tool, tool, `{}`))
			got, err := b.peer.Read(context.Background())
			if err != nil || !strings.Contains(string(got), "took too long") || time.Since(from) != most {
				t.Errorf("%s: %s after %s, %v", tool, got, time.Since(from), err)
			}
		}
	})
}

// TestContradiction checks, in both roles, that omitted ids are filled in and wrong ones refused.
func TestContradiction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, backend, echo, nil)
		for i, c := range []struct {
			session, params string
			good            bool
		}{
			{"", `{}`, true}, {"test-123", `{"webSocketSessionId":"test-123","projectKey":"autoloop"}`, true},
			{"test-124", `{}`, false}, {"", `{"webSocketSessionId":"test-124"}`, false}, {"", `{"projectKey":"other"}`, false},
			{"", `{"projectKey":7}`, false}, {"", `{"webSocketSessionId":7}`, false}, {"", `{"webSocketSessionId":""}`, true},
		} {
			b.send(fmt.Sprintf(`{"type":"TOOL_CALL","toolCallId":"%d","toolName":"grep_file","params":%s,"webSocketSessionId":%q}`, i, c.params, c.session))
			if m, text := b.next(); m.Result.Success != c.good || m.Result.ID != fmt.Sprint(i) {
				t.Errorf("R001-9 R001-24 %s %s: %s", c.session, c.params, text)
			}
		}
		e := newBench(t, editor, echo, nil)
		for _, params := range []map[string]any{{"projectKey": "other"}, {"webSocketSessionId": "x"}} {
			if out := <-e.call("grep_file", params); out.err == nil || !strings.Contains(fault.As(out.err).Text,
				"of this connection") {
				t.Errorf("%v: %+v", params, out)
			}
		}
		e.silent("sent all the same")
	})
}

// TestReadOnlyPeer checks that a peer without write access changes nothing.
func TestReadOnlyPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := backend
		reader.Writes = false
		b := newBench(t, reader, toolbox{invoke: func(_ context.Context, tool, _ string) (string, error) {
			if tool == ApplyChange {
				t.Error("it was run")
			}
			return "", nil
		}}, nil)
		b.send(callOf("1", ApplyChange, `{}`))
		if m, text := b.next(); m.Result.Success || !strings.Contains(m.Result.Error, "read-only") {
			t.Error(text)
		}
		b.send(callOf("2", "read_file", `{}`))
		if m, text := b.next(); !m.Result.Success {
			t.Error(text)
		}
	})
}

// TestCallAndResult checks that a call has all required members, and gets its result in any order
// of results.
func TestCallAndResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, editor, echo, nil)
		b.silent("something unasked for")
		first, second := b.call("grep_file", map[string]any{"pattern": "a < b"}), b.call("read_file",
			map[string]any{"relativePath": "x"})
		m1, text := b.next()
		m2, _ := b.next()
		for _, m := range []Message{m1, m2} {
			c := m.Call
			if c.Session != editor.Session || c.Params["projectKey"] != "autoloop" ||
				c.Params["webSocketSessionId"] != editor.Session {
				t.Errorf("R001-2 R001-9 R001-23 R001-24: %+v", c)
			}
			if parts := strings.Split(c.ID, "-"); len(parts) != 4 || parts[0] != c.Tool || parts[1] != "83742e07" ||
				len(parts[2]) != 12 || len(parts[3]) != 8 {
				t.Errorf("R001-10 the id %q is not <tool>-<session>-<millis>-<random>", c.ID)
			}
		}
		if m1.Call.ID == m2.Call.ID || strings.Contains(text, `\u003c`) {
			t.Errorf("R001-6: %s", text)
		}
		if m1.Call.Tool != "grep_file" {
			m1, m2 = m2, m1
		}
		b.send(resultOf(m2.Call.ID, "two"))
		b.send(resultOf(m1.Call.ID, "one"))
		if one, two := <-first, <-second; one.text != "one" || two.text != "two" || one.err != nil || two.err != nil {
			t.Errorf("R001-15: %v %v", one, two)
		}
		third := b.call("grep_file", nil)
		m3, _ := b.next()
		b.send(fmt.Sprintf(`{"type":"TOOL_RESULT","data":{"toolCallId":%q,"success":false,"error":"文件不存在: a"}}`, m3.Call.ID))
		var reported *Reported
		if out := <-third; !errors.As(out.err, &reported) || reported.Text != "文件不存在: a" {
			t.Errorf("R001-18: %v", out)
		}
		fourth := b.call("grep_file", nil)
		m4, _ := b.next()
		b.send(fmt.Sprintf(`{"type":"TOOL_RESULT","data":{"toolCallId":%q,"result":"x"}}`, m4.Call.ID))
		if out := <-fourth; !errors.As(out.err, &reported) || !strings.Contains(reported.Text, "unreadable") {
			t.Errorf("R001-16: %v", out)
		}
	})
}

// TestShortSession uses a socket id shorter than its part of a call's id.
func TestShortSession(t *testing.T) {
	id, err := newID("grep_file", "x", time.UnixMilli(1767686721056), strings.NewReader("abcde"))
	if err != nil || id != "grep_file-x-1767686721056-mfrggzdf" {
		t.Error(id, err)
	}
}

// TestUnmatched checks that a result that no call waits for is logged in the protocol's words, and
// affects no other call.
func TestUnmatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, editor, echo, nil)
		out := b.call("grep_file", nil)
		m, _ := b.next()
		b.send(resultOf("grep_file-83742e07-1", "secret text"))
		synctest.Wait()
		if b.socket.HandleToolResult(Result{ID: "other"}) {
			t.Error("R001-55: true for a result of no call")
		}
		for _, id := range []string{"grep_file-83742e07-1", "other"} {
			if !strings.Contains(b.log.String(), "⚠️ 未找到对应的工具调用: toolCallId="+id+`"`) {
				t.Errorf("R001-54: %s", b.log)
			}
		}
		b.silent("an unmatched result is answered")
		b.send(resultOf(m.Call.ID, "fine"))
		if got := <-out; got.text != "fine" {
			t.Errorf("R001-55: the other call got %v", got)
		}
		b.send(resultOf(m.Call.ID, "again"))
		synctest.Wait()
		if !strings.Contains(b.log.String(), "toolCallId="+m.Call.ID+`" session`) {
			t.Errorf("R001-54: a second result of one call: %s", b.log)
		}
		if strings.Contains(b.log.String(), "secret text") || strings.Contains(b.log.String(), "fine") {
			t.Errorf("the log holds what a message carries: %s", b.log)
		}
	})
}

// TestTimeout uses an editor that never answers; its late result is unmatched.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, editor, echo, nil)
		from := time.Now()
		out := b.call("grep_file", nil)
		m, _ := b.next()
		got := <-out
		var none *Unanswered
		if !errors.As(got.err, &none) || time.Since(from) != 30*time.Second || !strings.Contains(none.Reason, "30s") {
			t.Errorf("after %s: %v", time.Since(from), got)
		}
		b.send(resultOf(m.Call.ID, "late"))
		synctest.Wait()
		if !strings.Contains(b.log.String(), "未找到对应的工具调用: toolCallId="+m.Call.ID) {
			t.Errorf("a late result: %s", b.log)
		}
	})
}

// TestDisconnect checks that calls to an editor fail immediately when it disconnects, and that a
// backend's calls are canceled.
func TestDisconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, editor, echo, nil)
		var all []<-chan began
		for range InFlight + 3 {
			all = append(all, b.call("grep_file", nil))
		}
		synctest.Wait()
		from := time.Now()
		_ = b.peer.Close(1000, "")
		sent := 0
		for _, out := range all {
			got := <-out
			if got.err == nil || time.Since(from) != 0 {
				t.Errorf("after %s: %v", time.Since(from), got)
			}
			if errors.As(got.err, new(*Unanswered)) {
				sent++
			}
		}
		if sent != InFlight {
			t.Errorf("%d of the calls had been sent", sent)
		}
		stopped := make(chan error, 1)
		e := newBench(t, backend, toolbox{invoke: func(ctx context.Context, _, _ string) (string, error) {
			<-ctx.Done()
			stopped <- ctx.Err()
			return "", ctx.Err()
		}}, nil)
		e.send(callOf("1", ApplyChange, `{}`))
		synctest.Wait()
		from = time.Now()
		_ = e.peer.Close(1000, "")
		if err := <-stopped; !errors.Is(err, context.Canceled) || time.Since(from) != 0 {
			t.Errorf("after %s: %v", time.Since(from), err)
		}
	})
}

// TestQueue checks that the editor gets eight calls, 32 wait, and one more is refused immediately.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, editor, echo, nil)
		var all []<-chan began
		for range InFlight + Queue {
			all = append(all, b.call("grep_file", nil))
		}
		synctest.Wait()
		if n := len(b.peer.in); n != InFlight {
			t.Errorf("%d calls are with the editor", n)
		}
		if out := <-b.call("grep_file", nil); !fault.Is(out.err, fault.RateLimited) {
			t.Errorf("one too many: %v", out)
		}
		for range all {
			m, _ := b.next()
			b.send(resultOf(m.Call.ID, "x"))
		}
		for _, out := range all {
			if got := <-out; got.err != nil {
				t.Error(got.err)
			}
		}
	})
}

// TestExecutorQueue checks the same for a backend's calls, each of which is answered.
func TestExecutorQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, most, release := 0, 0, make(chan struct{})
		var mu sync.Mutex
		b := newBench(t, backend, toolbox{invoke: func(context.Context, string, string) (string, error) {
			mu.Lock()
			at++
			most = max(most, at)
			mu.Unlock()
			<-release
			mu.Lock()
			at--
			mu.Unlock()
			return "done", nil
		}}, nil)
		for i := range InFlight + Queue + 5 {
			b.send(callOf(fmt.Sprint(i), "grep_file", `{}`))
		}
		for range 5 {
			if m, text := b.next(); m.Result.Success || !strings.Contains(m.Result.Error, "was not run") {
				t.Error(text)
			}
		}
		synctest.Wait()
		close(release)
		for range InFlight + Queue {
			if m, text := b.next(); !m.Result.Success {
				t.Error(text)
			}
		}
		if most != InFlight {
			t.Errorf("%d ran at once", most)
		}
	})
}

// TestDuplicateID checks that a second call with the id of a running one is refused, and that the
// refusal is not taken for the first call's result.
func TestDuplicateID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, runs := make(chan struct{}), 0
		b := newBench(t, backend, toolbox{invoke: func(context.Context, string, string) (string, error) {
			runs++
			<-release
			return "done", nil
		}}, nil)
		b.send(callOf("1", "grep_file", `{}`))
		b.send(callOf("1", "grep_file", `{}`))
		if m, text := b.next(); m.Type != TypeError || !strings.Contains(text, "DUPLICATE_TOOL_CALL_ID") {
			t.Error(text)
		}
		close(release)
		if m, text := b.next(); !m.Result.Success || runs != 1 {
			t.Error(text, runs)
		}
	})
}

// slowPipe returns from a write only after the peer has sent its next message.
type slowPipe struct {
	*pipe
	came chan struct{}
}

func (p slowPipe) Read(ctx context.Context) ([]byte, error) {
	text, err := p.pipe.Read(ctx)
	p.came <- struct{}{}
	return text, err
}

func (p slowPipe) Write(ctx context.Context, text []byte) error {
	err := p.pipe.Write(ctx, text)
	select {
	case <-p.came:
	case <-p.shared.done:
	}
	return err
}

// TestIDUsedAgain checks that an id is free once its result was sent, even before the write
// returns.
func TestIDUsedAgain(t *testing.T) {
	const rounds = 2 * MostWrong
	came := make(chan struct{}, rounds+1)
	b := newBench(t, backend, echo, func(c *Config) { c.Conn = slowPipe{c.Conn.(*pipe), came} })
	b.send(callOf("1", "grep_file", `{}`))
	<-came
	for range rounds {
		if m, text := b.next(); !m.Result.Success {
			t.Fatal(text)
		}
		b.send(callOf("1", "grep_file", `{}`))
	}
}

// TestRoles checks that an editor's socket cannot call tools.
func TestRoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, editor, toolbox{invoke: func(context.Context, string, string) (string, error) {
			t.Error("it was run")
			return "", nil
		}}, nil)
		b.send(callOf("1", "read_file", `{}`))
		if m, text := b.next(); m.Result.Success || m.Result.ID != "1" || !strings.Contains(m.Result.Error, "editor") {
			t.Error(text)
		}
	})
}

// TestCheckedBeforeSending checks that an invalid call is not sent.
func TestCheckedBeforeSending(t *testing.T) {
	t.Run("R001-56 its error names the parameter, and nothing is sent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, editor, toolbox{check: errors.New("the required parameter pattern is missing")}, nil)
			if out := <-b.call("grep_file", nil); out.err == nil || !strings.Contains(out.err.Error(), "pattern is missing") {
				t.Error(out)
			}
			b.silent("it was sent")
		})
	})
}

// TestTooLong checks in both roles that no message over the limit is sent.
func TestTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", MaxMessage)
		b := newBench(t, backend, toolbox{invoke: func(context.Context, string, string) (string, error) { return long, nil }},
			nil)
		b.send(callOf("1", "read_file", `{}`))
		if m, _ := b.next(); m.Result.Success || m.Result.ID != "1" || !strings.Contains(m.Result.Error, "1 MiB") {
			t.Errorf("%.200v", m)
		}
		e := newBench(t, editor, echo, nil)
		if out := <-e.call("grep_file", map[string]any{"pattern": long}); !fault.Is(out.err, fault.TooLarge) {
			t.Errorf("%.200v", out.err)
		}
		e.silent("it was sent")
	})
}

// TestFlood checks that a peer that keeps sending invalid messages is disconnected.
func TestFlood(t *testing.T) {
	for name, text := range map[string]string{"lies about ids": resultOf("made-up", "x"), "garbage": "}",
		"calls of an editor": callOf("1", "read_file", `{}`)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, editor, echo, nil)
				for range MostWrong {
					b.send(text)
				}
				synctest.Wait()
				select {
				case <-b.socket.Gone():
					t.Fatal("closed too early")
				default:
				}
				b.send(text)
				<-b.ended
				if b.peer.shared.code != ClosePolicy {
					t.Errorf("closed with %d %s", b.peer.shared.code, b.peer.shared.reason)
				}
			})
		})
	}
}

// TestSilence checks that a peer without a sign of life for 90 s is disconnected, unless it answers
// pings or sends anything.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, editor, echo, nil)
		time.Sleep(10 * time.Minute)
		b.peer.mute.Store(true) // no effect: our end sends the pings
		ours := b.socket.Conn.(*pipe)
		ours.mute.Store(true)
		time.Sleep(50 * time.Second)
		b.send(`{"type":"PING"}`)
		b.next()
		from := time.Now()
		<-b.ended
		if d := time.Since(from); d < 90*time.Second || d > 2*time.Minute {
			t.Errorf("closed after %s", d)
		}
	})
}

// TestRightEnds checks that a peer is disconnected within a second after its access ends, and its
// calls are no longer run.
func TestRightEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var no error
		still := func(context.Context) error { mu.Lock(); defer mu.Unlock(); return no }
		b := newBench(t, backend, echo, func(c *Config) { c.Still = still })
		time.Sleep(time.Minute)
		b.send(callOf("1", "read_file", `{}`))
		if m, text := b.next(); !m.Result.Success {
			t.Fatal(text)
		}
		from := time.Now()
		mu.Lock()
		no = fault.New(fault.SessionMismatch, "The token was revoked.")
		mu.Unlock()
		<-b.ended
		if d := time.Since(from); d > time.Second || b.peer.shared.code != ClosePolicy ||
			b.peer.shared.reason != "The token was revoked." {
			t.Errorf("after %s: %d %s", d, b.peer.shared.code, b.peer.shared.reason)
		}
		e := newBench(t, editor, echo, func(c *Config) { c.Still = still })
		if out := <-e.call("grep_file", nil); out.err == nil {
			t.Error("a call was sent without the right")
		}
	})
}

// TestTwoSocketsOfOneID checks that a socket is replaced by one with the same token, and that
// another token is refused.
func TestTwoSocketsOfOneID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Hub
		first, second, other := newBench(t, editor, echo, nil), newBench(t, editor, echo, nil),
			newBench(t, Peer{Session: editor.Session, Project: "autoloop", Caller: "key/x", Role: ToEditor}, echo, nil)
		if err := h.Join(first.socket); err != nil {
			t.Fatal(err)
		}
		out := first.call("grep_file", nil)
		first.next()
		if err := h.Join(second.socket); err != nil {
			t.Fatal(err)
		}
		if got := <-out; !errors.As(got.err, new(*Unanswered)) {
			t.Errorf("a call of the first: %v", got)
		}
		<-first.ended
		if first.peer.shared.code != CloseReplaced {
			t.Errorf("closed with %d", first.peer.shared.code)
		}
		if err := h.Join(other.socket); !fault.Is(err, fault.InvalidSessionTransition) {
			t.Errorf("another token: %v", err)
		}
		h.Leave(first.socket)
		if got := h.Peers(); len(got) != 1 || got[0] != editor {
			t.Errorf("%+v", got)
		}
	})
}

// TestHubCallsTheEditorOfTheProject checks that the project's newest editor gets the call, and
// never a backend or another project's editor.
func TestHubCallsTheEditorOfTheProject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h Hub
		if text, connected, err := h.Forward(t.Context(), "autoloop", "grep_file", nil); text != "" || connected ||
			err != nil {
			t.Error(text, connected, err)
		}
		with := func(session, project string, role Role) *bench {
			b := newBench(t, Peer{Session: session, Project: project, Caller: "key/e", Role: role}, echo, nil)
			if err := h.Join(b.socket); err != nil {
				t.Fatal(err)
			}
			return b
		}
		with("a", "autoloop", ToEditor)
		last := with("b", "autoloop", ToEditor)
		with("c", "other", ToEditor)
		with("d", "autoloop", ToBackend)
		go func() {
			m, _ := last.next()
			last.send(resultOf(m.Call.ID, "from b"))
		}()
		if text, connected, err := h.Forward(t.Context(), "autoloop", "grep_file", nil); text != "from b" || !connected ||
			err != nil {
			t.Error(text, connected, err)
		}
		for i := range MaxOfOne - 4 {
			with(fmt.Sprintf("more%d", i), "autoloop", ToEditor)
		}
		if err := h.Admit(Peer{Session: "z", Project: "autoloop", Caller: "key/e"}); !fault.Is(err, fault.RateLimited) {
			t.Errorf("one too many of one token: %v", err)
		}
		h.Close()
		<-last.ended
		if err := h.Admit(Peer{Session: "z", Project: "autoloop", Caller: "key/new"}); !fault.Is(err, fault.RateLimited) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestBothEnds connects sockets of both roles to each other.
func TestBothEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pipes()
		config := func(c Conn, p Peer) Config {
			return Config{Peer: p, Conn: c, Tools: echo, Timing: Usual(), Now: time.Now, Rand: rand.Reader,
				Log: slog.New(slog.DiscardHandler)}
		}
		asks, runs := editor, editor
		runs.Role = ToBackend
		a, b := NewSocket(config(ours, asks)), NewSocket(config(theirs, runs))
		var both sync.WaitGroup
		for _, s := range []*Socket{a, b} {
			both.Go(func() { s.Serve(context.Background()) })
		}
		for i := range 20 {
			text, err := a.Call(t.Context(), "grep_file", map[string]any{"pattern": fmt.Sprint(i)})
			if want := fmt.Sprintf(`"pattern":"%d"`, i); err != nil || !strings.Contains(text, want) {
				t.Fatal(text, err)
			}
		}
		a.End(CloseLeaving, "")
		both.Wait()
	})
}
