package store

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"strconv"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
)

func releases(ctx context.Context, r rower, id record.ID) ([]record.Release, error) {
	return find(ctx, r, scanRelease, `SELECT `+releaseColumns+
		` FROM releases AS l WHERE l.review_id = ? ORDER BY l.position`, string(id))
}

const releaseColumns = `l.digest, l.commitment, l.nonce_hash, l.revision, l.at, l.outcome, l.gas_coin_json,
		l.last_epoch, l.facts_json, l.signed_at, l.submitted_at, l.dead, l.inputs_json,
		l.over_at, l.believed_at, l.look_until, l.accepted_json, l.multisig_json, l.collected`

func scanRelease(r *sql.Rows, v *record.Release) error { return scanReleaseAnd(r, v) }

// scanReleaseAnd reads releaseColumns and further columns into more.
func scanReleaseAnd(r *sql.Rows, v *record.Release, more ...any) error {
	var digest, nonce []byte
	var at, signed, submitted, over, believed, until int64
	var epoch string
	var coin, facts, inputs, accepted, members sql.NullString
	c := scanColumns(r, "releases", nil,
		append([]any{&digest, &v.Commitment, &nonce, &v.Revision, &at, &v.Outcome, &coin, &epoch, &facts,
			&signed, &submitted, &v.Dead, &inputs, &over, &believed, &until, &accepted, &members,
			&v.Collected}, more...)...)
	c.key = shownDigest(digest)
	c.digest("digest", &v.Digest, digest)
	c.hash("nonce_hash", (*[32]byte)(&v.NonceHash), nonce)
	v.At, v.SignedAt, v.SubmittedAt = c.time("at", at), c.time("signed_at", signed), c.time("submitted_at", submitted)
	v.OverAt, v.BelievedAt = c.time("over_at", over), c.time("believed_at", believed)
	c.must(until >= 0 && until <= sui.MostEpoch, "look_until is out of range")
	v.LookUntil = uint64(until)
	var err error
	v.LastEpoch, err = strconv.ParseUint(epoch, 10, 64)
	c.must(err == nil, "last_epoch is not a number")
	c.must(coin.Valid && facts.Valid, "its gas coin or the displayed data is missing")
	readDocument(c, "gas_coin_json", coin, &v.GasCoin)
	readDocument(c, "facts_json", facts, &v.Facts)
	readDocument(c, "inputs_json", inputs, &v.Inputs)
	readDocument(c, "accepted_json", accepted, &v.Accepted)
	readDocument(c, "multisig_json", members, &v.MultiSig)
	return c.err
}

// shownDigest returns a digest column in the form used to name its row, or "" if it is malformed.
func shownDigest(from []byte) string {
	if len(from) != 32 {
		return ""
	}
	return sui.Digest(from).String()
}

// saveReleases stores a transition's changes of known releases and its new release, which the
// transition also appended to the session. Releases are never deleted.
func saveReleases(ctx context.Context, x *tx, before, after record.Session, release *record.Release) error {
	known := before.Releases
	if release != nil {
		if before.Released(release.Digest) != nil {
			return alreadyReleased()
		}
		if err := insertRelease(ctx, x, after.ID, len(known), *release); err != nil {
			return err
		}
		known, x.released = append(known[:len(known):len(known)], *release), true
	}
	if len(after.Releases) != len(known) {
		return fault.New(fault.InternalError, "A change of a review must keep its releases and may not add one.")
	}
	for i, old := range known {
		v := after.Releases[i]
		if reflect.DeepEqual(old, v) {
			continue
		}
		if v.Digest != old.Digest || v.NonceHash != old.NonceHash || v.Commitment != old.Commitment {
			return fault.New(fault.InternalError, "A release keeps its transaction and its nonce.")
		}
		err := x.one(ctx, `UPDATE releases SET outcome = ?, signed_at = ?, submitted_at = ?, dead = ?, over_at = ?,
			believed_at = ?, look_until = ?, collected = ? WHERE review_id = ? AND digest = ?`,
			v.Outcome, nanoseconds(v.SignedAt), nanoseconds(v.SubmittedAt), v.Dead, nanoseconds(v.OverAt),
			nanoseconds(v.BelievedAt), int64(v.LookUntil), v.Collected, string(after.ID), v.Digest[:])
		if err != nil {
			return err
		}
	}
	return nil
}

