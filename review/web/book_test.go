package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

const bookPath = "/api/book/" + pagetoken.BookSubject

const bookAlice = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"

// TestBookPage does what a user can do on the page of the address book.
func TestBookPage(t *testing.T) {
	r := newRig(t, nil)
	token := r.wide(pagetoken.Book, pagetoken.BookSubject)
	names := book.NewService(r.db, time.Now)
	view := func(text string) string {
		t.Helper()
		a := r.do("POST", bookPath+"/view", token, fields{"text": text})
		if a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return a.body
	}
	wish := func(to string, in fields) answer { t.Helper(); return r.do("POST", bookPath+"/"+to, token, in) }
	entries := func() []book.Entry {
		list, err := names.List(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	if body := view(""); !strings.Contains(body, "No names yet") {
		t.Error(body)
	}
	t.Run("an entry is added, unconfirmed, and found", func(t *testing.T) {
		r.t = t
		if a := wish("add", fields{"title": "Alice", "address": bookAlice, "chain": "Sui"}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if body := view("aLiCe"); !strings.Contains(body, "<bdi>Alice</bdi>") || !strings.Contains(body, "Named by you") ||
			!strings.Contains(body, "never paid") {
			t.Error(body)
		}
		if body := view("nobody"); strings.Contains(body, "<bdi>Alice</bdi>") {
			t.Error("the search finds what does not fit")
		}
	})
	e := entries()[0]
	was := fields{"title": e.Title, "address": e.Address, "chain": e.Chain}
	t.Run("an entry is corrected, and not by a tab that saw an older one", func(t *testing.T) {
		r.t = t
		if a := wish("correct", fields{"id": e.ID, "title": "Alice B.", "address": bookAlice, "chain": "Sui",
			"was": was}); a.status != http.StatusOK {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if a := wish("correct", fields{"id": e.ID, "title": "Mallory", "address": bookAlice, "chain": "Sui",
			"was": was}); a.status != http.StatusBadRequest {
			t.Errorf("%d %s", a.status, a.body)
		}
		if got := entries()[0].Title; got != "Alice B." {
			t.Error(got)
		}
	})
	t.Run("a look-alike is warned of, and what is no address is refused", func(t *testing.T) {
		r.t = t
		a := wish("add", fields{"title": "Alice C.", "address": bookAlice[:6] + strings.Repeat("1", 56) + bookAlice[62:],
			"chain": "Sui"})
		if a.status != http.StatusOK || !strings.Contains(a.text("says"), "only looks like") {
			t.Errorf("%d %s", a.status, a.body)
		}
		if a := wish("add", fields{"title": "Bob", "address": "bob.sui", "chain": "Sui"}); a.status != http.StatusBadRequest {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("a deletion can be restored by the person", func(t *testing.T) {
		r.t = t
		before := len(entries())
		if a := wish("delete", fields{"id": e.ID}); a.status != http.StatusOK || len(entries()) != before-1 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		if body := view(""); !strings.Contains(body, `data-action="restore" data-id="`+e.ID) {
			t.Error(body)
		}
		if a := wish("restore", fields{"id": e.ID}); a.status != http.StatusOK || len(entries()) != before {
			t.Fatalf("%d %s", a.status, a.body)
		}
	})
	t.Run("only own accounts get a name as such", func(t *testing.T) {
		r.t = t
		if a := wish("own", fields{"address": bookAlice, "title": "Mine"}); a.status != http.StatusBadRequest {
			t.Errorf("%d %s", a.status, a.body)
		}
	})
	t.Run("a switch keeps the book from AI clients", func(t *testing.T) {
		r.t = t
		for _, may := range []bool{false, true} {
			if a := wish("reading", fields{"may": may}); a.status != http.StatusOK {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if err := names.Readable(t.Context()); (err == nil) != may {
				t.Error(err)
			}
		}
	})
	t.Run("a tab that looks on changes nothing", func(t *testing.T) {
		r.t = t
		looking := r.token(pagetoken.Book, pagetoken.BookSubject)
		if a := r.do("POST", bookPath+"/delete", looking, fields{"id": e.ID}); a.status != http.StatusConflict {
			t.Errorf("%d %s", a.status, a.body)
		}
		if body := r.do("POST", bookPath+"/view", looking, fields{}).body; strings.Contains(body, `data-action="delete"`) {
			t.Error("it has the button")
		}
	})
}

// TestNamesOnPages checks that the recipient's name is shown next to the full address.
func TestNamesOnPages(t *testing.T) {
	r := newRig(t, nil)
	s, materials := sample(t, record.Ready)
	names := book.NewService(r.db, time.Now)
	id := r.put(s, materials)
	token := r.token(pagetoken.Review, id)
	view := func() string { t.Helper(); return r.do("GET", "/api/review/"+id+"/view", token, nil).body }
	if strings.Contains(view(), `class="named"`) {
		t.Error("there is a name before the book has one")
	}
	list, err := names.Add(t.Context(), book.Agent, []book.Target{{Title: "My <main> account", Address: person.String(),
		Chain: "Sui"}})
	if err != nil || list[0].Refused != "" {
		t.Fatalf("%v %+v", err, list)
	}
	body := view()
	if !strings.Contains(body,
		"“My &lt;main&gt; account” (named by your AI client) in your address book, not confirmed by a payment.") ||
		!strings.Contains(body, words.Groups(person.String(), len("0x1234"))[0]) {
		t.Error(body)
	}
}
