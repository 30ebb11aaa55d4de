package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// tx is a write transaction. All its writes have the same time. It also collects the subjects to
// wake and other work to do after the commit.
type tx struct {
	*sql.Tx
	db      *engine
	now     time.Time
	session string // the conversation that requested the change
	changed []events.Subject
	wiped   bool
	// released reports that the transaction releases bytes to a wallet.
	released bool
}

// done turns errUnchanged into nil, for a part of a transaction that has nothing to write.
func done(err error) error {
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// errUnchanged makes change roll back a transaction that has nothing to write.
var errUnchanged = errors.New("store: unchanged")

// change runs fn in one BEGIN IMMEDIATE transaction and wakes the changed subjects after the
// commit. If fn returns an error, change rolls back and returns that error, or nil for errUnchanged.
func (db *engine) change(ctx context.Context, fn func(*tx) error) error {
	t, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return failed(err)
	}
	x := &tx{Tx: t, db: db, now: db.now(), session: db.conversation(ctx)}
	defer func() { _ = t.Rollback() }()
	if err := db.still(); err != nil {
		return err
	}
	if err := db.expectLog(); err != nil {
		return err
	}
	if err := fn(x); err != nil {
		if errors.Is(err, errUnchanged) {
			return nil
		}
		return err
	}
	if err := db.still(); err != nil {
		return err
	}
	if x.wiped {
		db.unswept.Store(true)
	}
	if err := t.Commit(); err != nil {
		return failed(err)
	}
	if db.unswept.Load() {
		// The change is committed and durable. If a reader blocks the sweep, it is retried after
		// the next write and by Close.
		_ = db.sweep(ctx)
	}
	db.noteLog()
	for _, s := range x.changed {
		db.hub.Changed(s)
	}
	if x.released {
		return db.noteRelease(ctx)
	}
	return nil
}

// sweep empties the write-ahead log. Until its old pages are overwritten, they still contain
// deleted material.
func (db *engine) sweep(ctx context.Context) error {
	var busy, log, moved int
	err := db.write.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log,
		&moved)
	if err != nil {
		return failed(err)
	}
	if busy == 0 {
		db.unswept.Store(false)
	}
	return nil
}

// exec runs one statement and returns the number of rows it changed.
func (x *tx) exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := x.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, failed(err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, failed(err)
	}
	return n, nil
}

// one runs a statement that must change exactly one row. If it does not, the row was changed after
// the transaction read it.
func (x *tx) one(ctx context.Context, query string, args ...any) error {
	n, err := x.exec(ctx, query, args...)
	if err == nil && n != 1 {
		err = fault.New(fault.InternalError, "A stored row was changed by another process; try again.")
	}
	return err
}

// rower is implemented by transactions and by the read pool. Query texts must be constants, because
// compiled statements are cached by text.
type rower interface {
	rows(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func (x *tx) rows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return x.QueryContext(ctx, query, args...)
}

func (db *engine) rows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return db.read.QueryContext(ctx, query, args...)
}

// view is a read transaction. All its reads see the same state of the database.
type view struct{ *sql.Tx }

func (v view) rows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return v.QueryContext(ctx, query, args...)
}

// snapshot runs fn with a view of the database.
func (db *engine) snapshot(ctx context.Context, fn func(rower) error) error {
	t, err := db.read.BeginTx(ctx, nil)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = t.Rollback() }()
	return fn(view{t})
}

// find runs a query and scans every row.
func find[T any](ctx context.Context, r rower, scan func(*sql.Rows, *T) error, query string, args ...any) ([]T, error) {
	rows, err := r.rows(ctx, query, args...)
	if err != nil {
		return nil, failed(err)
	}
	defer func() { _ = rows.Close() }()
	var out []T
	for rows.Next() {
		var v T
		if err := scan(rows, &v); err != nil {
			return nil, failed(err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, failed(err)
	}
	return out, nil
}

// column runs a query that selects one column and returns its values.
func column[T any](ctx context.Context, r rower, query string, args ...any) ([]T, error) {
	return find(ctx, r, func(r *sql.Rows, v *T) error { return r.Scan(v) }, query, args...)
}

// single runs a query that selects one column and returns its first value. It returns the zero value
// if the query returns no rows.
func single[T any](ctx context.Context, r rower, query string, args ...any) (first T, err error) {
	list, err := column[T](ctx, r, query, args...)
	if len(list) > 0 {
		first = list[0]
	}
	return first, err
}

// failed converts an SQLite error to a fault with a message for users.
func failed(err error) error {
	var engine *sqlite.Error
	var own *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, sql.ErrTxDone): // the package sql rolled back because ctx had ended
		return fault.Wrap(err, fault.RequestAborted, "The call was cancelled before it was recorded.")
	case errors.As(err, &engine):
		return engineFault(engine)
	}
	return fault.Wrap(err, fault.InternalError, "The local data cannot be read or written. The log has the cause.")
}

func engineFault(err *sqlite.Error) error {
	what, text := "engine", "The local data cannot be read or written. The log has the cause."
	switch err.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		what, text = "busy", "Another Say Ur Intent process is writing the local data. Try again in a moment."
	case sqlite3.SQLITE_FULL:
		what, text = "disk_full", "The disk is full; nothing was recorded. Free some space and try again."
	case sqlite3.SQLITE_IOERR:
		if unwritten(err.Code()) {
			what, text = "disk_write", "Writing to disk failed: it is full, over quota, or failing. "+
				"Nothing was recorded. Free some space and try again."
		}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		what, text = "damaged",
			"The local database is damaged, or is not a database. To start over, move the data directory away."
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		what, text = "not_writable",
			"The local database cannot be opened for writing. Check the data directory's permissions."
	case sqlite3.SQLITE_INTERRUPT:
		return fault.Wrap(err, fault.RequestAborted, "The call was cancelled before it was recorded.")
	}
	return fault.Wrap(err, fault.InternalError, "%s", text).With("store", what)
}

// unwritten reports whether an SQLite I/O error code means that a write failed.
func unwritten(code int) bool {
	switch code {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC,
		sqlite3.SQLITE_IOERR_TRUNCATE,
		sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP:
		return true
	}
	return false
}

func isBusy(err error) bool {
	var engine *sqlite.Error
	return errors.As(err, &engine) && engine.Code()&0xff == sqlite3.SQLITE_BUSY
}

// nanoseconds returns the stored form of a time: nanoseconds since 1970, or 0 for the zero time.
func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// timeOf decodes a value written by nanoseconds. The result is in UTC.
func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
