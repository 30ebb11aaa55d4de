package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// Handed lists recent releases of all reviews, without dead and old ones. It uses the index, so its
// cost does not depend on the age of the store.
func TestHanded(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	dir := filepath.Join(double.Dir(t), "data")
	db := open(t, dir, nil, clock.Now)
	start := clock.Now()
	put := func(n byte, edit func(*record.Session, *record.Release)) record.Release {
		t.Helper()
		s := proposed(string(rune('a'+n)), clock)
		if err := db.CreateReview(ctx, s); err != nil {
			t.Fatal(err)
		}
		v := release(sui.Digest{n + 1}, "n")
		v.At = start
		_, err := db.Release(ctx, s.ID, func(r *record.Row) (record.Release, error) {
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		})
		if err == nil && edit != nil {
			_, err = db.Change(ctx, s.ID, "edited", func(r *record.Row) error {
				edit(&r.Session, &r.Session.Releases[0])
				v = r.Session.Releases[0]
				return bump(r)
			})
		}
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	settled := func(ok bool) func(*record.Session, *record.Release) {
		return func(s *record.Session, r *record.Release) {
			s.Execution = &record.Execution{TxDigest: r.Digest.String(), Receipt: &record.Receipt{TxDigest: r.Digest.String(),
				OK: ok}}
		}
	}
	plain, done, failed := put(0, nil), put(1, settled(true)), put(2, settled(false))
	put(3, func(_ *record.Session, r *record.Release) { r.Dead = true })
	late := put(4, func(_ *record.Session, r *record.Release) { r.SignedAt = start.Add(time.Hour) })
	byID := func(list []record.Handed) map[record.ID]record.Handed {
		out := map[record.ID]record.Handed{}
		for _, h := range list {
			out[h.Review] = h
		}
		return out
	}
	want := map[record.ID]record.Handed{
		"a": {Review: "a", Release: plain}, "b": {Review: "b", Release: done, Settled: done.Digest.String(), Moved: true},
		"c": {Review: "c", Release: failed, Settled: failed.Digest.String()}, "e": {Review: "e", Release: late},
	}
	if diff := cmp.Diff(want, byID(must[[]record.Handed](t)(db.Handed(ctx, start.Add(-1))))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[record.ID]record.Handed{"e": want["e"]}, byID(must[[]record.Handed](t)(db.Handed(ctx,
		start)))); diff != "" {
		t.Errorf("after the moment itself: %s", diff)
	}
	t.Run("the law of a release sees them, and no row keeps them", func(t *testing.T) {
		s := proposed("z", clock)
		if err := db.CreateReview(ctx, s); err != nil {
			t.Fatal(err)
		}
		row, err := db.Release(ctx, s.ID, func(r *record.Row) (record.Release, error) {
			if diff := cmp.Diff(want, byID(must[[]record.Handed](t)(r.Handed()))); diff != "" {
				t.Error(diff)
			}
			v := release(sui.Digest{9}, "z")
			r.Session.Releases = append(r.Session.Releases, v)
			return v, bump(r)
		})
		if err != nil || row.Handed != nil {
			t.Errorf("%t %v", row.Handed != nil, err)
		}
	})
	t.Run("an index is used", func(t *testing.T) {
		var plan strings.Builder
		rows, err := raw(t,
			dir).Query(`EXPLAIN QUERY PLAN SELECT l.digest FROM releases AS l JOIN reviews AS r ON r.id = l.review_id
			WHERE l.dead = 0 AND max(l.at, l.signed_at) > 5`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(detail + "\n")
		}
		if !strings.Contains(plan.String(), "releases_by_last") {
			t.Error(plan.String())
		}
	})
}
