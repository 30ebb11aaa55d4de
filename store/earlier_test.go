package store_test

import (
	"path/filepath"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/bus/bustest"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

// A conversation that continues after it ended, for example over another connection, leaves no
// undelivered events to the client's other conversations.
func TestResumedConversation(t *testing.T) {
	dir, c := filepath.Join(double.Dir(t), "data"), newClock()
	storekit.Make(t, dir)
	inherited := func(resumes bool, name string) int {
		t.Helper()
		db := func(session string) *store.DB {
			db := must[*store.DB](t)(store.Open(t.Context(),
				store.Config{Dir: dir, Now: c.Now, Hub: &events.Hub{}, Session: name + session}))
			t.Cleanup(func() { _ = db.Close() })
			if err := db.Converse(t.Context(), name); err != nil {
				t.Fatal(err)
			}
			return db
		}
		one := db("one")
		must[[]bus.Appended](t)(one.Append(t.Context(), bustest.Result(name+"one", "x")))
		if err := one.EndConversation(t.Context()); err != nil {
			t.Fatal(err)
		}
		if resumes {
			db("one")
		}
		two := db("two")
		if err := two.Inherit(t.Context()); err != nil {
			t.Fatal(err)
		}
		state := must[bus.State](t)(two.Snapshot(t.Context(), name+"two"))
		page := must[bus.Page](t)(two.Since(t.Context(), bus.Cursor{Log: state.Cursor.Log},
			bus.Filter{Session: name + "two", Sees: bus.Agent}, 10))
		return len(page.Events)
	}
	if n := inherited(false, "ended"); n != 1 {
		t.Errorf("of a conversation that ended, %d lines", n)
	}
	if n := inherited(true, "resumed"); n != 0 {
		t.Errorf("of a conversation that goes on, %d lines", n)
	}
}
