package store

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
)

// Actions stores the actions that programs and AI clients request.
type Actions struct{ *engine }

var _ actions.Store = struct {
	Actions
	AddressBook
	WatchLists
}{}

const selectActions = `SELECT caller, id, type, digest, ticket, action_json, result_json, review_json, seq, at FROM actions`

func (Actions) readAll(ctx context.Context, s *survey) error {
	return checkRows(ctx, s, scanAction, selectActions)
}

func scanAction(r *sql.Rows, a *actions.Row) error {
	var digest []byte
	var at int64
	var action, result, review *string
	c := scanColumns(r, "actions", &a.ID, &a.Caller, &a.ID, &a.Type, &digest, &a.Ticket, &action, &result, &review, &a.Seq,
		&at)
	c.hash("digest", &a.Digest, digest)
	filled := 0
	for _, part := range []*string{action, result, review} {
		if part != nil {
			filled++
		}
	}
	c.must(filled == 1 || filled == 2 && action == nil, "it is neither pending nor finished")
	c.count("seq", a.Seq)
	for what, text := range map[string]string{"caller": a.Caller, "id": a.ID, "type": a.Type, "ticket": a.Ticket} {
		c.text(what, text, maxWord)
	}
	if action != nil {
		a.Action = json.RawMessage(*action)
	}
	if result != nil {
		a.Result = json.RawMessage(*result)
	}
	if review != nil {
		a.Review = json.RawMessage(*review)
	}
	a.At = c.time("at", at)
	return c.err
}

func oneAction(ctx context.Context, r rower, where string, args ...any) (*actions.Row, error) {
	list, err := validRows(ctx, r, nil, scanAction, selectActions+where, args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Action implements actions.Store.
func (db Actions) Action(ctx context.Context, caller, id string) (*actions.Row, error) {
	return oneAction(ctx, db, ` WHERE caller = ? AND id = ?`, caller, id)
}

// Ticket implements actions.Store.
func (db Actions) Ticket(ctx context.Context, ticket string) (*actions.Row, error) {
	return oneAction(ctx, db, ` WHERE ticket = ?`, ticket)
}

// WaitingActions implements actions.Store.
func (db Actions) WaitingActions(ctx context.Context, after int64, limit int) ([]actions.Row, error) {
	return validRows(ctx, db, nil, scanAction, selectActions+
		` WHERE result_json IS NULL AND action_json IS NOT NULL AND seq > ? ORDER BY seq LIMIT ?`, after, limit)
}

// ReviewedActions implements actions.Store.
func (db Actions) ReviewedActions(ctx context.Context, caller string) ([]actions.Row, error) {
	return validRows(ctx, db, nil, scanAction, selectActions+` WHERE caller = ? AND review_json IS NOT NULL ORDER BY seq`,
		caller)
}

// ActionResults implements actions.Store.
func (db Actions) ActionResults(ctx context.Context, caller string, after int64, limit int) ([]actions.Row, error) {
	return validRows(ctx, db, nil, scanAction,
		selectActions+` WHERE caller = ? AND seq > ? AND result_json IS NOT NULL ORDER BY seq LIMIT ?`, caller, after, limit)
}

// Act implements actions.Store. Its log entry wakes readers that wait for the caller's results, or
// for new pending actions.
func (db Actions) Act(ctx context.Context, caller, id string, law func(actions.Tx, *actions.Row) (*actions.Row,
	error)) error {
	return db.change(ctx, func(x *tx) error {
		before, err := oneAction(ctx, x, ` WHERE caller = ? AND id = ?`, caller, id)
		if err != nil {
			return err
		}
		after, err := law(x, before)
		if err != nil {
			return err
		}
		if after == nil {
			return errUnchanged
		}
		return saveAction(ctx, x, *after)
	})
}

// saveAction stores a row with the number of its log entry. It also deletes old actions.
func saveAction(ctx context.Context, x *tx, a actions.Row) error {
	subject, what := string(events.Action)+"/"+a.Caller, "done"
	if a.Action != nil {
		subject, what = string(events.Action)+"/", "waiting"
	}
	payload, err := json.Marshal(change{What: what})
	if err != nil {
		return failed(err)
	}
	at, err := x.append(ctx, bus.Event{Type: bus.TypeListChanged, Subject: subject, Audience: bus.Inside,
		Payload: payload})
	if err != nil {
		return err
	}
	if err := x.one(ctx,
		`INSERT OR REPLACE INTO actions (caller, id, type, digest, ticket, action_json, result_json, review_json, seq, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, a.Caller, a.ID, a.Type, a.Digest[:], a.Ticket, nullable(a.Action),
		nullable(a.Result), nullable(a.Review),
		int64(at.Seq), nanoseconds(a.At)); err != nil {
		return err
	}
	if _, err := x.exec(ctx, `DELETE FROM actions WHERE at <= ?`, nanoseconds(x.now.Add(-actions.Kept))); err != nil {
		return err
	}
	if at.Seq%trimEvery != 0 {
		return nil
	}
	_, err = x.exec(ctx,
		`DELETE FROM actions WHERE ticket IN (SELECT ticket FROM actions ORDER BY seq DESC LIMIT -1 OFFSET ?)`,
		actions.MostKept)
	return err
}

// trimEvery is the number of log entries after which surplus actions are deleted again.
const trimEvery = 64

// nullable returns JSON as text, or nil, which is stored as NULL.
func nullable(j json.RawMessage) any {
	if j == nil {
		return nil
	}
	return string(j)
}
