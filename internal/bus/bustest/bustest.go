// Package bustest is the test suite for implementations of the bus.
package bustest

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// Engine is one log opened twice, as if by two processes. Until the test ends, each handle sees
// what the other commits.
type Engine struct {
	Here, There bus.Log
	Pass        func(time.Duration) // advances the clock of both handles
	// Replace replaces the log with another one, as importing a backup does. It is nil if the
	// engine does not support that.
	Replace func()
}

// patience is a timeout that even a slow machine does not reach.
const patience = 30 * time.Second

// Conformance runs the suite. Each part gets an engine with an empty log.
func Conformance(t *testing.T, open func(*testing.T) Engine) {
	for name, part := range map[string]func(*testing.T, Engine){
		"order": order, "cursors": cursors, "audience": audience, "R003-153 dedup": dedup, "wait": wait,
		"trim": trim, "agent rows": agentRows, "foreign": foreign, "snapshot": snapshot, "refused": refused,
	} {
		t.Run(name, func(t *testing.T) { part(t, open(t)) })
	}
}

// Note returns an event for the pages of a session.
func Note(session, text string) bus.Event {
	e, err := bus.NewEvent(session, "note/"+text, bus.SystemNotice{Message: text})
	if err != nil {
		panic(err) // cannot happen: the body is valid
	}
	return e
}

// Result returns an event for the pages and the agent of a session.
func Result(session, id string) bus.Event {
	e, err := bus.NewEvent(session, "task/"+id, bus.ToolResult{TaskID: id, ToolName: "test",
		Result: json.RawMessage("null")})
	if err != nil {
		panic(err) // cannot happen: the body is valid
	}
	return e
}

func page(name, session string) bus.Consumer {
	return bus.Consumer{Name: name, Filter: bus.Filter{Session: session, Sees: bus.UI}}
}

