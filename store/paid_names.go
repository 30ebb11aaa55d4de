package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/suins"
	"github.com/sayurintent/sayurintent/review/record"
)

// selectPaidNames reads the SuiNS names that were paid from this machine, as Paid reads
// addresses. Of each name the latest payment counts that was not forgotten.
const selectPaidNames = `SELECT step.value ->> '$.recipientName' AS name, step.value ->> '$.recipient',
		step.value ->> '$.recipientNft', max(f.at)
	FROM reviews AS v JOIN releases AS f ON f.review_id = v.id
	JOIN json_each(CASE WHEN json_type(v.intent_json, '$.steps') = 'array' THEN v.intent_json -> '$.steps'
		ELSE json_array(json(v.intent_json)) END) AS step
	WHERE v.status = 'success' AND f.signed_at > 0 AND f.dead = 0 AND f.nonce_hash <> zeroblob(32)
		AND json_valid(v.intent_json) AND name IS NOT NULL
		AND f.at > coalesce((SELECT g.at FROM names_forgotten AS g WHERE g.name = step.value ->> '$.recipientName'), 0)`

// PaidName returns where a name led when it was paid last; false for one that never was,
// or that the person let the book forget since.
func (db *DB) PaidName(ctx context.Context, name string) (record.PaidName, bool, error) {
	list, err := validRows(ctx, db, nil, scanPaidName, selectPaidNames+` AND name = ? GROUP BY name`, name)
	if err != nil || len(list) == 0 {
		return record.PaidName{}, false, err
	}
	return list[0], true, nil
}

// PaidNames lists the names that were paid, the latest first.
func (db *DB) PaidNames(ctx context.Context) ([]record.PaidName, error) {
	return validRows(ctx, db, nil, scanPaidName, selectPaidNames+` GROUP BY name ORDER BY max(f.at) DESC LIMIT 1000`)
}

func scanPaidName(r *sql.Rows, n *record.PaidName) error {
	var paid int64
	c := scanColumns(r, "reviews", nil, &n.Name, &n.Target, &n.NFT, &paid)
	parsed, err := suins.Parse(n.Name)
	c.must(err == nil && string(parsed) == n.Name, "the name that was paid is none")
	for _, address := range []string{n.Target, n.NFT} {
		a, err := sui.ParseAddress(address)
		c.must(err == nil && a.String() == address, "what a paid name led to is no address")
	}
	n.At = c.time("at", paid)
	return c.err
}

// ForgetName lets the book forget the payments to a name until now. judge is asked in the
// transaction.
func (db *DB) ForgetName(ctx context.Context, name string, judge func(context.Context) error) error {
	return db.change(ctx, func(x *tx) error {
		if err := judge(ctx); err != nil {
			return err
		}
		if err := x.one(ctx, `INSERT INTO names_forgotten (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
			name, nanoseconds(x.now)); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Book, What: "name forgotten"})
	})
}