func insertRelease(ctx context.Context, x *tx, id record.ID, position int, v record.Release) error {
	coin, err := document(v.GasCoin)
	if err != nil {
		return err
	}
	facts, err := document(v.Facts)
	if err != nil {
		return err
	}
	inputs, err := document(v.Inputs)
	if err != nil {
		return err
	}
	accepted, err := document(v.Accepted)
	if err != nil {
		return err
	}
	members, err := document(v.MultiSig)
	if err != nil {
		return err
	}
	err = x.one(ctx, `INSERT INTO releases (review_id, digest, position, commitment, nonce_hash, revision, at, outcome,
			gas_coin_json, last_epoch, facts_json, signed_at, submitted_at, dead, inputs_json,
			over_at, believed_at, look_until, accepted_json, multisig_json, collected)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(id), v.Digest[:], position, v.Commitment, v.NonceHash[:], v.Revision, nanoseconds(v.At), v.Outcome,
		coin, strconv.FormatUint(v.LastEpoch, 10), facts, nanoseconds(v.SignedAt), nanoseconds(v.SubmittedAt), v.Dead, inputs,
		nanoseconds(v.OverAt), nanoseconds(v.BelievedAt), int64(v.LookUntil), accepted, members, v.Collected)
	var engine *sqlite.Error
	if errors.As(err, &engine) && engine.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY {
		return alreadyReleased()
	}
	return err
}

func alreadyReleased() error {
	return fault.New(fault.HandoffUnavailable,
		"This transaction was already released to a wallet. Update the review to get a new one.")
}

// The condition on the status repeats that of the partial index.
const selectUnsettled = `SELECT r.id FROM reviews AS r INDEXED BY reviews_unsettled
	WHERE r.status NOT IN ('success', 'failure', 'expired') AND EXISTS (SELECT 1 FROM releases AS l WHERE l.review_id = r.id)
	ORDER BY r.created_at, r.id`

// Unsettled implements record.Store.
func (db Reviews) Unsettled(ctx context.Context) ([]record.ID, error) { return unsettled(ctx, db) }

func unsettled(ctx context.Context, r rower) ([]record.ID, error) {
	return column[record.ID](ctx, r, selectUnsettled)
}

// LookedFor lists failed reviews whose release is dead but whose effects are still being searched
// for.
func (db Reviews) LookedFor(ctx context.Context) ([]record.ID, error) {
	return column[record.ID](ctx, db,
		`SELECT DISTINCT r.id FROM releases AS l JOIN reviews AS r ON r.id = l.review_id
		WHERE l.look_until > 0 AND r.status = ? ORDER BY r.created_at, r.id`, string(record.Failure))
}

// Unproved lists up to 64 of the latest reviews that settled since a given time on a node's report,
// without a proof.
func (db Reviews) Unproved(ctx context.Context, since time.Time) ([]record.ID, error) {
	return column[record.ID](ctx, db,
		`SELECT id FROM reviews WHERE status IN (?, ?) AND updated_at >= ? AND json_valid(execution_json)
			AND execution_json ->> '$.proof.state' = ? ORDER BY updated_at DESC, id LIMIT 64`,
		string(record.Success), string(record.Failure), nanoseconds(since), string(record.Reported))
}

// handedColumns selects a release, the transaction that the chain reported for its review, and
// whether that transaction succeeded. Invalid JSON in a stored execution counts as an unknown
// outcome.
const handedColumns = releaseColumns + `, l.review_id,
	CASE WHEN json_valid(r.execution_json) THEN coalesce(r.execution_json ->> '$.receipt.txDigest', '') ELSE '' END,
	CASE WHEN json_valid(r.execution_json) THEN coalesce(r.execution_json ->> '$.receipt.success', 0) ELSE 0 END`

// Handed implements record.Store.
func (db Reviews) Handed(ctx context.Context, since time.Time) ([]record.Handed, error) {
	return handed(ctx, db, since)
}

// handed reads the releases made or signed after since. An index on this exact expression avoids
// reading years of releases.
func handed(ctx context.Context, r rower, since time.Time) ([]record.Handed, error) {
	list, err := find(ctx, r, scanHanded,
		`SELECT `+handedColumns+` FROM releases AS l JOIN reviews AS r ON r.id = l.review_id
		WHERE l.dead = 0 AND max(l.at, l.signed_at) > ?`, nanoseconds(since))
	if d, one := damageOf(err); one {
		return nil, refuse("damaged_release",
			"The record of a released transaction is damaged (%s: %s), so the total for 24 hours is unknown. Run "+
				"say-ur-intent doctor for suggested fixes.", d.Row, d.Reason)
	}
	return list, err
}

func scanHanded(r *sql.Rows, v *record.Handed) error {
	if err := scanReleaseAnd(r, &v.Release, &v.Review, &v.Settled, &v.Moved); err != nil {
		return err
	}
	if what := v.Release.CheckStored(); what != "" {
		return damagedRow("releases", v.Release.Digest.String(), "%s", what)
	}
	return nil
}
