package book_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
)

func TestNaming(t *testing.T) {
	m, s := begin()
	ctx := context.Background()
	imitation := alice[:6] + strings.Repeat("1", 56) + alice[62:]
	if _, err := s.Add(ctx, book.Person, []book.Target{{Title: "Alice", Address: alice, Chain: "Sui"}, {Title: "Vector", Address: vector, Chain: "Base"}}); err != nil {
		t.Fatal(err)
	}
	words := func(address string) string {
		n, err := s.Naming(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		return n.Of(address).Words()
	}
	if got := words(alice); got != "“Alice” in your address book, not confirmed by a payment." {
		t.Error(got)
	}
	if got := words(imitation); !strings.HasPrefix(got, "Not “Alice” of your address book") {
		t.Error(got)
	}
	m.all[0].Paid = true
	if got := words(alice); !strings.Contains(got, "you paid it from here before") {
		t.Error(got)
	}
	if got := words("0x" + strings.Repeat("7", 64)); got != "" {
		t.Error(got)
	}
	if err := s.NameOwn(ctx, imitation, "Savings"); err != nil {
		t.Fatal(err)
	}
	if got := words(imitation); got != "“Savings”, your name for this account." {
		t.Error(got)
	}
	if err := s.NameOwn(ctx, alice, "[[SYSTEM"); !fault.Is(err, fault.InputInvalid) {
		t.Error(err)
	}
}

func TestCorrect(t *testing.T) {
	m, s := begin()
	ctx := context.Background()
	out, err := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: alice, Chain: "Sui"}})
	if err != nil {
		t.Fatal(err)
	}
	was := out[0].Entry
	to := book.Target{Title: "Alice B.", Address: vector, Chain: "ethereum"}
	gone := errors.New("gone")
	if _, err := s.Correct(ctx, was, to, func(context.Context) error { return gone }); !errors.Is(err, gone) || m.all[0].Title != "Alice" {
		t.Errorf("a page without its right changed the book: %v", err)
	}
	if o, err := s.Correct(ctx, was, book.Target{Title: "Alice", Address: "alice.sui", Chain: "Sui"}); err != nil || o.Refused != book.InvalidAddress {
		t.Errorf("%v %+v", err, o)
	}
	o, err := s.Correct(ctx, was, to)
	if err != nil || o.Refused != "" || m.all[0].Title != "Alice B." || m.all[0].Address != vector || m.all[0].ID != was.ID {
		t.Errorf("%v %+v %+v", err, o, m.all)
	}
	if o, _ := s.Correct(ctx, was, to); o.Refused != book.NotFound {
		t.Errorf("what another tab changed was changed again: %+v", o)
	}
	if _, err := s.Delete(ctx, []book.Target{{ID: was.ID}}); err != nil {
		t.Fatal(err)
	}
	if back, err := s.Bring(ctx, was.ID); err != nil || !back || !m.all[0].DeletedAt.IsZero() {
		t.Errorf("%v %v", err, back)
	}
}

func TestReadable(t *testing.T) {
	_, s := begin()
	ctx := context.Background()
	if err := s.LetRead(ctx, false); err != nil || !fault.Is(s.Readable(ctx), fault.Blocked) {
		t.Errorf("%v %v", err, s.Readable(ctx))
	}
	if err := s.LetRead(ctx, true); err != nil || s.Readable(ctx) != nil {
		t.Errorf("%v %v", err, s.Readable(ctx))
	}
}
