package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/store"
)

// If a write-ahead log lost its end, and with it a release, nothing more is released until the user
// has resumed signing.
func TestLogCutBack(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	id := create(t, db, c, "r1")
	if err := db.Close(); err != nil { // the log restarts, and the database contains the earlier data
		t.Fatal(err)
	}
	db = open(t, dir, nil, c.Now)
	digest, law := built(1)
	must[record.Session](t)(db.Change(ctx, id, "built", law))
	before := readLog(t, dir)
	_, err := db.Release(ctx, id, func(r *record.Row) (record.Release, error) {
		v := release(digest, "n")
		r.Session.Releases = append(r.Session.Releases, v)
		return v, bump(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	if log := readLog(t, dir); len(log) <= len(before) || string(log[:32]) != string(before[:32]) {
		t.Fatalf("the release began another log: %d bytes, %d before", len(log), len(before))
	}
	frozen := func(db *store.DB) bool { return must[bool](t)(db.Frozen(ctx)) }
	t.Run("a killed process loses nothing", func(t *testing.T) {
		left := killed(t, dir)
		again := open(t, left, nil, c.Now)
		if frozen(again) || len(must[record.Session](t)(again.Review(ctx, id)).Releases) != 1 {
			t.Error("it is stopped, or the release is gone")
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		if in := store.Inspect(ctx, left); in.Trouble != nil || in.Lost {
			t.Errorf("%+v", in)
		}
	})
	for name, cut := range map[string]func(t *testing.T, dir string){
		"a log that was cut back": func(t *testing.T, dir string) { putLog(t, dir, before) },
		"a log that was removed": func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, dbFile+"-wal")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			left := killed(t, dir)
			cut(t, left)
			again := open(t, left, nil, c.Now)
			if !frozen(again) {
				t.Fatal("releases go on")
			}
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
			if in := store.Inspect(ctx, left); in.Trouble != nil || !in.Lost {
				t.Errorf("%+v", in)
			}
			again = open(t, left, nil, c.Now)
			if !frozen(again) {
				t.Error("the next start lifts the stop")
			}
			if err := again.SetFrozen(ctx, false); err != nil {
				t.Fatal(err)
			}
			if err := again.Close(); err != nil {
				t.Fatal(err)
			}
			if in := store.Inspect(ctx, left); in.Lost {
				t.Errorf("%+v", in)
			}
			if frozen(open(t, left, nil, c.Now)) {
				t.Error("it is stopped once more")
			}
		})
	}
}
