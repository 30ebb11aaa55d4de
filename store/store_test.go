package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

// newClock returns a stopped clock, whose time has nanoseconds because stored times keep them.
func newClock() *double.Clock {
	return double.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC))
}

// open opens the store in a directory. If the directory is empty, it first creates a store from a
// template.
func open(t testing.TB, dir string, hub *events.Hub, now func() time.Time) *store.DB {
	t.Helper()
	storekit.Make(t, dir)
	return openNew(t, dir, hub, now)
}

// openNew is like open, but creates a store with the migrations, for tests of that.
func openNew(t testing.TB, dir string, hub *events.Hub, now func() time.Time) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: now, Hub: hub})
	if err != nil {
		t.Fatalf("open %s: %v", dir, err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func fresh(t testing.TB) (*store.DB, *double.Clock) {
	t.Helper()
	c := newClock()
	return open(t, filepath.Join(double.Dir(t), "data"), nil, c.Now), c
}

func wantFault(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
