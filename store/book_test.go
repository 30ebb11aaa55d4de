package store_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/backup"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/store"
)

// alice is a full address.
var alice = "0xa1" + strings.Repeat("7", 62)

func TestBook(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	db := open(t, filepath.Join(double.Dir(t), "data"), nil, clock.Now)
	s := book.NewService(db, clock.Now)
	out, err := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: alice, Chain: "Sui"}})
	if err != nil || len(out) != 1 || out[0].Refused != "" {
		t.Fatalf("%v %+v", err, out)
	}
	id := out[0].Entry.ID
	t.Run("R000-120 an entry is there for another reader, unconfirmed", func(t *testing.T) {
		list, err := book.NewService(db, clock.Now).List(ctx, "", "")
		if err != nil || len(list) != 1 || list[0].ID != id || list[0].Confirmed() {
			t.Errorf("%v %+v", err, list)
		}
	})
	t.Run("R000-121 pages hear of it", func(t *testing.T) {
		log, err := db.JournalSince(ctx, events.Book, "", 0)
		if err != nil || len(log) != 1 || log[0].What != "added" {
			t.Errorf("%v %+v", err, log)
		}
		page, err := db.Since(ctx, bus.Cursor{}, bus.Filter{Session: db.Bus(t.Context()), Sees: bus.UI,
			Types: []bus.Type{bus.TypeInlineDisplay}}, 10)
		if err != nil || len(page.Events) != 1 || string(page.Events[0].Payload) == "" {
			t.Errorf("%v %+v", err, page)
		}
	})
	t.Run("a deletion stays for 30 days and ends with a later change", func(t *testing.T) {
		if _, err := s.Delete(ctx, []book.Target{{ID: id}}); err != nil {
			t.Fatal(err)
		}
		if all, err := db.Book(ctx); err != nil || len(all) != 1 || all[0].DeletedAt.IsZero() {
			t.Errorf("%v %+v", err, all)
		}
	})
	t.Run("a payment that was executed from here confirms an address, and nothing else does", func(t *testing.T) {
		h := &lived{t: t, ctx: ctx, db: db, c: clock}
		h.review("own", record.Success, true)
		known, err := db.Paid(ctx, payer)
		if err != nil || len(known) == 0 {
			t.Fatalf("%v %v", err, known)
		}
		if _, err := s.Add(ctx, book.Agent, []book.Target{{Title: "Paid", Address: known[0].String(), Chain: "Sui"},
			{Title: "Other", Address: "0x7" + strings.Repeat("7", 63), Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
		list, err := s.List(ctx, "Sui", "")
		if err != nil || len(list) != 2 || list[0].Confirmed() || !list[1].Confirmed() {
			t.Errorf("%v %+v", err, list)
		}
		h.review("again", record.Success, true)
		paid, err := db.Payments(ctx, []string{known[0].String(), list[0].Address})
		if got := paid[known[0].String()]; err != nil || len(paid) != 1 || got.Times != 2 || got.At.IsZero() {
			t.Errorf("%v %+v", err, paid)
		}
	})
	t.Run("an entry has the name of the client that wrote it", func(t *testing.T) {
		asked := bus.WithConversation(ctx, "conversation-1")
		if err := db.Converse(asked, "Claude Desktop"); err != nil {
			t.Fatal(err)
		}
		for source, want := range map[book.Source]string{book.Agent: "Claude Desktop", book.Person: ""} {
			out, err := s.Add(asked, source, []book.Target{{Title: "By " + string(source), Address: "0x8" + strings.Repeat("8",
				63), Chain: "Sui"}})
			if err != nil {
				t.Fatal(err)
			}
			all, err := db.Book(ctx)
			if i := slices.IndexFunc(all, func(e book.Entry) bool { return e.ID == out[0].Entry.ID }); err != nil || i < 0 ||
				all[i].NamedBy != want {
				t.Errorf("%v %+v", err, all)
			}
		}
	})
}

// TestBookOfMany reads from a large book: one page of it, and the names near an address.
func TestBookOfMany(t *testing.T) {
	long.Skip(t, "it fills a large book")
	ctx := context.Background()
	clock := newClock()
	db, s := large(t, clock, 2_000)
	t.Run("a part of the book is read, with the number of all that fit", func(t *testing.T) {
		page, err := s.Find(ctx, book.Query{Text: "PERSON 0001", From: 2, Most: 5})
		if err != nil || page.Total != 10 || len(page.Entries) != 5 || page.Entries[0].Title != "Person 00012" {
			t.Errorf("%v %d %+v", err, page.Total, page.Entries)
		}
		if page, err := s.Find(ctx, book.Query{Chain: "BASE", Most: 5}); err != nil || page.Total != 0 {
			t.Errorf("%v %+v", err, page)
		}
	})
	address := func(n int) string { return fmt.Sprintf("0x7e%062x", n+0x1000) }
	t.Run("an address is named, and one that looks like it is warned of", func(t *testing.T) {
		naming, err := s.Naming(ctx, address(7), payer.String())
		if err != nil {
			t.Fatal(err)
		}
		if n := naming.Of(address(7)); len(n.Titles) != 1 || n.Titles[0] != "Person 00007" || n.Paid || n.Alike.ID != "" {
			t.Errorf("%+v", n)
		}
		alike := address(7)[:20] + "f" + address(7)[21:]
		if naming, err = s.Naming(ctx, alike); err != nil || naming.Of(alike).Alike.Title != "Person 00007" ||
			len(naming.Of(alike).Titles) > 0 {
			t.Errorf("%v %+v", err, naming.Of(alike))
		}
		if n := naming.Of(payer.String()); n.Words() != "" {
			t.Errorf("%+v", n)
		}
	})
	t.Run("a deleted entry names nothing, and is listed for 30 days", func(t *testing.T) {
		page, err := s.Find(ctx, book.Query{Text: "person 00007", Most: 1})
		if err != nil || len(page.Entries) != 1 {
			t.Fatalf("%v %+v", err, page)
		}
		if _, err := s.Delete(ctx, []book.Target{{ID: page.Entries[0].ID}}); err != nil {
			t.Fatal(err)
		}
		if naming, err := s.Naming(ctx, address(7)); err != nil || naming.Of(address(7)).Words() != "" {
			t.Errorf("%v %+v", err, naming.Of(address(7)))
		}
		gone := book.Query{Deleted: true, Most: 5}
		if page, err := s.Find(ctx, gone); err != nil || page.Total != 1 {
			t.Errorf("%v %+v", err, page)
		}
		clock.Advance(book.Kept)
		if page, err := s.Find(ctx, gone); err != nil || page.Total != 0 {
			t.Errorf("%v %+v", err, page)
		}
	})
	t.Run("another title is found under it alone", func(t *testing.T) {
		page, err := s.Find(ctx, book.Query{Text: "person 00009", Most: 1})
		if err != nil || len(page.Entries) != 1 {
			t.Fatalf("%v %+v", err, page)
		}
		e := page.Entries[0]
		if out, err := s.Correct(ctx, e, book.Target{Title: "Ömer", Address: e.Address, Chain: e.Chain}); err != nil ||
			out.Refused != "" {
			t.Fatalf("%v %+v", err, out)
		}
		old, _ := s.Find(ctx, book.Query{Text: "person 00009", Most: 1})
		now, err := s.Find(ctx, book.Query{Text: "ÖMER", Most: 1})
		if err != nil || old.Total != 0 || now.Total != 1 || now.Entries[0].ID != e.ID {
			t.Errorf("%v %+v %+v", err, old, now)
		}
	})
	t.Run("a copy holds the book, and what comes in is unconfirmed", func(t *testing.T) {
		if err := s.NameOwn(ctx, alice, "Savings"); err != nil {
			t.Fatal(err)
		}
		copied := copyOf(t, exchange(db, clock))
		other := open(t, filepath.Join(double.Dir(t), "data"), nil, clock.Now)
		if err := putIn(t, exchange(other, clock), copied); err != nil {
			t.Fatal(err)
		}
		there := book.NewService(other, clock.Now)
		page, err := there.Find(ctx, book.Query{Text: "ömer", Most: 5})
		if err != nil || page.Total != 1 || page.Entries[0].Source != book.Import || page.Entries[0].Confirmed() {
			t.Errorf("%v %+v", err, page)
		}
		naming, err := there.Naming(ctx, alice)
		if err != nil || naming.Of(alice).Own != "Savings" {
			t.Errorf("%v %+v", err, naming)
		}
	})
}

// putIn stages and imports a backup, as a user does.
func putIn(t *testing.T, s *backup.Service, copied []byte) error {
	t.Helper()
	p, err := s.Stage(t.Context(), settingsPage, bytes.NewReader(copied))
	if err != nil {
		return err
	}
	_, err = s.Import(t.Context(), settingsPage, backup.Choice{ID: p.ID})
	return err
}

// large returns a store with a book of most entries.
func large(t testing.TB, clock *double.Clock, most int) (*store.DB, *book.Service) {
	t.Helper()
	db := open(t, filepath.Join(double.Dir(t), "data"), nil, clock.Now)
	s := book.NewService(db, clock.Now)
	for from := 0; from < most; from += 1000 {
		var asked []book.Target
		for n := from; n < from+1000; n++ {
			asked = append(asked, book.Target{Title: fmt.Sprintf("Person %05d", n), Address: fmt.Sprintf("0x7e%062x", n+0x1000),
				Chain: "Sui"})
		}
		if _, err := s.Add(context.Background(), book.Agent, asked); err != nil {
			t.Fatal(err)
		}
	}
	return db, s
}

// BenchmarkBook searches and looks up names in a book of 10,000 entries.
func BenchmarkBook(b *testing.B) {
	_, s := large(b, newClock(), book.MostEntries)
	b.Run("search", func(b *testing.B) {
		for b.Loop() {
			if page, err := s.Find(b.Context(), book.Query{Text: "person 0999", Most: 50}); err != nil || page.Total != 10 {
				b.Fatal(err, page.Total)
			}
		}
	})
	b.Run("naming", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Naming(b.Context(), fmt.Sprintf("0x7e%062x", 0x1007), payer.String()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
