package store

import (
	"cmp"
	"context"
	"database/sql"
	"reflect"
	"slices"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Accounts stores wallet identities, the active account and the accounts known from earlier.
type Accounts struct{ *engine }

var _ account.Store = Accounts{}

const (
	selectActive = `SELECT account, chain, wallet_name, wallet_id, proven_at, connected_at
		FROM active_account WHERE id = 1`
	selectKnown = `SELECT account, chain, wallet_name, wallet_id, first_connected_at, last_connected_at, proven_at, chosen,
		multisig_json FROM known_accounts ORDER BY last_connected_at DESC, account`
)

func (Accounts) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(
		checkRows(ctx, s, scanActive, selectActive),
		checkRows(ctx, s, scanKnown, selectKnown),
		checkRows(ctx, s, scanIdentity, selectIdentities),
	)
}

// ActiveAccount implements account.Store. It always reads the database, because another process may
// have changed the account. A damaged row counts as no account; connecting an account replaces the
// row.
func (db Accounts) ActiveAccount(ctx context.Context) (account.Active, bool, error) {
	found, err := validRows(ctx, db, nil, scanActive, selectActive)
	if err != nil || len(found) == 0 {
		return account.Active{}, false, err
	}
	return found[0], true, nil
}

func scanActive(r *sql.Rows, a *account.Active) error {
	var address []byte
	var proven, at int64
	c := scanColumns(r, "active_account", nil, &address, &a.Chain, &a.WalletName, &a.WalletID, &proven, &at)
	c.wallet(&a.Account, address, a.Chain, a.WalletName, a.WalletID)
	a.Proven, a.ProvenAt, a.ConnectedAt = proven != 0, c.time("proven_at", proven), c.time("connected_at", at)
	return c.err
}

// KnownAccounts implements account.Store.
func (db Accounts) KnownAccounts(ctx context.Context) ([]account.Known, error) {
	return validRows(ctx, db, nil, scanKnown, selectKnown)
}

func scanKnown(r *sql.Rows, k *account.Known) error {
	var address []byte
	var first, last, proven, chosen int64
	var members sql.NullString
	c := scanColumns(r, "known_accounts", nil, &address, &k.Chain, &k.WalletName, &k.WalletID, &first, &last, &proven,
		&chosen, &members)
	c.wallet(&k.Account, address, k.Chain, k.WalletName, k.WalletID)
	k.FirstConnectedAt, k.LastConnectedAt = c.time("first_connected_at", first), c.time("last_connected_at", last)
	k.Proven, k.ProvenAt = proven != 0, c.time("proven_at", proven)
	k.Chosen = c.flag("chosen", chosen)
	readDocument(c, "multisig_json", members, &k.MultiSig)
	c.must(k.MultiSig == nil || k.MultiSig.Check() == nil && k.MultiSig.Address() == k.Account,
		"its members are those of another account")
	return c.err
}

// ChangeAccounts implements account.Store.
func (db Accounts) ChangeAccounts(ctx context.Context, transition func(*account.Accounts) error) error {
	return db.change(ctx, func(x *tx) error {
		before, err := accounts(ctx, x)
		if err != nil {
			return err
		}
		after := copyAccounts(before)
		if err := transition(&after); err != nil {
			return err
		}
		if reflect.DeepEqual(before, after) {
			return errUnchanged
		}
		return saveAccounts(ctx, x, before, after)
	})
}

// accounts reads the active account and the known accounts.
func accounts(ctx context.Context, r rower) (account.Accounts, error) {
	var a account.Accounts
	active, err := validRows(ctx, r, nil, scanActive, selectActive)
	if err != nil {
		return a, err
	}
	if len(active) > 0 {
		a.Active = &active[0]
	}
	a.Known, err = validRows(ctx, r, nil, scanKnown, selectKnown)
	return a, err
}

// copyAccounts returns a copy that can be edited without changing a.
func copyAccounts(a account.Accounts) account.Accounts {
	a.Known = slices.Clone(a.Known)
	if a.Active != nil {
		active := *a.Active
		a.Active = &active
	}
	return a
}

