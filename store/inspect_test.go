package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/store"
)

// everything returns the contents of a directory's files by name.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// looked inspects a directory and checks that this changed nothing.
func looked(t *testing.T, dir string) store.Inspection {
	t.Helper()
	before := everything(t, dir)
	in := store.Inspect(context.Background(), dir)
	after := everything(t, dir)
	delete(before, dbFile+"-shm") // contains the marks of readers
	delete(after, dbFile+"-shm")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("looking changed the directory (%d bytes of difference)", len(diff))
	}
	return in
}

func TestInspect(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("nothing there, and nothing is made", func(t *testing.T) {
		parent := double.Dir(t)
		in := store.Inspect(ctx, filepath.Join(parent, "data"))
		if in.Trouble != nil || in.HasDir || in.HasFile || len(everything(t, parent)) != 0 {
			t.Errorf("%+v", in)
		}
	})
	t.Run("a closed store", func(t *testing.T) {
		dir := filepath.Join(double.Dir(t), "a b%20ü?#", "data")
		c := newClock()
		db := open(t, dir, nil, c.Now)
		create(t, db, c, "r1")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		in := looked(t, dir)
		if in.Trouble != nil || !in.HasFile || in.Unfinished || in.Format == 0 || in.Format != in.Newest || in.Engine == "" ||
			in.Unsettled != 0 {
			t.Errorf("%+v", in)
		}
	})
	t.Run("a store at work, with what it has", func(t *testing.T) {
		h := life(t)
		h.review("pending", record.SignedPendingResult, true)
		in := looked(t, h.dir)
		if in.Trouble != nil || in.Unsettled != 1 || in.Stored.Addresses[settings.GRPC] == "" {
			t.Errorf("%+v", in)
		}
	})
	t.Run("an older format is told and stays", func(t *testing.T) {
		dir := filepath.Join(double.Dir(t), "data")
		if err := open(t, dir, nil, newClock().Now).Close(); err != nil {
			t.Fatal(err)
		}
		alter(t, dir, "PRAGMA user_version = 1")
		if in := looked(t, dir); in.Trouble != nil || in.Format != 1 || in.Newest < 2 ||
			in.Stored.Addresses[settings.GRPC] != "" {
			t.Errorf("%+v", in)
		}
	})
	t.Run("what a killed process left is not touched", func(t *testing.T) {
		dir := filepath.Join(double.Dir(t), "data")
		c := newClock()
		db := open(t, dir, nil, c.Now)
		create(t, db, c, "r1")
		copied := filepath.Join(double.Dir(t), "data")
		if err := os.Mkdir(copied, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{dbFile, dbFile + "-wal"} {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(copied, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if in := looked(t, copied); !in.Unfinished || in.Trouble != nil {
			t.Errorf("%+v", in)
		}
		if again := open(t, copied, nil, c.Now); again == nil {
			t.Error("it cannot be opened")
		}
	})
	t.Run("damage far inside is found", func(t *testing.T) {
		dir := filepath.Join(double.Dir(t), "data")
		c := newClock()
		db := open(t, dir, nil, c.Now)
		for i := range 30 {
			create(t, db, c, "r"+strings.Repeat("x", i))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, dbFile))
		if err != nil {
			t.Fatal(err)
		}
		last := len(b) - 4096 // the page with the newest rows
		copy(b[last:], make([]byte, 4096))
		if err := os.WriteFile(filepath.Join(dir, dbFile), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if in := looked(t, dir); in.Trouble == nil || fault.As(in.Trouble).Detail.Get("store") != "damaged" {
			t.Errorf("told as %v", in.Trouble)
		}
	})
	for what, spoil := range map[string]func(t *testing.T, dir string){
		"damaged": func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, dbFile), []byte(strings.Repeat("not a database ", 500)),
				0o600); err != nil {
				t.Fatal(err)
			}
		},
		"file_newer":   func(t *testing.T, dir string) { alter(t, dir, "PRAGMA user_version = 999") },
		"file_version": func(t *testing.T, dir string) { alter(t, dir, "PRAGMA user_version = -1") },
		"file_empty": func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, dbFile), 0); err != nil {
				t.Fatal(err)
			}
		},
		"log_foreign":   func(t *testing.T, dir string) { putLog(t, dir, logOf(t)) },
		"file_not_ours": func(t *testing.T, dir string) { alter(t, dir, "PRAGMA application_id = 7") },
		"file_shared": func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, dbFile), 0o640); err != nil {
				t.Fatal(err)
			}
		},
		"directory_writable": func(t *testing.T, dir string) {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run("told as Open would refuse: "+what, func(t *testing.T) {
			dir := filepath.Join(double.Dir(t), "data")
			if err := open(t, dir, nil, newClock().Now).Close(); err != nil {
				t.Fatal(err)
			}
			spoil(t, dir)
			in := looked(t, dir)
			if in.Trouble == nil || fault.As(in.Trouble).Detail.Get("store") != what {
				t.Errorf("told as %v", in.Trouble)
			}
		})
	}
}
