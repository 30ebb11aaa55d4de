package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/events"
)

// AddressBook stores the address book and the user's names for their own accounts.
type AddressBook struct{ *engine }

var _ book.Store = AddressBook{}

const selectBook = `SELECT id, title, address, chain, source, created_at, deleted_at, signed_at, named_by FROM book`

func (AddressBook) readAll(ctx context.Context, s *survey) error {
	return checkRows(ctx, s, scanBook, selectBook)
}

// Book implements book.Store.
func (db AddressBook) Book(ctx context.Context) ([]book.Entry, error) {
	var all []book.Entry
	err := db.snapshot(ctx, func(r rower) (err error) {
		all, err = bookOf(ctx, r)
		return err
	})
	return all, err
}

// bookOf reads every entry, including deleted ones, and marks the addresses that were paid.
func bookOf(ctx context.Context, r rower) ([]book.Entry, error) { return bookWhere(ctx, r, "") }

// bookWhere reads the entries that match an SQL condition.
func bookWhere(ctx context.Context, r rower, where string, args ...any) ([]book.Entry, error) {
	all, err := validRows(ctx, r, nil, scanBook, selectBook+where, args...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	paid, err := column[string](ctx, r, `SELECT DISTINCT recipient FROM paid`)
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
			all[i].Paid = true
		}
	}
	return all, nil
}

// BookPage implements book.Store. It reads only the page's rows.
func (db AddressBook) BookPage(ctx context.Context, q book.Query) (page book.Page, err error) {
	where, args := ` WHERE (deleted_at > 0) = ? AND deleted_at NOT BETWEEN 1 AND ?`,
		[]any{q.Deleted, nanoseconds(db.now().Add(-book.Kept))}
	if q.Chain != "" {
		where, args = where+` AND chain = ? COLLATE NOCASE`, append(args, q.Chain)
	}
	if text := strings.ToLower(q.Text); text != "" {
		where, args = where+` AND (instr(folded, ?) > 0 OR instr(lower(address), ?) > 0)`, append(args, text, text)
	}
	// The whole book is read in index order. A text search matches few rows, so sorting them is
	// cheaper than walking the index; the plus sign keeps SQLite from using it.
	order := ` ORDER BY title, id`
	if q.Text != "" {
		order = ` ORDER BY +title, id`
	}
	err = db.snapshot(ctx, func(r rower) error {
		page.Entries, err = bookWhere(ctx, r, where+order+` LIMIT ? OFFSET ?`, append(slices.Clone(args), q.Most, q.From)...)
		if page.Total = len(page.Entries); err != nil || q.From == 0 && page.Total < q.Most {
			return err // no more rows
		}
		page.Total, err = single[int](ctx, r, `SELECT count(*) FROM book`+where, args...)
		return err
	})
	return page, err
}

// BookNear implements book.Store. It uses the indexes on addresses and on their first and last
// characters.
func (db AddressBook) BookNear(ctx context.Context, addresses []string) (near book.Near, err error) {
	list, err := json.Marshal(addresses)
	if err != nil {
		return near, failed(err)
	}
	err = db.snapshot(ctx, func(r rower) error {
		near.Entries, err = bookWhere(ctx, r, ` WHERE deleted_at = 0 AND id IN (
			SELECT b.id FROM json_each(?) AS a CROSS JOIN book AS b INDEXED BY book_by_ends ON b.chain = ? AND substr(b.address, 1, 6) = substr(a.value, 1, 6)
				AND substr(b.address, -4) = substr(a.value, -4)) ORDER BY +title, id LIMIT 1000`, string(list), book.SuiChain)
		if err != nil {
			return err
		}
		near.Own, err = ownNames(ctx, r)
		return err
	})
	return near, err
}

// BookClosed implements book.Store.
func (db AddressBook) BookClosed(ctx context.Context) (bool, error) {
	rows, err := single[int](ctx, db, `SELECT count(*) FROM book_closed`)
	return rows > 0, err
}

// CloseBook implements book.Store.
func (db AddressBook) CloseBook(ctx context.Context, closed bool, judge func(context.Context) error) error {
	query, what := `DELETE FROM book_closed`, "opened"
	if closed {
		query, what = `INSERT INTO book_closed (id) VALUES (1) ON CONFLICT DO NOTHING`, "closed"
	}
	return db.change(ctx, func(x *tx) error {
		if err := judge(ctx); err != nil {
			return err
		}
		if _, err := x.exec(ctx, query); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Book, What: what})
	})
}

