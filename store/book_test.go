package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/review/record"
)

func TestBook(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	db := open(t, filepath.Join(double.Dir(t), "data"), nil, clock.Now)
	s := book.NewService(db, clock.Now)
	out, err := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: payer.String(), Chain: "Sui"}})
	if err != nil || len(out) != 1 || out[0].Refused != "" {
		t.Fatalf("%v %+v", err, out)
	}
	id := out[0].Entry.ID
	t.Run("R000-120 an entry is there for another reader, unconfirmed", func(t *testing.T) {
		list, err := book.NewService(db, clock.Now).List(ctx, "", "")
		if err != nil || len(list) != 1 || list[0].ID != id || list[0].Confirmed {
			t.Errorf("%v %+v", err, list)
		}
	})
	t.Run("R000-121 pages hear of it", func(t *testing.T) {
		log, err := db.JournalSince(ctx, events.Book, "", 0)
		if err != nil || len(log) != 1 || log[0].What != "added" {
			t.Errorf("%v %+v", err, log)
		}
		page, err := db.Since(ctx, bus.Cursor{}, bus.Filter{Session: db.Bus(), Sees: bus.UI, Types: []bus.Type{bus.TypeInlineDisplay}}, 10)
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
			{Title: "Other", Address: "0x77", Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
		list, err := s.List(ctx, "Sui", "")
		if err != nil || len(list) != 2 || list[0].Confirmed || !list[1].Confirmed {
			t.Errorf("%v %+v", err, list)
		}
	})
}
