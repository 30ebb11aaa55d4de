package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// TestBrowserBook does with the page of the book what a person does: with the keyboard,
// over a reload, and beside a second tab.
func TestBrowserBook(t *testing.T) {
	inBrowser(t)
	r := newRig(t, nil)
	names := book.NewService(r.db, time.Now)
	b := newBrowser(t)
	dir := screenshotDir(t)
	b.open(r.link(pagetoken.Home, pagetoken.HomeSubject))
	b.waitText("Open the address book")
	b.click(`main a[href="/book"]`)
	b.waitText("There is no name here.")
	b.pictures(dir, "book-empty")
	t.Run("a name is added with the keyboard alone", func(t *testing.T) {
		b.t = t
		b.fill(`[data-form="add"] [name="title"]`, "Alice <b>")
		b.fill(`[data-form="add"] [name="address"]`, bookAlice+"\r")
		b.waitText("Added.")
		b.waitText("Not confirmed: no payment to it was made from here.")
		if at := b.eval(`document.querySelector('#view b') === null`); at != "true" {
			t.Error("a title is markup")
		}
	})
	t.Run("what is looked for outlives a reload", func(t *testing.T) {
		b.t = t
		if _, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "Bob", Address: "0x" + strings.Repeat("7", 64), Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
		b.waitText("Named by your AI client.")
		b.pictures(dir, "book")
		b.fill(`[data-form="find"] [name="text"]`, "bob\r")
		b.says([]string{"1 name", "Bob"}, []string{"Alice <b>"})
		b.eval("location.reload()")
		b.says([]string{"1 name", "Bob"}, []string{"Alice <b>"})
		b.fill(`[data-form="find"] [name="text"]`, " \r")
		b.waitText("2 names")
	})
	t.Run("what is not saved stays while another tab changes the book", func(t *testing.T) {
		b.t = t
		b.eval(`document.querySelector('main details').open = true`)
		b.fill(`[data-form="correct"] [name="title"]`, "Alicia")
		if _, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "Carol", Address: "0x" + strings.Repeat("8", 64), Chain: "Sui"}}); err != nil {
			t.Fatal(err)
		}
		b.waitText("The book has changed.")
		b.pictures(dir, "book-changing")
		if at := b.eval(`document.querySelector('[data-form="correct"] [name="title"]').value`); !strings.Contains(at, "Alicia") {
			t.Errorf("what was typed is %s", at)
		}
		b.click(`[data-form="correct"] button`)
		b.waitText("Alicia")
		b.waitText("3 names")
	})
	t.Run("a deletion is taken back", func(t *testing.T) {
		b.t = t
		b.click(`[data-action="delete"]`)
		b.waitText("Deleted. You can restore it for 30 days.")
		b.pictures(dir, "book-deleted")
		b.click(`[data-action="restore"]`)
		b.waitText("Restored.")
		b.waitText("3 names")
	})
	t.Run("the book is kept from AI clients, and a second tab looks on", func(t *testing.T) {
		b.t = t
		b.click(`[data-action="reading"]`)
		b.waitText("Let AI clients read it")
		second := b.another()
		second.open(r.link(pagetoken.Book, pagetoken.BookSubject))
		second.says([]string{"Add a name"}, nil)
		b.waitText("You use this in another tab.")
		b.click(`[data-action="continue"]`)
		b.waitText("Add a name")
		second.says([]string{"You use this in another tab.", "Let AI clients read it"}, []string{"Add a name"})
		if said := append(b.complaints(), second.complaints()...); len(said) > 0 {
			t.Error(said)
		}
	})
}
