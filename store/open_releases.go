package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Open implements record.Store.
func (db Reviews) Open(ctx context.Context, account sui.Address) ([]record.OpenRelease, error) {
	return openReleases(ctx, db, account)
}

// openReleases reads every release of an account that could still be executed: it is not proved
// dead, its review is not final, and no node reported it as executed. A final review has effects,
// or a proof that no release of it can execute.
func openReleases(ctx context.Context, r rower, account sui.Address) ([]record.OpenRelease, error) {
	list, err := find(ctx, r, scanOpenRelease, `SELECT `+releaseColumns+`,
			l.review_id, r.protocol, r.action, r.chain_id, r.intent_json, m.bytes,
			CASE WHEN json_valid(r.execution_json) AND r.execution_json ->> '$.told' THEN coalesce(r.execution_json ->> '$.txDigest', '') ELSE '' END,
			`+selectBundle+`
		FROM reviews AS r JOIN releases AS l ON l.review_id = r.id
		LEFT JOIN materials AS m ON l.inputs_json IS NULL AND m.review_id = l.review_id AND m.digest = l.digest
		WHERE r.account = ? AND r.status NOT IN ('success', 'failure', 'expired') AND l.dead = 0
		ORDER BY l.at, l.review_id, l.position`, account[:])
	//mutant:never ./store TestDamagedRowsAreNamed
	if d, one := damageOf(err); one {
		// An unreadable release might conflict with anything, so reading fails.
		return nil, refuse("damaged_release",
			"The record of a transaction that was released for this account is damaged (%s: %s). It may conflict with "+
				"others, so nothing more is released for this account. Run say-ur-intent doctor for suggested "+
				"fixes.", d.Row, d.Reason)
	}
	return slices.DeleteFunc(list, func(v record.OpenRelease) bool { return v.Reported }), err
}

// selectBundle selects the ID of the running bundle that has review r as a step, or "".
const selectBundle = `coalesce((SELECT s.request_id FROM request_steps AS s JOIN requests AS b ON b.id = s.request_id
	WHERE s.review_id = r.id AND b.state = 'running' LIMIT 1), '')`

// selectDone selects steps that completed recently, and steps that a node reports as completed.
// Each half reads one index range, which skips reviews that ended long ago.
const (
	selectDone = doneColumns + ` FROM reviews AS r INDEXED BY reviews_by_update
			WHERE r.updated_at > ?2 AND r.account = ?1 AND r.status = 'success'
		UNION ALL ` + doneColumns + ` FROM reviews AS r INDEXED BY reviews_by_status
			WHERE r.account = ?1 AND r.status = 'signed_pending_result' AND json_valid(r.execution_json) AND r.execution_json ->> '$.told'`

	doneColumns = `SELECT r.id, r.protocol, r.action, r.chain_id, r.intent_json, r.facts_json, r.execution_json, ` +
		selectBundle
)

// Asked implements record.Store.
func (db Reviews) Asked(ctx context.Context, account sui.Address) (list []record.Asked, err error) {
	err = db.snapshot(ctx, func(r rower) (err error) {
		list, err = asked(ctx, r, account, db.now())
		return err
	})
	return list, err
}

func asked(ctx context.Context, r rower, account sui.Address, now time.Time) ([]record.Asked, error) {
	since := nanoseconds(now.Add(-record.Recent))
	list, err := find(ctx, r, scanDone, selectDone, account[:], since)
	if err == nil {
		list = slices.DeleteFunc(list, func(v record.Asked) bool { return !v.At.IsZero() && nanoseconds(v.At) <= since })
		var steps []record.Asked
		steps, err = find(ctx, r, scanApproved, `SELECT `+stepColumns+`, b.id, b.updated_at, s.place
			FROM requests AS b JOIN request_steps AS s ON s.request_id = b.id
			WHERE b.account = ?1 AND b.state = 'running' AND s.status IN ('waiting', 'awaiting_wallet') AND NOT EXISTS (SELECT 1 FROM reviews AS r
				WHERE r.id = s.review_id AND (r.status IN ('success', 'failure', 'expired')
					OR EXISTS (SELECT 1 FROM releases AS l WHERE l.review_id = r.id AND l.dead = 0)))
			ORDER BY s.place`, account[:])
		list = append(list, steps...)
	}
	if d, one := damageOf(err); one {
		return nil, refuse("damaged_release",
			"The record of a request for this account is damaged (%s: %s). It might be executed twice, so nothing more is "+
				"released for this account. Run say-ur-intent doctor for suggested fixes.", d.Row, d.Reason)
	}
	return list, err
}

func scanDone(r *sql.Rows, v *record.Asked) error {
	var intent, facts, execution sql.NullString
	var x record.Execution
	c := scanColumns(r, "reviews", (*string)(&v.Review), &v.Review, &v.Protocol, &v.Action, &v.ChainID, &intent, &facts,
		&execution, &v.Bundle)
	c.must(intent.Valid && execution.Valid, "its request or its result is missing")
	readDocument(c, "intent_json", intent, &v.Intent)
	readDocument(c, "facts_json", facts, &v.Facts)
	readDocument(c, "execution_json", execution, &x)
	v.At = x.FinalAt
	return c.err
}

func scanApproved(r *sql.Rows, v *record.Asked) error {
	var updated int64
	var s request.Step
	err := scanStepAnd(r, &s, &v.Bundle, &updated, &v.Place)
	if err != nil {
		return err
	}
	v.Place++
	v.At, v.Protocol, v.Action, v.Intent = time.Unix(0, updated).UTC(), s.Protocol, s.Intent.Type, s.Intent
	return nil
}

// Approval implements record.Store.
func (db Reviews) Approval(ctx context.Context, id record.ID) (record.Approval, error) {
	return approval(ctx, db, id)
}

func approval(ctx context.Context, r rower, id record.ID) (v record.Approval, err error) {
	found, err := find(ctx, r, func(r *sql.Rows, v *record.Approval) error {
		var accepted string
		c := scanColumns(r, "requests", &v.Bundle, &v.Bundle, &accepted)
		c.must(json.Unmarshal([]byte(accepted), &v.Accepted) == nil, "what was accepted cannot be read back")
		return c.err
	}, `SELECT id, accepted_json FROM requests WHERE state = 'running'
		AND id IN (SELECT request_id FROM request_steps WHERE review_id = ? AND review_id <> '')`, string(id))
	if len(found) > 0 {
		v = found[0]
	}
	return v, err
}

// scanOpenRelease takes the owned inputs of a release that an older version recorded from its
// bytes, if they are still stored.
func scanOpenRelease(r *sql.Rows, v *record.OpenRelease) error {
	var intent sql.NullString
	var material []byte
	var told string
	err := scanReleaseAnd(r, &v.Release, &v.Review, &v.Protocol, &v.Action, &v.ChainID, &intent, &material, &told,
		&v.Bundle)
	if err != nil {
		return err
	}
	v.Reported = told == v.Release.Digest.String()
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
func (db Reviews) ReleasedBy(ctx context.Context, d sui.Digest) ([]record.ID, error) {
	return releasedBy(ctx, db, d)
}

func releasedBy(ctx context.Context, r rower, d sui.Digest) ([]record.ID, error) {
	return column[record.ID](ctx, r,
		`SELECT DISTINCT review_id FROM releases WHERE digest = ? ORDER BY review_id`, d[:])
}
