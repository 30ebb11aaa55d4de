package store

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Migrations are numbered from 0001 without gaps; the number of the last one applied is the file's
// user_version. A released migration is never edited.
//
//go:embed migrations/*.sql
var migrations embed.FS

// condition describes a database file before it is changed.
type condition struct {
	engine      string
	application int64
	version     int
	objects     int
	foreign     int // views, triggers and virtual tables, which this program never creates
}

// prepare checks the database file and migrates it to the newest format.
func (db *engine) prepare(ctx context.Context, made bool) error {
	steps, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return failed(err)
	}
	c, err := db.condition(ctx)
	if err != nil {
		return err
	}
	if err := db.judge(c, len(steps), made); err != nil {
		return err
	}
	if c.fresh() {
		if err := db.useWAL(ctx); err != nil {
			return err
		}
	}
	for n := max(c.version, 0); n < len(steps); n++ {
		if err := db.migrate(ctx, n+1, steps[n]); err != nil {
			return err
		}
	}
	return nil
}

// fresh reports whether nothing was ever created in the file.
func (c condition) fresh() bool { return c.application == 0 && c.version == 0 && c.objects == 0 }

// judge rejects a file that this version cannot use safely; newest is the newest format it
// supports. An empty file is ours only if it was just created.
func (db *engine) judge(c condition, newest int, made bool) error {
	switch {
	case !atLeast(c.engine, oldestEngine):
		return refuse("engine_old", "SQLite %s is too old to be safe here; %s or newer is needed.", c.engine, oldestEngine)
	case c.fresh() && made:
		return nil
	case c.application != applicationID:
		return refuse("file_not_ours", "The file %s is another program's database. Choose another data directory.",
			db.path())
	//mutant:never ./store TestForeignFiles
	case c.version < 1:
		return refuse("file_version",
			"The file %s has format %d, which no version of Say Ur Intent creates. Restore the data directory from a "+
				"backup or, to start over, move it away.", db.path(), c.version)
	case c.version > newest:
		return refuse("file_newer", "The data in %s was written by a newer version of Say Ur Intent (format %d; this "+
			"version supports up to %d). Use the newer version, or another data directory.", db.dir, c.version, newest)
	case c.foreign > 0:
		return refuse("file_altered", "The file %s contains triggers, views or virtual tables, which Say Ur Intent "+
			"never creates. To start over, move the data directory away.", db.path())
	}
	return nil
}

func (db *engine) condition(ctx context.Context) (condition, error) {
	var c condition
	row := db.write.QueryRowContext(ctx, `SELECT sqlite_version(), a.application_id, v.user_version,
		(SELECT count(*) FROM sqlite_schema),
		(SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%')
		FROM pragma_application_id AS a, pragma_user_version AS v`)
	if err := row.Scan(&c.engine, &c.application, &c.version, &c.objects, &c.foreign); err != nil {
		return c, failed(err)
	}
	return c, nil
}

// useWAL switches a new file to write-ahead logging; the file stores that mode. If another process
// switches it at the same time, SQLite returns "busy" without waiting.
func (db *engine) useWAL(ctx context.Context) error {
	const pause = 10 * time.Millisecond
	var err error
	for waited := time.Duration(0); waited < busyTimeout; waited += pause {
		var mode string
		if err = db.write.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err == nil {
			if mode == "wal" {
				return nil
			}
			return refuse("no_wal", "The file system of %s does not support the database (journal mode %q). Choose a "+
				"directory on a local disk.", db.dir, mode)
		}
		if !isBusy(err) {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return failed(ctx.Err())
		}
	}
	return failed(err)
}

// migrate applies one migration in one transaction, unless another process already has.
func (db *engine) migrate(ctx context.Context, version int, name string) error {
	text, err := migrations.ReadFile(name)
	if err != nil {
		return failed(err)
	}
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = tx.Rollback() }()
	var present int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&present); err != nil {
		return failed(err)
	}
	if present >= version {
		return nil
	}
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return fault.Wrap(err, fault.InternalError, "The data in %s cannot be upgraded to format %d.", db.dir, version).
			With("store", "migration_failed")
	}
	pragma := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, version)
	if _, err := tx.ExecContext(ctx, pragma); err != nil {
		return failed(err)
	}
	if err := tx.Commit(); err != nil {
		return failed(err)
	}
	return nil
}

// atLeast reports whether the dotted version have is want or newer.
func atLeast(have, want string) bool {
	h, w := strings.Split(have, "."), strings.Split(want, ".")
	for i := range w {
		if i >= len(h) {
			return false
		}
		a, errA := strconv.Atoi(h[i])
		b, errB := strconv.Atoi(w[i])
		if errA != nil || errB != nil {
			return false
		}
		if a != b {
			return a > b
		}
	}
	return true
}
