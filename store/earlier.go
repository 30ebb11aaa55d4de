package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// untoldFor is how long something that nobody told the client is worth telling.
const untoldFor = 24 * time.Hour

// EndConversation records that the client of the conversation is gone. What happens of its
// conversation from now on is told to the client's next one.
func (db *DB) EndConversation(ctx context.Context) error {
	return db.change(ctx, func(x *tx) error {
		n, err := x.exec(ctx, `UPDATE conversations SET ended_at = ? WHERE session = ? AND ended_at = 0`, nanoseconds(x.now), x.session)
		if err == nil && n == 0 {
			return errUnchanged
		}
		return err
	})
}

// ended is an earlier conversation of which the client was not told something.
type ended struct {
	session string
	told    bus.Seq
}

// selectUntold lists conversations of the client ?1 that have ended, with what the agent of
// each was told last, where there is more for it since ?2.
const selectUntold = `SELECT c.session, coalesce(n.seq, 0) FROM conversations AS c
	LEFT JOIN consumers AS n ON n.name = 'agent/' || c.session
	WHERE c.client = (SELECT client FROM conversations WHERE session = ?1) AND c.session <> ?1 AND c.ended_at > 0
		AND c.begun_at > ?3 AND EXISTS (SELECT 1 FROM log WHERE session = c.session AND audience <> 1 AND audience & ?4 <> 0
			AND seq > coalesce(n.seq, 0) AND at > ?2) ORDER BY c.begun_at DESC LIMIT 10`

func untold(ctx context.Context, r rower, session string, now time.Time) ([]ended, error) {
	return find(ctx, r, func(r *sql.Rows, e *ended) error { return r.Scan(&e.session, &e.told) }, selectUntold, session,
		nanoseconds(now.Add(-untoldFor)), nanoseconds(now.Add(-7*untoldFor)), int64(bus.Agent))
}

// Inherit tells the conversation, in one line for each, what earlier ones
// of its client left untold when they ended. Nothing of it is told again.
func (db *DB) Inherit(ctx context.Context) error {
	if list, err := untold(ctx, db, db.Bus(ctx), db.now()); err != nil || len(list) == 0 {
		return err
	}
	return db.change(ctx, func(x *tx) error {
		list, err := untold(ctx, x, x.session, x.now)
		if err != nil {
			return err
		}
		for _, e := range list {
			if err := x.inherit(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// mostUntold is how many events of a conversation are looked at, and mostQuoted how many
// of them the line quotes, each with so many characters at most.
const (
	mostUntold = 200
	mostQuoted = 3
	mostQuote  = 200
)

// inherit appends the line about one conversation.
func (x *tx) inherit(ctx context.Context, e ended) error {
	list, err := find(ctx, x, scanEvent, `SELECT `+eventColumns+` FROM log WHERE session = ?1 AND audience <> 1 AND audience & ?2 <> 0
		AND seq > ?3 AND at > ?4 ORDER BY seq LIMIT ?5`, e.session, int64(bus.Agent), int64(e.told), nanoseconds(x.now.Add(-untoldFor)), mostUntold)
	if err != nil || len(list) == 0 {
		return err
	}
	last := list[len(list)-1].Seq
	var texts []string
	for _, one := range list {
		if line, ok := bus.LineOf(one); ok {
			texts = append(texts, bus.Quoted(line, mostQuote))
		}
	}
	if len(texts) > 0 {
		said := fmt.Sprintf("since an earlier conversation of this client (bus %s), %s", e.session,
			strings.Join(texts[:min(len(texts), mostQuoted)], "; "))
		if more := len(texts) - mostQuoted; more > 0 {
			said += fmt.Sprintf("; and %d more: events.list with this bus and after_seq %d", more, e.told)
		}
		update, err := bus.Update(bus.Earlier{Message: said, Bus: e.session}, true)
		if err != nil {
			return failed(err)
		}
		told, err := bus.NewEvent(x.session, "", update)
		if err == nil {
			_, err = x.append(ctx, told)
		}
		if err != nil {
			return err
		}
	}
	_, err = x.exec(ctx, advance, "agent/"+e.session, int64(last), nanoseconds(x.now))
	return err
}
