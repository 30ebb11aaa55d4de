package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
)

// logOf returns the write-ahead log of another store that is in use.
func logOf(t *testing.T) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "other")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	create(t, db, c, "theirs")
	return readLog(t, dir)
}

func readLog(t *testing.T, dir string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, dbFile+"-wal"))
	if err != nil || len(b) == 0 {
		t.Fatalf("%d bytes of a log, %v", len(b), err)
	}
	return b
}

func putLog(t *testing.T, dir string, log []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, dbFile+"-wal"), log, 0o600); err != nil {
		t.Fatal(err)
	}
}

// killed copies the files of a store in use, as a killed process would leave them.
func killed(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "killed")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, b := range everything(t, dir) {
		if name == dbFile+"-shm" {
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name), []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

func TestLogOfAnother(t *testing.T) {
	ctx := context.Background()
	c := newClock()
	refusedLog := func(t *testing.T, dir string) {
		t.Helper()
		before := everything(t, dir)
		if what := refusal(t, dir); what != "log_foreign" {
			t.Errorf("refused as %q", what)
		}
		after := everything(t, dir)
		for _, name := range []string{dbFile, dbFile + "-wal", "log.json"} {
			if before[name] != after[name] {
				t.Errorf("%s was changed", name)
			}
		}
		if err := os.Remove(filepath.Join(dir, dbFile+"-wal")); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("a foreign one beside a clean store is not taken in, and nothing is lost", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		db := open(t, dir, nil, c.Now)
		id := create(t, db, c, "mine")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		putLog(t, dir, logOf(t))
		refusedLog(t, dir)
		must[record.Session](t)(open(t, dir, nil, c.Now).Review(ctx, id))
	})
	t.Run("nor is an older one of the same store", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		db := open(t, dir, nil, c.Now)
		create(t, db, c, "first")
		older := readLog(t, dir)
		id := create(t, db, c, "second")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		putLog(t, dir, older)
		refusedLog(t, dir)
		must[record.Session](t)(open(t, dir, nil, c.Now).Review(ctx, id))
	})
	t.Run("nor one in the place of what a killed process left", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		db := open(t, dir, nil, c.Now)
		create(t, db, c, "mine")
		left := killed(t, dir)
		putLog(t, left, logOf(t))
		refusedLog(t, left)
	})
	t.Run("what a killed process left is taken in, however often the log began anew", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		db := open(t, dir, nil, c.Now)
		for _, name := range []string{"a", "b", "c"} {
			id := create(t, db, c, name)
			left := killed(t, dir)
			again := open(t, left, nil, c.Now)
			must[record.Session](t)(again.Review(ctx, id))
			create(t, again, c, name+"-later")
			must[record.Session](t)(open(t, killed(t, left), nil, c.Now).Review(ctx, record.ID(name+"-later")))
			_, law := built(7)
			must[record.Session](t)(db.Change(ctx, id, "built", law))
			// Deleting material empties the log, which then restarts.
			must[record.Session](t)(db.Change(ctx, id, "dropped", func(r *record.Row) error {
				r.Materials = nil
				return bump(r)
			}))
		}
	})
	t.Run("one beside no database is left alone", func(t *testing.T) {
		dir := made(t)
		if err := os.Remove(filepath.Join(dir, dbFile)); err != nil {
			t.Fatal(err)
		}
		log := logOf(t)
		putLog(t, dir, log)
		if what := refusal(t, dir); what != "log_alone" {
			t.Errorf("refused as %q", what)
		}
		if string(readLog(t, dir)) != string(log) {
			t.Error("it was changed")
		}
	})
}

// Writes to a file that is no longer at its path would be lost, so nothing is recorded or released.
func TestReplacedWhileOpen(t *testing.T) {
	ctx := context.Background()
	moved := func(from string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, from), filepath.Join(filepath.Dir(dir), "moved")); err != nil {
				t.Fatal(err)
			}
		}
	}
	for what, spoil := range map[string]func(t *testing.T, dir string){
		"the database is moved":  moved(dbFile),
		"the log is moved":       moved(dbFile + "-wal"),
		"the index is moved":     moved(dbFile + "-shm"),
		"the directory is moved": moved("."),
		"another store is put in its place": func(t *testing.T, dir string) {
			moved(dbFile)(t, dir)
			b, err := os.ReadFile(filepath.Join(made(t), dbFile))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, dbFile), b, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			c := newClock()
			db := open(t, dir, nil, c.Now)
			id := create(t, db, c, "r1")
			digest, law := built(1)
			must[record.Session](t)(db.Change(ctx, id, "built", law))
			spoil(t, dir)
			asked := false
			_, err := db.Release(ctx, id, func(r *record.Row) (record.Release, error) {
				asked = true
				v := release(digest, "n")
				r.Session.Releases = append(r.Session.Releases, v)
				return v, bump(r)
			})
			wantFault(t, err, fault.InternalError)
			if got := fault.As(err); asked || got.Detail.Get("store") != "replaced" || !strings.Contains(got.Text, dir) {
				t.Errorf("asked the law: %t; %v", asked, err)
			}
			if _, err := db.Change(ctx, id, "x", bump); err == nil {
				t.Error("another change is recorded")
			}
		})
	}
	t.Run("it goes while a release is judged", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		c := newClock()
		db := open(t, dir, nil, c.Now)
		id := create(t, db, c, "r1")
		_, err := db.Release(ctx, id, func(r *record.Row) (record.Release, error) {
			moved(dbFile)(t, dir)
			v := release(digestOf(1), "n")
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		})
		if fault.As(err).Detail.Get("store") != "replaced" {
			t.Errorf("%v", err)
		}
	})
	t.Run("a second process does not begin another store", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		open(t, dir, nil, newClock().Now)
		moved(dbFile)(t, dir)
		if what := refusal(t, dir); what != "replaced" {
			t.Errorf("refused as %q", what)
		}
	})
	t.Run("the lock does not go into a directory that is another now", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "data")
		db := open(t, dir, nil, newClock().Now)
		elsewhere := dir + "-moved"
		if err := os.Rename(dir, elsewhere); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if won, err := db.Own(ctx); won || fault.As(err).Detail.Get("store") != "directory_replaced" {
			t.Errorf("is the server: %t, %v", won, err)
		}
		for _, d := range []string{dir, elsewhere} {
			if _, err := os.Lstat(filepath.Join(d, "pages.lock")); err == nil {
				t.Errorf("the lock is in %s", d)
			}
		}
	})
}
