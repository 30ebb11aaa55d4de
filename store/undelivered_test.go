package store_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// undeliveredPlace is a data directory in which conversations succeed each other.
type undeliveredPlace struct {
	*testing.T
	dir   string
	clock *double.Clock
}

// begin starts a conversation of a client in a separate process.
func (p undeliveredPlace) begin(client string) *store.DB {
	p.Helper()
	db := open(p, p.dir, nil, p.clock.Now)
	p.clock.Advance(time.Second)
	if err := db.Converse(p.Context(), client); err != nil {
		p.Fatal(err)
	}
	return db
}

// happen appends results for the agent of a conversation.
func (p undeliveredPlace) happen(db *store.DB, names ...string) {
	p.Helper()
	for _, name := range names {
		e, err := bus.NewEvent(db.Bus(p.Context()), "", bus.WalletTxResponse{Status: bus.Confirmed, TxHash: &name})
		if err == nil {
			_, err = db.Append(p.Context(), e)
		}
		if err != nil {
			p.Fatal(err)
		}
	}
}

func (p undeliveredPlace) end(db *store.DB) {
	p.Helper()
	if err := db.EndConversation(p.Context()); err != nil {
		p.Fatal(err)
	}
}

// told returns the lines of a conversation after it inherited undelivered events.
func (p undeliveredPlace) told(db *store.DB) (lines []string) {
	p.Helper()
	if err := db.Inherit(p.Context()); err != nil {
		p.Fatal(err)
	}
	page, err := db.Read(p.Context(), bus.Consumer{Name: "x", Filter: bus.Filter{Session: db.Bus(p.Context()),
		Sees: bus.Agent}}, 50)
	if err != nil {
		p.Fatal(err)
	}
	for _, e := range page.Events {
		if l, ok := bus.LineOf(e); ok {
			lines = append(lines, regexp.MustCompile(`conv_\w+`).ReplaceAllString(l.Text, "conv"))
		}
	}
	return lines
}

// TestUndelivered checks that undelivered events of a conversation are reported once, to the client's
// next conversation.
func TestUndelivered(t *testing.T) {
	p := undeliveredPlace{t, filepath.Join(double.Dir(t), "data"), newClock()}
	first := p.begin("claude")
	p.happen(first, "A", "B", "C", "D", "E")
	page, err := first.Read(t.Context(), bus.Consumer{Name: "agent/" + first.Bus(t.Context()),
		Filter: bus.Filter{Session: first.Bus(t.Context()), Sees: bus.Agent}}, 1)
	if err != nil || len(page.Events) != 1 {
		t.Fatal(page, err)
	}
	if err := first.Advance(t.Context(), bus.Consumer{Name: "agent/" + first.Bus(t.Context())},
		page.Events[0].Seq); err != nil {
		t.Fatal(err)
	}
	second, other := p.begin("claude"), p.begin("cursor")
	if got := p.told(second); got != nil {
		t.Errorf("of a conversation that goes on beside it: %v", got)
	}
	p.end(first)
	if got := p.told(other); got != nil {
		t.Errorf("of another client: %v", got)
	}
	want := fmt.Sprintf("[[SYSTEM: since an earlier conversation of this client (bus conv), tx confirmed B; tx confirmed C; tx confirmed D; "+
		"and 1 more: events.list with this bus and after_seq %d]]", page.Events[0].Seq)
	if got := p.told(second); len(got) != 1 || got[0] != want {
		t.Errorf("%v\nwant %s", got, want)
	}
	if got := p.told(p.begin("claude")); got != nil {
		t.Errorf("told twice: %v", got)
	}
	p.happen(first, "F") // its process is still running for the user
	if got := p.told(second); len(got) != 2 ||
		got[1] != "[[SYSTEM: since an earlier conversation of this client (bus conv), tx confirmed F]]" {
		t.Error(got)
	}
	p.happen(first, "G")
	p.clock.Advance(25 * time.Hour)
	if got := p.told(second); len(got) != 2 {
		t.Errorf("of yesterday: %v", got)
	}
}
