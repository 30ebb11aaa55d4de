package store

import (
	"context"
	"database/sql"
	"io/fs"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
)

// How often Follow looks for commits of other processes where the system does not say
// that the log was written: while somebody has just begun to wait or something has just
// happened; while somebody waits on; and while nobody does. Waking up so often is what
// costs, far more than looking.
const (
	busyPause   = 2 * time.Millisecond
	waitedPause = 10 * time.Millisecond
	followPause = 250 * time.Millisecond
	lingering   = 2 * time.Second // what counts as just now
)

// Where the system says it, Follow looks a moment later. A commit can be read only some
// time after the log was written, so it looks again after a pause that doubles, up to one
// that is long enough to cost nothing and short enough for a write that went unreported.
const (
	firstPause = time.Millisecond
	restPause  = time.Second
)

// trimPause is how often Follow removes old events, and firstTrim when it does so first,
// for processes that live shortly.
const (
	trimPause = time.Hour
	firstTrim = time.Minute
)

// Follow wakes waiters in this process when another process commits a change, until
// ctx ends, and removes what the log no longer keeps. Changes of this process wake them
// at once without it.
func (db *DB) Follow(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if written := watchWrites(ctx, filepath.Join(db.dir, walName)); written != nil {
		db.followWrites(ctx, written)
		return
	}
	db.followTime(ctx)
}

// followed is up to where Follow has read; known is false before its first look.
type followed struct {
	seen  bus.Seq
	known bool
}

// look wakes who waits for what happened since the last look, and reports whether
// anything did. The first one wakes all: who waits already may have read the store
// before the last event.
func (db *DB) look(ctx context.Context, at *followed) bool {
	end, err := db.lastEvent(ctx)
	switch {
	case err != nil: // the next look may tell
	case !at.known:
		at.seen, at.known = end, true
		db.hub.Changed(events.Subject{Kind: events.Everything})
	case end > at.seen:
		at.seen = db.wakeSince(ctx, at.seen)
		return true
	}
	return false
}

// followWrites looks after each write to the log.
func (db *DB) followWrites(ctx context.Context, written <-chan struct{}) {
	var at followed
	pause := firstPause
	timer := time.NewTimer(0)
	defer timer.Stop()
	var now, trim time.Time // by the machine: only pauses are measured
	for {
		select {
		case <-ctx.Done():
			return
		case <-written:
			if pause > firstPause {
				pause = firstPause
				timer.Reset(pause)
			}
			continue
		case now = <-timer.C:
		}
		db.look(ctx, &at)
		if trim.IsZero() {
			trim = now.Add(firstTrim)
		}
		if now.After(trim) {
			trim = now.Add(trimPause)
			_ = db.Trim(ctx, bus.DefaultPolicy()) // tried again in an hour
		}
		pause = min(2*pause, restPause)
		timer.Reset(pause)
	}
}

// followTime looks by the clock.
func (db *DB) followTime(ctx context.Context) {
	var at followed
	pause := busyPause
	tick := time.NewTicker(pause)
	defer tick.Stop()
	began := db.hub.Began()
	var now, looked, trim, busy time.Time // by the machine: only pauses are measured
	for {
		select {
		case <-ctx.Done():
			return
		case <-began:
			busy = time.Time{}
			pause = busyPause
			tick.Reset(pause)
			continue
		case now = <-tick.C:
		}
		if busy.IsZero() {
			busy = now
		}
		if trim.IsZero() {
			trim = now.Add(firstTrim)
		}
		if !at.known || now.Sub(looked) >= followPause || !db.untouched(now) {
			looked = now
			if db.look(ctx, &at) {
				busy = now
			}
		}
		if next := db.pauseAt(now.Sub(busy)); next != pause {
			pause = next
			tick.Reset(pause)
		}
		if now.After(trim) {
			trim = now.Add(trimPause)
			_ = db.Trim(ctx, bus.DefaultPolicy()) // tried again in an hour
		}
	}
}

// pauseAt is how long Follow pauses, so long after something happened.
func (db *DB) pauseAt(quiet time.Duration) time.Duration {
	switch {
	case !db.hub.Waiting() && quiet > lingering:
		return followPause
	case quiet > lingering:
		return waitedPause
	}
	return busyPause
}

// clockGrain is longer than the steps in which a file system counts time.
const clockGrain = 50 * time.Millisecond

// untouched reports whether nobody can have committed since the last look, by the time
// of the last write to the log's file. It is far cheaper than a read of the database.
// Windows does not tell that time while the file is open.
func (db *DB) untouched(now time.Time) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	var info fs.FileInfo
	db.noting.Lock()
	if db.log != nil {
		info, _ = db.log.Stat()
	}
	db.noting.Unlock()
	if info == nil {
		return false
	}
	age := now.Sub(info.ModTime())
	return age > clockGrain && age < 365*24*time.Hour
}

func (db *DB) lastEvent(ctx context.Context) (bus.Seq, error) {
	ends, err := find(ctx, db, func(r *sql.Rows, n *bus.Seq) error { return r.Scan(n) },
		`SELECT coalesce(max(seq), 0) FROM log WHERE seq < 9007199254740992`)
	if err != nil {
		return 0, err
	}
	return ends[0], nil
}

// wakeSince wakes the subjects of the events after seq and returns the last one it
// read.
func (db *DB) wakeSince(ctx context.Context, seq bus.Seq) bus.Seq {
	list, err := validRows(ctx, db, nil, scanEvent,
		`SELECT `+eventColumns+` FROM log WHERE seq > ? AND seq < 9007199254740992 ORDER BY seq LIMIT ?`, int64(seq),
		mostEntries)
	if err != nil {
		return seq
	}
	woken := map[events.Subject]bool{}
	for _, e := range list {
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
