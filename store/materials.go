package store

import (
	"bytes"
	"context"
	"database/sql"
	"reflect"
	"slices"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const selectMaterials = `SELECT digest, bytes, signature, created_at, parts_json FROM materials WHERE review_id = ? ORDER BY rowid`

// materials reads the transaction bytes of a review. Bytes that do not match their digest count as
// missing.
func materials(ctx context.Context, r rower, id record.ID) ([]record.Material, error) {
	return validRows(ctx, r, nil, scanMaterial, selectMaterials, string(id))
}

func scanMaterial(r *sql.Rows, m *record.Material) error {
	var digest, tx, signature []byte
	var created int64
	var parts sql.NullString
	c := scanColumns(r, "materials", nil, &digest, &tx, &signature, &created, &parts)
	c.key = shownDigest(digest)
	c.digest("digest", &m.Digest, digest)
	c.must(len(tx) <= maxDocument && len(signature) <= maxDocument, "it is too large")
	m.Bytes, m.CreatedAt = sui.NewMaterial(tx), c.time("created_at", created)
	c.must(m.Bytes.Digest() == m.Digest, "its bytes do not match its digest")
	if len(signature) > 0 {
		m.Signature = sui.NewSignature(signature)
	}
	var stored []storedPart
	readDocument(c, "parts_json", parts, &stored)
	for _, p := range stored {
		m.Parts = append(m.Parts, sui.MemberSignature{Member: p.Member, Signature: sui.NewSignature(p.Signature)})
	}
	return c.err
}

// storedPart is the signature of one member of a multisig account. Like the bytes, it is secret
// material, so it is stored in no other table.
type storedPart struct {
	Member    int    `json:"member"`
	Signature []byte `json:"signature"`
}

// partsOf returns the stored form of the members' signatures, or NULL if there are none.
func partsOf(m record.Material) (any, error) {
	var stored []storedPart
	for _, p := range m.Parts {
		stored = append(stored, storedPart{p.Member, p.Signature.Bytes()})
	}
	return document(stored)
}

// saveMaterials stores new material and signatures, and deletes what the transition removed. If the
// review is final, it deletes all material.
func saveMaterials(ctx context.Context, x *tx, before, after record.Row) error {
	id := string(after.Session.ID)
	keep := after.Materials
	if after.Session.Status.Terminal() {
		keep = nil
	}
	had := map[sui.Digest]record.Material{}
	for _, m := range before.Materials {
		had[m.Digest] = m
	}
	for _, m := range keep {
		old, known := had[m.Digest]
		parts, err := partsOf(m)
		if err != nil {
			return err
		}
		switch {
		case !known:
			// A damaged row may have the same key.
			err = x.one(ctx, `INSERT INTO materials (review_id, digest, bytes, signature, created_at, parts_json)
				VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (review_id, digest) DO UPDATE SET bytes = excluded.bytes,
				signature = excluded.signature, created_at = excluded.created_at, parts_json = excluded.parts_json`,
				id, m.Digest[:], m.Bytes.Bytes(), optionalSignature(m.Signature), nanoseconds(m.CreatedAt), parts)
		case !old.Bytes.Same(m.Bytes.Bytes()):
			err = fault.New(fault.InternalError, "The bytes of a built transaction never change.")
		case !bytes.Equal(old.Signature.Bytes(), m.Signature.Bytes()) || !old.CreatedAt.Equal(m.CreatedAt) ||
			!reflect.DeepEqual(old.Parts, m.Parts):
			// A rebuild of an unchanged transaction has the same bytes.
			err = x.one(ctx,
				`UPDATE materials SET signature = ?, created_at = ?, parts_json = ? WHERE review_id = ? AND digest = ?`,
				optionalSignature(m.Signature), nanoseconds(m.CreatedAt), parts, id, m.Digest[:])
		}
		if err != nil {
			return err
		}
	}
	return dropMaterials(ctx, x, after.Session, keep)
}

// dropMaterials deletes material that is not in keep, including damaged rows, but never that of an
// unsettled release.
func dropMaterials(ctx context.Context, x *tx, s record.Session, keep []record.Material) error {
	type stored struct {
		row    int64
		digest []byte
	}
	rows, err := find(ctx, x, func(r *sql.Rows, v *stored) error { return r.Scan(&v.row, &v.digest) },
		`SELECT rowid, CAST(digest AS BLOB) FROM materials WHERE review_id = ?`, string(s.ID))
	if err != nil {
		return err
	}
	for _, v := range rows {
		kept := slices.ContainsFunc(keep, func(m record.Material) bool { return bytes.Equal(m.Digest[:], v.digest) })
		released := slices.ContainsFunc(s.Releases, func(r record.Release) bool { return bytes.Equal(r.Digest[:], v.digest) })
		if kept || released && !s.Status.Terminal() {
			continue
		}
		if err := x.one(ctx, `DELETE FROM materials WHERE rowid = ?`, v.row); err != nil {
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
