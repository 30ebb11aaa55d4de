package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/history"
	"github.com/sayurintent/sayurintent/internal/record"
)

// History lists and counts past and pending reviews for tools and pages.
type History struct{ *engine }

// selectFunnel first combines the steps of each review into one row, so that a repeated step counts
// once.
var selectFunnel = `WITH steps AS (
	SELECT r.id, r.created_at AS created, ` + presentStatus + ` AS present,
		min(CASE WHEN j.from_status = 'proposed' AND j.to_status NOT IN ('proposed', 'expired') THEN j.at END) AS opened,
		max(j.to_status = 'wallet_connected') AS connected, max(j.what = 'computed') AS computed,
		max(j.to_status = 'ready_for_wallet_review') AS ready, max(j.to_status = 'refresh_required') AS refresh,
		max(j.to_status = 'blocked') AS blocked, min(CASE WHEN j.to_status = 'signed_pending_result' THEN j.at END) AS signed
	FROM reviews AS r LEFT JOIN journal AS j ON j.kind = 'review' AND j.subject = r.id
	WHERE r.account = @account AND r.created_at >= @from AND r.created_at < @to GROUP BY r.id)
	SELECT present, count(*), count(opened), total(connected), total(computed), total(ready), total(refresh), total(blocked),
		count(signed), total(signed - created), count(CASE WHEN signed > 0 AND opened > 0 THEN 1 END),
		total(signed - opened)
	FROM steps GROUP BY present`

func (db History) scopeArgs(s history.Scope, more ...any) []any {
	to := nanoseconds(s.To)
	if s.To.IsZero() {
		to = 1<<63 - 1
	}
	return append([]any{sql.Named("account", s.Account[:]), sql.Named("from", nanoseconds(s.From)), sql.Named("to", to),
		sql.Named("now", nanoseconds(db.now()))}, more...)
}

// ReviewFunnel counts the reviews in a scope. It ignores the scope's Status.
func (db History) ReviewFunnel(ctx context.Context, s history.Scope) (history.Funnel, error) {
	rows, err := validRows(ctx, db, nil, scanFunnel, selectFunnel, db.scopeArgs(s)...)
	if err != nil {
		return history.Funnel{}, err
	}
	f := history.Funnel{Present: map[record.Status]int{}}
	for _, r := range rows {
		f.Total += r.Total
		f.Opened += r.Opened
		f.Connected += r.Connected
		f.Computed += r.Computed
		f.Ready += r.Ready
		f.RefreshRequired += r.RefreshRequired
		f.Blocked += r.Blocked
		f.Signed += r.Signed
		f.CreatedToSigned.Reviews += r.CreatedToSigned.Reviews
		f.CreatedToSigned.Total += r.CreatedToSigned.Total
		f.OpenedToSigned.Reviews += r.OpenedToSigned.Reviews
		f.OpenedToSigned.Total += r.OpenedToSigned.Total
		for status, n := range r.Present {
			f.Present[status] += n
		}
	}
	f.Succeeded, f.Failed, f.Expired = f.Present[record.Success], f.Present[record.Failure], f.Present[record.Expired]
	return f, nil
}

// scanFunnel reads the counts of the reviews with one current status.
func scanFunnel(r *sql.Rows, f *history.Funnel) error {
	var status record.Status
	var connected, computed, ready, refresh, blocked float64
	var toSigned, fromOpened float64
	c := scanColumns(r, "reviews", nil, &status, &f.Total, &f.Opened, &connected, &computed, &ready, &refresh, &blocked,
		&f.Signed, &toSigned, &f.OpenedToSigned.Reviews, &fromOpened)
	c.listed(status, "")
	f.Present = map[record.Status]int{status: f.Total}
	f.Connected, f.Computed, f.Ready = int(connected), int(computed), int(ready)
	f.RefreshRequired, f.Blocked = int(refresh), int(blocked)
	f.CreatedToSigned = history.Lag{Reviews: f.Signed, Total: time.Duration(clamped(toSigned))}
	f.OpenedToSigned.Total = time.Duration(clamped(fromOpened))
	return c.err
}

