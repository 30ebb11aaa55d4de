package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"iter"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/hashchain"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Record reads the record of requests and stores signatures on it.
type Record struct{ *engine }

// The record of requests is a retention class of the log: events of type bus.TypeRecorded, which
// are never trimmed. Each is written in the transaction that it records.

// recordSubject is the subject of all events in the record.
const recordSubject = "record"

// Reasons to start a new chain.
const (
	chainFirst    = "first"    // there was no record before
	chainReset    = "reset"    // all data was erased
	chainRestored = "restored" // a backup was imported
	chainDamaged  = "damaged"  // the last entry was unreadable
)

const selectEntries = `SELECT payload_json FROM log WHERE subject = '` + recordSubject +
	`' AND seq > ?1 AND seq < 9007199254740992`

func (Record) readAll(ctx context.Context, s *survey) error {
	return cmp.Or(checkRows(ctx, s, scanName, selectNames), checkRows(ctx, s, scanSignature, selectSignatures))
}

// lastEntry returns the head of the last chain, or false if there is none. damaged reports that the
// last entry is unreadable.
func lastEntry(ctx context.Context, r rower) (head hashchain.Head, found, damaged bool, err error) {
	texts, err := column[string](ctx, r,
		selectEntries+` ORDER BY seq DESC LIMIT 1`, 0)
	if err != nil || len(texts) == 0 {
		return head, false, false, err
	}
	//mutant:never ./store TestRecordDamaged
	if _, head, err = hashchain.Read([]byte(texts[0])); err != nil {
		return head, true, true, nil
	}
	return head, true, false, nil
}

// keep appends entries to the record.
func (x *tx) keep(ctx context.Context, drafts ...hashchain.Draft) error {
	if len(drafts) == 0 {
		return nil
	}
	head, found, damaged, err := lastEntry(ctx, x)
	switch {
	case err != nil:
		return err
	case damaged:
		head, err = x.begin(ctx, hashchain.Beginning{Reason: chainDamaged})
	case !found:
		head, err = x.begin(ctx, hashchain.Beginning{Reason: chainFirst})
	}
	for _, d := range drafts {
		if err != nil {
			return err
		}
		var link hashchain.Link
		if link, err = head.Append(d, x.now, rand.Reader); err == nil {
			head, err = x.link(ctx, link)
		}
	}
	return err
}

// begin starts a new chain.
func (x *tx) begin(ctx context.Context, b hashchain.Beginning) (hashchain.Head, error) {
	link, err := hashchain.Begin(b, x.now, rand.Reader)
	if err != nil {
		return hashchain.Head{}, err
	}
	return x.link(ctx, link)
}

// beginAfterRestore starts a chain that names the previous one.
func beginAfterRestore(ctx context.Context, x *tx) error {
	head, found, damaged, err := lastEntry(ctx, x)
	if err != nil {
		return err
	}
	b := hashchain.Beginning{Reason: chainRestored}
	if found && !damaged {
		b.After = &head
	}
	_, err = x.begin(ctx, b)
	return err
}

// link stores an entry and the names that it commits to.
func (x *tx) link(ctx context.Context, l hashchain.Link) (hashchain.Head, error) {
	_, err := x.append(ctx, bus.Event{Type: bus.TypeRecorded, Subject: recordSubject, Audience: bus.Inside,
		Payload: l.Text})
	for _, n := range l.Names {
		if err == nil {
			err = x.one(ctx, `INSERT INTO record_names (chain, number, field, salt, name) VALUES (?, ?, ?, ?, ?)`,
				n.Chain[:], n.Number, n.Field, n.Salt[:], n.Name)
		}
	}
	return l.Head, err
}

// keepAsked records a new request.
func keepAsked(ctx context.Context, x *tx, req request.Request) error {
	client, err := single[string](ctx, x, `SELECT client FROM conversations WHERE session = ?`, req.Session)
	if err != nil {
		return err
	}
	d, err := req.AskedEntry(client, func(a sui.Address) (string, error) { return bookTitle(ctx, x, a) })
	if err != nil {
		return err
	}
	return x.keep(ctx, d)
}

// bookTitle returns the title of a Sui address in the address book, or "".
func bookTitle(ctx context.Context, r rower, a sui.Address) (string, error) {
	return single[string](ctx, r,
		`SELECT title FROM book WHERE chain = 'Sui' AND address = ? AND deleted_at = 0 ORDER BY created_at, id LIMIT 1`,
		a.String())
}

// keepReview records a change of a review.
func keepReview(ctx context.Context, x *tx, before record.Session, after record.Row, release *record.Release) error {
	of, err := single[string](ctx, x,
		`SELECT request_id FROM request_steps WHERE review_id = ? AND review_id <> '' LIMIT 1`, string(before.ID))
	if err != nil {
		return err
	}
	return x.keep(ctx, after.Entries(before, release, of)...)
}