// saveAccounts writes the difference between two states of the accounts.
func saveAccounts(ctx context.Context, x *tx, before, after account.Accounts) error {
	if err := saveKnown(ctx, x, before.Known, after.Known); err != nil {
		return err
	}
	switch {
	case after.Active == nil && before.Active != nil:
		if err := x.one(ctx, `DELETE FROM active_account WHERE id = 1`); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Account, From: before.Active.Account.String(), What: "cleared"})
	case after.Active != nil && !reflect.DeepEqual(before.Active, after.Active):
		return setActive(ctx, x, before.Active, *after.Active)
	}
	return nil
}

// setActive stores a as the active account.
func setActive(ctx context.Context, x *tx, before *account.Active, a account.Active) error {
	err := x.one(ctx,
		`INSERT INTO active_account (id, account, chain, wallet_name, wallet_id, proven, proven_at, connected_at)
		VALUES (1, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET account = excluded.account, chain = excluded.chain,
			wallet_name = excluded.wallet_name, wallet_id = excluded.wallet_id, proven = excluded.proven,
			proven_at = excluded.proven_at, connected_at = excluded.connected_at`,
		a.Account[:], a.Chain, a.WalletName, a.WalletID, a.Proven, nanoseconds(a.ProvenAt), nanoseconds(a.ConnectedAt))
	if err != nil {
		return err
	}
	from, what := "", "set"
	if before != nil {
		from = before.Account.String()
		if before.Account == a.Account && before.ConnectedAt.Equal(a.ConnectedAt) {
			what = "proven"
		}
	}
	return x.record(ctx, events.Entry{Kind: events.Account, From: from, To: a.Account.String(), What: what})
}

// saveKnown writes the difference between two lists of known accounts. A removal gets a journal
// entry, because no other trace of the account remains.
func saveKnown(ctx context.Context, x *tx, before, after []account.Known) error {
	had := map[sui.Address]account.Known{}
	for _, k := range before {
		had[k.Account] = k
	}
	for _, k := range after {
		old, known := had[k.Account]
		delete(had, k.Account)
		if known && reflect.DeepEqual(old, k) {
			continue
		}
		members, err := document(k.MultiSig)
		if err != nil {
			return err
		}
		err = x.one(ctx, `INSERT INTO known_accounts
				(account, chain, wallet_name, wallet_id, first_connected_at, last_connected_at, proven_at, chosen,
				multisig_json)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (account) DO UPDATE SET chain = excluded.chain, wallet_name = excluded.wallet_name,
				wallet_id = excluded.wallet_id, first_connected_at = excluded.first_connected_at,
				last_connected_at = excluded.last_connected_at, proven_at = excluded.proven_at,
				chosen = excluded.chosen, multisig_json = excluded.multisig_json`,
			k.Account[:], k.Chain, k.WalletName, k.WalletID, nanoseconds(k.FirstConnectedAt),
			nanoseconds(k.LastConnectedAt), nanoseconds(k.ProvenAt), k.Chosen, members)
		if err != nil {
			return err
		}
	}
	for _, k := range before {
		if _, gone := had[k.Account]; !gone {
			continue
		}
		if err := x.one(ctx, `DELETE FROM known_accounts WHERE account = ?`, k.Account[:]); err != nil {
			return err
		}
		if err := forgetActivity(ctx, x, k.Account); err != nil {
			return err
		}
		if err := x.record(ctx, events.Entry{Kind: events.Account, From: k.Account.String(), What: "forgotten"}); err != nil {
			return err
		}
	}
	return nil
}

// wallet validates the stored columns of an account and its wallet, and sets to.
func (c *columns) wallet(to *sui.Address, address []byte, chain, name, id string) {
	c.key = shownAddress(address)
	c.hash("account", (*[32]byte)(to), address)
	c.must(!to.IsZero(), "the account is the zero address")
	c.text("chain", chain, maxWord)
	c.text("wallet_name", name, maxName)
	c.text("wallet_id", id, maxName)
}

// Limits on stored texts, in bytes.
const (
	maxWord     = 100
	maxName     = 2000
	maxDocument = 1 << 20
)

// shownAddress returns an address column in the form used to name its row, or "" if it is
// malformed.
func shownAddress(from []byte) string {
	if len(from) != 32 {
		return ""
	}
	return sui.Address(from).String()
}
