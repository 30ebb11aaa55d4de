package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
)

// Log stores the events of the bus and the journal.
type Log struct{ *engine }

var _ bus.Log = Log{}

// nextSeq computes the number of the next event or journal row. It ignores numbers that are too
// large to be valid; otherwise one damaged row could block all writes.
const nextSeq = `1 + max(coalesce((SELECT max(seq) FROM log WHERE seq < 9007199254740991), 0),
	coalesce((SELECT max(seq) FROM journal WHERE seq < 9007199254740991), 0),
	coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name IN ('log', 'journal') AND seq < 9007199254740991), 0))`

const insertEvent = `INSERT INTO log (seq, type, subject, session, audience, dedup, payload_json, at)
	VALUES (` + nextSeq + `, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (session, type, dedup) WHERE dedup <> '' DO NOTHING RETURNING seq`

func (Log) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(
		checkRows(ctx, s, scanEvent, `SELECT `+eventColumns+` FROM log`),
		checkRows(ctx, s, scanEntry, `SELECT `+entryColumns+` FROM journal`),
	)
}

// ID implements bus.Log.
func (db Log) ID(ctx context.Context) (string, error) { return logID(ctx, db) }

func logID(ctx context.Context, r rower) (string, error) {
	found, err := column[string](ctx, r,
		`SELECT log FROM log_id WHERE id = 1`)
	if err == nil && len(found) != 1 {
		err = nameless()
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

func nameless() error {
	return refuse("damaged", "The log of events has no name. Run say-ur-intent doctor.")
}

// Append implements bus.Log.
func (db Log) Append(ctx context.Context, list ...bus.Event) ([]bus.Appended, error) {
	var out []bus.Appended
	err := db.change(ctx, func(x *tx) error {
		for _, e := range list {
			a, err := x.append(ctx, e)
			if err != nil {
				return err
			}
			out = append(out, a)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// append stores an event unless it is a duplicate, and schedules its readers to be woken after the
// commit.
func (x *tx) append(ctx context.Context, e bus.Event) (bus.Appended, error) {
	if err := e.Check(); err != nil {
		return bus.Appended{}, err
	}
	seqs, err := column[bus.Seq](ctx, x, insertEvent, string(e.Type), e.Subject, e.Session, int64(e.Audience), e.Dedup,
		string(e.Payload), nanoseconds(x.now))
	if err != nil {
		return bus.Appended{}, err
	}
	if len(seqs) == 1 {
		x.changed = append(x.changed, subjectsOf(e)...)
		return bus.Appended{Seq: seqs[0]}, nil
	}
	seqs, err = column[bus.Seq](ctx, x,
		`SELECT seq FROM log WHERE session = ? AND type = ? AND dedup = ? AND dedup <> ''`, e.Session, string(e.Type), e.Dedup)
	if err != nil {
		return bus.Appended{}, err
	}
	if len(seqs) != 1 {
		return bus.Appended{}, fault.New(fault.InternalError, "An event could neither be stored nor found.")
	}
	return bus.Appended{Seq: seqs[0], Duplicate: true}, nil
}

const eventColumns = `seq, type, subject, session, audience, dedup, payload_json, at`

func scanEvent(r *sql.Rows, e *bus.Event) error {
	var audience, at int64
	var payload string
	c := scanColumns(r, "log", nil, &e.Seq, &e.Type, &e.Subject, &e.Session, &audience, &e.Dedup, &payload, &at)
	c.key = strconv.FormatInt(int64(e.Seq), 10)
	c.must(e.Seq > 0 && e.Seq < maxSeq, "its number is out of range")
	c.must(audience > 0 && audience < 16, "its audience is unknown")
	c.must(len(payload) <= e.Type.MostPayload() && json.Valid([]byte(payload)),
		"its payload is not valid JSON or too long")
	c.text("subject", e.Subject, maxName)
	c.text("session", e.Session, maxWord)
	e.Audience, e.Payload, e.At = bus.Audience(audience), json.RawMessage(payload), c.time("at", at)
	return c.err
}

// Read implements bus.Log.
func (db Log) Read(ctx context.Context, c bus.Consumer, limit int) (bus.Page, error) {
	from, err := single[bus.Seq](ctx, db, `SELECT seq FROM consumers WHERE name = ?`, c.Name)
	if err != nil {
		return bus.Page{}, err
	}
	return db.since(ctx, bus.Cursor{Seq: from}, c.Filter, limit)
}

// Since implements bus.Log.
func (db Log) Since(ctx context.Context, from bus.Cursor, f bus.Filter, limit int) (bus.Page, error) {
	if from.Log == "" {
		from.Log = "?" // an ID that no log has
	}
	return db.since(ctx, from, f, limit)
}

// selectEvents reads two ranges of one index, so that neither a long log nor a long session
// requires sorting.
const selectEvents = `SELECT ` + eventColumns + ` FROM (
	SELECT * FROM (SELECT * FROM log WHERE session = ?1 AND audience <> 1 AND seq > ?3 AND seq <= ?7
		AND audience & ?2 <> 0 AND (?5 = '' OR subject = ?5) AND (?6 = '' OR instr(?6, ',' || type || ','))
		ORDER BY seq LIMIT ?4)
	UNION ALL
	SELECT * FROM (SELECT * FROM log WHERE session = '' AND ?1 <> '' AND audience <> 1 AND seq > ?3
		AND seq <= ?7 AND audience & ?2 <> 0 AND (?5 = '' OR subject = ?5)
		AND (?6 = '' OR instr(?6, ',' || type || ',')) ORDER BY seq LIMIT ?4)
	) ORDER BY seq LIMIT ?4`

// logState is the state of the log when a page of events is read.
type logState struct {
	log       string
	end, gone bus.Seq // the last event, and the last removed one that matches the filter
}

func (db Log) logState(ctx context.Context, f bus.Filter) (logState, error) {
	found, err := find(ctx, db, func(r *sql.Rows, s *logState) error { return r.Scan(&s.log, &s.end, &s.gone) },
		`SELECT log, `+nextSeq+` - 1, coalesce((SELECT max(seq) FROM log_trimmed
			WHERE session IN (?1, '') AND audience & ?2 <> 0), 0) FROM log_id WHERE id = 1`, f.Session, int64(f.Sees))
	if err == nil && len(found) != 1 {
		err = nameless()
	}
	if err != nil {
		return logState{}, err
	}
	return found[0], nil
}

// since reads the events after a cursor. If the cursor belongs to another log, since starts at the
// beginning of this one; a cursor without a log ID belongs to this log. Separate reads with cached
// statements are far cheaper than a transaction. Events never change, so it is enough to check
// afterwards that none were removed.
func (db Log) since(ctx context.Context, from bus.Cursor, f bus.Filter, limit int) (bus.Page, error) {
	limit = min(max(limit, 1), bus.MostRead)
	types := ""
	for _, t := range f.Types {
		types += "," + string(t) + ","
	}
	for {
		before, err := db.logState(ctx, f)
		if err != nil {
			return bus.Page{}, err
		}
		page, seq := bus.Page{Next: bus.Cursor{Log: before.log, Seq: before.end}}, from.Seq
		//mutant:never ./store TestConformance/foreign
		if from.Log != "" && from.Log != before.log || seq > before.end {
			seq, page.Truncated = 0, true
		}
		// One row more than the limit shows whether there are more. Damaged rows are omitted.
		aside := 0
		list, err := validRows(ctx, db, func(Damage) { aside++ }, scanEvent, selectEvents, f.Session, int64(f.Sees),
			int64(seq),
			limit+1, f.Subject, types, int64(before.end))
		if err != nil {
			return bus.Page{}, err
		}
		after, err := db.logState(ctx, f)
		if err != nil {
			return bus.Page{}, err
		}
		if after.log != before.log {
			continue // all data was replaced in the meantime
		}
		page.Truncated = page.Truncated || after.gone > seq
		page.More = len(list)+aside > limit
		page.Events = list[:min(len(list), limit)]
		if page.More && len(page.Events) > 0 {
			page.Next.Seq = page.Events[len(page.Events)-1].Seq
		}
		return page, nil
	}
}

// Latest returns up to limit of the most recent events that match a filter, newest first. Damaged
// events are omitted.
func (db Log) Latest(ctx context.Context, f bus.Filter, limit int) ([]bus.Event, error) {
	types := ""
	for _, t := range f.Types {
		types += "," + string(t) + ","
	}
	return validRows(ctx, db, nil, scanEvent, selectLatest, f.Session, int64(f.Sees), min(max(limit, 1), bus.MostRead),
		types)
}

// selectLatest walks the index of selectEvents backward.
const selectLatest = `SELECT ` + eventColumns + ` FROM (
	SELECT * FROM (SELECT * FROM log WHERE session = ?1 AND audience <> 1 AND audience & ?2 <> 0
		AND (?4 = '' OR instr(?4, ',' || type || ',')) ORDER BY seq DESC LIMIT ?3)
	UNION ALL
	SELECT * FROM (SELECT * FROM log WHERE session = '' AND ?1 <> '' AND audience <> 1 AND audience & ?2 <> 0
		AND (?4 = '' OR instr(?4, ',' || type || ',')) ORDER BY seq DESC LIMIT ?3)
	) ORDER BY seq DESC LIMIT ?3`

// logEnd returns the number of the last event or journal row, or 0.
func logEnd(ctx context.Context, r rower) (bus.Seq, error) {
	return single[bus.Seq](ctx, r, `SELECT `+nextSeq+` - 1`)
}

// Advance implements bus.Log.
func (db Log) Advance(ctx context.Context, c bus.Consumer, to bus.Seq) error {
	return db.change(ctx, func(x *tx) error {
		end, err := logEnd(ctx, x)
		if err != nil {
			return err
		}
		if to < 0 || to > end {
			return fault.New(fault.InputInvalid, "A cursor cannot be after the end of the log.")
		}
		_, err = x.exec(ctx, advance, c.Name, int64(to), nanoseconds(x.now))
		return err
	})
}

const advance = `INSERT INTO consumers (name, seq, used_at) VALUES (?1, ?2, ?3)
	ON CONFLICT (name) DO UPDATE SET seq = max(seq, excluded.seq), used_at = excluded.used_at`

// Wait implements bus.Log.
func (db Log) Wait(ctx context.Context, f bus.Filter, after bus.Seq) error {
	return db.hub.Until(ctx, func() (bool, time.Duration, error) {
		page, err := db.since(ctx, bus.Cursor{Seq: after}, f, 1)
		return len(page.Events) > 0 || page.Truncated, 0, err
	}, events.Subject{Kind: events.Log, ID: f.Session}, events.Subject{Kind: events.Log})
}

// Asking lists the questions and file changes of all conversations that wait for the user, oldest
// first.
func (db Tasks) Asking(ctx context.Context) ([]bus.Task, error) {
	const limit = 200
	return validRows(ctx, db, nil, scanTask, selectTasks+` WHERE kind IN (?, ?) AND state IN ('working', 'input_required')
		ORDER BY created_at, id LIMIT ?`, string(bus.KindQuestion), string(bus.KindEdit), limit)
}

// Snapshot implements bus.Log.
func (db Log) Snapshot(ctx context.Context, session string) (bus.State, error) {
	var s bus.State
	err := db.snapshot(ctx, func(r rower) error {
		var err error
		if s.Cursor.Log, err = logID(ctx, r); err != nil {
			return err
		}
		if s.Cursor.Seq, err = logEnd(ctx, r); err != nil {
			return err
		}
		s.Tasks, err = validRows(ctx, r, nil, scanTask, selectTasks+
			` WHERE session = ? AND state IN ('working', 'input_required') ORDER BY created_at, id`, session)
		for _, t := range s.Tasks {
			if t.Request != nil {
				s.Requests = append(s.Requests, bus.WalletTxRequest{Payload: t.Request})
			}
		}
		return err
	})
	return s, err
}

// Trim implements bus.Log.
func (db Log) Trim(ctx context.Context, p bus.Policy) error {
	// Counting a long log takes time, so it is done before the write transaction, which reads only
	// the rows that it removes.
	long, err := column[string](ctx, db,
		`SELECT session FROM log WHERE audience <> 1 GROUP BY session HAVING count(*) > ?`, p.Rows)
	if err != nil {
		return err
	}
	return db.change(ctx, func(x *tx) error {
		if err := trimLog(ctx, x, p, long); err != nil {
			return err
		}
		if _, err := x.exec(ctx, `DELETE FROM tasks WHERE state IN ('completed', 'failed', 'cancelled') AND expires_at <= ?`,
			nanoseconds(x.now)); err != nil {
			return err
		}
		_, err := x.exec(ctx, `DELETE FROM consumers WHERE used_at <= ?`, nanoseconds(x.now.Add(-p.Age)))
		return err
	})
}

// maxTrimmed limits the events that one transaction removes, so that it does not block other
// writers for long. The next call removes more.
const maxTrimmed = 20_000

// selectOldChanges selects all but the latest change events. It uses a partial index, because a
// long log contains few of them.
const selectOldChanges = `SELECT seq, session, audience FROM log INDEXED BY log_inside
	WHERE audience = 1 AND type <> 'record.entry' AND seq <=
	(SELECT max(seq) FROM log WHERE seq < 9007199254740992) - ?1 ORDER BY seq LIMIT ?2`

// trimLog removes old events, including those beyond a session's limit. For each session and
// audience, it records the last event removed.
func trimLog(ctx context.Context, x *tx, p bus.Policy, long []string) error {
	type row struct {
		seq      bus.Seq
		session  string
		audience int64
	}
	scan := func(r *sql.Rows, v *row) error { return r.Scan(&v.seq, &v.session, &v.audience) }
	keep := nanoseconds(x.now.Add(-p.AgentAge))
	gone, err := find(ctx, x, scan, `SELECT seq, session, audience FROM log WHERE type <> 'record.entry' AND at <= ?1
		AND (audience & 4 = 0 OR at <= ?2)
		ORDER BY at LIMIT ?3`, nanoseconds(x.now.Add(-p.Age)), keep, maxTrimmed)
	if err != nil {
		return err
	}
	for _, s := range long {
		more, err := find(ctx, x, scan, `SELECT seq, session, audience FROM log WHERE session = ?1 AND audience <> 1
			AND seq <= (SELECT seq FROM log WHERE session = ?1 AND audience <> 1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)
			AND (audience & 4 = 0 OR at <= ?3) ORDER BY seq LIMIT ?4`, s, p.Rows, keep, maxTrimmed)
		if err != nil {
			return err
		}
		gone = append(gone, more...)
	}
	// Change events are read immediately, so only the latest are kept.
	changes, err := find(ctx, x, scan, selectOldChanges, p.Rows, maxTrimmed)
	if err != nil {
		return err
	}
	type key struct {
		session  string
		audience bus.Audience
	}
	last := map[key]bus.Seq{}
	for _, v := range slices.Concat(gone, changes) {
		if _, err := x.exec(ctx, `DELETE FROM log WHERE seq = ?`, int64(v.seq)); err != nil {
			return err
		}
		for _, a := range bus.Audience(v.audience).Split() {
			k := key{v.session, a}
			last[k] = max(last[k], v.seq)
		}
	}
	for k, seq := range last {
		if _, err := x.exec(ctx, `INSERT INTO log_trimmed (session, audience, seq) VALUES (?1, ?2, ?3)
			ON CONFLICT (session, audience) DO UPDATE SET seq = max(seq, excluded.seq)`,
			k.session, int64(k.audience), int64(seq)); err != nil {
			return err
		}
	}
	return nil
}
