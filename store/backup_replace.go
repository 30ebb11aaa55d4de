package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/review/record"
)

// Erase implements backup.Store.
func (db *DB) Erase(ctx context.Context, page string, judge func(backup.State) error) error {
	return db.change(ctx, func(x *tx) error {
		// Settings that cannot be read do not block erasing; a transaction that a
		// wallet may have signed does.
		p, err := backupState(ctx, x)
		if err != nil {
			if p.Unsettled, err = unsettled(ctx, x); err != nil {
				return err
			}
		}
		if err := judge(p); err != nil {
			return err
		}
		// Only a person's own word lifts a freeze.
		if err := x.wipe(ctx, page, []string{"freeze"}); err != nil {
			return err
		}
		return x.recordAs(ctx, bus.TypeAllReplaced, events.Entry{Kind: events.Settings, What: "reset"})
	})
}

// Replace implements backup.Store.
func (db *DB) Replace(ctx context.Context, page string,
	transition func(backup.State) (backup.Replacement, error)) error {
	return db.change(ctx, func(x *tx) error {
		// The indexes of many rows are built in memory. The setting belongs to the
		// connection, so it is reset afterwards.
		if _, err := x.exec(ctx, `PRAGMA cache_size = -65536`); err != nil {
			return err
		}
		defer func() { _, _ = x.exec(context.WithoutCancel(ctx), `PRAGMA cache_size = -2000`) }()
		p, err := backupState(ctx, x)
		if err != nil {
			return err
		}
		r, err := transition(p)
		if err != nil {
			return err
		}
		if err := x.keepHanded(ctx); err != nil {
			return err
		}
		// Committees that were verified are never given up. What is watched is none of a copy,
		// nor are the ids of actions, which would run again, nor the folders of this machine.
		stay := []string{"handed_before", "chain_seen", "freeze", "book_closed", "watched", "actions", "epoch_ends",
			"workspace_folders", "workspace_changes"}
		if !r.WithBook {
			stay = append(stay, "book", "own_names")
		}
		if !r.WithAccounts {
			stay = append(stay, "active_account", "known_accounts", "identities")
		}
		if err := x.wipe(ctx, page, stay); err != nil {
			return err
		}
		// It wakes all who wait in every process; the entries that come in wake nobody.
		err = x.recordAs(ctx, bus.TypeAllReplaced, events.Entry{Kind: events.Settings, What: "imported"})
		if err != nil {
			return err
		}
		return x.fill(ctx, r)
	})
}

