package store

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// mostEntries is the number of journal entries that one read returns at most.
const mostEntries = 1000

// mostSeq is larger than every valid sequence number.
const mostSeq = 1 << 53

// The next sequence number follows the largest valid one. A damaged row with the
// largest possible number would otherwise block all writing.
const insertEntry = `INSERT INTO journal (seq, kind, subject, from_status, to_status, revision, what, at)
	VALUES (1 + max(coalesce((SELECT max(seq) FROM journal WHERE seq < 9007199254740991), 0),
		coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name = 'journal' AND seq < 9007199254740991), 0)), ?, ?, ?, ?, ?, ?, ?)`

// record appends a journal entry to the transaction and marks its subjects to be woken
// after the commit.
func (x *tx) record(ctx context.Context, e events.Entry) error {
	_, err := x.exec(ctx, insertEntry,
		string(e.Kind), e.Subject, e.From, e.To, e.Revision, e.What, nanoseconds(x.now))
	x.changed = append(x.changed, subjectsOf(e)...)
	return err
}

// subjectsOf returns the subjects that a journal entry changes: its own, the list of
// all reviews, and for settings every settings page.
func subjectsOf(e events.Entry) []events.Subject {
	list := []events.Subject{{Kind: e.Kind, ID: e.Subject}}
	switch {
	case e.Kind == events.Review:
		list = append(list, events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	case e.Kind == events.Settings && e.Subject != "":
		list = append(list, events.Subject{Kind: events.Settings})
	}
	return list
}

// JournalSince returns the journal of one subject after seq, oldest first, at most
// 1000 entries. The subject of the active account is "".
func (db *DB) JournalSince(ctx context.Context, kind events.Kind, subject string, seq int64) ([]events.Entry, error) {
	return validRows(ctx, db, nil, scanEntry,
		`SELECT `+entryColumns+` FROM journal WHERE kind = ? AND subject = ? AND seq > ? ORDER BY seq LIMIT ?`,
		string(kind), subject, seq, mostEntries)
}

const entryColumns = `seq, kind, subject, from_status, to_status, revision, what, at`

func scanEntry(r *sql.Rows, e *events.Entry) error {
	var at int64
	c := scanColumns(r, "journal", nil, &e.Seq, &e.Kind, &e.Subject, &e.From, &e.To, &e.Revision, &e.What, &at)
	c.key = strconv.FormatInt(e.Seq, 10)
	c.must(e.Seq > 0 && e.Seq < mostSeq, "its number is out of range")
	c.count("revision", e.Revision)
	for what, text := range map[string]string{"kind": string(e.Kind), "subject": e.Subject, "from_status": e.From,
		"to_status": e.To} {
		c.text(what, text, mostName)
	}
	c.text("what", e.What, mostDocument)
	e.At = c.time("at", at)
	return c.err
}

// JournalHead returns the sequence number of the latest entry of a subject, or 0.
func (db *DB) JournalHead(ctx context.Context, kind events.Kind, subject string) (int64, error) {
	heads, err := find(ctx, db, func(r *sql.Rows, n *int64) error { return r.Scan(n) },
		`SELECT coalesce(max(seq), 0) FROM journal WHERE kind = ? AND subject = ? AND seq < 9007199254740992`,
		string(kind), subject)
	if err != nil {
		return 0, err
	}
	return heads[0], nil
}
