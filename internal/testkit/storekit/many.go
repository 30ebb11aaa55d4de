package storekit

import (
	"cmp"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Multiply copies a review in dir's store, with its releases and journal rows, until there are n.
// Each copy's id begins with the review's id, and each copy is older than the previous one by
// apart. An open store sees the copies.
func Multiply(t testing.TB, dir, review string, n int, apart time.Duration) {
	t.Helper()
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: filepath.Join(dir, "say-ur-intent.db")}).EscapedPath())
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]string{"id": "?1 || i", "review_id": "?1 || i", "subject": "?1 || i", "digest": "randomblob(32)"}
	for _, column := range []string{"created_at", "updated_at", "expires_at", "at", "signed_at"} {
		own[column] = column + " - i * ?3"
	}
	for _, table := range []struct{ name, key string }{
		{"reviews", "id"}, {"releases", "review_id"}, {"journal", "subject"},
	} {
		columns := columnsOf(t, db, table.name)
		values := make([]string, len(columns))
		for i, name := range columns {
			values[i] = cmp.Or(own[name], name)
		}
		if _, err := db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
			INSERT INTO `+table.name+` (`+strings.Join(columns, ", ")+`) SELECT `+strings.Join(values, ", ")+`
			FROM n CROSS JOIN (SELECT * FROM `+table.name+` WHERE `+table.key+` = ?1) AS one`,
			review, n-1, apart.Nanoseconds()); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// columnsOf lists the columns that an insert into a table must name.
func columnsOf(t testing.TB, db *sql.DB, table string) (columns []string) {
	t.Helper()
	rows, err := db.Query(`SELECT name FROM pragma_table_info(?) WHERE name <> 'seq'`, table)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		columns = append(columns, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return columns
}
