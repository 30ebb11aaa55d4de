package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
	"github.com/sayurintent/sayurintent/tools"
	"github.com/sayurintent/sayurintent/tools/tool"
)

// told is a server whose answers contain lines, over a store.
type told struct {
	t   *testing.T
	db  *store.DB
	log *tools.Telling
	ask func(name, args string) map[string]any
}

func telling(t *testing.T) *told {
	hub := &events.Hub{}
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(double.Dir(t), "data"), Now: time.Now, Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b := &told{t: t, db: db, log: tools.NewTelling(db, db.Bus(t.Context()), hub)}
	t.Cleanup(b.log.Close)
	about := tools.About{Version: "test", Network: "sui:sandbox"}
	s := tool.NewServer(tool.Identity{Name: "n", Version: "v"})
	tool.Register(s, tools.All(tools.Deps{About: about, Bus: db}), slog.New(slog.DiscardHandler))
	b.ask = func(name, args string) map[string]any {
		t.Helper()
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name,
			args)
		data, err := json.Marshal(s.HandleMessage(tool.WithSession(context.Background(), &tool.Session{Lines: b.log}),
			json.RawMessage(message)))
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Result map[string]any }
		if err := json.Unmarshal(data, &v); err != nil || v.Result == nil {
			t.Fatalf("%s: %v", data, err)
		}
		return v.Result
	}
	return b
}

