package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

const selectNumbers = "SELECT n FROM numbers WHERE n > ? ORDER BY n"

// numbers returns two pools, each with one connection, to a file with the numbers 1 to 9. It checks
// that the engine has removed its log after both are closed, which it does not do while a statement
// exists.
func numbers(t *testing.T) (db, other *sql.DB) {
	t.Helper()
	path := filepath.Join(double.Dir(t), "numbers.db")
	var pools [2]*sql.DB
	for i := range pools {
		pool, err := newPool(path, url.Values{"mode": {"rwc"}}, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		pools[i] = pool
	}
	t.Cleanup(func() {
		if err := errors.Join(pools[0].Close(), pools[1].Close()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
			t.Errorf("the log of a closed file: %v; a statement was not closed", err)
		}
	})
	for _, text := range []string{"PRAGMA journal_mode = WAL", "CREATE TABLE numbers (n INTEGER)",
		"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9) INSERT INTO numbers SELECT n FROM c"} {
		if _, err := pools[1].Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	return pools[0], pools[1]
}

// keptBy returns the statement with a given text in the cache of the pool's connection, and the
// number of cached statements.
func keptBy(t *testing.T, db *sql.DB, text string) (s engineStmt, all int) {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Raw(func(c any) error {
		idle := c.(*compiled).idle
		if of := idle[text]; of != nil {
			s = of.engineStmt
		}
		all = len(idle)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return s, all
}

// querier is implemented by a pool and by a transaction.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// wantNumbers checks that a query returns the numbers from first to 9.
func wantNumbers(t *testing.T, q querier, first int) {
	t.Helper()
	rows, err := q.QueryContext(t.Context(), selectNumbers, first-1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	want := first
	for ; rows.Next(); want++ {
		var n int
		if err := rows.Scan(&n); err != nil || n != want {
			t.Fatalf("%d (%v), want %d", n, err, want)
		}
	}
	if err := rows.Err(); err != nil || want != 10 {
		t.Fatalf("the numbers ended before %d: %v", want, err)
	}
}

func TestCompiledOnce(t *testing.T) {
	db, _ := numbers(t)
	const text = "INSERT INTO numbers VALUES (?)"
	for range 2 {
		wantNumbers(t, db, 3)
		if _, err := db.Exec(text, 0); err != nil {
			t.Fatal(err)
		}
	}
	read, _ := keptBy(t, db, selectNumbers)
	write, all := keptBy(t, db, text)
	if read == nil || write == nil || all != 2 {
		t.Fatalf("%v and %v of %d statements are kept", read, write, all)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, tx, 2)
	if _, err := tx.Exec(text, 0); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if again, _ := keptBy(t, db, selectNumbers); again != read {
		t.Error("the query was compiled again")
	}
	if again, _ := keptBy(t, db, text); again != write {
		t.Error("the insertion was compiled again")
	}
}

func TestCompiledTwiceAtOnce(t *testing.T) {
	db, _ := numbers(t)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, tx, 1) // one statement is cached, and the first of the two queries takes it
	outer, err := tx.Query(selectNumbers, 4)
	if err != nil {
		t.Fatal(err)
	}
	for want := 5; want < 10; want++ {
		var n int
		if !outer.Next() || outer.Scan(&n) != nil || n != want {
			t.Fatalf("%d, want %d (%v)", n, want, outer.Err())
		}
		wantNumbers(t, tx, want-1)
	}
	if outer.Next() {
		t.Error("there is a number after 9")
	}
	if err := errors.Join(outer.Close(), tx.Commit()); err != nil {
		t.Fatal(err)
	}
	if s, all := keptBy(t, db, selectNumbers); s == nil || all != 1 {
		t.Errorf("%v of %d statements", s, all)
	}
}

func TestCompiledSchemaChanges(t *testing.T) {
	db, other := numbers(t)
	const text = "SELECT * FROM numbers WHERE n = 1"
	columns := func() (int, error) {
		rows, err := db.Query(text)
		if err != nil {
			return 0, err
		}
		defer func() { _ = rows.Close() }()
		names, err := rows.Columns()
		return len(names), err
	}
	change := func(text string) {
		t.Helper()
		if _, err := other.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := columns(); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	change("ALTER TABLE numbers ADD COLUMN name TEXT")
	if n, err := columns(); n != 2 || err != nil {
		t.Errorf("%d columns after one was added, %v", n, err)
	}
	change("DROP TABLE numbers")
	if n, err := columns(); err == nil {
		t.Errorf("%d columns of no table", n)
	}
	if s, _ := keptBy(t, db, text); s != nil {
		t.Error("a statement that failed is kept")
	}
	change("CREATE TABLE numbers (a, b, n)")
	if n, err := columns(); n != 3 || err != nil {
		t.Errorf("%d columns of the new table, %v", n, err)
	}
}

// A cached statement must not keep the engine from emptying its log, which contains deleted
// material.
func TestCompiledHoldsNoSnapshot(t *testing.T) {
	db, other := numbers(t)
	var n int
	if err := db.QueryRow(selectNumbers, 0).Scan(&n); err != nil || n != 1 { // the other rows are not read
		t.Fatal(n, err)
	}
	if s, _ := keptBy(t, db, selectNumbers); s == nil {
		t.Fatal("the query is not kept")
	}
	if _, err := other.Exec("DELETE FROM numbers WHERE n < 5"); err != nil {
		t.Fatal(err)
	}
	var busy, log, moved int
	if err := other.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved); err != nil || busy != 0 {
		t.Errorf("busy %d, %v: a kept statement holds a snapshot", busy, err)
	}
	wantNumbers(t, db, 5)
}

func TestCompiledCancelled(t *testing.T) {
	db, _ := numbers(t)
	t.Run("between rows", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		rows, err := db.QueryContext(ctx, selectNumbers, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		cancel()
		_ = rows.Close()
		wantNumbers(t, db, 1)
	})
	t.Run("within a row", func(t *testing.T) {
		const text = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT max(n) FROM c"
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		var n int64
		if err := db.QueryRowContext(ctx, text, int64(1)<<60).Scan(&n); !errors.Is(err, context.Canceled) {
			t.Fatal(n, err)
		}
		if s, _ := keptBy(t, db, text); s != nil {
			t.Error("a statement that was interrupted is kept")
		}
		if err := db.QueryRow(text, 3).Scan(&n); err != nil || n != 3 {
			t.Error(n, err)
		}
	})
	t.Run("a transaction with open rows", func(t *testing.T) {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := tx.Query(selectNumbers, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Fatal(rows.Err())
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
		wantNumbers(t, db, 1)
	})
}

func TestCompiledBusy(t *testing.T) {
	db, other := numbers(t)
	const text = "DELETE FROM numbers WHERE n < ?"
	if _, err := db.Exec(text, 2); err != nil {
		t.Fatal(err)
	}
	conn, err := other.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	lock := func(text string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	lock("BEGIN IMMEDIATE")
	if _, err := db.Exec(text, 3); !isBusy(err) {
		t.Fatalf("%v, want busy", err)
	}
	if s, _ := keptBy(t, db, text); s != nil {
		t.Error("a statement that failed is kept")
	}
	lock("ROLLBACK")
	if _, err := db.Exec(text, 4); err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, db, 4)
}

func TestCompiledBound(t *testing.T) {
	db, _ := numbers(t)
	number := func(n int) string { return fmt.Sprintf("SELECT %d", n) }
	for i := range maxCompiled + 9 {
		for _, text := range []string{number(i), selectNumbers} {
			rows, err := db.Query(text, 0)
			if err != nil {
				t.Fatal(err)
			}
			_ = rows.Close()
		}
	}
	if s, all := keptBy(t, db, selectNumbers); s == nil || all != maxCompiled {
		t.Errorf("%d statements are kept, want %d, and the one used all the time is %v", all, maxCompiled, s)
	}
	if s, _ := keptBy(t, db, number(0)); s != nil {
		t.Error("the one used first is kept")
	}
}

func TestCompiledOnlyQueriesAndChanges(t *testing.T) {
	db, _ := numbers(t)
	for _, text := range []string{"PRAGMA user_version = 7", "-- a script\nDELETE FROM numbers; PRAGMA user_version = 8",
		"CREATE INDEX by_n ON numbers (n)"} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if _, all := keptBy(t, db, ""); all != 0 {
		t.Errorf("%d statements are kept", all)
	}
	if _, err := db.Exec("INSERT INTO numbers VALUES (8); INSERT INTO numbers VALUES (9)"); err != nil {
		t.Fatal(err)
	}
	wantNumbers(t, db, 8)
}
