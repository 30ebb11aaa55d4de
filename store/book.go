package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
)

var _ book.Store = (*DB)(nil)

const selectBook = `SELECT id, title, address, chain, source, created_at, deleted_at FROM book`

// Book implements book.Store.
func (db *DB) Book(ctx context.Context) ([]book.Entry, error) {
	var all []book.Entry
	err := db.snapshot(ctx, func(r rower) (err error) {
		all, err = bookOf(ctx, r)
		return err
	})
	return all, err
}

// bookOf reads every entry, the deleted ones too, and says which addresses were paid.
func bookOf(ctx context.Context, r rower) ([]book.Entry, error) {
	all, err := validRows(ctx, r, nil, scanBook, selectBook)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	paid, err := find(ctx, r, func(r *sql.Rows, s *string) error { return r.Scan(s) }, selectPayees+` GROUP BY paid`)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, address := range paid {
		known[address] = true
	}
	for i, e := range all {
		//mutant:always ./store TestBook
		if e.Chain == book.SuiChain && known[e.Address] {
			all[i].Confirmed = true
		}
	}
	return all, nil
}

func scanBook(r *sql.Rows, e *book.Entry) error {
	var created, deleted int64
	c := scanColumns(r, "book", &e.ID, &e.ID, &e.Title, &e.Address, &e.Chain, &e.Source, &created, &deleted)
	c.must(book.IsID(e.ID), "its id is none")
	spelled, refused := book.New(e.Title, e.Address, e.Chain)
	c.must(refused == "" && spelled.Address == e.Address && spelled.Chain == e.Chain, "it is no entry: %s", string(refused))
	c.must(slices.Contains(book.Sources(), e.Source), "its source is none that there is")
	e.CreatedAt, e.DeletedAt = c.time("created_at", created), c.time("deleted_at", deleted)
	return c.err
}

// ChangeBook implements book.Store. Pages hear of the change in the same transaction.
func (db *DB) ChangeBook(ctx context.Context, transition func([]book.Entry) (book.Change, error)) error {
	return db.change(ctx, func(x *tx) error {
		all, err := bookOf(ctx, x)
		if err != nil {
			return err
		}
		change, err := transition(all)
		if err != nil {
			return err
		}
		if change.Empty() {
			return errUnchanged
		}
		if err := x.saveBook(ctx, change); err != nil {
			return err
		}
		// What was deleted long ago ends with the next change of the book.
		if _, err := x.exec(ctx, `DELETE FROM book WHERE deleted_at > 0 AND deleted_at <= ?`,
			nanoseconds(x.now.Add(-book.Kept))); err != nil {
			return err
		}
		if err := x.record(ctx, events.Entry{Kind: events.Book, What: change.Word()}); err != nil {
			return err
		}
		e, err := bus.NewEvent(x.session, string(events.Book)+"/",
			bus.InlineDisplay{Value: json.RawMessage(`{"type":"vault_modified","areas":["address_book"]}`)})
		if err != nil {
			return err
		}
		_, err = x.append(ctx, e)
		return err
	})
}

// saveBook writes a change.
func (x *tx) saveBook(ctx context.Context, change book.Change) error {
	for _, e := range change.Add {
		if err := x.insertBook(ctx, e); err != nil {
			return err
		}
	}
	for _, id := range change.Delete {
		if err := x.one(ctx, `UPDATE book SET deleted_at = ? WHERE id = ? AND deleted_at = 0`, nanoseconds(x.now), id); err != nil {
			return err
		}
	}
	for _, id := range change.Restore {
		if err := x.one(ctx, `UPDATE book SET deleted_at = 0 WHERE id = ? AND deleted_at > 0`, id); err != nil {
			return err
		}
	}
	return nil
}

func (x *tx) insertBook(ctx context.Context, e book.Entry) error {
	return x.one(ctx, `INSERT INTO book (id, title, address, chain, source, created_at, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		e.ID, e.Title, e.Address, e.Chain, string(e.Source), nanoseconds(e.CreatedAt), nanoseconds(e.DeletedAt))
}