// ownNames reads the user's names for their own accounts, by address.
func ownNames(ctx context.Context, r rower) (map[string]string, error) {
	own := map[string]string{}
	type row struct{ address, title string }
	rows, err := validRows(ctx, r, nil, func(r *sql.Rows, v *row) error {
		c := scanColumns(r, "own_names", &v.address, &v.address, &v.title)
		_, refused := book.New(v.title, v.address, book.SuiChain)
		c.must(refused == "", "it is not a valid name: %s", string(refused))
		return c.err
	}, `SELECT address, title FROM own_names`)
	for _, v := range rows {
		own[v.address] = v.title
	}
	return own, err
}

// NameOwn implements book.Store.
func (db AddressBook) NameOwn(ctx context.Context, address, title string, judge func(context.Context) error) error {
	return db.change(ctx, func(x *tx) error {
		if err := judge(ctx); err != nil {
			return err
		}
		if title == "" {
			if _, err := x.exec(ctx, `DELETE FROM own_names WHERE address = ?`, address); err != nil {
				return err
			}
		} else if err := nameOwn(ctx, x, address, title); err != nil {
			return err
		}
		return x.record(ctx, events.Entry{Kind: events.Book, What: "named"})
	})
}

func nameOwn(ctx context.Context, x *tx, address, title string) error {
	return x.one(ctx, `INSERT INTO own_names (address, title) VALUES (?, ?)
		ON CONFLICT (address) DO UPDATE SET title = excluded.title`, address, title)
}

func scanBook(r *sql.Rows, e *book.Entry) error {
	var created, deleted, signed int64
	c := scanColumns(r, "book", &e.ID, &e.ID, &e.Title, &e.Address, &e.Chain, &e.Source, &created, &deleted, &signed,
		&e.NamedBy)
	c.must(book.IsID(e.ID), "its id is invalid")
	spelled, refused := book.New(e.Title, e.Address, e.Chain)
	c.must(refused == "" && spelled.Address == e.Address && spelled.Chain == e.Chain, "it is not a valid entry: %s",
		string(refused))
	c.must(slices.Contains(book.Sources(), e.Source), "its source is unknown")
	e.CreatedAt, e.DeletedAt, e.SignedAt = c.time("created_at", created), c.time("deleted_at", deleted),
		c.time("signed_at", signed)
	return c.err
}

// ChangeBook implements book.Store. It notifies pages in the same transaction.
func (db AddressBook) ChangeBook(ctx context.Context, transition func([]book.Entry) (book.Change, error)) error {
	return db.change(ctx, func(x *tx) error { return changeBook(ctx, x, transition) })
}

// ChangeBook implements book.Changer.
func (x *tx) ChangeBook(ctx context.Context, transition func([]book.Entry) (book.Change, error)) error {
	return done(changeBook(ctx, x, transition))
}

func changeBook(ctx context.Context, x *tx, transition func([]book.Entry) (book.Change, error)) error {
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
	if err := saveBook(ctx, x, change); err != nil {
		return err
	}
	// Entries deleted long ago are removed at the next change of the book.
	if _, err := x.exec(ctx, `DELETE FROM book WHERE deleted_at > 0 AND deleted_at <= ?`,
		nanoseconds(x.now.Add(-book.Kept))); err != nil {
		return err
	}
	if err := x.record(ctx, events.Entry{Kind: events.Book, What: change.Word()}); err != nil {
		return err
	}
	return showModified(ctx, x, events.Book, "address_book")
}

// saveBook writes a change.
func saveBook(ctx context.Context, x *tx, change book.Change) error {
	for _, e := range change.Add {
		if err := insertBook(ctx, x, e); err != nil {
			return err
		}
	}
	for _, e := range change.Update {
		if err := x.one(ctx, `UPDATE book SET title = ?, folded = ?, address = ?, chain = ?, signed_at = 0
			WHERE id = ? AND deleted_at = 0`,
			e.Title, strings.ToLower(e.Title), e.Address, e.Chain, e.ID); err != nil {
			return err
		}
	}
	for _, id := range change.Sign {
		if err := x.one(ctx, `UPDATE book SET signed_at = ? WHERE id = ? AND deleted_at = 0`, nanoseconds(x.now),
			id); err != nil {
			return err
		}
	}
	for _, id := range change.Delete {
		if err := x.one(ctx, `UPDATE book SET deleted_at = ? WHERE id = ? AND deleted_at = 0`, nanoseconds(x.now),
			id); err != nil {
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

func insertBook(ctx context.Context, x *tx, e book.Entry) error {
	session := ""
	if e.Source == book.Agent {
		session = x.session
	}
	return x.one(ctx, `INSERT INTO book (id, title, folded, address, chain, source, created_at, deleted_at, named_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, coalesce((SELECT client FROM conversations WHERE session = ?), ''))`, e.ID, e.Title,
		strings.ToLower(e.Title), e.Address, e.Chain, string(e.Source),
		nanoseconds(e.CreatedAt), nanoseconds(e.DeletedAt), session)
}
