package store

import (
	"context"
	"database/sql"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// selectOutgoing walks the log by its numbers: a reader has mostly read almost all of it.
// Before each event stands the last one of its session that an agent was told, also where
// it was removed.
const selectOutgoing = `SELECT ` + eventColumns + `, max(
	coalesce((SELECT p.seq FROM log p WHERE p.session = log.session AND p.audience <> 1 AND p.audience & 4 <> 0
		AND p.seq < log.seq ORDER BY p.seq DESC LIMIT 1), 0),
	coalesce((SELECT max(t.seq) FROM log_trimmed t WHERE t.session = log.session AND t.audience & 4 <> 0
		AND t.seq < log.seq), 0))
	FROM log NOT INDEXED WHERE seq > ?1 AND seq < 9007199254740992 AND audience <> 1 AND audience & 4 <> 0
	AND substr(session, 1, length(?2)) = ?2 ORDER BY seq LIMIT ?3`

// Outgoing returns the log's id, its end, and the events after a place that the agents of
// conversations whose names begin so were told: the oldest first, at most so many. A damaged row is left out, and its reader notices that
// one is missing.
func (db *DB) Outgoing(ctx context.Context, conversations string, after bus.Seq, most int) (
	log string, end bus.Seq, list []bus.Outgoing, err error) {
	err = db.snapshot(ctx, func(r rower) error {
		var err error
		if log, err = logID(ctx, r); err != nil {
			return err
		}
		if end, err = logEnd(ctx, r); err != nil || end <= after {
			return err
		}
		list, err = validRows(ctx, r, nil, scanOutgoing, selectOutgoing, int64(after), conversations,
			min(max(most, 1), bus.MostRead))
		return err
	})
	return log, end, list, err
}

func scanOutgoing(r *sql.Rows, e *bus.Outgoing) error { return scanEventAnd(r, &e.Event, &e.Prev) }
