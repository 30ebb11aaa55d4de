package store_test

import (
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// A freeze through one handle is visible through another at once, wakes its waiters, is reported
// once, and survives erasing all data.
func TestFreezeOfTwoHandles(t *testing.T) {
	dir, hub := double.Dir(t), &events.Hub{}
	open := func(h *events.Hub) *store.DB {
		db, err := store.Open(t.Context(), store.Config{Dir: dir, Now: time.Now, Hub: h})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	one, two := open(hub), open(hub)
	f := bus.Filter{Session: "any", Sees: bus.UI, Types: []bus.Type{bus.TypeSystemNotice}}
	page := hub.Watch(events.Subject{Kind: events.Account}) // every page does this
	defer page.Close()
	told := make(chan error, 1)
	go func() { told <- two.Wait(t.Context(), f, 0) }()
	for range 2 {
		if err := one.SetFrozen(t.Context(), true); err != nil {
			t.Fatal(err)
		}
	}
	if on, err := two.Frozen(t.Context()); err != nil || !on {
		t.Fatalf("the other process says %v, %v", on, err)
	}
	if err := <-told; err != nil {
		t.Fatal(err)
	}
	<-page.C
	id, _ := two.ID(t.Context())
	if p, err := two.Since(t.Context(), bus.Cursor{Log: id}, f, 10); err != nil || len(p.Events) != 1 {
		t.Errorf("told %d times, %v", len(p.Events), err)
	}
	if err := two.Erase(t.Context(), "page", func([]record.ID) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if on, err := one.Frozen(t.Context()); err != nil || !on {
		t.Errorf("erasing lifted it: %v, %v", on, err)
	}
	if err := two.SetFrozen(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if on, err := one.Frozen(t.Context()); err != nil || on {
		t.Errorf("not lifted: %v, %v", on, err)
	}
}
