package store

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/node"
)

// Chains stores the newest checkpoint seen on each chain, and the ends of its epochs.
type Chains struct{ *engine }

var _ node.SeenStore = Chains{}

func (Chains) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(checkRows(ctx, s, scanSeen, selectSeen), checkRows(ctx, s, scanEpochEnd, selectEpochEnds))
}

// Seen implements node.SeenStore.
func (db Chains) Seen(ctx context.Context, chain sui.Digest) (node.Seen, error) {
	return seen(ctx, db, chain)
}

func seen(ctx context.Context, r rower, chain sui.Digest) (node.Seen, error) {
	// Without a valid row, the caller uses the values pinned in the build.
	rows, err := validRows(ctx, r, nil, scanSeen, selectSeen+` WHERE chain = ?`, chain[:])
	if err != nil || len(rows) == 0 {
		return node.Seen{}, err
	}
	return rows[0], nil
}

const selectSeen = `SELECT chain, epoch, since, gas_price FROM chain_seen`

func scanSeen(r *sql.Rows, s *node.Seen) error {
	var chain []byte
	var epoch, since, price int64
	c := scanColumns(r, "chain_seen", nil, &chain, &epoch, &since, &price)
	c.key = shownDigest(chain)
	c.must(len(chain) == 32, "chain has %d bytes instead of 32", len(chain))
	c.must(epoch >= 0 && epoch <= 1<<32, "epoch is out of range")
	c.count("gas_price", price)
	s.Epoch, s.Since, s.GasPrice = uint64(epoch), c.time("since", since), uint64(price)
	return c.err
}

// See implements node.SeenStore. It writes no journal entry, because a new checkpoint is not a
// change of a review.
func (db Chains) See(ctx context.Context, chain sui.Digest, transition func(node.Seen) node.Seen) error {
	return db.change(ctx, func(x *tx) error {
		before, err := seen(ctx, x, chain)
		if err != nil {
			return err
		}
		after := transition(before)
		if after == before {
			return errUnchanged
		}
		_, err = x.exec(ctx, `INSERT INTO chain_seen (chain, epoch, since, gas_price) VALUES (?, ?, ?, ?)
			ON CONFLICT (chain) DO UPDATE SET epoch = excluded.epoch, since = excluded.since, gas_price = excluded.gas_price`,
			chain[:], int64(after.Epoch), nanoseconds(after.Since), int64(after.GasPrice))
		return err
	})
}
