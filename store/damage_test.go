package store_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// A damaged file is either rejected or read with a clear error. It is never silently replaced.
func TestDamage(t *testing.T) {
	long.Skip(t, "it damages hundreds of files")
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	for i := range 30 {
		create(t, db, c, "r"+strings.Repeat("x", i))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(filepath.Join(dir, dbFile))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for round := range 120 {
		bad := append([]byte(nil), sound...)
		if round%4 == 0 {
			bad = bad[:1+random.IntN(len(bad)-1)]
		} else {
			for range 1 + random.IntN(40) {
				bad[random.IntN(len(bad))] ^= byte(1 + random.IntN(255))
			}
		}
		if err := os.WriteFile(filepath.Join(dir, dbFile), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := use(ctx, dir, c); err != nil {
			refused++
			if !fault.Is(err, fault.SessionNotFound) && !fault.Is(err, fault.InternalError) {
				t.Errorf("round %d: %v", round, err)
			}
		}
		for _, left := range []string{"-wal", "-shm"} {
			_ = os.Remove(filepath.Join(dir, dbFile+left))
		}
	}
	if refused < 60 {
		t.Errorf("only %d of 120 damaged files were noticed", refused)
	}
}

func use(ctx context.Context, dir string, c *double.Clock) error {
	db, err := store.Open(ctx, store.Config{Dir: dir, Now: c.Now})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := db.Check(ctx); err != nil {
		return err
	}
	s, err := db.Review(ctx, "r")
	if err != nil {
		return err
	}
	if s.Status != record.Proposed {
		return fault.New(fault.InternalError, "status %s", s.Status)
	}
	_, err = db.Change(ctx, "r", "x", bump)
	return err
}

// A writer that another process blocks returns an error after a while, and can write again later.
func TestBusy(t *testing.T) {
	long.Skip(t, "a writer waits five seconds for another")
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(double.Dir(t), "data")
	c := newClock()
	db := open(t, dir, nil, c.Now)
	id := create(t, db, c, "r1")
	other := raw(t, dir)
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Review(ctx, id); err != nil {
		t.Errorf("a read must not wait for another's write: %v", err)
	}
	end := time.AfterFunc(300*time.Millisecond, func() { _, _ = other.Exec("ROLLBACK") })
	defer end.Stop()
	if s, err := db.Change(ctx, id, "x", bump); err != nil || s.Revision != 2 {
		t.Errorf("a write must wait for another's: %v", err)
	}
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	_, err := db.Change(ctx, id, "x", bump)
	wantFault(t, err, fault.InternalError)
	if what := fault.As(err).Detail.Get("store"); what != "busy" {
		t.Errorf("refused as %q: %v", what, err)
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if s, err := db.Change(ctx, id, "x", bump); err != nil || s.Revision != 3 {
		t.Errorf("after the other has finished: %v", err)
	}
}
