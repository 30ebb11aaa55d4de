package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

var _ backup.Store = (*DB)(nil)

// Walk implements backup.Store. All reads see one state of the file. Secrets and
// whatever lives with a page (materials, links, page tokens) are not read, and neither
// are proofs of an account: they are valid on this machine only.
func (db *DB) Walk(ctx context.Context, head func(settings.Stored, *backup.Active) error,
	row func(backup.Row) error) error {
	return db.snapshot(ctx, func(r rower) error {
		state, err := backupState(ctx, r)
		if err != nil {
			return err
		}
		if err := head(state.Settings, state.Active); err != nil {
			return err
		}
		if err := each(ctx, r, scanBackupAccount, row, `SELECT account, chain, wallet_name, wallet_id, first_connected_at,
			last_connected_at FROM known_accounts ORDER BY last_connected_at DESC, account`); err != nil {
			return err
		}
		if err := each(ctx, r, scanBackupIdentity, row, `SELECT id, status, account, chain, wallet_name, wallet_id,
			failure_reason, failure_detail, replaced, created_at, updated_at, expires_at FROM identities ORDER BY created_at, id`); err != nil {
			return err
		}
		// A review is read with its releases, which needs a second query while no
		// other one runs; a damaged one is left out.
		ids, err := find(ctx, r, func(r *sql.Rows, id *record.ID) error { return r.Scan(id) },
			`SELECT id FROM reviews ORDER BY created_at, id`)
		if err != nil {
			return err
		}
		for _, id := range ids {
			s, err := reviewSession(ctx, r, id)
			if _, one := damageOf(err); one {
				continue
			}
			if err == nil {
				err = row(backup.Review{Session: s})
			}
			if err != nil {
				return err
			}
		}
		if err := each(ctx, r, scanBackupCoin, row, `SELECT chain, coin_type, found, decimals, symbol, name, checked_at
			FROM coin_metadata ORDER BY chain, coin_type`); err != nil {
			return err
		}
		names, err := bookWhere(ctx, r, ` WHERE deleted_at = 0 ORDER BY title, id`)
		if err != nil {
			return err
		}
		for _, e := range names {
			err := row(backup.Name{ID: e.ID, Title: e.Title, Address: e.Address, Chain: e.Chain, CreatedAt: e.CreatedAt})
			if err != nil {
				return err
			}
		}
		own, err := ownNames(ctx, r)
		if err != nil {
			return err
		}
		for _, address := range slices.Sorted(maps.Keys(own)) {
			if err := row(backup.OwnName{Address: address, Title: own[address]}); err != nil {
				return err
			}
		}
		return each(ctx, r, scanBackupEntry, row, `SELECT `+entryColumns+` FROM journal ORDER BY seq`)
	})
}

// each runs a read and passes every row to the callback as it arrives.
func each[T backup.Row](ctx context.Context, r rower, scan func(*sql.Rows, *T) error, row func(backup.Row) error,
	query string) error {
	rows, err := r.rows(ctx, query)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var v T
		err := scan(rows, &v)
		if _, one := damageOf(err); one {
			continue // a backup has what can be read; doctor names the rest
		}
		if err != nil {
			return failed(err)
		}
		if err := row(v); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return failed(err)
	}
	return nil
}

// scanBackupAccount leaves out the proof of an account.
func scanBackupAccount(r *sql.Rows, a *backup.Account) error {
	var address []byte
	var first, last int64
	c := scanColumns(r, "known_accounts", nil, &address, &a.Chain, &a.WalletName, &a.WalletID, &first, &last)
	c.wallet(&a.Account, address, a.Chain, a.WalletName, a.WalletID)
	a.FirstConnectedAt, a.LastConnectedAt = c.time("first_connected_at", first), c.time("last_connected_at", last)
	return c.err
}

func scanBackupIdentity(r *sql.Rows, i *backup.Identity) error {
	var address, replaced []byte
	var created, updated, expires int64
	c := scanColumns(r, "identities", &i.ID, &i.ID, &i.Status, &address, &i.Chain, &i.WalletName, &i.WalletID,
		&i.FailureReason, &i.FailureDetail,
		&replaced, &created, &updated, &expires)
	i.CreatedAt, i.UpdatedAt, i.ExpiresAt = c.time("created_at", created), c.time("updated_at", updated),
		c.time("expires_at", expires)
	i.Account, i.Replaced = c.optional("account", address), c.optional("replaced", replaced)
	c.identity(i.ID, account.IdentityStatus(i.Status), i.Chain, i.WalletName, i.WalletID, i.FailureReason,
		i.FailureDetail, i.Account != nil)
	return c.err
}

func scanBackupEntry(r *sql.Rows, e *backup.Entry) error {
	var v events.Entry
	err := scanEntry(r, &v)
	*e = backup.Entry{Kind: v.Kind, Subject: v.Subject, From: v.From, To: v.To, Revision: v.Revision, What: v.What,
		At: v.At}
	return err
}

func scanBackupCoin(r *sql.Rows, c *backup.Coin) error {
	var chain []byte
	var d assets.Described
	err := scanCoinRow(r, &d, &chain)
	if err != nil {
		return err
	}
	*c = backup.Coin{Chain: sui.Digest(chain), CoinType: d.Coin, Found: d.Found, Decimals: d.Decimals, Symbol: d.Symbol,
		Name: d.Name, CheckedAt: d.At}
	return nil
}

// BackupState implements backup.Store.
func (db *DB) BackupState(ctx context.Context) (backup.State, error) {
	var state backup.State
	err := db.snapshot(ctx, func(r rower) error {
		var err error
		state, err = backupState(ctx, r)
		return err
	})
	return state, err
}

// backupState reads what decides whether all data may be replaced or erased.
func backupState(ctx context.Context, r rower) (backup.State, error) {
	var p backup.State
	var err error
	if p.Settings, err = storedSettings(ctx, r); err != nil {
		return p, err
	}
	active, err := validRows(ctx, r, nil, scanActive, selectActive)
	if err != nil {
		return p, err
	}
	for _, a := range active {
		p.Active = &backup.Active{Account: a.Account, Chain: a.Chain, WalletName: a.WalletName, WalletID: a.WalletID,
			ConnectedAt: a.ConnectedAt}
	}
	if p.Known, err = validRows(ctx, r, nil, scanKnownAddress, `SELECT account FROM known_accounts`); err != nil {
		return p, err
	}
	p.Unsettled, err = unsettled(ctx, r)
	return p, err
}

func scanKnownAddress(r *sql.Rows, a *sui.Address) error {
	var address []byte
	c := scanColumns(r, "known_accounts", nil, &address)
	c.wallet(a, address, "", "", "")
	return c.err
}
