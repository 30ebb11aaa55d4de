package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
)

// followPause is the interval at which Follow checks for commits of other processes:
// one read of the end of the journal.
const followPause = 250 * time.Millisecond

// Follow wakes waiters in this process when another process commits a change, until
// ctx ends. Changes of this process wake them at once without it.
func (db *DB) Follow(ctx context.Context) {
	seen, err := db.journalEnd(ctx)
	known := err == nil
	tick := time.NewTicker(followPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		end, err := db.journalEnd(ctx)
		switch {
		case err != nil: // the next look may tell
		case !known:
			seen, known = end, true
		case end > seen:
			seen = db.wakeSince(ctx, seen)
		}
	}
}

func (db *DB) journalEnd(ctx context.Context) (int64, error) {
	ends, err := find(ctx, db, func(r *sql.Rows, n *int64) error { return r.Scan(n) },
		`SELECT coalesce(max(seq), 0) FROM journal WHERE seq < 9007199254740992`)
	if err != nil {
		return 0, err
	}
	return ends[0], nil
}

// wakeSince wakes the subjects of the journal after seq and returns the last entry it
// read.
func (db *DB) wakeSince(ctx context.Context, seq int64) int64 {
	entries, err := validRows(ctx, db, nil, scanEntry,
		`SELECT `+entryColumns+` FROM journal WHERE seq > ? AND seq < 9007199254740992 ORDER BY seq LIMIT ?`, seq,
		mostEntries)
	if err != nil {
		return seq
	}
	woken := map[events.Subject]bool{}
	for _, e := range entries {
		seq = e.Seq
		for _, s := range subjectsOf(e) {
			if !woken[s] {
				woken[s] = true
				db.hub.Changed(s)
			}
		}
	}
	return seq
}
