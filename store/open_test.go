package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

const dbFile = "say-ur-intent.db"

// refusal returns the reason why Open rejected a directory.
func refusal(t *testing.T, dir string) string {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: newClock().Now})
	if err == nil {
		_ = db.Close()
		t.Fatalf("opened %s", dir)
	}
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.InternalError {
		t.Fatalf("refused with %v", err)
	}
	if !strings.HasSuffix(f.Text, ".") && !strings.Contains(f.Text, "chmod") {
		t.Errorf("not a sentence: %s", f.Text)
	}
	return f.Detail.Get("store")
}

func TestOpenAndReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b%20ü?#", "data")
	c := newClock()
	ctx := context.Background()
	db := openNew(t, dir, nil, c.Now)
	i := account.Identity{ID: "i1", Status: account.Pending, CreatedAt: c.Now(), UpdatedAt: c.Now(), ExpiresAt: c.Now()}
	if err := db.CreateIdentity(ctx, i); err != nil {
		t.Fatal(err)
	}
	if err := db.Check(ctx); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "data", dbFile+"-*")); err != nil || len(left) > 0 {
		t.Errorf("files left after close: %v, %v", left, err)
	}
	again := open(t, dir, nil, c.Now)
	got, err := again.Identity(ctx, "i1")
	if err != nil || got != i {
		t.Fatalf("after reopening: %+v, %v", got, err)
	}
	if _, err := db.Identity(ctx, "i1"); err == nil {
		t.Error("a closed store answers")
	}
}

// Several processes may start at the same time on an empty directory.
func TestOpenTogether(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: newClock().Now})
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			defer func() { _ = db.Close() }()
			if err := db.CreateIdentity(context.Background(), account.Identity{ID: fmt.Sprintf("%p", db)}); err != nil {
				t.Errorf("write: %v", err)
			}
		})
	}
	wg.Wait()
}

func TestOwn(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	ctx := context.Background()
	own := func(db *store.DB) bool {
		t.Helper()
		yes, err := db.Own(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	a, b := open(t, dir, nil, newClock().Now), open(t, dir, nil, newClock().Now)
	if first, again := own(a), own(a); !first || !again {
		t.Fatal("the first is not the server")
	}
	if own(b) {
		t.Fatal("one directory has two servers")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if !own(b) {
		t.Fatal("no server can follow the first")
	}
}

func TestForeignFiles(t *testing.T) {
	write := func(t *testing.T, text string) string {
		t.Helper()
		dir := filepath.Join(double.Dir(t), "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, dbFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Run("an empty file of somebody is left alone", func(t *testing.T) {
		dir := write(t, "")
		if what := refusal(t, dir); what != "file_empty" {
			t.Errorf("refused as %q", what)
		}
		if info, err := os.Stat(filepath.Join(dir, dbFile)); err != nil || info.Size() != 0 {
			t.Errorf("it was written to: %v", err)
		}
	})
	t.Run("an empty database of somebody is left alone", func(t *testing.T) {
		dir := write(t, "")
		alter(t, dir, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t; VACUUM")
		before := everything(t, dir)
		if what := refusal(t, dir); what != "file_not_ours" {
			t.Errorf("refused as %q", what)
		}
		if after := everything(t, dir); after[dbFile] != before[dbFile] {
			t.Error("it was written to")
		}
	})
	t.Run("a first start that was cut off goes on", func(t *testing.T) {
		dir := write(t, "")
		if err := os.WriteFile(filepath.Join(dir, "log.json"), []byte(`{"state":"new"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, dir, nil, newClock().Now)
	})
	t.Run("a text file", func(t *testing.T) {
		dir := write(t, strings.Repeat("not a database ", 500))
		if what := refusal(t, dir); what != "damaged" {
			t.Errorf("refused as %q", what)
		}
		b, err := os.ReadFile(filepath.Join(dir, dbFile))
		if err != nil || !strings.HasPrefix(string(b), "not a database") {
			t.Errorf("the file was changed: %v", err)
		}
	})
	t.Run("a truncated store", func(t *testing.T) {
		dir := filepath.Join(double.Dir(t), "data")
		if err := open(t, dir, nil, newClock().Now).Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, dbFile), 5000); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: newClock().Now})
		if err == nil {
			err = db.Check(context.Background())
			_ = db.Close()
		}
		wantFault(t, err, fault.InternalError)
	})
	for what, change := range map[string]string{
		"file_newer":    "PRAGMA user_version = 999",
		"file_version":  "PRAGMA user_version = -1",
		"file_altered":  "CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM releases; END",
		"file_not_ours": "PRAGMA application_id = 7",
	} {
		t.Run(what, func(t *testing.T) {
			dir := filepath.Join(double.Dir(t), "data")
			if err := open(t, dir, nil, newClock().Now).Close(); err != nil {
				t.Fatal(err)
			}
			alter(t, dir, change)
			if got := refusal(t, dir); got != what {
				t.Errorf("refused as %q", got)
			}
		})
	}
}

// A call that is canceled before its commit changes nothing.
func TestCancelled(t *testing.T) {
	db, c := fresh(t)
	ctx, cancel := context.WithCancel(context.Background())
	err := db.ChangePage(ctx, pagetoken.Review, "r1", func(p *pagetoken.Page) (string, error) {
		cancel()
		p.Links = append(p.Links, pagetoken.Link{Code: pagetoken.Hash{1}, IssuedAt: c.Now(),
			ExpiresAt: c.Now().Add(time.Hour)})
		return "", nil
	})
	wantFault(t, err, fault.RequestAborted)
	if n, err := db.UnopenedLinks(context.Background(), time.Time{}, c.Now()); err != nil || n != 0 {
		t.Fatalf("%d links, %v", n, err)
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	open(b, dir, nil, newClock().Now)
	for b.Loop() {
		db, err := store.Open(context.Background(), store.Config{Dir: dir, Now: newClock().Now})
		if err != nil {
			b.Fatal(err)
		}
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkActiveAccount(b *testing.B) {
	db, c := fresh(b)
	ctx := context.Background()
	i := account.Identity{ID: "i1", Status: account.Connecting}
	if err := db.CreateIdentity(ctx, i); err != nil {
		b.Fatal(err)
	}
	_, err := db.ChangeIdentity(ctx, "i1", func(r *account.Row) error {
		r.Accounts.Active = &account.Active{Account: sui.MustAddress("0x2"), Chain: "sui:mainnet", WalletName: "Slush",
			ConnectedAt: c.Now()}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, ok, err := db.ActiveAccount(ctx); err != nil || !ok {
			b.Fatal(ok, err)
		}
	}
}

// made returns the directory of a store that was created and closed.
func made(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(double.Dir(t), "data")
	storekit.Make(t, dir)
	return dir
}
