package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/sayurintent/sayurintent/internal/record"
)

// Receipts lists at most limit reviews whose transactions the chain executed at from or later and
// before to, earliest first. more reports whether there are others. A zero time means no bound.
// Only the data that a receipt needs is read.
func (db History) Receipts(ctx context.Context, from, to time.Time, limit int) (list []record.Session, more bool,
	err error) {
	// A result is never stored before its time on chain, except for clock differences, which are
	// less than a day. Earlier rows can therefore be skipped.
	since, rows := from, 4*limit
	if !from.IsZero() {
		since = from.AddDate(0, 0, -1)
	}
	all, err := validRows(ctx, db, nil, scanReceipt, `SELECT id, status, network, account, protocol, action,
		intent_json, facts_json, execution_json FROM reviews WHERE status IN ('success', 'failure') AND updated_at >= ?1
		AND json_valid(execution_json) AND execution_json ->> '$.receipt' IS NOT NULL ORDER BY updated_at LIMIT ?2`,
		nanoseconds(since), rows)
	if err != nil {
		return nil, false, err
	}
	for _, s := range all {
		if at := s.ExecutedAt(); !at.Before(from) && (to.IsZero() || at.Before(to)) {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b record.Session) int { return a.ExecutedAt().Compare(b.ExecutedAt()) })
	if len(list) > limit {
		return list[:limit], true, nil
	}
	return list, len(all) == rows, nil
}

func scanReceipt(r *sql.Rows, s *record.Session) error {
	var account []byte
	var intent, facts, execution sql.NullString
	c := scanColumns(r, "reviews", (*string)(&s.ID), &s.ID, &s.Status, &s.Network, &account, &s.Protocol, &s.Action,
		&intent, &facts, &execution)
	c.listed(s.Status, "")
	c.must(intent.Valid, "its request is missing")
	readDocument(c, "intent_json", intent, &s.Intent)
	readDocument(c, "facts_json", facts, &s.Facts)
	readDocument(c, "execution_json", execution, &s.Execution)
	c.session(s.ID, s.Account[:], account, s.Protocol, s.Action, "", "")
	c.text("network", s.Network, maxWord)
	c.must(s.Execution != nil && s.Execution.Receipt != nil, "it has no receipt")
	return c.err
}