// wipe deletes the rows of every table except those in stay, with their journal, and
// the access of the requesting page. It takes the list of tables from the file, so
// that a new table is never missed.
func (x *tx) wipe(ctx context.Context, page string, stay []string) error {
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
	tables, err := find(ctx, x, func(r *sql.Rows, n *string) error { return r.Scan(n) },
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, name := range stay {
		kept[name] = true
	}
	for _, name := range tables {
		switch {
		case kept[name]:
		case name == "log_id":
			// Cursors of before are told that this is another log.
			_, err = x.exec(ctx, `UPDATE log_id SET log = lower(hex(randomblob(16)))`)
		case name == "journal" && kept["identities"]:
			_, err = x.exec(ctx, `DELETE FROM journal WHERE kind NOT IN (?, ?)`, string(events.Identity), string(events.Account))
		case name == "links" || name == "passes" || name == "opened_twice":
			err = x.wipePages(ctx, name, page)
		default:
			_, err = x.exec(ctx, `DELETE FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`)
		}
		if err != nil {
			return err
		}
	}
	x.wiped = true
	// Pages that lose their access are woken, and so is every page that shows a list.
	x.changed = append(x.changed, ended...)
	x.changed = append(x.changed, events.Subject{Kind: events.Account},
		events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	return nil
}

// wipePages ends the access of every page except one settings page.
func (x *tx) wipePages(ctx context.Context, table, page string) error {
	queries := map[string]string{
		"links":        `DELETE FROM links WHERE kind <> ? OR subject <> ?`,
		"passes":       `DELETE FROM passes WHERE kind <> ? OR subject <> ?`,
		"opened_twice": `DELETE FROM opened_twice WHERE kind <> ? OR subject <> ?`,
	}
	_, err := x.exec(ctx, queries[table], string(pagetoken.Settings), page)
	return err
}

// keepHanded records the transactions that were released on this machine within the
// last day, so that the daily limits still count them after the reviews are deleted.
// Releases from a backup are left out: they have no nonce of this machine. All of them
// are final, because nothing is replaced while a result is unknown.
func (x *tx) keepHanded(ctx context.Context) error {
	since := nanoseconds(x.now.Add(-policy.Day))
	if _, err := x.exec(ctx, `DELETE FROM handed_before WHERE max(at, signed_at) <= ?`, since); err != nil {
		return err
	}
	_, err := x.exec(ctx,
		`INSERT INTO handed_before (review_id, digest, at, signed_at, gas_coin_json, takes_json, settled, moved)
		SELECT l.review_id, l.digest, l.at, l.signed_at, l.gas_coin_json,
			json_object('spends', l.facts_json -> '$.spends', 'offers', l.facts_json -> '$.offers', 'steps', l.facts_json -> '$.steps'),
			`+settledColumns+` FROM releases AS l JOIN reviews AS r ON r.id = l.review_id
		WHERE l.dead = 0 AND max(l.at, l.signed_at) > ? AND l.nonce_hash <> zeroblob(32)
		ON CONFLICT DO NOTHING`, since)
	return err
}

// fill inserts the rows of a backup after wipe, one at a time.
func (x *tx) fill(ctx context.Context, r backup.Replacement) error {
	if err := x.saveSettings(ctx, settings.Stored{}, r.Settings); err != nil {
		return err
	}
	if a := r.Active; a != nil {
		err := x.one(ctx, `INSERT INTO active_account (id, account, chain, wallet_name, wallet_id, proven, connected_at)
			VALUES (1, ?, ?, ?, ?, 0, ?)`, a.Account[:], a.Chain, a.WalletName, a.WalletID, nanoseconds(a.ConnectedAt))
		if err != nil {
			return err
		}
	}
	insert := strings.Replace(insertEntry, "?", nextSeq, 1)
	return r.Rows(ctx, func(row backup.Row) error {
		switch v := row.(type) {
		case backup.Account:
			return x.fillAccount(ctx, v)
		case backup.Identity:
			return x.fillIdentity(ctx, v)
		case backup.Review:
			return x.fillReview(ctx, v.Session)
		case backup.Coin:
			return x.fillCoin(ctx, v)
		case backup.Name:
			return x.insertBook(ctx, book.Entry{ID: v.ID, Title: v.Title, Address: v.Address, Chain: v.Chain, Source: book.Import,
				CreatedAt: v.CreatedAt})
		case backup.OwnName:
			return x.one(ctx, `INSERT INTO own_names (address, title) VALUES (?, ?)`, v.Address, v.Title)
		case backup.Entry:
			// These entries wake nobody: all pages but one have ended.
			_, err := x.exec(ctx, insert, string(v.Kind), v.Subject, v.From, v.To, v.Revision, v.What, nanoseconds(v.At))
			return err
		}
		return nil
	})
}

// fillAccount stores an account as claimed; columns of a proof are never written.
func (x *tx) fillAccount(ctx context.Context, a backup.Account) error {
	return x.one(ctx, `INSERT INTO known_accounts (account, chain, wallet_name, wallet_id, first_connected_at,
		last_connected_at, proven_at) VALUES (?, ?, ?, ?, ?, ?, 0)`,
		a.Account[:], a.Chain, a.WalletName, a.WalletID, nanoseconds(a.FirstConnectedAt), nanoseconds(a.LastConnectedAt))
}

func (x *tx) fillIdentity(ctx context.Context, i backup.Identity) error {
	return x.one(ctx, `INSERT INTO identities (id, status, account, chain, wallet_name, wallet_id, failure_reason,
		failure_detail, replaced, created_at, updated_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		i.ID, i.Status, optionalAddress(i.Account), i.Chain, i.WalletName, i.WalletID, i.FailureReason, i.FailureDetail,
		optionalAddress(i.Replaced), nanoseconds(i.CreatedAt), nanoseconds(i.UpdatedAt), nanoseconds(i.ExpiresAt))
}

// fillReview stores a review with its releases, without material.
func (x *tx) fillReview(ctx context.Context, s record.Session) error {
	if err := x.insertReview(ctx, s); err != nil {
		return err
	}
	for i, v := range s.Releases {
		if err := x.insertRelease(ctx, s.ID, i, v); err != nil {
			return err
		}
	}
	if !s.OpenedTwice {
		return nil
	}
	return x.one(ctx, `INSERT INTO opened_twice (kind, subject, at) VALUES (?, ?, ?)`, string(pagetoken.Review),
		string(s.ID), nanoseconds(x.now))
}

func (x *tx) fillCoin(ctx context.Context, c backup.Coin) error {
	return x.one(ctx, `INSERT INTO coin_metadata (chain, coin_type, found, decimals, symbol, name, checked_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, c.Chain[:], string(c.CoinType), c.Found, c.Decimals, c.Symbol, c.Name,
		nanoseconds(c.CheckedAt))
}
