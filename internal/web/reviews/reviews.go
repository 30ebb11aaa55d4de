// Package reviews is the page of all requests: waiting, running and finished ones. It saves the
// receipts of the finished ones as a table.
package reviews

import (
	"context"
	"embed"
	"fmt"
	"hash/fnv"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
)

//go:embed reviews.html reviews.js
var files embed.FS

type page struct{ lists *listing.Lists }

// New returns the page.
func New(lists *listing.Lists) web.Page {
	p := &page{lists}
	return web.Page{
		Kind: pagetoken.Reviews, Name: "reviews", Entry: "reviews", Title: "Reviews", Path: "/reviews",
		API: "/api/reviews/{id}", Files: files, View: web.Reads(p.view), Asks: true,
		Live: &web.Live{
			Subject: func(string) events.Subject {
				return events.Subject{Kind: events.Home,
					ID: pagetoken.HomeSubject}
			},
			State: func(ctx context.Context, _ string) (web.State, error) {
				v, err := p.read(ctx, 0)
				return web.State{Revision: v.Revision}, err
			},
		},
		Routes: []web.Route{
			web.Post("/api/reviews/{id}/prepare", web.WithActive, pagetoken.Reviews, web.Reads(lists.Prepare)),
		},
	}
}

// onPage is the number of finished requests per page.
const onPage = 20

// view is the page as text.
type view struct {
	web.Head
	listing.Live
	Ended             []listing.Row
	Waits             int
	From              int // position of the first request in Ended, from 1
	To, Newer, Older  int // values of Skip for newer and older requests
	HasNewer, HasMore bool
	Empty             bool
}

type viewIn struct {
	Skip int `json:"skip,omitempty"` // number of finished requests to skip
}

func (p *page) read(ctx context.Context, skip int) (v view, err error) {
	if v.Live, err = p.lists.Live(ctx); err != nil {
		return v, err
	}
	if v.Ended, v.HasMore, err = p.lists.Ended(ctx, skip, onPage); err != nil {
		return v, err
	}
	hash := fnv.New32a()
	fmt.Fprintln(hash, v.Live, v.Ended)
	v.Revision = int64(hash.Sum32())
	return v, nil
}

func (p *page) view(c *web.Call, in viewIn) error {
	skip := min(max(in.Skip, 0), 1_000_000)
	v, err := p.read(c.Ctx(), skip)
	if err != nil {
		return err
	}
	if skip > 0 { // revisions are about the first page only
		first, err := p.read(c.Ctx(), 0)
		if err != nil {
			return err
		}
		v.Revision = first.Revision
	}
	revision := v.Revision
	if v.Head, err = c.Head(); err != nil {
		return err
	}
	v.Head.Revision = revision
	v.From, v.To = skip+1, skip+len(v.Ended)
	v.HasNewer, v.Newer, v.Older = skip > 0, max(skip-onPage, 0), skip+onPage
	if skip == 0 {
		v.Ended = append(v.Declined, v.Ended...)
	}
	v.Waits = len(v.Waiting)
	v.Empty = len(v.Waiting)+len(v.Running)+len(v.Ended)+skip == 0
	return web.Fragment(c, "reviews.html", v)
}
