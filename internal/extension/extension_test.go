package extension_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/bus/bustest"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/extension"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/stdio"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// source returns tasks and results as they are stored.
type source struct{ db *store.DB }

func (s source) Settled(ctx context.Context, id string) (bus.Task, error) { return s.db.Task(ctx, id) }

func (s source) Result(_ context.Context, t bus.Task) (json.RawMessage, error) { return t.Result, nil }

type world struct {
	*testing.T
	db     *store.DB
	tasks  extension.Tasks
	events extension.Events
	now    time.Time
}

func begin(t *testing.T) *world {
	w := &world{T: t, now: time.Unix(1_800_000_000, 0).UTC()}
	now := func() time.Time { return w.now }
	db, err := store.Open(t.Context(), store.Config{Dir: filepath.Join(double.Dir(t), "data"), Now: now,
		Hub: &events.Hub{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w.db, w.tasks, w.events = db, extension.Tasks{Log: db, Source: source{db}}, extension.Events{Log: db, Now: now}
	return w
}

func (w *world) task(t bus.Task) bus.Task {
	w.Helper()
	t.Tool, t.Session = "task.test", w.db.Bus(w.Context())
	t, err := w.db.CreateTask(w.Context(), t)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

func (w *world) step(id string, s bus.Step) {
	w.Helper()
	if _, took, err := w.db.StepTask(w.Context(), id, s); err != nil || !took {
		w.Fatal(took, err)
	}
}

func (w *world) shown(id string) stdio.Task {
	w.Helper()
	t, err := w.tasks.Task(w.Context(), id)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

// TestTasks checks how stored tasks appear in the extension.
func TestTasks(t *testing.T) {
	t.Run("states", func(t *testing.T) {
		w := begin(t)
		a := w.task(bus.Task{Kind: bus.KindScan, Stage: "page 1", WaitingFor: bus.WaitsWallet})
		if s := w.shown(a.ID); s.Status != "working" || s.Message != "page 1, waiting for the wallet" ||
			s.Keep < 24*time.Hour {
			t.Errorf("%+v", s)
		}
		w.step(a.ID, bus.Step{End: bus.Completed, Error: "timeout", Result: json.RawMessage(`{"content":[],"isError":true}`)})
		if s := w.shown(a.ID); s.Status != "completed" || !strings.Contains(string(s.Result), "isError") {
			t.Errorf("a task whose time is over: %+v", s)
		}
		b := w.task(bus.Task{Kind: bus.KindScan})
		w.step(b.ID, bus.Step{End: bus.TaskFailed, Error: bus.ErrorInterrupted})
		if s := w.shown(b.ID); s.Status != "failed" || s.Message != "interrupted" || s.Result != nil {
			t.Errorf("a task whose process died: %+v", s)
		}
		if _, err := w.tasks.Task(t.Context(), "task_0"); !fault.Is(err, fault.SessionNotFound) {
			t.Errorf("an unknown task: %v", err)
		}
	})
	t.Run("a review is not cancelled, a scan is asked to stop", func(t *testing.T) {
		w := begin(t)
		for kind, want := range map[bus.Kind]bool{bus.KindReview: false, bus.KindScan: true} {
			task := w.task(bus.Task{Kind: kind})
			if err := w.tasks.Cancel(t.Context(), task.ID); err != nil {
				t.Fatal(err)
			}
			if after, err := w.db.Task(t.Context(), task.ID); err != nil || after.CancelRequested != want {
				t.Errorf("%s: %+v, %v", kind, after, err)
			}
		}
	})
	t.Run("following sees every state until the end", func(t *testing.T) {
		w := begin(t)
		task := w.task(bus.Task{Kind: bus.KindScan})
		seen := make(chan stdio.Task)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.tasks.Follow(t.Context(), task.ID, func(t stdio.Task) { seen <- t })
		}()
		for i, want := range []string{"working", "input_required", "working", "completed"} {
			if got := <-seen; got.Status != want {
				t.Fatalf("%d: %s, want %s", i, got.Status, want)
			}
			w.now = w.now.Add(time.Second)
			switch i {
			case 0:
				w.step(task.ID, bus.Step{Ask: map[string]json.RawMessage{"q": json.RawMessage(`{}`)}})
			case 1:
				if err := w.tasks.Answer(t.Context(), task.ID, map[string]json.RawMessage{"q": json.RawMessage(`{}`)}); err != nil {
					t.Fatal(err)
				}
			case 2:
				w.step(task.ID, bus.Step{End: bus.Completed})
			}
		}
		<-done
	})
}

// TestAnswers checks that a client's answers are stored.
func TestAnswers(t *testing.T) {
	w := begin(t)
	task := w.task(bus.Task{Kind: bus.KindQuestion})
	question := json.RawMessage(`{"method":"elicitation/create"}`)
	w.step(task.ID, bus.Step{Ask: map[string]json.RawMessage{"a": question, "b": question}})
	answer := func(key, value string) error {
		return w.tasks.Answer(t.Context(), task.ID, map[string]json.RawMessage{key: json.RawMessage(value)})
	}
	if s := w.shown(task.ID); s.Status != "input_required" || len(s.Inputs) != 2 ||
		string(s.Inputs["a"]) != string(question) {
		t.Fatalf("%+v", s)
	}
	if err := answer("a", `{"privateKey":"x"}`); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("an answer with a key in it: %v", err)
	}
	if err := answer("a", `"`+strings.Repeat("x", 20_000)+`"`); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a large answer: %v", err)
	}
	for _, key := range []string{"unknown", "a", "a"} {
		if err := answer(key, `{"action":"accept"}`); err != nil {
			t.Fatal(err)
		}
	}
	if s := w.shown(task.ID); s.Status != "input_required" || len(s.Inputs) != 1 || s.Inputs["b"] == nil {
		t.Errorf("after one answer: %+v", s)
	}
	if err := answer("b", `{"action":"decline"}`); err != nil {
		t.Fatal(err)
	}
	after, err := w.db.Task(t.Context(), task.ID)
	if err != nil || after.State != bus.Working || string(after.Inputs["b"].Answer) != `{"action":"decline"}` {
		t.Errorf("after both: %+v, %v", after, err)
	}
}

func (w *world) subscribe(name, arguments string) (stdio.Subscription, error) {
	return w.events.Subscribe(w.Context(), name, json.RawMessage(arguments))
}

func (w *world) read(s stdio.Subscription, cursor string, age time.Duration) (stdio.Occurrences, string) {
	w.Helper()
	page, err := s.Read(w.Context(), cursor, age, 10)
	if err != nil {
		w.Fatal(err)
	}
	var data []string
	for _, o := range page.List {
		data = append(data, string(o.Data))
	}
	return page, strings.Join(data, " ")
}

// TestSubscriptions checks which subscriptions are accepted and what they return.
func TestSubscriptions(t *testing.T) {
	w := begin(t)
	review := w.task(bus.Task{Kind: bus.KindReview, Subject: "review/rev_1"})
	scan := w.task(bus.Task{Kind: bus.KindScan})
	for name, arguments := range map[string]string{"no handle": `{}`, "two things": `{"task_id":"` + scan.ID +
		`","review_session_id":"rev_1"}`,
		"another bus": `{"task_id":"` + scan.ID + `","bus":"conv_0"}`, "unknown task": `{"task_id":"task_0"}`,
		"unknown member": `{"bus":"b","x":1}`, "no review": `{"review_session_id":"rev_2"}`} {
		t.Run(name, func(t *testing.T) {
			if _, err := w.subscribe("task.finished", arguments); err == nil {
				t.Error("it is taken")
			}
		})
	}
	if _, err := w.subscribe("notice.for_agent", `{"task_id":"`+scan.ID+`"}`); err == nil {
		t.Error("notices are of a conversation")
	}
	mine, err := w.subscribe("task.finished", `{"task_id":"`+scan.ID+`"}`)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := w.subscribe("task.finished", `{"bus":"`+w.db.Bus(w.Context())+`"}`)
	moved, _ := w.subscribe("review.changed", `{"bus":"`+w.db.Bus(w.Context())+`"}`)
	begun, none := w.read(mine, "", 0)
	if none != "" || begun.Truncated || begun.From != begun.Next {
		t.Fatalf("a beginning: %+v", begun)
	}
	hash := "0x1"
	w.step(review.ID, bus.Step{Stage: "ready"})
	w.step(scan.ID, bus.Step{Stage: "page 1"})
	w.now = w.now.Add(time.Hour)
	w.step(review.ID, bus.Step{Response: &bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &hash}, End: bus.Completed})
	w.step(scan.ID, bus.Step{End: bus.Completed, Error: "timeout"})
	scanned := `{"outcome":"failed: timeout","task_id":"` + scan.ID + `","tool":"task.test"}`
	reviewed := `{"outcome":"succeeded","task_id":"` + review.ID + `","tool":"task.test"}`
	page, got := w.read(mine, begun.Next, 0)
	if got != scanned || page.Truncated || page.From != begun.Next || page.List[0].Cursor != page.Next && page.More {
		t.Errorf("of one task: %s, %+v", got, page)
	}
	if again, _ := w.read(mine, begun.Next, 0); again.List[0].ID != page.List[0].ID {
		t.Error("an event has another id when it is delivered again")
	}
	if _, got := w.read(all, begun.Next, 0); got != reviewed+" "+scanned {
		t.Errorf("of a conversation: %s", got)
	}
	stage := func(s string) string {
		return `{"review_session_id":"rev_1","stage":"` + s + `","task_id":"` + review.ID + `"}`
	}
	if _, got := w.read(moved, begun.Next, 0); got != stage("ready")+" "+stage("ended") {
		t.Errorf("of reviews: %s", got)
	}
	if page, got := w.read(moved, begun.Next, time.Minute); got != stage("ended") || !page.Truncated {
		t.Errorf("of the last minute: %s, %+v", got, page)
	}
	wallet, _ := w.subscribe("wallet_tx.response", `{"review_session_id":"rev_1"}`)
	if _, got := w.read(wallet, begun.Next, 0); !strings.Contains(got, `"status":"confirmed"`) || !strings.Contains(got,
		`"tx_hash":"0x1"`) {
		t.Errorf("of the wallet: %s", got)
	}
	t.Run("of another log", func(t *testing.T) {
		end := page.Next
		for _, cursor := range []string{"anything", strings.Repeat("0", 32) + ".3", end[:33] + "999999"} {
			page, got := w.read(all, cursor, 0)
			if !page.Truncated || got != "" || page.Next != page.From || page.Next[:32] != end[:32] {
				t.Errorf("%s: %s, %+v", cursor, got, page)
			}
		}
		if err := w.db.Erase(t.Context(), "", func([]record.ID) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if page, got := w.read(all, end, 0); !page.Truncated || got != "" || page.Next[:32] == end[:32] {
			t.Errorf("a restored store: %s, %+v", got, page)
		}
	})
}

// TestTrimmed checks that a subscriber whose position was removed from the log is told of the gap
// and continues.
func TestTrimmed(t *testing.T) {
	w := begin(t)
	s, err := w.subscribe("task.finished", `{"bus":"s"}`)
	if err != nil {
		t.Fatal(err)
	}
	begun, _ := w.read(s, "", 0)
	put := func(id string) {
		if _, err := w.db.Append(t.Context(), bustest.Result("s", id)); err != nil {
			t.Fatal(err)
		}
	}
	put("task_1")
	w.now = w.now.Add(48 * time.Hour)
	put("task_2")
	if err := w.db.Trim(t.Context(), bus.Policy{Age: time.Hour, Rows: 10, AgentAge: time.Hour}); err != nil {
		t.Fatal(err)
	}
	page, got := w.read(s, begun.Next, 0)
	if !page.Truncated || !strings.Contains(got, "task_2") || strings.Contains(got, "task_1") {
		t.Fatalf("%s, %+v", got, page)
	}
	if again, got := w.read(s, page.From, 0); again.Truncated || !strings.Contains(got, "task_2") {
		t.Errorf("from where the gap ends: %s, %+v", got, again)
	}
}
