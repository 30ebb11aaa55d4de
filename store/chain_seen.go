package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

var _ review.SeenStore = (*DB)(nil)

// Seen implements review.SeenStore.
func (db *DB) Seen(ctx context.Context, chain sui.Digest) (review.Seen, error) {
	return seen(ctx, db, chain)
}

func seen(ctx context.Context, r rower, chain sui.Digest) (review.Seen, error) {
	rows, err := find(ctx, r, func(r *sql.Rows, s *review.Seen) error {
		var since int64
		if err := r.Scan(&s.Epoch, &since, &s.GasPrice); err != nil {
			return err
		}
		s.Since = moment(since)
		return nil
	}, `SELECT epoch, since, gas_price FROM chain_seen WHERE chain = ?`, chain[:])
	if err != nil || len(rows) == 0 {
		return review.Seen{}, err
	}
	return rows[0], nil
}

// See implements review.SeenStore. It writes no journal: it is no review's event.
func (db *DB) See(ctx context.Context, chain sui.Digest, law func(review.Seen) review.Seen) error {
	return db.change(ctx, func(x *tx) error {
		before, err := seen(ctx, x, chain)
		if err != nil {
			return err
		}
		after := law(before)
		if after == before {
			return errUnchanged
		}
		_, err = x.exec(ctx, `INSERT INTO chain_seen (chain, epoch, since, gas_price) VALUES (?, ?, ?, ?)
			ON CONFLICT (chain) DO UPDATE SET epoch = excluded.epoch, since = excluded.since, gas_price = excluded.gas_price`,
			chain[:], int64(after.Epoch), stamp(after.Since), int64(after.GasPrice))
		return err
	})
}
