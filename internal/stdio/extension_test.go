package stdio_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/stdio"
)

const (
	withTasks = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	shownTask = `"status":"working","statusMessage":"page 1","taskId":"t1","ttlMs":3600000`
)

// fakeTasks has a task in each of several states, and "broken", which cannot be read.
type fakeTasks struct {
	mu      sync.Mutex
	answers map[string]json.RawMessage
	changes chan stdio.Task
}

func (x *fakeTasks) Task(_ context.Context, id string) (stdio.Task, error) {
	at := time.Unix(1000, 0)
	switch id {
	case "t1":
		return stdio.Task{ID: "t1", Status: "working", Message: "page 1", Created: at, Updated: at, Keep: time.Hour}, nil
	case "done":
		return stdio.Task{ID: "done", Status: "completed", Created: at, Updated: at, Keep: time.Hour,
			Result: json.RawMessage(`{"content":[],"isError":true}`)}, nil
	case "dead":
		return stdio.Task{ID: "dead", Status: "failed", Message: "interrupted", Created: at, Updated: at, Keep: time.Hour},
			nil
	case "asks":
		return stdio.Task{ID: "asks", Status: "input_required", Created: at, Updated: at, Keep: time.Hour,
			Inputs: map[string]json.RawMessage{"q1": json.RawMessage(`{"method":"elicitation/create"}`)}}, nil
	case "broken":
		return stdio.Task{}, fmt.Errorf("SECRET-MARKER")
	}
	return stdio.Task{}, fault.New(fault.SessionNotFound, "There is no such task.")
}

func (x *fakeTasks) Answer(ctx context.Context, id string, answers map[string]json.RawMessage) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answers = answers
	_, err := x.Task(ctx, id)
	return err
}

func (x *fakeTasks) Cancel(ctx context.Context, id string) error {
	_, err := x.Task(ctx, id)
	return err
}

func (x *fakeTasks) Follow(ctx context.Context, _ string, changed func(stdio.Task)) {
	for {
		select {
		case t := <-x.changes:
			changed(t)
		case <-ctx.Done():
			return
		}
	}
}

