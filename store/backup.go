package store

import (
	"context"
	"database/sql"
	"maps"
	"reflect"
	"strings"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
)

// Backups reads and replaces the data that a backup contains.
type Backups struct{ *engine }

var _ backup.Store = struct {
	Backups
	Reviews
}{}

// BackupData implements backup.Store. All reads see the same state of the file. Damaged rows are
// omitted; doctor lists them.
func (db Backups) BackupData(ctx context.Context) (d backup.Data, err error) {
	err = db.snapshot(ctx, func(r rower) error {
		d, err = backupData(ctx, r)
		return err
	})
	return d, err
}

func backupData(ctx context.Context, r rower) (d backup.Data, err error) {
	if d.Settings, err = storedSettings(ctx, r); err != nil {
		return d, err
	}
	if d.Accounts, err = accounts(ctx, r); err != nil {
		return d, err
	}
	if d.Book, err = bookWhere(ctx, r, ` WHERE deleted_at = 0 ORDER BY title, id`); err != nil {
		return d, err
	}
	if d.OwnNames, err = ownNames(ctx, r); err != nil {
		return d, err
	}
	d.Watched, err = validRows(ctx, r, nil, scanWatched, selectWatched+` ORDER BY account, added_at, coin_type`)
	return d, err
}

// Replace implements backup.Store.
func (db Backups) Replace(ctx context.Context, transition func(backup.Data) (backup.Data, error)) error {
	return db.change(ctx, func(x *tx) error {
		before, err := backupData(ctx, x)
		if err != nil {
			return err
		}
		after, err := transition(before)
		if err != nil {
			return err
		}
		if err := saveSettings(ctx, x, before.Settings, after.Settings); err != nil {
			return err
		}
		if err := saveAccounts(ctx, x, before.Accounts, after.Accounts); err != nil {
			return err
		}
		if !reflect.DeepEqual(before.Book, after.Book) || !maps.Equal(before.OwnNames, after.OwnNames) {
			if err := replaceBook(ctx, x, after); err != nil {
				return err
			}
		}
		if !reflect.DeepEqual(before.Watched, after.Watched) {
			if err := replaceWatched(ctx, x, after); err != nil {
				return err
			}
		}
		return beginAfterRestore(ctx, x)
	})
}

// replaceBook replaces the whole address book and the user's names for their own accounts.
func replaceBook(ctx context.Context, x *tx, d backup.Data) error {
	for _, query := range []string{`DELETE FROM book`, `DELETE FROM own_names`} {
		if _, err := x.exec(ctx, query); err != nil {
			return err
		}
	}
	for _, e := range d.Book {
		if err := insertBook(ctx, x, e); err != nil {
			return err
		}
	}
	for address, title := range d.OwnNames {
		if err := nameOwn(ctx, x, address, title); err != nil {
			return err
		}
	}
	if err := x.record(ctx, events.Entry{Kind: events.Book, What: "imported"}); err != nil {
		return err
	}
	return showModified(ctx, x, events.Book, "address_book")
}

// replaceWatched replaces the watched coins of all accounts.
func replaceWatched(ctx context.Context, x *tx, d backup.Data) error {
	if _, err := x.exec(ctx, `DELETE FROM watched`); err != nil {
		return err
	}
	for _, w := range d.Watched {
		if err := putWatched(ctx, x, w); err != nil {
			return err
		}
	}
	return changedWatched(ctx, x)
}

// Erase implements backup.Store.
func (db Backups) Erase(ctx context.Context, page string, judge func([]record.ID) error) error {
	return db.change(ctx, func(x *tx) error {
		ids, err := unsettled(ctx, x)
		if err != nil {
			return err
		}
		if err := judge(ids); err != nil {
			return err
		}
		if err := wipeAll(ctx, x, page); err != nil {
			return err
		}
		if _, err := x.begin(ctx, hashchain.Beginning{Reason: chainReset}); err != nil {
			return err
		}
		return x.recordAs(ctx, bus.TypeAllReplaced, events.Entry{Kind: events.Settings, What: "reset"})
	})
}

// wipeAll deletes all rows of every table, except a freeze, which only the user can end, and the
// access of the requesting page. It takes the table names from the database, so it cannot miss a
// new table.
func wipeAll(ctx context.Context, x *tx, page string) error {
	if _, err := x.exec(ctx, `PRAGMA defer_foreign_keys = 1`); err != nil {
		return err
	}
	ended, err := find(ctx, x, func(r *sql.Rows, s *events.Subject) error {
		var kind pagetoken.Kind
		err := r.Scan(&kind, &s.ID)
		s.Kind = subjectKind(kind)
		return err
	}, `SELECT DISTINCT kind, subject FROM passes`)
	if err != nil {
		return err
	}
	tables, err := column[string](ctx, x,
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name <> 'freeze'`)
	if err != nil {
		return err
	}
	for _, name := range tables {
		switch name {
		case "log_id":
			// A new log ID invalidates all cursors issued so far.
			_, err = x.exec(ctx, `UPDATE log_id SET log = lower(hex(randomblob(16)))`)
		case "links", "passes", "opened_twice":
			err = wipePages(ctx, x, name, page)
		default:
			_, err = x.exec(ctx, `DELETE FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`)
		}
		if err != nil {
			return err
		}
	}
	x.wiped = true
	// Wake the pages that lose their access, and all pages that show a list.
	x.changed = append(x.changed, ended...)
	x.changed = append(x.changed, events.Subject{Kind: events.Account},
		events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	return nil
}

// wipePages ends the access of every page except one settings page and its browser session.
func wipePages(ctx context.Context, x *tx, table, page string) error {
	queries := map[string]string{
		"links": `DELETE FROM links WHERE kind <> ?1 OR subject <> ?2`,
		"passes": `DELETE FROM passes WHERE (kind <> ?1 OR subject <> ?2) AND NOT (kind = 'session' AND
			id IN (SELECT session FROM passes WHERE kind = ?1 AND subject = ?2))`,
		"opened_twice": `DELETE FROM opened_twice WHERE kind <> ?1 OR subject <> ?2`,
	}
	_, err := x.exec(ctx, queries[table], string(pagetoken.Settings), page)
	return err
}
