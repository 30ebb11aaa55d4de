// Package web has the pages of reviews, bundles, proposals and receipts. They show what package
// review reports, and pass on the user's actions. They make no decision about a review, hold no key
// and never sign.
package web

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/listing"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/review"
)

//go:embed assets
var assets embed.FS

// files returns the files of all pages of this package. They share templates, so they are part
// of the review page.
func files() fs.FS {
	sub, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // cannot happen: the folder is embedded
	}
	return sub
}

// ReviewConfig configures the review page. All fields are required.
type ReviewConfig struct {
	Reviews  *review.Service
	Requests *request.Service
	Settings *settings.Service
	Lists    *listing.Lists
	Nth      Nth
	// Payments returns how often addresses were paid from this machine.
	Payments func(ctx context.Context, addresses []string) (map[string]record.Payments, error)
	// Client returns the name of the client that asked for a review, as the client gives it, or "".
	Client func(ctx context.Context, subject string) (string, error)
	// ProofFile returns the proof of a result.
	ProofFile ProofFile
	// Locate finds a function of a published package in the registered projects.
	Locate func(ctx context.Context, pkg, module, function string) (workspace.Place, bool)
	// Pictures returns the data of the market charts.
	Pictures Pictures
	Now      func() time.Time
}

// Reviews is the review page, on which the user reads what the wallet will sign, signs it, and sees
// the result.
type Reviews struct {
	ReviewConfig
	pictured pictured // the latest charts
	trials   trials
}

// NewReview returns the page.
func NewReview(c ReviewConfig) web.Page {
	p := &Reviews{ReviewConfig: c}
	active := func(path string, run web.Handler) web.Route {
		return web.Post("/api/review/{id}/"+path, web.WithActive, pagetoken.Review, run)
	}
	return web.Page{
		Kind: pagetoken.Review, Name: "review", Entry: "reviews", Title: "Review a transaction", Path: "/review/{id}",
		API:   "/api/review/{id}",
		Files: files(), Styles: []string{"picture.css", "collect.css"}, View: p.view, Signs: web.SignsTransactions,
		Opened: p.opened,
		Live: &web.Live{
			Subject: func(id string) events.Subject { return events.Subject{Kind: events.Review, ID: id} },
			State:   p.current, Marks: p.marks, Answer: p.state, Continue: p.takeOver,
		},
		Routes: []web.Route{
			web.Post("/api/review/{id}/proof", web.WithToken, pagetoken.Review, web.Empty(p.proof)),
			web.Get("/api/review/{id}/picture", web.WithToken, pagetoken.Review, p.picture),
			web.Get("/api/review/{id}/ladder", web.WithToken, pagetoken.Review, p.ladder),
			web.Get("/api/review/{id}/step", web.WithToken, pagetoken.Review, p.step),
			active("compute", web.Reads(p.compute)), active("handoff", web.Reads(p.handoff)),
			web.Post("/api/review/{id}/signed", web.WithToken, pagetoken.Review, web.Reads(p.signed)),
			web.Post("/api/review/{id}/whatif", web.WithToken, pagetoken.Review, web.Reads(p.tryChange)),
			active("instead", web.Reads(p.useChange)),
			active("submit", web.Reads(p.submit)), active("outcome", web.Reads(p.outcome)),
			active("export", web.Empty(p.export)), active("collect", web.Reads(p.collect)),
		},
	}
}

// opened marks the review as opened.
func (p *Reviews) opened(ctx context.Context, id string) (int64, error) {
	session, err := p.Reviews.Opened(ctx, record.ID(id))
	return session.Revision, err
}

func (p *Reviews) current(ctx context.Context, id string) (web.State, error) {
	session, computing, err := p.Reviews.Current(ctx, record.ID(id))
	return web.State{Revision: session.Revision, Status: string(session.Status), Computing: computing}, err
}

// marks returns the progress of a computation.
func (p *Reviews) marks(id string) (out []web.Mark) {
	for _, at := range p.Reviews.Progress(record.ID(id)) {
		out = append(out, web.Mark{ID: string(at.ID), State: at.Status})
	}
	return out
}
