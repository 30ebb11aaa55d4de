package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
)

// PastReviews returns up to limit reviews of all accounts that have ended by now, latest change
// first, after skipping the first skip. A review that expired without a release has ended, even if
// its stored status is older.
func (db History) PastReviews(ctx context.Context, now time.Time, skip, limit int) ([]record.ID, error) {
	return column[record.ID](ctx, db, `SELECT r.id FROM reviews AS r
		WHERE r.status IN ('success', 'failure', 'expired') OR (r.status IN (`+quoted(mayExpire)+`) AND `+ranOut+`)
		ORDER BY r.updated_at DESC, r.id LIMIT @limit OFFSET @skip`,
		sql.Named("now", nanoseconds(now)), sql.Named("limit", limit), sql.Named("skip", skip))
}
