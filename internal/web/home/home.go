// Package home is the home page: what needs the user, what is running, what was done recently, and
// what the account has.
package home

import (
	"context"
	"embed"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

//go:embed home.html home.js
var files embed.FS

// Config configures the page. All fields are required.
type Config struct {
	Lists *listing.Lists
	Bus   Bus
	// Today returns the daily limits, with the part that is used.
	Today func(ctx context.Context) ([]Limit, error)
	// Worth returns the value of an account.
	Worth func(ctx context.Context, owner sui.Address) (listing.Worth, error)
}

// Bus lists AI clients and their questions.
type Bus interface {
	Clients(ctx context.Context) ([]string, error)
	// Conversation returns the newest conversation of a client.
	Conversation(ctx context.Context, client string) (session string, ok bool, err error)
	// Following returns the newest conversation of the client to which a conversation belongs, and
	// that client's name.
	Following(ctx context.Context, session string) (newest, client string, err error)
	// Asking lists the tasks of all conversations that wait for the user's answer.
	Asking(ctx context.Context) ([]bus.Task, error)
	bus.Answered
}

type page struct{ Config }

// New returns the page.
func New(c Config) web.Page {
	p := &page{c}
	active := func(path string, run web.Handler) web.Route {
		return web.Post("/api/home/"+path, web.WithActive, pagetoken.Home, run)
	}
	return web.Page{
		Kind: pagetoken.Home, Name: "home", Entry: "home", Title: "What waits for you", Path: "/", API: "/api/home",
		Files: files,
		View:  p.view,
		Live: &web.Live{
			Subject: func(string) events.Subject { return events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject} },
			State: func(ctx context.Context, _ string) (web.State, error) {
				f, err := p.read(ctx)
				return web.State{Revision: f.revision}, err
			},
		},
		Routes: []web.Route{
			active("connect", web.Empty(p.connect)), active("use", web.Reads(p.use)),
			active("answer", web.Reads(p.answer)), active("prepare", web.Reads(p.Lists.Prepare)),
			web.Post("/api/home/worth", web.WithToken, pagetoken.Home, web.Empty(p.worth)),
		},
	}
}

// maxRecent is the maximum number of finished requests that the page lists, and maxWaiting that of
// pending ones.
const (
	maxRecent  = 4
	maxWaiting = 20
)

// view is the home page as text. Revision changes with the lists.
type view struct {
	web.Head
	Title, Text string
	First       bool   // no account has ever been connected
	Count, Rest int    // Rest is the number of requests that are not listed
	Last        string // the request that ended most recently
	facts
	Used   web.InUse
	Limits []Limit
}

// facts is the data of the page. revision is its fingerprint.
type facts struct {
	listing.Live
	Asks     []ask
	Recent   []listing.Row
	Accounts []listing.Card
	Clients  []clientLine // clients that have a console
	revision int64
}

// Waiting returns the number of requests that need the user, as the page shows it.
func (c Config) Waiting(ctx context.Context) (int, error) {
	p := page{c}
	f, err := p.needs(ctx)
	return len(f.Live.Waiting) + len(f.Asks), err
}

// needs reads the pending requests.
func (p *page) needs(ctx context.Context) (f facts, err error) {
	if f.Live, err = p.Lists.Live(ctx); err != nil {
		return f, err
	}
	f.Clients, f.Asks, err = p.clients(ctx)
	return f, err
}

func (p *page) read(ctx context.Context) (facts, error) {
	f, err := p.needs(ctx)
	if err != nil {
		return f, err
	}
	if f.Accounts, err = p.Lists.Cards(ctx); err != nil {
		return f, err
	}
	if f.Recent, _, err = p.Lists.Ended(ctx, 0, maxRecent); err != nil {
		return f, err
	}
	f.Recent = append(f.Declined, f.Recent...)
	f.Recent = f.Recent[:min(len(f.Recent), maxRecent)]
	for _, list := range [][]listing.Row{f.Live.Waiting, f.Running, f.Recent} {
		for i := range list {
			list[i].Link, list[i].Receipt = "", "" // only the page of all requests shows these
		}
	}
	hash := fnv.New32a()
	fmt.Fprintln(hash, f.Live, f.Asks, f.Recent, f.Accounts, f.Clients)
	f.revision = int64(hash.Sum32())
	return f, nil
}

func (p *page) view(c *web.Call) error {
	var v view
	var err error
	if v.facts, err = p.read(c.Ctx()); err != nil {
		return err
	}
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	v.Revision = v.revision
	if v.Used, err = c.Used(); err != nil {
		return err
	}
	if v.Limits, err = p.Today(c.Ctx()); err != nil {
		return err
	}
	if len(v.Recent) > 0 {
		v.Last = v.Recent[0].ID
	}
	v.Count = len(v.Live.Waiting) + len(v.Asks)
	v.Rest = max(0, len(v.Live.Waiting)-maxWaiting)
	v.Live.Waiting = v.Live.Waiting[:len(v.Live.Waiting)-v.Rest]
	v.First = v.Count == 0 && len(v.Accounts) == 0
	v.Title = listing.Headline(v.Count, v.More)
	switch {
	case v.First:
		v.Title, v.Text = "Connect a wallet to start", "Then ask your AI for a swap, a payment or an order."
	case v.Count == 0:
		v.Text = "New requests appear here by themselves."
	}
	return web.Fragment(c, "home.html", v)
}

type answerIn struct {
	ID       string `json:"id"`
	Answer   string `json:"answer,omitempty"`
	Declined bool   `json:"declined,omitempty"`
}

// answer stores the user's answer to a question of an AI client.
func (p *page) answer(c *web.Call, in answerIn) error {
	t, err := p.Bus.Task(c.Ctx(), in.ID)
	if err != nil {
		return err
	}
	r, err := replyOf(in)
	if err == nil {
		_, err = bus.Reply(c.Ctx(), p.Bus, t.Session, r, c.Now())
	}
	return web.Result(c, struct{}{}, err)
}

// clock formats a time in RFC 3339, for a countdown on the page.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