func put(t *testing.T, log bus.Log, list ...bus.Event) []bus.Appended {
	t.Helper()
	out, err := log.Append(t.Context(), list...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, log bus.Log, c bus.Consumer, most int) bus.Page {
	t.Helper()
	p, err := log.Read(t.Context(), c, most)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// texts returns the events' subjects without their kinds, for comparison.
func texts(p bus.Page) string {
	var list []string
	for _, e := range p.Events {
		_, name, _ := strings.Cut(e.Subject, "/")
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

func want(t *testing.T, got bus.Page, list string) {
	t.Helper()
	if texts(got) != list || got.Truncated {
		t.Fatalf("read %q (truncated %v), want %q", texts(got), got.Truncated, list)
	}
}

func advance(t *testing.T, log bus.Log, c bus.Consumer, to bus.Seq) {
	t.Helper()
	if err := log.Advance(t.Context(), c, to); err != nil {
		t.Fatal(err)
	}
}

// All readers and handles see the same order.
func order(t *testing.T, e Engine) {
	var last bus.Seq
	for i := range 20 {
		log := []bus.Log{e.Here, e.There}[i%2]
		for _, a := range put(t, log, Note("s", strconv.Itoa(2*i)), Note("s", strconv.Itoa(2*i+1))) {
			if a.Seq <= last || a.Duplicate {
				t.Fatalf("event %d stands at %d after %d", i, a.Seq, last)
			}
			last = a.Seq
		}
	}
	first := read(t, e.Here, page("p", "s"), 15)
	if !first.More || len(first.Events) != 15 || first.Next.Seq != first.Events[14].Seq {
		t.Fatalf("a part of the log: %d events, more %v", len(first.Events), first.More)
	}
	rest, err := e.There.Since(t.Context(), first.Next, bus.Filter{Session: "s", Sees: bus.UI}, 1000)
	if err != nil || rest.More || len(rest.Events) != 25 || rest.Events[0].Subject != "note/15" {
		t.Fatalf("the rest: %d events, %v", len(rest.Events), err)
	}
	if rest.Events[24].At.IsZero() || string(rest.Events[24].Payload) != `{"type":"SystemNotice","message":"39"}` {
		t.Errorf("an event came back as %+v", rest.Events[24])
	}
}

// Each reader has its own cursor. Reading does not move it, and it never moves back.
func cursors(t *testing.T, e Engine) {
	at := put(t, e.Here, Note("s", "a"), Note("s", "b"), Note("s", "c"))
	p, q := page("p", "s"), page("q", "s")
	for range 2 {
		want(t, read(t, e.Here, p, 10), "a b c")
	}
	advance(t, e.Here, p, at[1].Seq)
	want(t, read(t, e.There, p, 10), "c")
	advance(t, e.There, p, at[0].Seq)
	want(t, read(t, e.Here, p, 10), "c")
	want(t, read(t, e.Here, q, 10), "a b c")
	if err := e.Here.Advance(t.Context(), p, at[2].Seq+1000); err == nil {
		t.Error("a cursor goes past the end")
	}
	if err := e.Here.Advance(t.Context(), p, -1); err == nil {
		t.Error("a cursor goes before the beginning")
	}
}

// A reader sees only events of its session and audience.
func audience(t *testing.T, e Engine) {
	put(t, e.Here, Note("s", "mine"), Note("other", "theirs"), Note("", "all"), Result("s", "result"))
	want(t, read(t, e.Here, page("p", "s"), 10), "mine all result")
	want(t, read(t, e.Here, page("none", ""), 10), "all")
	agent := bus.Consumer{Name: "agent", Filter: bus.Filter{Session: "s", Sees: bus.Agent}}
	want(t, read(t, e.Here, agent, 10), "result")
	agent.Types = []bus.Type{bus.TypeWalletTxResponse}
	want(t, read(t, e.Here, agent, 10), "")
	agent.Types = []bus.Type{bus.TypeWalletTxResponse, bus.TypeToolResult}
	want(t, read(t, e.Here, agent, 10), "result")
	agent.Subject = "task/another"
	want(t, read(t, e.Here, agent, 10), "")
}

// A duplicate has the position of the first event. Events of different sessions are not duplicates.
func dedup(t *testing.T, e Engine) {
	first := put(t, e.Here, Result("s", "1"))[0]
	if again := put(t, e.There, Result("s", "1"))[0]; !again.Duplicate || again.Seq != first.Seq {
		t.Errorf("a repetition is %+v, the first %+v", again, first)
	}
	if other := put(t, e.Here, Result("other", "1"))[0]; other.Duplicate || other.Seq <= first.Seq {
		t.Errorf("another session's is %+v", other)
	}
	same := put(t, e.Here, Note("s", "x"), Note("s", "x"))
	if same[0].Duplicate || same[1].Duplicate || same[0].Seq == same[1].Seq {
		t.Error("events without a key are taken for repetitions")
	}
	want(t, read(t, e.Here, page("p", "s"), 10), "1 x x")
}

// An append through either handle wakes a waiting reader, which does not wake before.
func wait(t *testing.T, e Engine) {
	for name, from := range map[string]bus.Log{"here": e.Here, "there": e.There} {
		for _, session := range []string{"s", ""} {
			state, err := e.Here.Snapshot(t.Context(), "s")
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), patience)
			woken := make(chan error, 1)
			go func() {
				woken <- e.Here.Wait(ctx, bus.Filter{Session: "s", Sees: bus.UI}, state.Cursor.Seq)
			}()
			put(t, from, Note("other", "no"))
			select {
			case err := <-woken:
				t.Fatalf("woken by another session (%v)", err)
			default:
			}
			put(t, from, Note(session, "yes"))
			if err := <-woken; err != nil {
				t.Errorf("an append %s for %q: %v", name, session, err)
			}
			stop()
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	state, err := e.Here.Snapshot(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Here.Wait(ctx, bus.Filter{Session: "s", Sees: bus.UI}, state.Cursor.Seq); err == nil {
		t.Error("a cancelled wait ends without an error")
	}
}

// Removed events are reported only to readers that would have received them.
func trim(t *testing.T, e Engine) {
	at := put(t, e.Here, Note("s", "1"), Note("s", "2"), Note("s", "3"), Note("s", "4"), Note("other", "5"))
	p, q, o := page("p", "s"), page("q", "s"), page("o", "other")
	advance(t, e.Here, p, at[0].Seq)
	advance(t, e.Here, q, at[2].Seq)
	policy := bus.Policy{Age: time.Hour, Rows: 2, AgentAge: time.Minute}
	if err := e.There.Trim(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	if got := read(t, e.Here, p, 10); !got.Truncated || texts(got) != "3 4" || got.Next.Seq < at[3].Seq {
		t.Errorf("a reader who lost one: %+v", got)
	}
	want(t, read(t, e.Here, q, 10), "4")
	want(t, read(t, e.Here, o, 10), "5")
	e.Pass(2 * time.Hour)
	put(t, e.Here, Note("s", "6"))
	if err := e.Here.Trim(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	got := read(t, e.Here, q, 10)
	if !got.Truncated || texts(got) != "6" {
		t.Errorf("after the age: %+v", got)
	}
	fresh, err := e.Here.Since(t.Context(), got.Next, bus.Filter{Session: "s", Sees: bus.UI}, 10)
	if err != nil {
		t.Fatal(err)
	}
	want(t, fresh, "")
}

// Events for an agent may exceed the maximum number of rows, but not the maximum age.
func agentRows(t *testing.T, e Engine) {
	put(t, e.Here, Result("s", "a"), Result("s", "b"), Note("s", "c"), Result("s", "d"))
	policy := bus.Policy{Age: time.Hour, Rows: 1, AgentAge: 24 * time.Hour}
	e.Pass(2 * time.Hour)
	if err := e.Here.Trim(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	agent := bus.Consumer{Name: "agent", Filter: bus.Filter{Session: "s", Sees: bus.Agent}}
	want(t, read(t, e.Here, agent, 10), "a b d")
	e.Pass(23 * time.Hour)
	if err := e.Here.Trim(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	if got := read(t, e.Here, agent, 10); texts(got) != "" || !got.Truncated {
		t.Errorf("after a day: %q, truncated %v", texts(got), got.Truncated)
	}
}

// A read with a cursor of another log, or beyond the end, is reported as truncated.
func foreign(t *testing.T, e Engine) {
	put(t, e.Here, Note("s", "a"))
	id, err := e.Here.ID(t.Context())
	if there, err2 := e.There.ID(t.Context()); err != nil || err2 != nil || id != there || len(id) != 32 {
		t.Fatalf("the log is called %q and %q (%v, %v)", id, there, err, err2)
	}
	f := bus.Filter{Session: "s", Sees: bus.UI}
	for name, c := range map[string]bus.Cursor{
		"another log": {Log: strings.Repeat("0", 32), Seq: 1}, "after the end": {Log: id, Seq: 1 << 40},
	} {
		got, err := e.Here.Since(t.Context(), c, f, 10)
		if err != nil || !got.Truncated || texts(got) != "a" || got.Next.Log != id {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if e.Replace == nil {
		return
	}
	state, err := e.Here.Snapshot(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	e.Replace()
	put(t, e.Here, Note("s", "b"))
	got, err := e.There.Since(t.Context(), state.Cursor, f, 10)
	if err != nil || !got.Truncated || texts(got) != "b" || got.Next.Log == id {
		t.Errorf("after a restore: %+v, %v", got, err)
	}
}

// No event falls between a snapshot and its cursor.
func snapshot(t *testing.T, e Engine) {
	put(t, e.Here, Note("s", "before"))
	state, err := e.Here.Snapshot(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	put(t, e.There, Note("s", "after"))
	got, err := e.Here.Since(t.Context(), state.Cursor, bus.Filter{Session: "s", Sees: bus.UI}, 10)
	if err != nil {
		t.Fatal(err)
	}
	want(t, got, "after")
}

// An invalid event is not stored, and neither are the other events of the same call.
func refused(t *testing.T, e Engine) {
	bad := Note("s", "bad")
	bad.Payload = json.RawMessage(`{"type":"SystemNotice","signature":"x"}`)
	if _, err := e.Here.Append(t.Context(), Note("s", "good"), bad); err == nil {
		t.Error("an event with a signature is stored")
	}
	want(t, read(t, e.Here, page("p", "s"), 10), "")
	for i := range 3 {
		put(t, e.Here, Note("s", fmt.Sprint(i)))
	}
	want(t, read(t, e.Here, page("p", "s"), 10), "0 1 2")
}
