package store

import (
	"context"
	"database/sql"
	"strings"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pass"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/review"
)

// Erase implements settings.Records.
func (db *DB) Erase(ctx context.Context, page string, law func(settings.Present) error) error {
	return db.change(ctx, func(x *tx) error {
		// Settings that cannot be read back do not stand in the way of forgetting
		// them; what a wallet may have signed does.
		p, err := present(ctx, x)
		if err != nil {
			if p.Unsettled, err = unsettled(ctx, x); err != nil {
				return err
			}
		}
		if err := law(p); err != nil {
			return err
		}
		if err := x.wipe(ctx, page, nil); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Settings, What: "reset"})
	})
}

// Replace implements settings.Records.
func (db *DB) Replace(ctx context.Context, page string, law func(settings.Present) (settings.Replacement, error)) error {
	return db.change(ctx, func(x *tx) error {
		// Indexes of many rows grow in memory; the setting lasts as long as the
		// connection, so it is taken back.
		if _, err := x.exec(ctx, `PRAGMA cache_size = -65536`); err != nil {
			return err
		}
		defer func() { _, _ = x.exec(context.WithoutCancel(ctx), `PRAGMA cache_size = -2000`) }()
		p, err := present(ctx, x)
		if err != nil {
			return err
		}
		r, err := law(p)
		if err != nil {
			return err
		}
		var stay []string
		if !r.WithAccounts {
			stay = []string{"active_account", "known_accounts", "identities"}
		}
		if err := x.wipe(ctx, page, stay); err != nil {
			return err
		}
		// First of all that is written, so that another process hears of it
		// before it reads thousands of rows about reviews.
		if err := x.record(ctx, events.Entry{Kind: events.Settings, What: "imported"}); err != nil {
			return err
		}
		return x.fill(ctx, r)
	})
}

// wipe forgets every row of every table but those that stay, with their journal,
// and the right of the page that asks. The tables are those that the file has, so
// that a new one is never left behind.
func (x *tx) wipe(ctx context.Context, page string, stay []string) error {
	if _, err := x.exec(ctx, `PRAGMA defer_foreign_keys = 1`); err != nil {
		return err
	}
	ended, err := find(ctx, x, func(r *sql.Rows, s *events.Subject) error {
		var kind pass.Kind
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
		case name == "journal" && len(stay) > 0:
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
	// Pages that lose their right hear of it, and so does whoever shows a list.
	x.changed = append(x.changed, ended...)
	x.changed = append(x.changed, events.Subject{Kind: events.Account}, events.Subject{Kind: events.Home, ID: pass.HomeSubject})
	return nil
}

// wipePages ends every page but one settings page.
func (x *tx) wipePages(ctx context.Context, table, page string) error {
	queries := map[string]string{
		"links":        `DELETE FROM links WHERE kind <> ? OR subject <> ?`,
		"passes":       `DELETE FROM passes WHERE kind <> ? OR subject <> ?`,
		"opened_twice": `DELETE FROM opened_twice WHERE kind <> ? OR subject <> ?`,
	}
	_, err := x.exec(ctx, queries[table], string(pass.Settings), page)
	return err
}

// fill puts a copy in the place of what was wiped.
func (x *tx) fill(ctx context.Context, r settings.Replacement) error {
	if err := x.saveSettings(ctx, settings.Stored{}, r.Settings); err != nil {
		return err
	}
	if err := x.fillAccounts(ctx, r); err != nil {
		return err
	}
	for _, s := range r.Reviews {
		if err := x.fillReview(ctx, s); err != nil {
			return err
		}
	}
	if err := x.fillCoins(ctx, r.Coins); err != nil {
		return err
	}
	return x.fillJournal(ctx, r.Journal)
}

// fillAccounts stores accounts as claimed: no column of a proof is written.
func (x *tx) fillAccounts(ctx context.Context, r settings.Replacement) error {
	if a := r.Active; a != nil {
		err := x.one(ctx, `INSERT INTO active_account (id, account, chain, wallet_name, wallet_id, proven, connected_at)
			VALUES (1, ?, ?, ?, ?, 0, ?)`, a.Account[:], a.Chain, a.WalletName, a.WalletID, stamp(a.ConnectedAt))
		if err != nil {
			return err
		}
	}
	for _, a := range r.Accounts {
		err := x.one(ctx, `INSERT INTO known_accounts (account, chain, wallet_name, wallet_id, first_connected_at,
			last_connected_at, proven_at) VALUES (?, ?, ?, ?, ?, ?, 0)`,
			a.Account[:], a.Chain, a.WalletName, a.WalletID, stamp(a.FirstConnectedAt), stamp(a.LastConnectedAt))
		if err != nil {
			return err
		}
	}
	for _, i := range r.Identities {
		err := x.one(ctx, `INSERT INTO identities (id, status, account, chain, wallet_name, wallet_id, failure_reason,
			failure_detail, replaced, created_at, updated_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			i.ID, i.Status, optionalAddress(i.Account), i.Chain, i.WalletName, i.WalletID, i.FailureReason, i.FailureDetail,
			optionalAddress(i.Replaced), stamp(i.CreatedAt), stamp(i.UpdatedAt), stamp(i.ExpiresAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// fillReview stores a review with its releases, without material.
func (x *tx) fillReview(ctx context.Context, s review.Session) error {
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
	return x.one(ctx, `INSERT INTO opened_twice (kind, subject, at) VALUES (?, ?, ?)`, string(pass.Review), string(s.ID), stamp(x.now))
}

func (x *tx) fillCoins(ctx context.Context, coins []settings.CoinWord) error {
	for _, c := range coins {
		if _, err := x.exec(ctx, `INSERT INTO coin_metadata (chain, coin_type, found, decimals, symbol, name, checked_at)
			VALUES (?, ?, ?, ?, ?, ?, ?)`, c.Chain[:], string(c.CoinType), c.Found, c.Decimals, c.Symbol, c.Name, stamp(c.CheckedAt)); err != nil {
			return err
		}
	}
	return nil
}

// fillJournal appends rows in their order. It wakes nobody: all pages but one
// have ended.
func (x *tx) fillJournal(ctx context.Context, entries []settings.Entry) error {
	insert, err := x.PrepareContext(ctx, `INSERT INTO journal (kind, subject, from_status, to_status, revision, what, at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = insert.Close() }()
	for _, e := range entries {
		if _, err := insert.ExecContext(ctx, string(e.Kind), e.Subject, e.From, e.To, e.Revision, e.What, stamp(e.At)); err != nil {
			return failed(err)
		}
	}
	return nil
}
