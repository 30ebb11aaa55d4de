package store

import (
	"context"
	"strconv"
	"testing"
)

// The queries whose plans are tested.
const (
	SelectLiveReviews     = selectLiveReviews
	SelectReleasedReviews = selectReleasedReviews
	SelectLiveIdentities  = selectLiveIdentities
	CountActivity         = countActivity
	SelectActivity        = selectActivity
	SelectFunnel          = selectFunnel
)

// FollowTime is Follow where the system does not say that the log was written.
func (db *DB) FollowTime(ctx context.Context) { db.followTime(ctx) }

// LimitPages keeps the file from growing by more than a few pages, as a full disk
// does, until lift is called.
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
