package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
)

// WaitingReviews lists up to limit reviews that are not final at now, latest change first. A review
// that expired without a release counts as final, even if its stored status is older.
func (db History) WaitingReviews(ctx context.Context, now time.Time, limit int) ([]record.Waiting, error) {
	return validRows(ctx, db, nil, scanWaiting, `SELECT id, status, reason, intent_json, account, wallet_name, created_at,
		build_expires_at, expires_at,
		EXISTS (SELECT 1 FROM releases WHERE review_id = r.id AND dead = 0) AS released,
		EXISTS (SELECT 1 FROM passes WHERE kind = 'review' AND subject = r.id AND access = 'active'
			AND expires_at > ?1 AND last_used_at > ?2),
		EXISTS (SELECT 1 FROM links WHERE kind = 'review' AND subject = r.id AND used_at = 0 AND expires_at > ?1)
		FROM reviews AS r
		WHERE status NOT IN ('success', 'failure', 'expired')
			AND (r.expires_at > ?1 OR status = 'signed_pending_result' OR released)
		ORDER BY updated_at DESC LIMIT ?3`, nanoseconds(now), nanoseconds(now.Add(-pagetoken.PassIdle)), limit)
}

func scanWaiting(r *sql.Rows, w *record.Waiting) error {
	var intent sql.NullString
	var account []byte
	var created, built, expires int64
	c := scanColumns(r, "reviews", (*string)(&w.ID), &w.ID, &w.Status, &w.Reason, &intent, &account, &w.WalletName,
		&created, &built, &expires,
		&w.Released, &w.Open, &w.Linked)
	w.CreatedAt, w.BuildExpiresAt, w.ExpiresAt = c.time("created_at", created), c.time("build_expires_at", built),
		c.time("expires_at", expires)
	c.listed(w.Status, w.Reason)
	c.must(intent.Valid, "its request is missing")
	readDocument(c, "intent_json", intent, &w.Intent)
	c.session(w.ID, w.Account[:], account, "", "", w.WalletName, "")
	return c.err
}
