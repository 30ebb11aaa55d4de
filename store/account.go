package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/sui"
)

var _ account.Store = (*DB)(nil)

const selectActive = `SELECT account, chain, wallet_name, wallet_id, proven, connected_at
	FROM active_account WHERE id = 1`

// ActiveAccount implements account.Store. It always asks the file: another
// process may have changed the account.
func (db *DB) ActiveAccount(ctx context.Context) (account.Active, bool, error) {
	found, err := find(ctx, db, scanActive, selectActive)
	if err != nil || len(found) == 0 {
		return account.Active{}, false, err
	}
	return found[0], true, nil
}

func scanActive(r *sql.Rows, a *account.Active) error {
	var address []byte
	var at int64
	if err := r.Scan(&address, &a.Chain, &a.WalletName, &a.WalletID, &a.Proven, &at); err != nil {
		return err
	}
	a.ConnectedAt = moment(at)
	return copyAddress(&a.Account, address)
}

// setActive makes a the active account within a transaction.
func (x *tx) setActive(ctx context.Context, a account.Active) error {
	before, err := find(ctx, x, scanActive, selectActive)
	if err != nil {
		return err
	}
	err = x.one(ctx, `INSERT INTO active_account (id, account, chain, wallet_name, wallet_id, proven, connected_at)
		VALUES (1, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET account = excluded.account, chain = excluded.chain,
			wallet_name = excluded.wallet_name, wallet_id = excluded.wallet_id,
			proven = excluded.proven, connected_at = excluded.connected_at`,
		a.Account[:], a.Chain, a.WalletName, a.WalletID, a.Proven, stamp(a.ConnectedAt))
	if err != nil {
		return err
	}
	from := ""
	if len(before) > 0 {
		from = before[0].Account.String()
	}
	return x.record(ctx, events.Entry{Kind: events.Account, From: from, To: a.Account.String(), What: "set"})
}

// ClearActiveAccount implements account.Store.
func (db *DB) ClearActiveAccount(ctx context.Context) error {
	return db.change(ctx, func(x *tx) error {
		before, err := find(ctx, x, scanActive, selectActive)
		if err != nil {
			return err
		}
		if len(before) == 0 {
			return errUnchanged
		}
		if err := x.one(ctx, `DELETE FROM active_account WHERE id = 1`); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Account, From: before[0].Account.String(), What: "cleared"})
	})
}

func copyAddress(to *sui.Address, from []byte) error {
	if len(from) != len(to) {
		return refuse("damaged", "A stored address has %d bytes instead of %d. Move the data directory away to start anew.",
			len(from), len(to))
	}
	copy(to[:], from)
	return nil
}
