package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/storekit"
	"github.com/sayurintent/sayurintent/store"
)

// finished returns a store with n finished reviews of one account, each with a release and its
// journal.
func finished(t testing.TB, n int) (*store.DB, *double.Clock) {
	t.Helper()
	db, c, _ := finishedIn(t, n)
	return db, c
}

func finishedIn(t testing.TB, n int) (db *store.DB, c *double.Clock, dir string) {
	t.Helper()
	dir = filepath.Join(double.Dir(t), "data")
	c = newClock()
	db = open(t, dir, nil, c.Now)
	id := create(t, db, c, "r")
	walk(t, db, c, id, "opened:wallet_connected", "computed:ready_for_wallet_review")
	digest, law := built(7)
	must[record.Session](t)(db.Change(t.Context(), id, "built", law))
	_, err := db.Release(t.Context(), id, func(r *record.Row) (record.Release, error) {
		v := release(digest, "n")
		v.SignedAt = v.At
		r.Session.Releases = append(r.Session.Releases, v)
		return v, bump(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	walk(t, db, c, id, "signed:signed_pending_result", "effects:success")
	storekit.Multiply(t, dir, string(id), n, time.Second)
	c.Advance(30 * 24 * time.Hour)
	return db, c, dir
}

// BenchmarkManyFinished runs queries of tools and of review computations on a store with 100,000
// finished reviews.
func BenchmarkManyFinished(b *testing.B) {
	db, c := finished(b, 100_000)
	ctx, scope := context.Background(), history.Scope{Account: historian}
	run := func(name string, ask func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("activity", func() error { _, _, err := db.ReviewActivity(ctx, scope, 20); return err })
	blocked := scope
	blocked.Status = record.Blocked
	run("activity of one status", func() error { _, _, err := db.ReviewActivity(ctx, blocked, 20); return err })
	blocked.Status = record.Success
	run("activity of all successes", func() error { _, _, err := db.ReviewActivity(ctx, blocked, 20); return err })
	run("funnel", func() error { _, err := db.ReviewFunnel(ctx, scope); return err })
	run("handed", func() error { _, err := db.Handed(ctx, c.Now().Add(-24*time.Hour)); return err })
	run("open", func() error { _, err := db.Open(ctx, historian); return err })
	run("asked", func() error { _, err := db.Asked(ctx, historian); return err })
	run("unsettled", func() error { _, err := db.Unsettled(ctx); return err })
	run("paid", func() error { _, err := db.Paid(ctx, historian); return err })
	run("paid name", func() error { _, _, err := db.PaidName(ctx, "alice.sui"); return err })
	run("waiting", func() error { _, err := db.WaitingReviews(ctx, c.Now(), 50); return err })
	run("number", func() error { _, err := db.RequestNumber(ctx, historian, c.Now()); return err })
}
