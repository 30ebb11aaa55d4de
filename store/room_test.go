package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// The engine reports that there is no more space.
func TestNoMorePages(t *testing.T) {
	ctx := context.Background()
	db, c := fresh(t)
	id := create(t, db, c, "r1")
	before := must[record.Session](t)(db.Review(ctx, id))
	lift := db.LimitPages(t)
	for n := 0; ; n++ {
		s, err := db.Change(ctx, id, strings.Repeat("a long step ", 1000), bump)
		if err == nil && n < 1000 {
			before = s
			continue
		}
		wantFault(t, err, fault.InternalError)
		if got := fault.As(err); got.Detail.Get("store") != "disk_full" || !strings.Contains(got.Text,
			"nothing was recorded") {
			t.Fatalf("%s: %v", got.Detail.Get("store"), err)
		}
		break
	}
	if s := must[record.Session](t)(db.Review(ctx, id)); s.Revision != before.Revision {
		t.Errorf("revision %d after the refusal, %d before", s.Revision, before.Revision)
	}
	lift()
	if s, err := db.Change(ctx, id, "with room again", bump); err != nil || s.Revision != before.Revision+1 {
		t.Errorf("%v", err)
	}
	if err := db.Check(ctx); err != nil {
		t.Error(err)
	}
}

// Two processes that start at the same time on an old store both open the migrated store, and no
// migration is applied twice.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for range 5 {
		dir := filepath.Join(double.Dir(t), "data")
		old(t, dir)
		a, b := start(t, "looker", dir), start(t, "looker", dir)
		if x, y := a.line(t), b.line(t); x != "r1 3 proposed" || y != x {
			t.Fatalf("%q, %q", x, y)
		}
		if err := errors.Join(a.Wait(), b.Wait()); err != nil {
			t.Fatal(err)
		}
		db := open(t, dir, nil, newClock().Now)
		if err := db.Check(ctx); err != nil {
			t.Error(err)
		}
	}
}

// old creates a store in the first format, with one review.
func old(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, dbFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(filepath.Join("migrations", "0001_first.sql"))
	if err != nil {
		t.Fatal(err)
	}
	alter(t, dir, "PRAGMA journal_mode = WAL; "+string(first)+
		"; PRAGMA application_id = 1398100553; PRAGMA user_version = 1;"+
		`INSERT INTO reviews VALUES ('r1', 'proposed', '', 3, 'sui:sandbox', 'c', zeroblob(32), '', '', 'p', 'swap', '', 0, 0, 1772366400000000000, 1772366400000000000, 1772366400000000000,
			'{}', '{}', NULL, NULL, NULL)`)
}
