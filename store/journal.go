package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// maxEntries is the maximum number of journal entries that one read returns.
const maxEntries = 1000

// maxSeq is larger than every valid sequence number.
const maxSeq = 1 << 53

const insertEntry = `INSERT INTO journal (seq, kind, subject, from_status, to_status, revision, what, at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

// record appends a change to the log and, under the same number, to the journal. The journal keeps
// an object's history for as long as the object exists.
func (x *tx) record(ctx context.Context, e events.Entry) error { return x.recordAs(ctx, typeOf(e), e) }

func (x *tx) recordAs(ctx context.Context, t bus.Type, e events.Entry) error {
	payload, err := json.Marshal(change{e.From, e.To, e.Revision, e.What[:min(len(e.What), maxWord)]})
	if err != nil {
		return failed(err)
	}
	at, err := x.append(ctx, bus.Event{Type: t, Subject: string(e.Kind) + "/" + e.Subject, Audience: bus.Inside,
		Payload: payload})
	if err != nil {
		return err
	}
	_, err = x.exec(ctx, insertEntry, int64(at.Seq), string(e.Kind), e.Subject, e.From, e.To, e.Revision, e.What,
		nanoseconds(x.now))
	return err
}

// change is the payload of a change event.
type change struct {
	From     string `json:"from,omitempty"`
	To       string `json:"to,omitempty"`
	Revision int64  `json:"revision,omitempty"`
	What     string `json:"what"`
}

// typeOf returns the event type of a change.
func typeOf(e events.Entry) bus.Type {
	switch e.Kind {
	case events.Review:
		return bus.TypeReviewChanged
	case events.Identity:
		return bus.TypeIdentityChanged
	case events.Account:
		return bus.TypeAccountChanged
	case events.Settings:
		return bus.TypeSettingsChanged
	}
	return bus.TypeListChanged
}

// subjectsOf returns the subjects that an event wakes. These are its own subject and, for a review
// or a bundle, the list of pending requests; for settings, every settings page. An event that is
// not internal also wakes the readers of its conversation.
func subjectsOf(e bus.Event) []events.Subject {
	if e.Type == bus.TypeAllReplaced {
		return []events.Subject{{Kind: events.Everything}}
	}
	kind, id, _ := strings.Cut(e.Subject, "/")
	list := []events.Subject{{Kind: events.Kind(kind), ID: id}}
	switch {
	case e.Audience != bus.Inside:
		list = append(list, events.Subject{Kind: events.Log, ID: e.Session})
	case kind == string(events.Review):
		list = append(list, events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	case kind == string(events.Book) && id == "":
		list = append(list, events.Subject{Kind: events.Book, ID: pagetoken.BookSubject})
	case kind == string(events.Bundle) && id != "":
		list = append(list, events.Subject{Kind: events.Bundle}, events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	case kind == string(events.Settings) && id != "":
		list = append(list, events.Subject{Kind: events.Settings})
	case kind == string(events.Settings):
		// The header of every page shows whether signing is paused.
		list = append(list, events.Subject{Kind: events.Account})
	}
	return list
}

// JournalSince returns up to 1000 journal entries of one subject after seq, oldest first. The
// subject of the active account is "".
func (db Log) JournalSince(ctx context.Context, kind events.Kind, subject string, seq int64) ([]events.Entry, error) {
	return validRows(ctx, db, nil, scanEntry,
		`SELECT `+entryColumns+` FROM journal WHERE kind = ? AND subject = ? AND seq > ? ORDER BY seq LIMIT ?`,
		string(kind), subject, seq, maxEntries)
}

const entryColumns = `seq, kind, subject, from_status, to_status, revision, what, at`

func scanEntry(r *sql.Rows, e *events.Entry) error {
	var at int64
	c := scanColumns(r, "journal", nil, &e.Seq, &e.Kind, &e.Subject, &e.From, &e.To, &e.Revision, &e.What, &at)
	c.key = strconv.FormatInt(e.Seq, 10)
	c.must(e.Seq > 0 && e.Seq < maxSeq, "its number is out of range")
	c.count("revision", e.Revision)
	for what, text := range map[string]string{"kind": string(e.Kind), "subject": e.Subject, "from_status": e.From,
		"to_status": e.To} {
		c.text(what, text, maxName)
	}
	c.text("what", e.What, maxDocument)
	e.At = c.time("at", at)
	return c.err
}

// JournalHead returns the number of the latest change of a subject in the log, or 0.
func (db Log) JournalHead(ctx context.Context, kind events.Kind, subject string) (int64, error) {
	return single[int64](ctx, db,
		`SELECT coalesce(max(seq), 0) FROM log WHERE subject = ? AND seq < 9007199254740992`,
		string(kind)+"/"+subject)
}
