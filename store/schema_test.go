package store_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestSchema checks the metadata of the database, and that the engine enforces the types of values.
func TestSchema(t *testing.T) {
	dir := filepath.Join(double.Dir(t), "data")
	openNew(t, dir, nil, newClock().Now)
	db := raw(t, dir)
	steps, err := os.ReadDir("migrations")
	if err != nil || len(steps) == 0 {
		t.Fatalf("no migrations, %v", err)
	}
	for pragma, want := range map[string]string{
		"application_id": "1398100553", // "SURI"
		"user_version":   strconv.Itoa(len(steps)),
		"journal_mode":   "wal",
	} {
		var got string
		if err := db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q (%v)", pragma, got, want, err)
		}
	}
	var loose string
	err = db.QueryRow(`SELECT coalesce(group_concat(name), '') FROM pragma_table_list
		WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite%'`).Scan(&loose)
	if err != nil || loose != "" {
		t.Errorf("tables that are not STRICT: %q, %v", loose, err)
	}
}
