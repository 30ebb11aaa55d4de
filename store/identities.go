package store

import (
	"context"
	"database/sql"
	"reflect"
	"slices"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const selectIdentities = `SELECT id, status, account, chain, wallet_name, wallet_id, failure_reason, failure_detail,
	created_at, updated_at, expires_at, replaced, proven_at, challenge, challenge_expires_at,
	EXISTS (SELECT 1 FROM opened_twice AS o WHERE o.kind = 'connect' AND o.subject = identities.id) FROM identities`

const selectIdentity = selectIdentities + ` WHERE id = ?`

// CreateIdentity implements account.Store.
func (db Accounts) CreateIdentity(ctx context.Context, i account.Identity) error {
	return db.change(ctx, func(x *tx) error {
		err := x.one(ctx, `INSERT INTO identities (id, status, account, chain, wallet_name, wallet_id,
				failure_reason, failure_detail, created_at, updated_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			i.ID, string(i.Status), optionalAddress(i.Account), i.Chain, i.WalletName, i.WalletID,
			i.FailureReason, i.FailureDetail, nanoseconds(i.CreatedAt), nanoseconds(i.UpdatedAt), nanoseconds(i.ExpiresAt))
		if err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Identity, Subject: i.ID, To: string(i.Status), What: "created"})
	})
}

// Identity implements account.Store.
func (db Accounts) Identity(ctx context.Context, id string) (account.Identity, error) {
	return identity(ctx, db, id)
}

func identity(ctx context.Context, r rower, id string) (account.Identity, error) {
	found, err := find(ctx, r, scanIdentity, selectIdentity, id)
	if err != nil {
		return account.Identity{}, err
	}
	if len(found) == 0 {
		return account.Identity{}, fault.New(fault.SessionNotFound,
			"No connect session has this ID. Create a new one.")
	}
	return found[0], nil
}

func scanIdentity(r *sql.Rows, i *account.Identity) error {
	var address, replaced []byte
	var created, updated, expires, proven, challenged int64
	c := scanColumns(r, "identities", &i.ID, &i.ID, &i.Status, &address, &i.Chain, &i.WalletName, &i.WalletID,
		&i.FailureReason, &i.FailureDetail,
		&created, &updated, &expires, &replaced, &proven, &i.Challenge.Message, &challenged,
		&i.OpenedTwice)
	i.CreatedAt, i.UpdatedAt, i.ExpiresAt = c.time("created_at", created), c.time("updated_at", updated),
		c.time("expires_at", expires)
	i.ProvenAt, i.Challenge.ExpiresAt = c.time("proven_at", proven), c.time("challenge_expires_at", challenged)
	i.Account, i.Replaced = c.optional("account", address), c.optional("replaced", replaced)
	c.identity(i.ID, i.Status, i.Chain, i.WalletName, i.WalletID, i.FailureReason, i.FailureDetail, i.Account != nil)
	c.must(len(i.Challenge.Message) <= maxDocument, "its challenge is too large")
	return c.err
}

// identity validates the columns of a connect session.
func (c *columns) identity(id string, status account.IdentityStatus, chain, name, wallet, reason, detail string,
	has bool) {
	c.must(slices.Contains([]account.IdentityStatus{"", account.Pending, account.Opened, account.Connecting,
		account.Connected,
		account.Rejected, account.Failed, account.Expired}, status), "its status is unknown")
	c.must(status != account.Connected || has, "it is connected but has no account")
	c.text("id", id, maxWord)
	c.text("chain", chain, maxWord)
	c.text("wallet_name", name, maxName)
	c.text("wallet_id", wallet, maxName)
	c.text("failure_reason", reason, maxName)
	c.text("failure_detail", detail, 5000)
}

// optional decodes a column written by optionalAddress.
func (c *columns) optional(what string, from []byte) *sui.Address {
	if from == nil {
		return nil
	}
	a := new(sui.Address)
	c.hash(what, (*[32]byte)(a), from)
	return a
}

// ChangeIdentity implements account.Store.
func (db Accounts) ChangeIdentity(ctx context.Context, id string,
	transition func(*account.Row) error) (account.Identity, error) {
	var after account.Identity
	err := db.change(ctx, func(x *tx) error {
		before, err := identity(ctx, x, id)
		if err != nil {
			return err
		}
		accounts, err := accounts(ctx, x)
		if err != nil {
			return err
		}
		row := account.Row{Identity: before, Accounts: copyAccounts(accounts)}
		if before.Account != nil {
			address := *before.Account
			row.Identity.Account = &address
		}
		if err := transition(&row); err != nil {
			return err
		}
		after = row.Identity
		after.ID, after.CreatedAt = before.ID, before.CreatedAt
		same := reflect.DeepEqual(accounts, row.Accounts)
		if reflect.DeepEqual(before, after) && same {
			return errUnchanged
		}
		if err := saveIdentity(ctx, x, before, after); err != nil || same {
			return err
		}
		return saveAccounts(ctx, x, accounts, row.Accounts)
	})
	if err != nil {
		return account.Identity{}, err
	}
	return after, nil
}

// saveIdentity stores a changed connect session with its journal entry. It fails if the row no
// longer has the status that the transition read.
func saveIdentity(ctx context.Context, x *tx, before, after account.Identity) error {
	err := x.one(ctx, `UPDATE identities SET status = ?, account = ?, chain = ?, wallet_name = ?, wallet_id = ?,
			failure_reason = ?, failure_detail = ?, updated_at = ?, expires_at = ?,
			replaced = ?, proven_at = ?, challenge = ?, challenge_expires_at = ?
		WHERE id = ? AND status = ?`,
		string(after.Status), optionalAddress(after.Account), after.Chain, after.WalletName, after.WalletID,
		after.FailureReason, after.FailureDetail, nanoseconds(after.UpdatedAt), nanoseconds(after.ExpiresAt),
		optionalAddress(after.Replaced), nanoseconds(after.ProvenAt), after.Challenge.Message,
		nanoseconds(after.Challenge.ExpiresAt),
		before.ID, string(before.Status))
	if err != nil {
		return err
	}
	return x.record(ctx, events.Entry{
		Kind: events.Identity, Subject: before.ID,
		From: string(before.Status), To: string(after.Status), What: string(after.Status),
	})
}

func optionalAddress(a *sui.Address) any {
	if a == nil {
		return nil
	}
	return a[:]
}
