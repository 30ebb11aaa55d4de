package store_test

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"testing"
)

// raw opens the database of a directory without the store.
func raw(t testing.TB, dir string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file://"+(&url.URL{Path: filepath.Join(dir, dbFile)}).EscapedPath())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// alter runs a statement on the database of a directory without the store.
func alter(t testing.TB, dir, statement string) {
	t.Helper()
	db := raw(t, dir)
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