// TestTaskMethods checks the methods of the Tasks extension in both eras, with and without the
// client's declaration.
func TestTaskMethods(t *testing.T) {
	w := dial(t, stdio.Options{Tasks: &fakeTasks{}})
	for _, c := range []struct {
		name, method, declares, rest string
		code                         int
		want                         string // part of the answer
	}{
		{"get", "tasks/get", withTasks, `"taskId":"t1"`, 0, shownTask},
		{"get names the kind of result", "tasks/get", withTasks, `"taskId":"t1"`, 0, `"resultType":"complete"`},
		{"get says who answers", "tasks/get", withTasks, `"taskId":"t1"`, 0,
			`"io.modelcontextprotocol/serverInfo":{"name":"fixture"`},
		{"get completed", "tasks/get", withTasks, `"taskId":"done"`, 0, `"result":{"content":[],"isError":true}`},
		{"get failed", "tasks/get", withTasks, `"taskId":"dead"`, 0, `"error":{"code":-32603,"message":"interrupted"}`},
		{"get asking", "tasks/get", withTasks, `"taskId":"asks"`, 0, `"inputRequests":{"q1":{"method":`},
		{"get unknown", "tasks/get", withTasks, `"taskId":"t2"`, -32602, "There is no such task."},
		{"get without id", "tasks/get", withTasks, ``, -32602, "taskId"},
		{"get of a number", "tasks/get", withTasks, `"taskId":1`, -32602, ""},
		{"get by another spelling", "tasks/get", withTasks, `"TaskId":"t1"`, -32602, "exact"},
		{"get from a broken store", "tasks/get", withTasks, `"taskId":"broken"`, -32603, "ref"},
		{"get undeclared", "tasks/get", `{}`, `"taskId":"t1"`, -32021, `"extensions":{"io.modelcontextprotocol/tasks":{}}`},
		{"the older declaration", "tasks/get", `{"tasks":{"list":{}}}`, `"taskId":"t1"`, -32021, ""},
		{"update undeclared", "tasks/update", `{}`, `"taskId":"t1","inputResponses":{}`, -32021, ""},
		{"update", "tasks/update", withTasks, `"taskId":"t1","inputResponses":{"q":{"action":"accept"}}`, 0,
			`"resultType":"complete"`},
		{"update without answers", "tasks/update", withTasks, `"taskId":"t1"`, -32602, "inputResponses"},
		{"update of a list", "tasks/update", withTasks, `"taskId":"t1","inputResponses":[]`, -32602, ""},
		{"cancel undeclared", "tasks/cancel", `{}`, `"taskId":"t1"`, -32021, ""},
		{"cancel", "tasks/cancel", withTasks, `"taskId":"done"`, 0, `"resultType":"complete"`},
		{"cancel unknown", "tasks/cancel", withTasks, `"taskId":"t2"`, -32602, ""},
		{"result is gone", "tasks/result", withTasks, `"taskId":"t1"`, -32601, ""},
		{"list is gone", "tasks/list", withTasks, ``, -32601, ""},
		{"events are not offered", "events/list", withTasks, ``, -32601, ""},
		{"discover", "server/discover", `{}`, ``, 0, `"extensions":{"io.modelcontextprotocol/tasks":{}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.send(modern("9007199254740993", c.method, c.declares, c.rest))
			m := w.next()
			if m.id() != "9007199254740993" || m.code() != c.code || !strings.Contains(m.line, c.want) ||
				strings.Contains(m.line, "SECRET") {
				t.Errorf("got %s", m.line)
			}
		})
	}
	t.Run("nothing of it in the era with a handshake", func(t *testing.T) {
		w := dial(t, stdio.Options{Tasks: &fakeTasks{}, Events: &numbers{}})
		w.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` +
			withTasks +
			`,"clientInfo":{"name":"probe","version":"1"}}}`)
		if m := w.next(); strings.Contains(m.line, "io.modelcontextprotocol") {
			t.Errorf("initialize: %s", m.line)
		}
		for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel", "events/list", "events/poll",
			"events/stream"} {
			w.send(request(`"x"`, method, `{"taskId":"t1","name":"number"}`))
			if m := w.next(); m.code() != -32601 {
				t.Errorf("%s: %s", method, m.line)
			}
		}
	})
}

// longFixture returns a fixture with tools that continue as tasks.
func longFixture() *fixture {
	f := newFixture()
	f.AddTool(mcp.NewTool("test.long"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		session(ctx).Began(r.GetString("task", "t1"))
		return text("plain"), nil
	})
	f.AddTool(mcp.NewTool("test.must"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if err := session(ctx).RequireTasks(); err != nil {
			return nil, err
		}
		session(ctx).Began("t1")
		return text("plain"), nil
	})
	return f
}

