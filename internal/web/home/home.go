// Package home is the home page: it lists everything that waits for the user, and links to the
// other pages.
package home

import (
	"context"
	"embed"
	"fmt"
	"hash/fnv"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/web/words"
	"github.com/sayurintent/sayurintent/review/record"
)

//go:embed home.html home.js
var files embed.FS

// Config configures the page. All fields are required.
type Config struct {
	Lists   *listing.Lists
	Clients Clients
	// Bundles returns pending requests with several transactions.
	Bundles func(ctx context.Context) ([]listing.Bundle, error)
}

type page struct{ Config }

// Waiting returns the number of requests that need the user, as the page says it.
func (c Config) Waiting(ctx context.Context) (int, error) {
	reviews, err := c.Lists.Waiting(ctx, c.Lists.Now(), listing.MaxWaiting+1)
	if err != nil {
		return 0, err
	}
	bundles, err := c.Bundles(ctx)
	return len(reviews) + len(bundles), err
}

// New returns the page.
func New(c Config) web.Page {
	p := &page{c}
	return web.Page{
		Kind: pagetoken.Home, Name: "home", Entry: "home", Title: "What waits for you", Path: "/", API: "/api/home", Files: files,
		View: p.view,
		Live: &web.Live{
			Subject: func(string) events.Subject { return events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject} },
			State: func(ctx context.Context, _ string) (web.State, error) {
				f, err := p.read(ctx)
				return web.State{Revision: f.revision}, err
			},
		},
		Routes: []web.Route{
			web.Post("/api/home/connect", web.WithActive, pagetoken.Home, web.Empty(p.connect)),
			web.Post("/api/home/use", web.WithActive, pagetoken.Home, web.Reads(p.use)),
		},
	}
}

// view is the home page in words. Revision changes with the list.
type view struct {
	web.Head
	Title, Text, More string
	Settings          bool // there is a page of them
	Receipts          bool // a table of receipts is offered
	Book              bool // there is a page of the address book
	Reviews           []listing.Line
	Bundles           []listing.Bundle
	Accounts          []listing.Card
	Clients           []clientLine // that have a console
	Used              web.InUse
}

// facts is what the home page is made of; revision is its fingerprint.
type facts struct {
	waiting  []record.Waiting
	bundles  []listing.Bundle
	accounts []listing.Card
	clients  []clientLine
	revision int64
}

func (p *page) read(ctx context.Context) (facts, error) {
	var f facts
	var err error
	if f.waiting, err = p.Lists.Waiting(ctx, p.Lists.Now(), listing.MaxWaiting+1); err != nil {
		return f, err
	}
	if f.bundles, err = p.Bundles(ctx); err != nil {
		return f, err
	}
	if f.accounts, err = p.Lists.Cards(ctx); err != nil {
		return f, err
	}
	if f.clients, err = p.clients(ctx); err != nil {
		return f, err
	}
	hash := fnv.New32a()
	for _, w := range f.waiting {
		fmt.Fprintln(hash, w.ID, p.Lists.StateOf(w), listing.LinkWords(w))
	}
	fmt.Fprintln(hash, f.bundles, f.accounts, f.clients)
	f.revision = int64(hash.Sum32())
	return f, nil
}

func (p *page) view(c *web.Call) error {
	facts, err := p.read(c.Ctx())
	if err != nil {
		return err
	}
	v := view{Accounts: facts.accounts, Clients: facts.clients, Settings: c.Offers("/settings"),
		Receipts: c.Offers("/api/home/receipts"), Book: c.Offers("/book"),
		Title: "Nothing waits for you",
		Text:  "Ask your AI client to prepare something; it appears here by itself. Reviews that are over are not listed."}
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	v.Revision = facts.revision
	if v.Used, err = c.Used(); err != nil {
		return err
	}
	list := facts.waiting
	if len(list) > 0 {
		v.Title = fmt.Sprintf("%d reviews wait", len(list))
		v.Text = "A review opens on a page of its own. Nothing is signed by opening it."
	}
	if len(list) == 1 {
		v.Title = "One review waits"
	}
	if v.Bundles = facts.bundles; len(v.Bundles) > 0 {
		v.Title = fmt.Sprintf("%d things wait", len(list)+len(v.Bundles))
		v.Text = "Each opens on a page of its own. Nothing is signed by opening it."
	}
	if len(v.Bundles) == 1 && len(list) == 0 {
		v.Title = "Several transactions wait"
	}
	if len(list) > listing.MaxWaiting {
		list = list[:listing.MaxWaiting]
		v.Title = fmt.Sprintf("More than %d reviews wait", listing.MaxWaiting)
		v.More = "Older ones are not listed. They appear when these are over."
	}
	for _, w := range list {
		state := p.Lists.StateOf(w)
		v.Reviews = append(v.Reviews, listing.Line{
			ID: string(w.ID), Tone: state.Tone, State: state.Words, Link: listing.LinkWords(w), At: words.At(w.CreatedAt),
			Class: state.Button,
			Asked: words.UpperFirst(listing.Asked(w.Intent)),
		})
	}
	var marks []listing.Mark
	for i, w := range list {
		if w.Intent.Recipient != "" {
			marks = append(marks, listing.Mark{Address: w.Intent.Recipient, Words: &v.Reviews[i].Named})
		}
	}
	p.Lists.Name(c.Ctx(), marks)
	return web.Fragment(c, "home.html", v)
}
