package web_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// TestBrowserBook uses the page of the address book as a user does: with the keyboard, after a
// reload, and with a second tab.
func TestBrowserBook(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	names := book.NewService(r.db, time.Now)
	b := newBrowser(t)
	dir := screenshotDir(t)
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.waitText("Connect a wallet to start")
	b.click(`nav a[href="/book"]`)
	b.waitText("No names yet")
	b.pictures(dir, "book-empty")
	t.Run("a name is added with the keyboard alone", func(t *testing.T) {
		b.t = t
		b.enter(".adding > summary")
		b.fill(`[data-form="add"] [name="title"]`, "Alice <b>")
		b.fill(`[data-form="add"] [name="address"]`, "0x0e73\r")
		b.waitText("Enter all 64 characters. You entered 4.")
		b.pictures(dir, "book-short")
		b.fill(`[data-form="add"] [name="address"]`, bookAlice+"\r")
		b.waitText("Added.")
		b.says([]string{"Named by you", "never paid", "People and services 1"}, []string{"Needs you", "Enter all 64"})
		if at := b.eval(`document.querySelector('#view b') === null`); at != "true" {
			t.Error("a title is markup")
		}
	})
	t.Run("what is looked for outlives a reload", func(t *testing.T) {
		b.t = t
		if _, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "Bob", Address: "0x" + strings.Repeat("7", 64),
			Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
		b.says([]string{"Needs you 1", "Named by your AI client"}, nil)
		b.pictures(dir, "book")
		b.fill(`[data-form="find"] [name="text"]`, "bob\r")
		b.says([]string{"1 name", "Bob"}, []string{"Alice <b>"})
		b.do(chromedp.Reload())
		b.says([]string{"1 name", "Bob"}, []string{"Alice <b>"})
		b.fill(`[data-form="find"] [name="text"]`, " \r")
		b.says([]string{"Needs you 1", "People and services 1"}, nil)
	})
	t.Run("what is not saved stays while another tab changes the book", func(t *testing.T) {
		b.t = t
		b.enter(".more > summary")
		b.fill(`[data-form="correct"] [name="title"]`, "Bobby")
		if _, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "Carol", Address: "0x" + strings.Repeat("8",
			64), Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
		b.waitText("The book has changed.")
		b.pictures(dir, "book-changing")
		if at := b.eval(`document.querySelector('[data-form="correct"] [name="title"]').value`); !strings.Contains(at,
			"Bobby") {
			t.Errorf("what was typed is %s", at)
		}
		b.click(`[data-form="correct"] button`)
		b.says([]string{"Bobby", "Needs you 2"}, nil)
	})
	t.Run("a deletion is taken back", func(t *testing.T) {
		b.t = t
		b.click(`[data-action="delete"]`)
		b.waitText("Deleted. You can restore it for 30 days.")
		b.pictures(dir, "book-deleted")
		b.wait(`document.querySelector('[data-action="restore"]')`)
		b.eval(`document.querySelector('.folds details:last-of-type').open = true`)
		b.click(`[data-action="restore"]`)
		b.says([]string{"Restored.", "Needs you 2"}, nil)
	})
	t.Run("the book is kept from AI clients, and a second tab looks on", func(t *testing.T) {
		b.t = t
		b.eval(`document.querySelector('.folds details').open = true`)
		b.click(`[data-action="reading"]`)
		b.waitText("AI clients cannot read this book")
		second := b.another()
		second.open(r.link(pagetoken.Book, pagetoken.BookSubject))
		second.says([]string{"Add a name"}, nil)
		b.waitText("You use this in another tab.")
		b.click(`[data-action="continue"]`)
		b.waitText("Add a name")
		second.says([]string{"You use this in another tab.", "AI clients cannot read this book"}, []string{"Add a name"})
		if said := append(b.complaints(), second.complaints()...); len(said) > 0 {
			t.Error(said)
		}
	})
}

// namesOf stores four names in the book: two by the user, one by an AI client, and one that
// imitates another.
func (r *rig) namesOf(client string) {
	r.t.Helper()
	names := book.NewService(r.db, time.Now)
	asked := bus.WithConversation(r.t.Context(), "conversation-1")
	if err := r.db.Converse(asked, client); err != nil {
		r.t.Fatal(err)
	}
	add := func(ctx context.Context, source book.Source, title, address string) {
		r.t.Helper()
		if out, err := names.Add(ctx, source, []book.Target{{Title: title, Address: address, Chain: "Sui"}}); err != nil ||
			out[0].Refused != "" {
			r.t.Fatalf("%+v %v", out, err)
		}
	}
	add(r.t.Context(), book.Person, "Alice", bookAlice)
	add(r.t.Context(), book.Person, "Exchange deposit", "0x4d0177c3"+strings.Repeat("1b", 24)+"09be5e10")
	add(asked, book.Agent, "My Ledger", "0x9c3d1be7"+strings.Repeat("2c", 24)+"44f0a1d2")
	add(asked, book.Agent, "Alice (new)", bookAlice[:10]+strings.Repeat("3d", 24)+bookAlice[58:])
}

// TestBrowserBookNeeds checks that the entries of an AI client come first, with the client's name,
// and that an imitation can be confirmed only after a comparison. It limits the number of words on
// the page.
func TestBrowserBookNeeds(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	r.use(person, "Slush")
	r.namesOf("Claude Desktop")
	b := newBrowser(t)
	b.open(r.link(pagetoken.Book, pagetoken.BookSubject))
	b.says([]string{"Needs you 2", "My Ledger", "Named by Claude Desktop", "Imitates Alice", "People and services 2",
		"Your own accounts 1", "In use"}, nil)
	b.pictures(screenshotDir(t), "book-needs")
	b.wordBudget(t, "the address book", 120)
	if n := b.eval(`[...document.querySelectorAll('[data-alike] button')].filter((at) => at.checkVisibility()).map((at) => at.textContent.trim()).join()`); n != "Remove," {
		t.Errorf("an imitation offers %q", n)
	}
	b.enter(`[data-alike] .more > summary`)
	b.says([]string{"This address imitates Alice.", "Confirm with your wallet"}, nil)
	b.click(`[data-alike] [data-action="delete"]`)
	b.says([]string{"Deleted. You can restore it", "Needs you 1"}, []string{"Imitates"})
	if said := b.complaints(); len(said) > 0 {
		t.Error(said)
	}
}