// ReviewDetail returns a review and at most limit of its latest journal entries. It returns
// fault.SessionNotFound for an unknown ID.
func (db History) ReviewDetail(ctx context.Context, id record.ID, limit int) (history.Detail, error) {
	var d history.Detail
	err := db.snapshot(ctx, func(r rower) error {
		var err error
		if d.Session, err = reviewSession(ctx, r, id); err != nil {
			return err
		}
		d.Entries, err = validRows(ctx, r, nil, scanEntry,
			`SELECT `+entryColumns+` FROM journal WHERE kind = 'review' AND subject = ? ORDER BY seq DESC LIMIT ?`,
			string(id), limit)
		if err != nil {
			return err
		}
		slices.Reverse(d.Entries)
		d.Recorded, err = single[int](ctx, r, `SELECT count(*) FROM journal WHERE kind = 'review' AND subject = ?`, string(id))
		return err
	})
	return d, err
}

// These conditions repeat those of the partial indexes verbatim; otherwise SQLite would not use the
// indexes. A review cannot have a release before it is computed.
const (
	selectLiveReviews = `SELECT id, updated_at FROM reviews
		WHERE status NOT IN ('success', 'failure', 'expired') AND updated_at > ? AND expires_at > ?
		ORDER BY updated_at DESC LIMIT ?`

	selectReleasedReviews = `SELECT id, updated_at FROM reviews
		WHERE status IN ('ready_for_wallet_review', 'refresh_required', 'blocked', 'signed_pending_result')
			AND (status = 'signed_pending_result' OR EXISTS (SELECT 1 FROM releases AS l WHERE l.review_id = reviews.id))
		ORDER BY updated_at DESC LIMIT ?`

	selectLiveIdentities = `SELECT id, updated_at FROM identities
		WHERE status IN ('pending', 'opened', 'connecting') AND updated_at > ? AND expires_at > ?
		ORDER BY updated_at DESC LIMIT ?`

	selectPending = `SELECT id, status, reason, account, protocol, action, intent_json, updated_at, expires_at
		FROM reviews WHERE id = ?`
)

// maxLife is longer than any unsigned review or identity can remain open after its last change. It
// lets the query skip the many that expired long ago.
const maxLife = 24 * time.Hour

// recent is the ID of a pending review or identity, with the time of its last change.
type recent struct {
	id string
	at int64
}

func scanRecent(r *sql.Rows, v *recent) error {
	return scanColumns(r, "reviews", &v.id, &v.id, &v.at).err
}

// Pending returns at most limit of the latest reviews and wallet identities that are neither final
// nor expired.
func (db History) Pending(ctx context.Context, limit int) (history.Pending, error) {
	now := db.now()
	var p history.Pending
	live, err := validRows(ctx, db, nil, scanRecent, selectLiveReviews, nanoseconds(now.Add(-maxLife)),
		nanoseconds(now), limit+1)
	if err != nil {
		return p, err
	}
	released, err := validRows(ctx, db, nil, scanRecent, selectReleasedReviews, limit+1)
	if err != nil {
		return p, err
	}
	ids := latest(append(live, released...))
	p.MoreReviews = len(ids) > limit
	for _, v := range ids[:min(limit, len(ids))] {
		found, err := validRows(ctx, db, nil, scanPending, selectPending, v.id)
		if err != nil {
			return history.Pending{}, err
		}
		p.Reviews = append(p.Reviews, found...)
	}
	if ids, err = validRows(ctx, db, nil, scanRecent, selectLiveIdentities, nanoseconds(now.Add(-maxLife)),
		nanoseconds(now), limit+1); err != nil {
		return history.Pending{}, err
	}
	p.MoreIdentities = len(ids) > limit
	for _, v := range ids[:min(limit, len(ids))] {
		found, err := validRows(ctx, db, nil, scanIdentity, selectIdentity, v.id)
		if err != nil {
			return history.Pending{}, err
		}
		p.Identities = append(p.Identities, found...)
	}
	return p, nil
}

// latest sorts pending entries by their last change, latest first, and drops duplicates.
func latest(list []recent) []recent {
	slices.SortFunc(list, func(a, b recent) int {
		return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.id, b.id))
	})
	return slices.Compact(list)
}

func scanPending(r *sql.Rows, w *history.Waiting) error {
	var account []byte
	var updated, expires int64
	var intent sql.NullString
	c := scanColumns(r, "reviews", (*string)(&w.ID), &w.ID, &w.Status, &w.Reason, &account, &w.Protocol, &w.Action,
		&intent, &updated, &expires)
	w.UpdatedAt, w.ExpiresAt = c.time("updated_at", updated), c.time("expires_at", expires)
	c.listed(w.Status, w.Reason)
	c.must(intent.Valid, "its request is missing")
	readDocument(c, "intent_json", intent, &w.Intent)
	c.session(w.ID, w.Account[:], account, w.Protocol, w.Action, "", "")
	return c.err
}
