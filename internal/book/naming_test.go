package book_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sandbox"
)

func TestNaming(t *testing.T) {
	m, s := begin()
	ctx := context.Background()
	imitation := alice[:6] + strings.Repeat("1", 56) + alice[62:]
	if _, err := s.Add(ctx, book.Person, []book.Target{{Title: "Alice", Address: alice, Chain: "Sui"}, {Title: "Vector",
		Address: vector, Chain: "Base"}}); err != nil {
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

// A name chosen by an AI client is marked wherever money goes to it, until a wallet signs it.
func TestNamedByAI(t *testing.T) {
	m, s := begin()
	ctx := t.Context()
	if _, err := s.Add(ctx, book.Agent, []book.Target{{Title: "My Ledger (own account)", Address: alice,
		Chain: "Sui"}}); err != nil {
		t.Fatal(err)
	}
	name := func() book.Name {
		n, err := s.Naming(ctx, alice)
		if err != nil {
			t.Fatal(err)
		}
		return n.Of(alice)
	}
	const said = "“My Ledger (own account)” (named by your AI client)"
	for _, paid := range []bool{false, true} {
		m.all[0].Paid = paid
		for _, got := range []string{name().Words(), name().Called(), name().Afterwards()} {
			if !strings.HasPrefix(got, said) {
				t.Errorf("paid %v: %s", paid, got)
			}
		}
	}
	if got := name().Afterwards(); got != said+" in your address book." {
		t.Errorf("after a payment: %s", got)
	}
	m.all[0].SignedAt = m.now
	if got := name().Words(); strings.Contains(got, "AI client") {
		t.Errorf("signed by a wallet: %s", got)
	}
}

func TestTitlesThatNameUs(t *testing.T) {
	m, s := begin()
	ctx := t.Context()
	out, err := s.Add(ctx, book.Agent, []book.Target{{Title: "ЅАY-UR-ІNTENT support", Address: alice, Chain: "Sui"},
		{Title: "Bob", Address: alice, Chain: "Sui"}})
	if err != nil || out[0].Refused != book.InvalidTitle || out[1].Refused != "" {
		t.Fatalf("%+v %v", out, err)
	}
	if o, err := s.Correct(ctx, m.all[0], book.Target{Title: "Say Ur Intent", Address: alice, Chain: "Sui"}); err != nil ||
		o.Refused != book.InvalidTitle {
		t.Errorf("%+v %v", o, err)
	}
	if err := s.NameOwn(ctx, alice, "Say Ur Intent"); !fault.Is(err, fault.InputInvalid) {
		t.Error(err)
	}
}

func TestImitated(t *testing.T) {
	m, s := begin()
	ctx := t.Context()
	imitation := alice[:6] + strings.Repeat("1", 56) + alice[62:]
	added, err := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: alice, Chain: "Sui"}})
	m.now = m.now.Add(time.Second)
	later, more := s.Add(ctx, book.Agent, []book.Target{{Title: "Alice", Address: imitation, Chain: "Sui"}})
	if err != nil || more != nil {
		t.Fatal(err, more)
	}
	found, err := s.Imitating(ctx, nil, m.all...)
	if err != nil || len(found) != 1 || found[later[0].Entry.ID].Address != alice {
		t.Errorf("%+v %v", found, err)
	}
	both := []string{added[0].Entry.ID, later[0].Entry.ID}
	if _, err := s.AskWallet(ctx, sandbox.Account, both); !fault.Is(err, fault.InputInvalid) ||
		!strings.Contains(err.Error(), "only looks like") {
		t.Errorf("both are confirmed together: %v", err)
	}
	if _, err := s.AskWallet(ctx, sandbox.Account, both[1:]); err != nil {
		t.Errorf("a person may confirm it by itself: %v", err)
	}
	m.all[1].SignedAt = m.now
	if found, _ = s.Imitating(ctx, nil, m.all...); len(found) != 1 || found[both[0]].Address != imitation {
		t.Errorf("the confirmed one is imitated: %+v", found)
	}
	own := map[string]string{alice[:6] + strings.Repeat("2", 56) + alice[62:]: "your own account"}
	m.all = m.all[:1]
	if found, _ = s.Imitating(ctx, own, m.all...); found[both[0]].Title != "your own account" {
		t.Errorf("an own account: %+v", found)
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
	if _, err := s.Correct(ctx, was, to, func(context.Context) error { return gone }); !errors.Is(err, gone) ||
		m.all[0].Title != "Alice" {
		t.Errorf("a page without its right changed the book: %v", err)
	}
	if o, err := s.Correct(ctx, was, book.Target{Title: "Alice", Address: "alice.sui", Chain: "Sui"}); err != nil ||
		o.Refused != book.InvalidAddress {
		t.Errorf("%v %+v", err, o)
	}
	o, err := s.Correct(ctx, was, to)
	if err != nil || o.Refused != "" || m.all[0].Title != "Alice B." || m.all[0].Address != vector ||
		m.all[0].ID != was.ID {
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
