package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/proof"
)

const (
	selectEpochEnds = `SELECT chain, epoch, summary, signature, bitmap FROM epoch_ends`
	selectEpochEnd  = selectEpochEnds + ` WHERE chain = ?`
)

func scanEpochEnd(r *sql.Rows, s *proof.FileStep) error {
	var chain []byte
	var epoch int64
	c := scanColumns(r, "epoch_ends", nil, &chain, &epoch, &s.Summary, &s.Signature, &s.Bitmap)
	c.key = shownDigest(chain)
	c.must(len(chain) == 32, "chain has %d bytes instead of 32", len(chain))
	c.must(epoch >= 0 && epoch <= sui.MostEpoch, "epoch is out of range")
	read, err := sui.DecodeCheckpointSummary(s.Summary)
	c.must(err == nil && read.Epoch == uint64(epoch) && read.EndOfEpoch != nil, "summary is not the last one of the epoch")
	s.Epoch = uint64(epoch)
	return c.err
}

// NewestEpochEnd returns the last checkpoint of the newest stored epoch of a chain, or false if
// there is none.
func (db Chains) NewestEpochEnd(ctx context.Context, chain sui.Digest) (proof.FileStep, bool, error) {
	rows, err := validRows(ctx, db, nil, scanEpochEnd, selectEpochEnd+` ORDER BY epoch DESC LIMIT 1`, chain[:])
	if err != nil || len(rows) == 0 {
		return proof.FileStep{}, false, err
	}
	return rows[0], true, nil
}

// followed returns the newest stored epoch end of every chain.
func (db Chains) followed(ctx context.Context) (map[sui.Digest]uint64, error) {
	list := map[sui.Digest]uint64{}
	_, err := find(ctx, db, func(r *sql.Rows, _ *struct{}) error {
		var chain []byte
		var epoch int64
		if err := r.Scan(&chain, &epoch); err != nil || len(chain) != len(sui.Digest{}) || epoch < 0 {
			return err // doctor reports malformed rows
		}
		list[sui.Digest(chain)] = uint64(epoch)
		return nil
	}, `SELECT chain, max(epoch) FROM epoch_ends GROUP BY chain`)
	return list, err
}

// EpochEnds returns the last checkpoints of the epochs from through to, in order. Epochs that are
// not stored are omitted.
func (db Chains) EpochEnds(ctx context.Context, chain sui.Digest, from, to uint64) ([]proof.FileStep, error) {
	return validRows(ctx, db, nil, scanEpochEnd, selectEpochEnd+` AND epoch BETWEEN ? AND ? ORDER BY epoch`,
		chain[:], int64(from), int64(to))
}

// KeepEpochEnds stores verified last checkpoints. It leaves existing rows unchanged: another
// process that followed the same chain stored them.
func (db Chains) KeepEpochEnds(ctx context.Context, chain sui.Digest, steps []proof.FileStep) error {
	return db.change(ctx, func(x *tx) error {
		for _, s := range steps {
			_, err := x.exec(ctx, `INSERT INTO epoch_ends (chain, epoch, summary, signature, bitmap) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (chain, epoch) DO NOTHING`,
				chain[:], int64(s.Epoch), s.Summary, orEmpty(s.Signature), orEmpty(s.Bitmap))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// orEmpty returns b, or an empty slice if b is nil, because SQLite would store nil as NULL.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