// RecordHead returns the head of the last chain, or false if nothing was recorded.
func (db Record) RecordHead(ctx context.Context) (hashchain.Head, bool, error) {
	head, found, damaged, err := lastEntry(ctx, db)
	return head, found && !damaged, err
}

// recordPage is the number of entries that RecordEntries reads at a time.
const recordPage = 200

// RecordEntries returns the texts of all entries in order.
func (db Record) RecordEntries(ctx context.Context) iter.Seq2[[]byte, error] {
	type row struct {
		seq  int64
		text []byte
	}
	return func(yield func([]byte, error) bool) {
		for at := int64(0); ; {
			rows, err := find(ctx, db, func(r *sql.Rows, v *row) error { return r.Scan(&v.seq, &v.text) },
				`SELECT seq, payload_json FROM log WHERE subject = '`+recordSubject+`' AND seq > ?1 AND seq < 9007199254740992
				ORDER BY seq LIMIT ?2`, at, recordPage)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, v := range rows {
				if at = v.seq; !yield(v.text, nil) {
					return
				}
			}
			if len(rows) < recordPage {
				return
			}
		}
	}
}

// RecordNames returns the names that entries commit to. Damaged rows are omitted.
func (db Record) RecordNames(ctx context.Context) ([]hashchain.Name, error) {
	return validRows(ctx, db, nil, scanName, selectNames+` ORDER BY chain, number, field`)
}

const selectNames = `SELECT chain, number, field, salt, name FROM record_names`

func scanName(r *sql.Rows, n *hashchain.Name) error {
	var chain, salt []byte
	c := scanColumns(r, "record_names", nil, &chain, &n.Number, &n.Field, &salt, &n.Name)
	c.key = n.Field
	c.hash("chain", (*[32]byte)(&n.Chain), chain)
	c.hash("salt", (*[32]byte)(&n.Salt), salt)
	c.count("number", n.Number)
	c.text("field", n.Field, maxName)
	c.text("name", n.Name, maxDocument)
	return c.err
}

// SignRecord stores a wallet's signature of an entry, which must be in the record.
func (db Record) SignRecord(ctx context.Context, s hashchain.Signature,
	may func(context.Context) error) (hashchain.Statement, error) {
	st, err := s.Verify()
	if errors.Is(err, hashchain.ErrNotChecked) {
		err = fault.New(fault.UnsupportedAction,
			"This wallet signs with zkLogin, which cannot be checked here. Sign with another account.")
	}
	if err != nil {
		return st, err
	}
	return st, db.change(ctx, func(x *tx) error {
		if err := may(ctx); err != nil {
			return err
		}
		ok, err := hasEntry(ctx, x, st.Head)
		//mutant:never ./store TestRecordSigned
		if err == nil && !ok {
			err = fault.New(fault.InvalidSessionTransition,
				"The wallet signed an entry that is not in the record. Nothing was stored. Reload the page, then sign again.")
		}
		if err != nil {
			return err
		}
		_, err = x.exec(ctx, `INSERT INTO record_signatures (chain, number, account, message, signature, signed_at)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (chain, number, account) DO UPDATE SET message = excluded.message,
			signature = excluded.signature, signed_at = excluded.signed_at`,
			st.Chain[:], st.Number, st.Account[:], s.Message, s.Signature, nanoseconds(x.now))
		if err == nil {
			err = x.record(ctx, events.Entry{Kind: events.Settings, To: "record", What: "signed"})
		}
		return err
	})
}

// hasEntry reports whether the record contains the entry that h identifies.
func hasEntry(ctx context.Context, x *tx, h hashchain.Head) (bool, error) {
	texts, err := column[string](ctx, x,
		selectEntries+` AND payload_json ->> '$.chain' = ?2 AND payload_json ->> '$.number' = ?3`, 0, h.Chain.String(),
		h.Number)
	if err != nil || len(texts) != 1 {
		return false, err
	}
	_, found, err := hashchain.Read([]byte(texts[0]))
	return err == nil && found == h, nil
}

// RecordSignatures returns the wallet signatures, ordered by entry. Damaged rows are omitted.
func (db Record) RecordSignatures(ctx context.Context) ([]hashchain.Signature, error) {
	return validRows(ctx, db, nil, scanSignature, selectSignatures+` ORDER BY signed_at, number`)
}

const selectSignatures = `SELECT message, signature FROM record_signatures`

func scanSignature(r *sql.Rows, s *hashchain.Signature) error {
	c := scanColumns(r, "record_signatures", nil, &s.Message, &s.Signature)
	c.text("message", s.Message, maxDocument)
	c.text("signature", s.Signature, maxDocument)
	if c.err == nil {
		_, err := hashchain.ReadStatement(s.Message)
		c.must(err == nil, "its message is not about a record")
	}
	return c.err
}
