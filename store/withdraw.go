package store

import (
	"context"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
)

// Withdraw deletes a review, connect session or request created by a call whose answer was never
// delivered, with its unopened links and its journal. It keeps one that the user has since opened.
// It is not an error if there is nothing to withdraw.
func (db Pages) Withdraw(ctx context.Context, kind pagetoken.Kind, subject string) error {
	return db.change(ctx, func(x *tx) error { return withdrawPage(ctx, x, kind, subject) })
}

func withdrawPage(ctx context.Context, x *tx, kind pagetoken.Kind, subject string) error {
	opened, err := single[int](ctx, x,
		`SELECT count(*) FROM links WHERE kind = ? AND subject = ? AND used_at <> 0`, string(kind), subject)
	if err != nil {
		return err
	}
	_, err = x.exec(ctx, `DELETE FROM links WHERE kind = ? AND subject = ? AND used_at = 0`, string(kind), subject)
	if err != nil {
		return err
	}
	if opened > 0 {
		return nil
	}
	gone := int64(0)
	switch kind {
	case pagetoken.Review:
		gone, err = x.exec(ctx, `DELETE FROM reviews WHERE id = ? AND status = ?
				AND NOT EXISTS (SELECT 1 FROM releases WHERE review_id = reviews.id)`, subject, string(record.Proposed))
		if err == nil && gone > 0 {
			_, err = x.exec(ctx, `DELETE FROM requests WHERE review = ? AND state = ?`, subject, string(request.Signing))
		}
	case pagetoken.Connect:
		gone, err = x.exec(ctx, `DELETE FROM identities WHERE id = ? AND status = ?`, subject, string(account.Pending))
	case pagetoken.Bundle:
		// A request that needs no further approval is deleted too, if none of its steps has begun.
		gone, err = x.exec(ctx, `DELETE FROM requests WHERE id = ?1 AND (state = ?2 OR state = ?3
				AND NOT EXISTS (SELECT 1 FROM request_steps WHERE request_id = ?1 AND status <> ?4))`,
			subject, string(request.Asked), string(request.Running), string(request.Waiting))
	}
	if err != nil || gone == 0 {
		return err
	}
	_, err = x.exec(ctx, `DELETE FROM journal WHERE kind = ? AND subject = ?`, string(subjectKind(kind)), subject)
	if err != nil {
		return err
	}
	for _, query := range []string{
		`DELETE FROM log WHERE subject IN (SELECT 'task/' || id FROM tasks WHERE subject = ?1) OR subject = ?1`,
		`DELETE FROM tasks WHERE subject = ?1`,
	} {
		if _, err := x.exec(ctx, query, string(subjectKind(kind))+"/"+subject); err != nil {
			return err
		}
	}
	if kind != pagetoken.Review {
		return nil
	}
	// Notify the lists that showed the request, in every process.
	return x.record(ctx, events.Entry{Kind: events.Home, Subject: pagetoken.HomeSubject, What: "withdrawn"})
}
