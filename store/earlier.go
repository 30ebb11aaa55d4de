package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
)

// Conversations stores the conversations of AI clients, and passes events that one did not receive
// to the client's next one.
type Conversations struct{ *engine }

// Bus returns the conversation that a call belongs to.
func (db Conversations) Bus(ctx context.Context) string { return db.conversation(ctx) }

// undeliveredFor is the maximum age of an undelivered event that is still reported.
const undeliveredFor = 24 * time.Hour

// EndConversation records that the conversation's client has left. Later events of the conversation
// are reported to the client's next conversation.
func (db Conversations) EndConversation(ctx context.Context) error {
	return db.change(ctx, func(x *tx) error {
		n, err := x.exec(ctx, `UPDATE conversations SET ended_at = ? WHERE session = ? AND ended_at = 0`, nanoseconds(x.now),
			x.session)
		if err == nil && n == 0 {
			return errUnchanged
		}
		return err
	})
}

// ended is an earlier conversation with undelivered events.
type ended struct {
	session string
	after   bus.Seq
}

// selectUndelivered lists the ended conversations of the client of conversation ?1 that have undelivered
// events since ?2, each with the last event that its agent received.
const selectUndelivered = `SELECT c.session, coalesce(n.seq, 0) FROM conversations AS c
	LEFT JOIN consumers AS n ON n.name = 'agent/' || c.session
	WHERE c.client = (SELECT client FROM conversations WHERE session = ?1) AND c.session <> ?1 AND c.ended_at > 0
		AND c.begun_at > ?3 AND EXISTS (SELECT 1 FROM log WHERE session = c.session AND audience <> 1 AND audience & ?4 <> 0
			AND seq > coalesce(n.seq, 0) AND at > ?2) ORDER BY c.begun_at DESC LIMIT 10`

func undelivered(ctx context.Context, r rower, session string, now time.Time) ([]ended, error) {
	return find(ctx, r, func(r *sql.Rows, e *ended) error { return r.Scan(&e.session, &e.after) }, selectUndelivered,
		session, nanoseconds(now.Add(-undeliveredFor)), nanoseconds(now.Add(-7*undeliveredFor)), int64(bus.Agent))
}

// Inherit adds a line to the conversation for each earlier conversation of its client that ended
// with undelivered events. Those events are not reported again.
func (db Conversations) Inherit(ctx context.Context) error {
	if list, err := undelivered(ctx, db, db.conversation(ctx), db.now()); err != nil || len(list) == 0 {
		return err
	}
	return db.change(ctx, func(x *tx) error {
		list, err := undelivered(ctx, x, x.session, x.now)
		if err != nil {
			return err
		}
		for _, e := range list {
			if err := inheritFrom(ctx, x, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxUndelivered limits the events read from an earlier conversation, maxQuoted the events quoted in its
// line, and maxQuote the characters of each quote.
const (
	maxUndelivered = 200
	maxQuoted      = 3
	maxQuote       = 200
)

// inheritFrom appends the line about one earlier conversation.
func inheritFrom(ctx context.Context, x *tx, e ended) error {
	list, err := find(ctx, x, scanEvent, `SELECT `+eventColumns+
		` FROM log WHERE session = ?1 AND audience <> 1 AND audience & ?2 <> 0
		AND seq > ?3 AND at > ?4 ORDER BY seq LIMIT ?5`, e.session, int64(bus.Agent), int64(e.after),
		nanoseconds(x.now.Add(-undeliveredFor)), maxUndelivered)
	if err != nil || len(list) == 0 {
		return err
	}
	last := list[len(list)-1].Seq
	var texts []string
	for _, one := range list {
		if line, ok := bus.LineOf(one); ok {
			texts = append(texts, bus.Quoted(line, maxQuote))
		}
	}
	if len(texts) > 0 {
		said := fmt.Sprintf("since an earlier conversation of this client (bus %s), %s", e.session,
			strings.Join(texts[:min(len(texts), maxQuoted)], "; "))
		if more := len(texts) - maxQuoted; more > 0 {
			said += fmt.Sprintf("; and %d more: events.list with this bus and after_seq %d", more, e.after)
		}
		update, err := bus.Update(bus.Earlier{Message: said, Bus: e.session}, true)
		if err != nil {
			return failed(err)
		}
		event, err := bus.NewEvent(x.session, "", update)
		if err == nil {
			_, err = x.append(ctx, event)
		}
		if err != nil {
			return err
		}
	}
	_, err = x.exec(ctx, advance, "agent/"+e.session, int64(last), nanoseconds(x.now))
	return err
}
