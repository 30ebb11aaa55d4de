package store

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review"
)

func materials(ctx context.Context, r rower, id review.ID) ([]review.Material, error) {
	return find(ctx, r, scanMaterial, `SELECT digest, bytes, signature, created_at
		FROM materials WHERE review_id = ? ORDER BY rowid`, string(id))
}

func scanMaterial(r *sql.Rows, m *review.Material) error {
	var digest, tx, signature []byte
	var created int64
	if err := r.Scan(&digest, &tx, &signature, &created); err != nil {
		return err
	}
	copy(m.Digest[:], digest)
	m.Bytes, m.CreatedAt = sui.NewMaterial(tx), moment(created)
	if len(signature) > 0 {
		m.Signature = sui.NewSignature(signature)
	}
	return nil
}

// saveMaterials stores new material and new signatures, and destroys what is
// gone from the row: everything, once the review is final.
func (x *tx) saveMaterials(ctx context.Context, before, after review.Row) error {
	id := string(after.Session.ID)
	keep := after.Materials
	if after.Session.Status.Terminal() {
		keep = nil
	}
	had := map[sui.Digest]review.Material{}
	for _, m := range before.Materials {
		had[m.Digest] = m
	}
	for _, m := range keep {
		old, known := had[m.Digest]
		delete(had, m.Digest)
		var err error
		switch {
		case !known:
			err = x.one(ctx, `INSERT INTO materials (review_id, digest, bytes, signature, created_at)
				VALUES (?, ?, ?, ?, ?)`,
				id, m.Digest[:], m.Bytes.Bytes(), optionalSignature(m.Signature), stamp(m.CreatedAt))
		case !old.Bytes.Same(m.Bytes.Bytes()):
			err = fault.New(fault.InternalError, "The bytes of a built transaction never change.")
		case !bytes.Equal(old.Signature.Bytes(), m.Signature.Bytes()):
			err = x.one(ctx, `UPDATE materials SET signature = ? WHERE review_id = ? AND digest = ?`,
				optionalSignature(m.Signature), id, m.Digest[:])
		}
		if err != nil {
			return err
		}
	}
	for digest := range had {
		if err := x.one(ctx, `DELETE FROM materials WHERE review_id = ? AND digest = ?`, id, digest[:]); err != nil {
			return err
		}
		x.wiped = true
	}
	return nil
}

func optionalSignature(s sui.Signature) any {
	if s.Size() == 0 {
		return nil
	}
	return s.Bytes()
}