// TestCreatedTask checks that a call continues as a task only for a client that declared support.
func TestCreatedTask(t *testing.T) {
	w := dialFixture(t, longFixture(), stdio.Options{Tasks: &fakeTasks{}})
	call := func(declares, tool, arguments string) frame {
		t.Helper()
		w.send(modern("1", "tools/call", declares, `"name":"`+tool+`","arguments":`+arguments))
		return w.next()
	}
	if m := call(withTasks, "test.long", `{}`); !strings.Contains(m.line, `"resultType":"task"`) ||
		!strings.Contains(m.line, `"ttlMs":3600000`) ||
		strings.Contains(m.line, "plain") || strings.Contains(m.line, `"result":{"result"`) {
		t.Errorf("declared: %s", m.line)
	}
	if m := call(`{}`, "test.long", `{}`); m.text() != "plain" || strings.Contains(m.line, "taskId") {
		t.Errorf("undeclared: %s", m.line)
	}
	if m := call(withTasks, "test.long", `{"task":"t2"}`); m.code() != -32602 {
		t.Errorf("a task that is not there: %s", m.line)
	}
	if m := call(`{}`, "test.must", `{}`); m.code() != -32021 {
		t.Errorf("a call that needs tasks: %s", m.line)
	}
	if m := call(withTasks, "test.must", `{}`); !strings.Contains(m.line, `"resultType":"task"`) {
		t.Errorf("a call that needs tasks, declared: %s", m.line)
	}
	old := dialFixture(t, longFixture(), stdio.Options{Tasks: &fakeTasks{}})
	old.initialize(withTasks)
	old.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"test.long","arguments":{}}}`)
	if m := old.next(); m.text() != "plain" {
		t.Errorf("in the era with a handshake: %s", m.line)
	}
}

// TestListenFollows checks that a stream reports changes of its tasks and resources, and
// acknowledges them.
func TestListenFollows(t *testing.T) {
	tasks := &fakeTasks{changes: make(chan stdio.Task)}
	changed := make(chan string)
	opts := stdio.Options{Tasks: tasks, Changes: func(ctx context.Context, uri string, tell func()) {
		for {
			select {
			case <-changed:
				tell()
			case <-ctx.Done():
				return
			}
		}
	}}
	w := dial(t, opts)
	const filter = `"notifications":{"taskIds":["t1"],"resourceSubscriptions":["test://one"],"toolsListChanged":true,"x":true}`
	w.send(modern(`"s"`, "subscriptions/listen", `{}`, filter))
	if m := w.next(); m.code() != -32021 {
		t.Fatalf("tasks that were not declared: %s", m.line)
	}
	w.send(modern(`"s"`, "subscriptions/listen", withTasks, strings.Replace(filter, "taskIds", "TaskIds", 1)))
	if m := w.next(); m.code() != -32602 {
		t.Fatalf("another spelling in the filter: %s", m.line)
	}
	w.send(modern(`"s"`, "subscriptions/listen", withTasks, filter))
	ack := w.next()
	if ack.Method != "notifications/subscriptions/acknowledged" || !strings.Contains(ack.line,
		`"notifications":{"resourceSubscriptions":["test://one"],"taskIds":["t1"],"toolsListChanged":true}`) {
		t.Fatalf("acknowledged: %s", ack.line)
	}
	tasks.changes <- stdio.Task{ID: "t1", Status: "completed", Result: json.RawMessage(`{}`)}
	if m := w.next(); m.Method != "notifications/tasks" || !strings.Contains(m.line,
		`"io.modelcontextprotocol/subscriptionId":"s"`) ||
		!strings.Contains(m.line, `"status":"completed"`) || !strings.Contains(m.line, `"result":{}`) {
		t.Errorf("got %s", m.line)
	}
	changed <- ""
	if m := w.next(); m.Method != "notifications/resources/updated" || !strings.Contains(m.line, `"uri":"test://one"`) {
		t.Errorf("got %s", m.line)
	}
	w.fixture.DeleteTools("test.nan")
	if m := w.next(); m.Method != "notifications/tools/list_changed" {
		t.Errorf("got %s", m.line)
	}
	w.send(cancel(`"s"`))
	w.send(modern("2", "subscriptions/listen", withTasks, `"notifications":{"taskIds":["t1"]}`))
	w.next()
	if err := w.end(); err != nil {
		t.Fatal(err)
	}
	if m := w.next(); m.id() != "2" || m.Result == nil {
		t.Errorf("a stream of tasks alone lasts until the end: %s", m.line)
	}
	old := dial(t, opts)
	old.initialize("{}")
	old.send(request("1", "resources/subscribe", `{"uri":"test://one"}`))
	old.next()
	changed <- ""
	if m := old.next(); m.Method != "notifications/resources/updated" || strings.Contains(m.line, "subscriptionId") {
		t.Errorf("in the era with a handshake: %s", m.line)
	}
	old.send(request("2", "resources/unsubscribe", `{"uri":"test://one"}`))
	if m := old.next(); m.id() != "2" {
		t.Errorf("got %s", m.line)
	}
}

// numbers is a log whose events are the numbers up to end. Cursors are numbers, and events before
// gone were removed.
type numbers struct {
	mu        sync.Mutex
	end, gone int
	more      chan struct{}
	reads     int
}

func (n *numbers) Types() []stdio.EventType {
	return []stdio.EventType{{Name: "number", Arguments: json.RawMessage(`{"type":"object"}`),
		Data: json.RawMessage(`{"type":"object"}`)}}
}

func (n *numbers) Subscribe(_ context.Context, _ string, arguments json.RawMessage) (stdio.Subscription, error) {
	if string(arguments) == `{"no":1}` {
		return nil, fault.New(fault.InputInvalid, "No such number.")
	}
	return n, nil
}

func (n *numbers) Read(_ context.Context, cursor string, _ time.Duration, most int) (stdio.Occurrences, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.reads++
	from, err := strconv.Atoi(cursor)
	if err != nil || from > n.end {
		return stdio.Occurrences{From: fmt.Sprint(n.end), Next: fmt.Sprint(n.end), Truncated: cursor != ""}, nil
	}
	out := stdio.Occurrences{Truncated: from < n.gone, From: fmt.Sprint(max(from, n.gone))}
	for i := max(from, n.gone) + 1; i <= n.end && len(out.List) < most; i++ {
		out.List = append(out.List, stdio.Occurrence{ID: fmt.Sprint("e", i), At: time.Unix(int64(i), 0),
			Cursor: fmt.Sprint(i),
			Data:   json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))})
	}
	last := max(from, n.gone) + len(out.List)
	out.Next, out.More = fmt.Sprint(last), last < n.end
	return out, nil
}

func (n *numbers) Wait(ctx context.Context, cursor string) error {
	for {
		n.mu.Lock()
		at, _ := strconv.Atoi(cursor)
		more, there := n.more, n.end > at
		n.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// to sets the end of the log.
func (n *numbers) to(end int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.end = end
	if n.more != nil {
		close(n.more)
	}
	n.more = make(chan struct{})
}

func TestEventPoll(t *testing.T) {
	log := &numbers{end: 5, gone: 2}
	w := dial(t, stdio.Options{Events: log})
	for _, c := range []struct {
		name, method, rest string
		code               int
		want               string
	}{
		{"list", "events/list", ``, 0, `"delivery":["poll","push"]`},
		{"discover", "server/discover", ``, 0, `"io.modelcontextprotocol/events":{"listChanged":false}`},
		{"from now", "events/poll", `"name":"number","cursor":null`, 0,
			`"cursor":"5","events":[],"hasMore":false,"nextPollMs":2000,"resultType":"complete","truncated":false`},
		{"after a cursor", "events/poll", `"name":"number","cursor":"4"`, 0,
			`"eventId":"e5","name":"number","timestamp":"1970-01-01T00:00:05.000Z"`},
		{"a part", "events/poll", `"name":"number","cursor":"2","maxEvents":2`, 0, `"hasMore":true`},
		{"a gap", "events/poll", `"name":"number","cursor":"1"`, 0, `"truncated":true`},
		{"of another log", "events/poll", `"name":"number","cursor":"foreign"`, 0, `"events":[]`},
		{"of another log, told", "events/poll", `"name":"number","cursor":"foreign"`, 0, `"truncated":true`},
		{"a cursor that is no text", "events/poll", `"name":"number","cursor":5`, -32602, ""},
		{"no such type", "events/poll", `"name":"x"`, -32023, `"kind":"event"`},
		{"no events at all", "events/poll", `"name":"number","maxEvents":0`, -32602, ""},
		{"a negative age", "events/poll", `"name":"number","maxAgeMs":-1`, -32602, ""},
		{"unfit arguments", "events/poll", `"name":"number","arguments":{"no":1}`, -32602, "No such number."},
		{"another spelling", "events/poll", `"name":"number","MaxEvents":1`, -32602, "exact"},
		{"webhook", "events/subscribe", `"name":"number"`, -32026, `"feature":"deliveryMode"`},
		{"stream of no type", "events/stream", `"name":"x"`, -32023, `"kind":"event"`},
		{"stream of so many", "events/stream", `"name":"number","maxEvents":3`, -32602, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.send(modern(`"p"`, c.method, `{}`, c.rest))
			if m := w.next(); m.id() != `"p"` || m.code() != c.code || !strings.Contains(m.line, c.want) {
				t.Errorf("got %s", m.line)
			}
		})
	}
}

func TestEventStreams(t *testing.T) {
	open := func(t *testing.T, log *numbers, beat time.Duration) *wire {
		return dial(t, stdio.Options{Events: log, Heartbeat: beat, Admission: 2, Concurrency: 1})
	}
	want := func(t *testing.T, w *wire, id, method string, parts ...string) {
		t.Helper()
		m := w.next()
		for _, part := range append(parts, `"io.modelcontextprotocol/subscriptionId":`+id) {
			if m.Method != "notifications/events/"+method || !strings.Contains(m.line, part) {
				t.Fatalf("want %s %v, got %s", method, parts, m.line)
			}
		}
	}
	t.Run("order, two streams, ids as written, cancelling", func(t *testing.T) {
		log := &numbers{end: 3}
		log.to(3)
		w := open(t, log, time.Hour)
		w.send(modern(`"7"`, "events/stream", `{}`, `"name":"number","cursor":"1"`))
		want(t, w, `"7"`, "active", `"cursor":"1"`, `"truncated":false`)
		want(t, w, `"7"`, "event", `"eventId":"e2"`, `"cursor":"2"`)
		want(t, w, `"7"`, "event", `"eventId":"e3"`, `"data":{"n":3}`)
		w.send(modern(`7`, "events/stream", `{}`, `"name":"number"`))
		want(t, w, `7`, "active", `"cursor":"3"`)
		w.send(cancel(`"7"`))
		w.send(modern("1", "tools/call", "{}", `"name":"test.echo","arguments":{"text":"through"}`))
		if m := w.next(); m.text() != "through" {
			t.Fatalf("a stream takes the place of a call: %s", m.line)
		}
		log.to(4)
		want(t, w, `7`, "event", `"eventId":"e4"`)
		if err := w.end(); err != nil {
			t.Fatal(err)
		}
		if m := w.next(); m.id() != "7" || !strings.Contains(string(m.Result), `"io.modelcontextprotocol/subscriptionId":7`) {
			t.Errorf("the end of a stream: %s", m.line)
		}
	})
	t.Run("a gap and signs of life", func(t *testing.T) {
		log := &numbers{end: 3, gone: 2}
		log.to(3)
		w := open(t, log, 5*time.Millisecond)
		w.send(modern(`1`, "events/stream", `{}`, `"name":"number","cursor":"0"`))
		want(t, w, `1`, "active", `"cursor":"2"`, `"truncated":true`)
		want(t, w, `1`, "event", `"eventId":"e3"`)
		want(t, w, `1`, "heartbeat", `"cursor":"3"`)
		w.send(cancel(`1`))
	})
	t.Run("a client that stops reading holds up its stream alone", func(t *testing.T) {
		log := &numbers{}
		log.to(10_000)
		w := open(t, log, time.Hour)
		w.send(modern(`1`, "events/stream", `{}`, `"name":"number","cursor":"0"`))
		want(t, w, `1`, "active")
		log.to(10_100) // a writer never blocks; the other events stay in the log
		for i := 1; i <= 10_100; i++ {
			want(t, w, `1`, "event", fmt.Sprintf(`"eventId":"e%d"`, i))
		}
		if log.reads > 20 {
			t.Errorf("%d reads of the log", log.reads)
		}
	})
	t.Run("too many", func(t *testing.T) {
		log := &numbers{}
		log.to(1)
		w := open(t, log, time.Hour)
		for i := range 64 {
			w.send(modern(fmt.Sprint(i), "events/stream", `{}`, `"name":"number"`))
			w.next()
		}
		w.send(modern("64", "events/stream", `{}`, `"name":"number"`))
		if m := w.next(); m.code() != -32025 || !strings.Contains(m.line, `"max":64`) {
			t.Errorf("got %s", m.line)
		}
	})
}
