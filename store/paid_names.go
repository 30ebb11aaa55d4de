package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
)

// selectPaidNames reads the SuiNS names that were paid from this machine, each with its latest
// payment. Names forgotten since then are excluded.
const selectPaidNames = `SELECT p.name, p.recipient, p.nft, p.at FROM paid_names AS p
	WHERE p.at > coalesce((SELECT g.at FROM names_forgotten AS g WHERE g.name = p.name), 0)`

// PaidName returns the address that a name had at its last payment, or false if it was never paid
// or was forgotten since.
func (db Payees) PaidName(ctx context.Context, name string) (record.PaidName, bool, error) {
	list, err := validRows(ctx, db, nil, scanPaidName, selectPaidNames+` AND p.name = ?`, name)
	if err != nil || len(list) == 0 {
		return record.PaidName{}, false, err
	}
	return list[0], true, nil
}

// PaidNames lists the names that were paid, latest first.
func (db Payees) PaidNames(ctx context.Context) ([]record.PaidName, error) {
	return validRows(ctx, db, nil, scanPaidName, selectPaidNames+` ORDER BY p.at DESC LIMIT 1000`)
}

func scanPaidName(r *sql.Rows, n *record.PaidName) error {
	var paid int64
	c := scanColumns(r, "paid_names", &n.Name, &n.Name, &n.Target, &n.NFT, &paid)
	parsed, err := suins.Parse(n.Name)
	c.must(err == nil && string(parsed) == n.Name, "the paid name is invalid")
	for _, address := range []string{n.Target, n.NFT} {
		a, err := sui.ParseAddress(address)
		c.must(err == nil && a.String() == address, "the address of a paid name is not valid")
	}
	n.At = c.time("at", paid)
	return c.err
}

// ForgetName makes the address book ignore the payments made to a name so far. It calls judge
// inside the transaction.
func (db Payees) ForgetName(ctx context.Context, name string, judge func(context.Context) error) error {
	return db.change(ctx, func(x *tx) error {
		if err := judge(ctx); err != nil {
			return err
		}
		if err := x.one(ctx,
			`INSERT INTO names_forgotten (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
			name, nanoseconds(x.now)); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Book, What: "name forgotten"})
	})
}
