package bustest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// Histories runs random interleavings of three actors (a page, an agent and the program) through
// two handles, and compares each step with a model. A page receives every event once and in order.
// An agent receives events until it moves its cursor. No reader affects another. All histories
// share one log, but each has its own session.
func Histories(t testing.TB, e Engine, histories, steps int, seed uint64) {
	t.Helper()
	for i := range histories {
		h := &history{t: t, logs: []bus.Log{e.Here, e.There}, name: fmt.Sprintf("h%d", i),
			random: rand.New(rand.NewPCG(seed, uint64(i))), keys: map[string]bus.Seq{}}
		h.readers = []*reader{
			{Consumer: bus.Consumer{Name: h.name + " page", Filter: bus.Filter{Session: h.name, Sees: bus.UI}}},
			{Consumer: bus.Consumer{Name: h.name + " agent", Filter: bus.Filter{Session: h.name, Sees: bus.Agent}}},
			{Consumer: bus.Consumer{Name: h.name + " two", Filter: bus.Filter{Session: h.name, Sees: bus.UI | bus.System}}},
		}
		h.own.at = h.begin()
		for step := range steps {
			if h.step(); t.Failed() {
				t.Fatalf("history %d of seed %d went wrong at step %d", i, seed, step)
			}
		}
		h.drain()
	}
}

// history is one run and the state of its model.
type history struct {
	t       testing.TB
	logs    []bus.Log
	name    string
	random  *rand.Rand
	events  []bus.Event
	keys    map[string]bus.Seq
	readers []*reader
	own     owner
}

// owner is a client that stores its cursor itself, as text.
type owner struct {
	at  string
	got []bus.Seq
}

// reader is a consumer in the model: its cursor and the events it has received.
type reader struct {
	bus.Consumer
	at  bus.Seq
	got []bus.Seq
}

func (h *history) log() bus.Log { return h.logs[h.random.IntN(len(h.logs))] }

func (h *history) step() {
	switch h.random.IntN(6) {
	case 5:
		h.follow(1 + h.random.IntN(4))
	case 0, 1:
		h.append()
	case 2, 3:
		h.read(h.readers[h.random.IntN(len(h.readers))])
	case 4:
		h.moveBack(h.readers[h.random.IntN(len(h.readers))])
	}
}

// append adds one to three events, some of them duplicates.
func (h *history) append() {
	var list []bus.Event
	for range 1 + h.random.IntN(3) {
		switch h.random.IntN(3) {
		case 0:
			list = append(list, Note(h.name, "note"))
		case 1:
			list = append(list, Result(h.name, fmt.Sprint(h.random.IntN(4))))
		case 2:
			id := fmt.Sprint(h.random.IntN(4))
			e, err := bus.NewEvent(h.name, "request/"+id, bus.UserRequest{RequestID: &id, Kind: "gas_price"})
			if err != nil {
				h.t.Fatal(err)
			}
			list = append(list, e)
		}
	}
	out, err := h.log().Append(h.t.Context(), list...)
	if err != nil || len(out) != len(list) {
		h.t.Errorf("append: %v", err)
		return
	}
	for i, a := range out {
		key := ""
		if list[i].Dedup != "" {
			key = string(list[i].Type) + " " + list[i].Dedup
		}
		first, known := h.keys[key]
		if known = known && key != ""; known != a.Duplicate || known && first != a.Seq {
			h.t.Errorf("event %+v became %+v, the first is at %d", list[i], a, first)
		}
		if known {
			continue
		}
		if n := len(h.events); n > 0 && a.Seq <= h.events[n-1].Seq {
			h.t.Errorf("event at %d after %d", a.Seq, h.events[n-1].Seq)
		}
		list[i].Seq = a.Seq
		h.keys[key] = a.Seq
		h.events = append(h.events, list[i])
	}
}

// pending returns the events that the model expects a reader to receive.
func (h *history) pending(r *reader) (all []bus.Seq) {
	for _, e := range h.events {
		if e.Seq > r.at && e.Audience&r.Sees != 0 {
			all = append(all, e.Seq)
		}
	}
	return all
}

// read reads a page and moves the cursor past all of it, past a part, or not at all.
func (h *history) read(r *reader) {
	most := 1 + h.random.IntN(4)
	want := h.pending(r)
	p, err := h.log().Read(h.t.Context(), r.Consumer, most)
	if err != nil || p.Truncated || p.More != (len(want) > most) || len(p.Events) != min(most, len(want)) {
		h.t.Errorf("%s read %d of %d, more %v, truncated %v: %v", r.Name, len(p.Events), len(want), p.More, p.Truncated, err)
		return
	}
	for i, e := range p.Events {
		if e.Seq != want[i] {
			h.t.Errorf("%s got %d instead of %d", r.Name, e.Seq, want[i])
		}
	}
	n := h.random.IntN(len(p.Events) + 1)
	if n == 0 {
		return // the reader stopped before it moved its cursor, so it receives them again
	}
	to := p.Events[n-1].Seq
	if err := h.log().Advance(h.t.Context(), r.Consumer, to); err != nil {
		h.t.Error(err)
	}
	for _, e := range p.Events[:n] {
		r.got = append(r.got, e.Seq)
	}
	r.at = to
}

// begin returns the cursor of a client that receives only future events.
func (h *history) begin() string {
	state, err := h.log().Snapshot(h.t.Context(), h.name)
	if err != nil {
		h.t.Fatal(err)
	}
	return state.Cursor.String()
}

// agents returns the filter of an owner.
func (h *history) agents() bus.Filter { return bus.Filter{Session: h.name, Sees: bus.Agent} }

// follow reads from the client's cursor. At random, the client stops before it stores the new
// cursor, and then receives the same events again.
func (h *history) follow(most int) bool {
	from, err := bus.ParseCursor(h.own.at)
	if err != nil {
		h.t.Fatal(err)
	}
	p, err := h.log().Since(h.t.Context(), from, h.agents(), most)
	if err != nil || p.Truncated {
		h.t.Errorf("from %s: truncated %v, %v", h.own.at, p.Truncated, err)
		return false
	}
	if h.random.IntN(3) == 0 {
		return true
	}
	for _, e := range p.Events {
		h.own.got = append(h.own.got, e.Seq)
	}
	h.own.at = p.Next.String()
	return p.More
}

// moveBack tries to move a cursor backward, which must have no effect.
func (h *history) moveBack(r *reader) {
	if r.at == 0 {
		return
	}
	if err := h.log().Advance(h.t.Context(), r.Consumer, bus.Seq(h.random.Int64N(int64(r.at)+1))); err != nil {
		h.t.Error(err)
	}
}

// drain lets every reader read to the end, and checks that each received every event once, in
// order.
func (h *history) drain() {
	for h.follow(bus.MostRead) {
		continue // the client stopped, or there are more events
	}
	if want := h.pending(&reader{Consumer: bus.Consumer{Filter: h.agents()}}); fmt.Sprint(h.own.got) != fmt.Sprint(want) {
		h.t.Fatalf("a client that keeps its cursor got %v in all, not %v", h.own.got, want)
	}
	for _, r := range h.readers {
		p, err := h.logs[0].Read(h.t.Context(), r.Consumer, bus.MostRead)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, e := range p.Events {
			r.got = append(r.got, e.Seq)
		}
		r.at = 0
		want := h.pending(r)
		if fmt.Sprint(r.got) != fmt.Sprint(want) {
			h.t.Fatalf("%s got %v in all, not %v", r.Name, r.got, want)
		}
	}
}
