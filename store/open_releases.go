package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/record"
)

// Open implements record.Store.
func (db *DB) Open(ctx context.Context, account sui.Address) ([]record.OpenRelease, error) {
	return openReleases(ctx, db, account)
}

// openReleases reads every release of an account that is not proved dead, of reviews
// that are not final, but those that a node reports as executed: they exclude nothing
// any more. A final review has effects, or a proof for each release.
func openReleases(ctx context.Context, r rower, account sui.Address) ([]record.OpenRelease, error) {
	list, err := find(ctx, r, scanOpenRelease, `SELECT `+releaseColumns+`,
			l.review_id, r.protocol, r.action, r.chain_id, r.intent_json, m.bytes,
			CASE WHEN json_valid(r.execution_json) AND r.execution_json ->> '$.told' THEN coalesce(r.execution_json ->> '$.txDigest', '') ELSE '' END
		FROM reviews AS r JOIN releases AS l ON l.review_id = r.id
		LEFT JOIN materials AS m ON l.inputs_json IS NULL AND m.review_id = l.review_id AND m.digest = l.digest
		WHERE r.account = ? AND r.status NOT IN ('success', 'failure', 'expired') AND l.dead = 0
		ORDER BY l.at, l.review_id, l.position`, account[:])
	//mutant:never ./store TestDamagedRowsAreNamed
	if d, one := damageOf(err); one {
		// A release that cannot be read could exclude anything, so the error is
		// returned.
		return nil, refuse("damaged_release",
			"A record of a transaction of this account that was handed to a wallet is damaged (%s: %s), so it is "+
				"not known what it excludes, and nothing more is handed out for this account. Run say-ur-intent "+
				"doctor; it says what to do.", d.Row, d.Reason)
	}
	return slices.DeleteFunc(list, func(v record.OpenRelease) bool { return v.Told }), err
}

// scanOpenRelease takes the owned inputs of a release that an older version recorded
// from its bytes, where they are still kept.
func scanOpenRelease(r *sql.Rows, v *record.OpenRelease) error {
	var intent sql.NullString
	var material []byte
	var told string
	err := scanReleaseAnd(r, &v.Release, &v.Review, &v.Protocol, &v.Action, &v.ChainID, &intent, &material, &told)
	if err != nil {
		return err
	}
	v.Told = told == v.Release.Digest.String()
	if what := v.Release.CheckStored(); what != "" {
		return damagedRow("releases", v.Release.Digest.String(), "%s", what)
	}
	if m := sui.NewMaterial(material); len(material) > 0 && m.Digest() == v.Release.Digest {
		if tx, err := m.Transaction(); err == nil {
			v.Release.Inputs = record.OwnedInputs(tx)
		}
	}
	c := &columns{table: "reviews", key: string(v.Review)}
	c.must(intent.Valid, "its request is missing")
	readDocument(c, "intent_json", intent, &v.Intent)
	return c.err
}

// ReleasedBy implements record.Store.
func (db *DB) ReleasedBy(ctx context.Context, d sui.Digest) ([]record.ID, error) {
	return releasedBy(ctx, db, d)
}

func releasedBy(ctx context.Context, r rower, d sui.Digest) ([]record.ID, error) {
	return find(ctx, r, func(r *sql.Rows, id *record.ID) error { return r.Scan(id) },
		`SELECT review_id FROM releases WHERE digest = ?1 UNION SELECT review_id FROM handed_before WHERE digest = ?1`, d[:])
}
