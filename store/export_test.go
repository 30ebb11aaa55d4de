package store

import (
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"testing"
)

// Queries whose plans are tested.
const (
	SelectLiveReviews     = selectLiveReviews
	SelectReleasedReviews = selectReleasedReviews
	SelectLiveIdentities  = selectLiveIdentities
)

// SelectFunnel is another query whose plan is tested.
var SelectFunnel = selectFunnel

// Texts returns the texts of the statements that the connections have cached.
func (db *DB) Texts(t testing.TB) []string {
	t.Helper()
	found := map[string]bool{}
	collect := func(pool *sql.DB) {
		for range max(1, pool.Stats().OpenConnections) {
			conn, err := pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			err = conn.Raw(func(c any) error {
				for text := range c.(*compiled).idle {
					found[text] = true
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	collect(db.write)
	collect(db.read)
	return slices.Sorted(maps.Keys(found))
}

// LimitPages prevents the database from growing by more than a few pages, like a full disk, until
// lift is called.
func (db *DB) LimitPages(t testing.TB) (lift func()) {
	t.Helper()
	set := func(query string) {
		if _, err := db.write.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	var pages int
	if err := db.write.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	set("PRAGMA max_page_count = " + strconv.Itoa(pages+8))
	return func() { set("PRAGMA max_page_count = 1073741823") }
}
