package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// If a header consists of two halves of different headers, it is not noted. With such a note, the
// store's own log would be rejected after the process is killed.
func TestHalfAHeader(t *testing.T) {
	db, err := Open(context.Background(), Config{Dir: t.TempDir() + "/data", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	log, err := os.ReadFile(db.place.in(walName))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := wholeHeader(bytes.NewReader(log)); !ok || got != db.noted {
		t.Fatalf("%+v %v, the note is %+v", got, ok, db.noted)
	}
	for at := range 32 {
		torn := bytes.Clone(log[:32])
		torn[at] ^= 0x10
		if got, ok := wholeHeader(bytes.NewReader(torn)); ok {
			t.Errorf("byte %d of another header: %+v", at, got)
		}
	}
}

// One process empties the log. Another one commits, which starts a new log, and is killed before it
// writes its note. The log still belongs to the store, and the commit is not lost.
func TestKilledBeforeTheNote(t *testing.T) {
	dir := t.TempDir() + "/data"
	open := func(dir string) *DB {
		t.Helper()
		db, err := Open(context.Background(), Config{Dir: dir, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	write := func(db *DB, value string) error {
		return db.change(context.Background(), func(x *tx) error {
			_, err := x.ExecContext(context.Background(), `INSERT INTO journal
				(kind, subject, from_status, to_status, revision, what, at) VALUES ('test', ?, '', '', 0, '', 0)`, value)
			return err
		})
	}
	sweep := func(db *DB) {
		t.Helper()
		if err := db.sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	one := open(dir)
	sweep(one)
	other := open(dir) // finds no log, so it does not sweep after its first write
	if err := write(one, "before"); err != nil {
		t.Fatal(err)
	}
	sweep(one)
	if size, _ := other.place.size(walName); size != 0 || other.unswept.Load() {
		t.Fatalf("a log of %d bytes, to be swept: %v", size, other.unswept.Load())
	}
	other.noting.Lock() // stop it after its commit
	resume := sync.OnceFunc(other.noting.Unlock)
	defer resume()
	done := make(chan error, 1)
	go func() { done <- write(other, "after") }()
	double.Until(t, "the commit is seen", func() bool {
		var found int
		err := one.read.QueryRow(`SELECT count(*) FROM journal WHERE subject = 'after'`).Scan(&found)
		return err == nil && found == 1
	})
	if size, _ := other.place.size(walName); size == 0 {
		t.Fatal("the log that the commit began was emptied")
	}
	killed := t.TempDir() + "/data"
	if err := os.Mkdir(killed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fileName, walName, noteName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(killed, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	resume()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var found int
	if err := open(killed).read.QueryRow(`SELECT count(*) FROM journal WHERE subject = 'after'`).Scan(&found); err != nil || found != 1 {
		t.Errorf("what was committed is not there: %d, %v", found, err)
	}
}
