// Package book is the page of the address book. Only a wallet's signature confirms an entry: that
// of a payment, or of a message that contains the entry.
package book

import (
	"context"
	"embed"
	"encoding/json"
	"hash/fnv"
	"net/http"

	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

//go:embed book.html book.js
var files embed.FS

// Config configures the page. All fields are required.
type Config struct {
	Names     *names.Service
	PaidNames PaidNames
	Lists     *listing.Lists
	// Journal returns the sequence number of the latest journal row of a subject.
	Journal func(ctx context.Context, kind events.Kind, subject string) (int64, error)
}

type page struct{ Config }

// New returns the page.
func New(c Config) web.Page {
	p := &page{c}
	active := func(path string, run web.Handler) web.Route {
		return web.Post("/api/book/{id}/"+path, web.WithActive, pagetoken.Book, run)
	}
	return web.Page{
		Kind: pagetoken.Book, Name: "book", Entry: "book", Title: "Address book", Path: "/book", API: "/api/book/{id}",
		Files: files, View: web.Reads(p.view), Asks: true, Signs: web.SignsMessages,
		Live: &web.Live{
			Subject: func(string) events.Subject { return events.Subject{Kind: events.Book, ID: pagetoken.BookSubject} },
			State: func(ctx context.Context, _ string) (web.State, error) {
				revision, err := p.revision(ctx)
				return web.State{Revision: revision}, err
			},
		},
		Routes: []web.Route{
			active("add", web.Reads(p.add)), active("correct", web.Reads(p.correct)), active("delete",
				web.Reads(p.remove)), active("restore", web.Reads(p.restore)),
			active("own", web.Reads(p.nameOwn)), active("challenge", web.Reads(p.challenge)), active("confirm",
				web.Reads(p.confirm)), active("forget", web.Reads(p.forget)),
			active("reading", web.Reads(p.letRead)),
		},
	}
}

// Maximum numbers of entries and of deleted entries that the page shows.
const (
	bookPage    = 50
	bookDeleted = 50
	maxNeeds    = 50 // further ones appear as these are confirmed or deleted
)

// bookIn selects the part of the book that the page shows.
type bookIn struct {
	Text  string `json:"text,omitempty"`
	Chain string `json:"chain,omitempty"`
	From  int    `json:"from,omitempty"`
}

// bookLine is an entry as text. By states who named it. Tone is the color of that tag.
type bookLine struct {
	ID, Title, Address, Chain, By, Tone, State, Proof, Deleted string
	Alike, AlikeOf                                             string // the imitated address and its name
	Sure                                                       bool
	Chains                                                     []chainOption
}

// Foreign reports whether the entry belongs to a chain other than Sui.
func (l bookLine) Foreign() bool { return l.Chain != names.SuiChain }

type chainOption struct {
	Name   string
	Chosen bool
}

// ownLine is one of the user's accounts with the name that the user gave it.
type ownLine struct {
	Address, Wallet, Title string
	InUse, Proven          bool
}

// bookPageView is the address book page rendered as text.
type bookPageView struct {
	web.Head
	Title          string
	Asked          bookIn
	Chains         []chainOption // chains to filter by; none if all entries are on Sui
	Needs          []bookLine    // entries that need the user
	Lines, Deleted []bookLine
	Total          int    // number of entries in the book
	Count          string // number of entries found, as text
	Rest           int    // number of entries found, except those in Needs
	Earlier, Later int    // positions of the previous and next parts of the list, -1 for none
	Own            []ownLine
	Paid           []paidLine // SuiNS names that were paid
	Closed         bool
	Unsure         int // number of entries that one signature can confirm

	Account, WalletID, WalletName string   // the account that can confirm them; "" for none
	Blank                         bookLine // of the form for a new entry
}

// Searched reports whether the page shows only entries that match a search.
func (v bookPageView) Searched() bool { return v.Asked.Text != "" || v.Asked.Chain != "" }

func chainOptions(chosen string) (list []chainOption) {
	for _, c := range names.Chains() {
		list = append(list, chainOption{c.Name, c.Name == chosen})
	}
	return list
}

func (p *page) view(c *web.Call, in bookIn) error {
	var err error
	v := bookPageView{Title: "Address book", Asked: in, Earlier: -1, Later: -1,
		Blank: bookLine{Chain: names.SuiChain, Chains: chainOptions(names.SuiChain)}}
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	// The revision is read first: if the book changes meanwhile, the page loads again.
	if v.Revision, err = p.revision(c.Ctx()); err != nil {
		return err
	}
	if v.Closed, err = p.Names.Closed(c.Ctx()); err != nil {
		return err
	}
	if err := p.lists(c.Ctx(), &v); err != nil {
		return err
	}
	if v.Own, err = p.ownLines(c.Ctx()); err != nil {
		return err
	}
	if v.Paid, err = p.paidLines(c.Ctx()); err != nil {
		return err
	}
	if used, ok, err := p.Lists.Accounts.Active(c.Ctx()); err != nil {
		return err
	} else if ok {
		v.Account, v.WalletID, v.WalletName = used.Account.String(), used.WalletID, used.WalletName
	}
	return web.Fragment(c, "book.html", v)
}

// revision returns a fingerprint of what the page shows. It includes the book's latest journal row,
// because every change of the book adds one.
func (p *page) revision(ctx context.Context) (int64, error) {
	seq, err := p.Journal(ctx, events.Book, "")
	if err != nil {
		return 0, err
	}
	cards, err := p.Lists.Cards(ctx)
	if err != nil {
		return 0, err
	}
	text, err := json.Marshal([]any{seq, cards})
	hash := fnv.New32a()
	_, _ = hash.Write(text)
	return int64(hash.Sum32()), err
}

// bookOut describes the outcome of a change.
type bookOut struct {
	Says string `json:"says"`
}

// entryIn is an entry as the user typed it. Was is the entry that the page showed. If another tab
// has changed it since, it is not overwritten.
type entryIn struct {
	ID      string `json:"id,omitempty"`
	Title   string `json:"title"`
	Address string `json:"address"`
	Chain   string `json:"chain"`
	Was     struct {
		Title   string `json:"title"`
		Address string `json:"address"`
		Chain   string `json:"chain"`
	} `json:"was,omitzero"`
}

// saidOf responds with done, or returns an error with the reason why the change was refused.
func saidOf(c *web.Call, o names.Outcome, err error, done string) error {
	switch {
	case err != nil:
		return err
	case o.Refused != "":
		return fault.New(fault.InputInvalid, "%s Nothing was changed.", names.Why(o.Refused)).With("reason",
			string(o.Refused))
	case o.Alike.ID != "":
		done += " Careful: its address only looks like that of “" + words.Whole(o.Alike.Title) + "”, which is " +
			o.Alike.Address +
			". Such addresses are made to be mistaken. Compare all of it."
	}
	return web.JSON(c, http.StatusOK, bookOut{done})
}

// firstOf returns the outcome for the only entry of a call.
func firstOf(list []names.Outcome) (o names.Outcome) {
	if len(list) > 0 {
		o = list[0]
	}
	return o
}

func (p *page) add(c *web.Call, in entryIn) error {
	list, err := p.Names.Add(c.Ctx(), names.Person, []names.Target{{Title: in.Title, Address: in.Address,
		Chain: in.Chain}}, c.Right)
	return saidOf(c, firstOf(list), err, "Added. Your wallet can confirm it.")
}

func (p *page) correct(c *web.Call, in entryIn) error {
	was := names.Entry{ID: in.ID, Title: in.Was.Title, Address: in.Was.Address, Chain: in.Was.Chain}
	o, err := p.Names.Correct(c.Ctx(), was, names.Target{Title: in.Title, Address: in.Address, Chain: in.Chain}, c.Right)
	return saidOf(c, o, err, "Changed.")
}

type entryID struct {
	ID string `json:"id"`
}

func (p *page) remove(c *web.Call, in entryID) error {
	list, err := p.Names.Delete(c.Ctx(), []names.Target{{ID: in.ID}}, c.Right)
	return saidOf(c, firstOf(list), err, "Deleted. You can restore it for 30 days.")
}

func (p *page) restore(c *web.Call, in entryID) error {
	back, err := p.Names.Bring(c.Ctx(), in.ID, c.Right)
	o := names.Outcome{}
	if !back {
		o.Refused = names.NotFound
	}
	return saidOf(c, o, err, "Restored.")
}

type ownIn struct {
	Address sui.Address `json:"address"`
	Title   string      `json:"title"`
}

// nameOwn names an account that a wallet connected on this computer.
func (p *page) nameOwn(c *web.Call, in ownIn) error {
	cards, err := p.Lists.Cards(c.Ctx())
	if err != nil {
		return err
	}
	own := false
	for _, k := range cards {
		own = own || k.Address == in.Address.String()
	}
	//mutant:never ./review/web TestBookPage
	if !own {
		return fault.New(fault.InputInvalid, "No wallet gave this account here, or it was forgotten.")
	}
	said := "Named."
	if in.Title == "" {
		said = "It has no name any more."
	}
	return saidOf(c, names.Outcome{}, p.Names.NameOwn(c.Ctx(), in.Address.String(), in.Title, c.Right), said)
}

type readingIn struct {
	May bool `json:"may"`
}

func (p *page) letRead(c *web.Call, in readingIn) error {
	said := "AI clients cannot read the book any more. They can still add to it."
	if in.May {
		said = "AI clients may read the book again."
	}
	return saidOf(c, names.Outcome{}, p.Names.LetRead(c.Ctx(), in.May, c.Right), said)
}
