package bustest

import (
	"context"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// Readers are the agents of two conversations, which read one log from two processes.
type Readers struct {
	Here, There bus.Reader
	// Sessions are the names of the two conversations.
	Sessions [2]string
	// Append adds events to the log. It returns once both readers can receive them.
	Append func(...bus.Event) []bus.Appended
	// Again delivers every event a second time.
	Again func()
	// Forget removes all events, as retention does. Readers then start over.
	Forget func()
}

// Reading tests the reading part of a log, including implementations that only copy a log. Each
// test gets readers of an empty log.
func Reading(t *testing.T, open func(*testing.T) *Readers) {
	for name, part := range map[string]func(*testing.T, *Readers){
		"read": readingPages, "advance": readingOn, "wait": readingWaits, "truncation": readingTruncated,
		"again":   readingAgain,
		"foreign": readingForeign,
	} {
		t.Run(name, func(t *testing.T) { part(t, open(t)) })
	}
}

func agent(name, session string) bus.Consumer {
	return bus.Consumer{Name: name, Filter: bus.Filter{Session: session, Sees: bus.Agent}}
}

func (r *Readers) read(t *testing.T, from bus.Reader, c bus.Consumer, most int) bus.Page {
	t.Helper()
	p, err := from.Read(t.Context(), c, most)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (r *Readers) since(t *testing.T, from bus.Cursor, c bus.Consumer, most int) bus.Page {
	t.Helper()
	p, err := r.There.Since(t.Context(), from, c.Filter, most)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each conversation receives its own events once, in order and page by page.
func readingPages(t *testing.T, r *Readers) {
	s, o := r.Sessions[0], r.Sessions[1]
	at := r.Append(Result(s, "a"), Result(o, "x"), Note(s, "page"), Result(s, "b"), Result(s, "c"))
	want(t, r.read(t, r.Here, agent("p", s), 10), "a b c")
	want(t, r.read(t, r.There, agent("q", o), 10), "x")
	first := r.read(t, r.Here, agent("p", s), 2)
	want(t, first, "a b")
	if !first.More || first.Next.Seq != at[3].Seq {
		t.Errorf("a part: more %v, then from %v", first.More, first.Next)
	}
	want(t, r.since(t, first.Next, agent("p", s), 10), "c")
	some := agent("p", s)
	some.Types = []bus.Type{bus.TypeWalletTxResponse}
	want(t, r.read(t, r.Here, some, 10), "")
	some.Types, some.Subject = []bus.Type{bus.TypeToolResult}, "task/b"
	got := r.read(t, r.Here, some, 10)
	want(t, got, "b")
	if line, ok := bus.LineOf(got.Events[0]); !ok || line.Ref != "task.get" ||
		!strings.HasPrefix(line.Text, "[[SYSTEM: Tool test (task b) completed") {
		t.Errorf("its line is %+v", line)
	}
	if e := got.Events[0]; e.Seq != at[3].Seq || e.At.IsZero() || e.Session != s {
		t.Errorf("the event came as %+v", e)
	}
}

// A cursor moves only forward. It moves for all processes of its reader, and for no other reader.
func readingOn(t *testing.T, r *Readers) {
	s := r.Sessions[0]
	at := r.Append(Result(s, "a"), Result(s, "b"), Result(s, "c"))
	p := agent("p", s)
	for range 2 {
		want(t, r.read(t, r.Here, p, 10), "a b c")
	}
	move := func(from bus.Reader, to bus.Seq) error { return from.Advance(t.Context(), p, to) }
	if err := move(r.Here, at[1].Seq); err != nil {
		t.Fatal(err)
	}
	want(t, r.read(t, r.There, p, 10), "c")
	if err := move(r.There, at[0].Seq); err != nil {
		t.Fatal(err)
	}
	want(t, r.read(t, r.Here, p, 10), "c")
	want(t, r.read(t, r.Here, agent("q", s), 10), "a b c")
	if move(r.Here, at[2].Seq+1000) == nil || move(r.Here, -1) == nil {
		t.Error("a cursor goes to where no event is")
	}
}

// Only an event of its conversation wakes a waiting reader.
func readingWaits(t *testing.T, r *Readers) {
	s, o := r.Sessions[0], r.Sessions[1]
	r.Append(Result(s, "before"))
	state, err := r.Here.Snapshot(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	woken := make(chan error, 1)
	go func() { woken <- r.Here.Wait(ctx, agent("", s).Filter, state.Cursor.Seq) }()
	r.Append(Result(o, "no"))
	select {
	case err := <-woken:
		t.Fatalf("woken by another conversation (%v)", err)
	default:
	}
	r.Append(Result(s, "yes"))
	if err := <-woken; err != nil {
		t.Error(err)
	}
	want(t, r.since(t, state.Cursor, agent("", s), 10), "yes")
	ended, end := context.WithCancel(t.Context())
	end()
	if err := r.Here.Wait(ended, agent("", s).Filter, state.Cursor.Seq+1000); err == nil {
		t.Error("a cancelled wait ends without an error")
	}
}

// Removed events are reported only to readers that would have received them.
func readingTruncated(t *testing.T, r *Readers) {
	s, o := r.Sessions[0], r.Sessions[1]
	at := r.Append(Result(s, "a"), Result(s, "b"))
	log, err := r.Here.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Forget()
	r.Append(Result(s, "c"), Result(o, "x"))
	if got := r.since(t, bus.Cursor{Log: log, Seq: at[0].Seq}, agent("", s), 10); !got.Truncated || texts(got) != "c" ||
		got.Next.Log != log {
		t.Errorf("a reader who lost one: %+v", got)
	}
	want(t, r.since(t, bus.Cursor{Log: log, Seq: at[1].Seq}, agent("", s), 10), "c")
	want(t, r.since(t, bus.Cursor{Log: log}, agent("", o), 10), "x")
}

// An event that is delivered twice is read once.
func readingAgain(t *testing.T, r *Readers) {
	s := r.Sessions[0]
	r.Append(Result(s, "a"), Result(s, "b"))
	r.Again()
	r.Append(Result(s, "c"))
	for _, from := range []bus.Reader{r.Here, r.There} {
		want(t, r.read(t, from, agent("p", s), 10), "a b c")
	}
}

// A read with a cursor of another log starts at the beginning and is reported as truncated.
func readingForeign(t *testing.T, r *Readers) {
	s := r.Sessions[0]
	r.Append(Result(s, "a"))
	id, err := r.Here.ID(t.Context())
	if there, err2 := r.There.ID(t.Context()); err != nil || err2 != nil || id != there || len(id) != 32 {
		t.Fatalf("the log is called %q and %q (%v, %v)", id, there, err, err2)
	}
	got := r.since(t, bus.Cursor{Log: strings.Repeat("0", 32), Seq: 1}, agent("", s), 10)
	if !got.Truncated || texts(got) != "a" || got.Next.Log != id {
		t.Errorf("from another log: %+v", got)
	}
}