// end creates a task that ends immediately.
func (b *told) end(result string) bus.Task {
	b.t.Helper()
	task, err := b.db.CreateTask(b.t.Context(), bus.Task{Session: b.db.Bus(b.t.Context()), Kind: bus.KindScan,
		Tool: "task.scan_activity"})
	if err == nil {
		_, _, err = b.db.StepTask(b.t.Context(), task.ID, bus.Step{End: bus.Completed, Result: json.RawMessage(result)})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return task
}

// lines returns the lines in an answer, as structured content and as text.
func lines(t *testing.T, r map[string]any) (texts []string) {
	t.Helper()
	list, _ := r["structuredContent"].(map[string]any)["systemEvents"].([]any)
	for _, l := range list {
		texts = append(texts, l.(map[string]any)["text"].(string))
	}
	content := r["content"].([]any)
	if len(texts) == 0 && len(content) != 1 ||
		len(texts) > 0 && content[len(content)-1].(map[string]any)["text"] != strings.Join(texts, "\n") {
		t.Errorf("the text of the answer differs from its lines %v: %v", texts, content)
	}
	return texts
}

const anyTool, noArgs = "read.list_deepbook_pools", `{}`

func TestTelling(t *testing.T) {
	t.Run("R003-14 R003-16 a result stands beside the next answer, once", func(t *testing.T) {
		b := telling(t)
		before := b.ask(anyTool, noArgs)
		if got := lines(t, before); got != nil {
			t.Fatalf("lines without an event: %v", got)
		}
		task := b.end(`{"pages":2}`)
		want := []string{"[[SYSTEM: Tool task.scan_activity (task " + task.ID + `) completed: {"pages":2}]]`}
		if diff := cmp.Diff(want, lines(t, b.ask(anyTool, noArgs))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(before, b.ask(anyTool, noArgs)); diff != "" {
			t.Errorf("nothing is pending, and the answer differs: %s", diff)
		}
	})
	t.Run("what the last answer carried counts as delivered when the client is gone", func(t *testing.T) {
		b := telling(t)
		b.end(`{}`)
		lines(t, b.ask(anyTool, noArgs))
		for range 2 {
			b.log.Delivered(t.Context())
		}
		left, err := b.db.Read(t.Context(), bus.Consumer{Name: "agent/" + b.db.Bus(t.Context()),
			Filter: bus.Filter{Session: b.db.Bus(t.Context()), Sees: bus.Agent}}, 9)
		if err != nil || len(left.Events) != 0 {
			t.Error(left, err)
		}
	})
	t.Run("a refusal carries them as text alone", func(t *testing.T) {
		b := telling(t)
		b.end(`{}`)
		r := b.ask(anyTool, `{"nonsense":1}`)
		content := r["content"].([]any)
		if _, there := r["structuredContent"]; there || r["isError"] != true || len(content) != 2 {
			t.Errorf("%v", r)
		}
	})
	t.Run("R003-155 urgent ones stand before others, five at a time, none is lost", func(t *testing.T) {
		b := telling(t)
		for range 7 {
			b.end(`{}`)
		}
		response, err := bus.NewEvent(b.db.Bus(t.Context()), "task/x", bus.WalletTxResponse{Status: bus.Rejected,
			RequestID: "r"})
		if err == nil {
			_, err = b.db.Append(t.Context(), response)
		}
		if err != nil {
			t.Fatal(err)
		}
		first, second, third := lines(t, b.ask(anyTool, noArgs)), lines(t, b.ask(anyTool, noArgs)),
			lines(t, b.ask(anyTool, noArgs))
		if len(first) != 5 || first[0] != "[[SYSTEM: tx rejected by the user]]" || len(second) != 3 || third != nil {
			t.Errorf("%d, %d and %d lines: %v", len(first), len(second), len(third), first)
		}
	})
	t.Run("an answer that was not written is no delivery, and neither is one of a process that died", func(t *testing.T) {
		b := telling(t)
		b.end(`{}`)
		list, undo := b.log.Pending(t.Context(), nil, nil)
		undo()
		if again, _ := b.log.Pending(t.Context(), nil, nil); len(list) != 1 || cmp.Diff(list, again) != "" {
			t.Errorf("first %v, then %v", list, again)
		}
		successor := tools.NewTelling(b.db, b.db.Bus(b.t.Context()), &events.Hub{})
		defer successor.Close()
		if again, _ := successor.Pending(t.Context(), nil, nil); len(again) != 1 {
			t.Errorf("after a kill: %v", again)
		}
	})
	t.Run("a call that names a task hears of that task alone", func(t *testing.T) {
		b := telling(t)
		mine, other := b.end(`{}`), b.end(`{}`)
		list, _ := b.log.Pending(t.Context(), &tool.About{Tasks: []string{other.ID}}, nil)
		if len(list) != 1 || !strings.Contains(list[0].Text, other.ID) {
			t.Errorf("%v", list)
		}
		if rest, _ := b.log.Pending(t.Context(), nil, nil); len(rest) != 1 || !strings.Contains(rest[0].Text, mine.ID) {
			t.Errorf("%v", rest)
		}
	})
	t.Run("events.wait is woken by what comes, and goes on from its cursor", func(t *testing.T) {
		b := telling(t)
		state := b.ask("task.list", noArgs)["structuredContent"].(map[string]any)["data"].(map[string]any)
		if state["bus"] != b.db.Bus(t.Context()) {
			t.Errorf("the conversation is %v", state["bus"])
		}
		answer := make(chan map[string]any, 1)
		go func() { answer <- b.ask("events.wait", `{"after_seq":0}`) }()
		task := b.end(`{}`)
		data := (<-answer)["structuredContent"].(map[string]any)["data"].(map[string]any)
		list := data["events"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["task_id"] != task.ID || data["outcome"] != "status_reached" {
			t.Errorf("%v", data)
		}
		next := b.ask("events.list", fmt.Sprintf(`{"cursor":%q}`, data["cursor"]))
		if data := next["structuredContent"].(map[string]any)["data"].(map[string]any); len(data["events"].([]any)) != 0 ||
			data["truncated"] != false {
			t.Errorf("after the cursor: %v", data)
		}
	})
}

// Waiting events can be read without being delivered, and subscribers are notified of changes.
func TestPending(t *testing.T) {
	read := func(t *testing.T, b *told, conversation bool) string {
		t.Helper()
		text, err := b.log.Waiting(t.Context(), conversation)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Run("R003-14 reading delivers nothing", func(t *testing.T) {
		b := telling(t)
		if got := read(t, b, true); got != `{"waiting":0,"readBy":"events.list"}` {
			t.Errorf("nothing waits: %s", got)
		}
		task := b.end(`{}`)
		for range 2 {
			if got := read(t, b, true); !strings.Contains(got, `"waiting":1`) || !strings.Contains(got, task.ID) {
				t.Errorf("one waits: %s", got)
			}
		}
		if got := lines(t, b.ask(anyTool, noArgs)); len(got) != 1 {
			t.Errorf("the next answer carries %v", got)
		}
		if got := read(t, b, true); !strings.Contains(got, `"waiting":0`) {
			t.Errorf("it was told: %s", got)
		}
	})
	t.Run("another conversation of the pipe is shown how many, and none of them", func(t *testing.T) {
		b := telling(t)
		b.end(`{}`)
		if got := read(t, b, false); got != `{"waiting":1,"readBy":"events.list"}` {
			t.Error(got)
		}
	})
	t.Run("changes are told from before the subscription on", func(t *testing.T) {
		b := telling(t)
		b.end(`{}`)
		ctx, stop := context.WithCancel(t.Context())
		changed, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			b.log.Changes(ctx, func() { changed <- struct{}{} })
		}()
		<-changed
		b.end(`{}`)
		<-changed
		stop()
		<-done
	})
}

// The Tasks extension gets the same as the tool that reads tasks.
func TestTaskSource(t *testing.T) {
	b := telling(t)
	source := tools.NewTaskSource(tools.Deps{About: tools.About{Version: "test", Network: "sui:sandbox"}, Bus: b.db})
	task := b.end(`{"pages":2}`)
	settled, err := source.Settled(t.Context(), task.ID)
	if err != nil || settled.State != bus.Completed {
		t.Fatal(settled.State, err)
	}
	result, err := source.Result(t.Context(), settled)
	var v struct {
		IsError    bool
		ResultType string
		Content    []struct{ Text string }
		Structured json.RawMessage `json:"structuredContent"`
	}
	if err != nil || json.Unmarshal(result, &v) != nil || v.IsError || v.ResultType != "complete" || len(v.Content) != 1 ||
		v.Content[0].Text != string(v.Structured) || !strings.Contains(v.Content[0].Text, `{\"pages\":2}`) {
		t.Errorf("%s, %v", result, err)
	}
	settled.Error = "timeout"
	if result, err = source.Result(t.Context(), settled); err != nil || !strings.Contains(string(result),
		`"isError":true`) {
		t.Errorf("a task that did not succeed: %s, %v", result, err)
	}
}

// heard is a log that reports when it is waited on.
type heard struct {
	*store.DB
	waits chan struct{}
}

func (h heard) Wait(ctx context.Context, f bus.Filter, after bus.Seq) error {
	select {
	case h.waits <- struct{}{}:
	default:
	}
	return h.DB.Wait(ctx, f, after)
}

// TestPush checks that a line is pushed once, and still waits for the next answer.
func TestPush(t *testing.T) {
	b := telling(t)
	b.end(`{"before":1}`)
	said, waits := make(chan string, 8), make(chan struct{}, 1)
	log := tools.NewTelling(heard{b.db, waits}, b.db.Bus(t.Context()), &events.Hub{})
	defer log.Close()
	go log.Push(t.Context(), func(l bus.Line) { said <- l.Text })
	<-waits
	b.end(`{"n":1}`)
	first := <-said
	<-waits
	if !strings.Contains(first, `completed: {"n":1}`) || len(said) > 0 {
		t.Errorf("said %q, and %d more", first, len(said))
	}
	if got := lines(t, b.ask(anyTool, noArgs)); !slices.Contains(got, first) {
		t.Errorf("%q was said, and the next answer has only %v", first, got)
	}
}

// growing is a log that gets an event between its snapshot and the next reading.
type growing struct {
	heard
	grow chan func()
}

func (g growing) Read(ctx context.Context, c bus.Consumer, most int) (bus.Page, error) {
	select {
	case add := <-g.grow:
		add()
	default:
	}
	return g.heard.Read(ctx, c, most)
}

// TestPushOnce checks that a line that arrives while others are read is pushed once, and only to
// the requesting conversation. Another connection of that conversation pushes later lines.
func TestPushOnce(t *testing.T) {
	b := telling(t)
	connect := func(conversation string) (said chan string, waits chan struct{}, grow chan func(), end func()) {
		said, waits, grow = make(chan string, 8), make(chan struct{}, 1), make(chan func(), 1)
		log := tools.NewTelling(growing{heard{b.db, waits}, grow}, conversation, &events.Hub{})
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() { defer close(over); log.Push(ctx, func(l bus.Line) { said <- l.Text }) }()
		return said, waits, grow, func() { cancel(); <-over; log.Close() }
	}
	mine := b.db.Bus(t.Context())
	said, waits, grow, end := connect(mine)
	foreign, _, _, endForeign := connect("another conversation")
	<-waits
	grow <- func() { b.end(`{"n":2}`) }
	b.end(`{"n":1}`)
	for _, want := range []string{`{"n":1}`, `{"n":2}`} {
		if got := <-said; !strings.Contains(got, want) {
			t.Errorf("said %q, want %s", got, want)
		}
	}
	b.end(`{"n":3}`)
	if got := <-said; !strings.Contains(got, `{"n":3}`) {
		t.Errorf("said %q, want n 3", got)
	}
	end()
	b.end(`{"n":4}`) // while no client is connected
	said, waits, _, end = connect(mine)
	<-waits
	b.end(`{"n":5}`)
	if got := <-said; !strings.Contains(got, `{"n":5}`) {
		t.Errorf("after a new connection: said %q, want n 5", got)
	}
	end()
	endForeign()
	if len(foreign)+len(said) > 0 {
		t.Errorf("said to another conversation: %d; twice: %d", len(foreign), len(said))
	}
	if got := lines(t, b.ask(anyTool, noArgs)); !slices.ContainsFunc(got, func(s string) bool {
		return strings.Contains(s, `{"n":4}`)
	}) {
		t.Errorf("what came in between is not in the next answer: %v", got)
	}
}
