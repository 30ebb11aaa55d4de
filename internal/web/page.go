package web

import (
	"context"
	"io/fs"
	"net/http"

	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// Page describes one page. Its shell, at Path, contains no data and loads the script Name.js.
// The server adds the routes common to all pages: API/view for View, and API/state and
// API/continue if Live is set. A Page without Path only has Routes.
type Page struct {
	Kind  pagetoken.Kind // kind of its tokens; "" if it needs none
	Name  string         // name of its script, and class of its body element
	Title string         // shown until the data is loaded
	// Entry is the entry of the navigation that the page belongs to: home, reviews, holdings,
	// book or settings; "" if none.
	Entry string
	Path  string
	// Short is the address of the page in a browser session if Path has an id, such as /settings. Its
	// tokens have the kind as their subject. Optional.
	Short string
	API   string // prefix of its routes, such as /api/review/{id}

	// Files are its templates, scripts and style sheets. Two pages must not have a file name in
	// common.
	Files  fs.FS
	Styles []string // additional style sheets
	// Public names the template of a page that anyone may see. Its header shows no account.
	Public string

	View  Handler // returns the data as HTML
	Asks  bool    // View expects a JSON body
	Live  *Live   // nil if the page does not update itself
	Signs Signs   // what the sandbox's test wallet signs for the page

	// Opened is called when a link is exchanged for a token. It returns the revision of the page's
	// subject. Optional.
	Opened func(ctx context.Context, id string) (revision int64, err error)
	// Known returns an error if a subject does not exist. It is for pages without Live. Optional.
	Known func(ctx context.Context, id string) error
	// Close is called when the server shuts down. Optional.
	Close func()

	Routes []Route
}

// Live reports changes of a page's subject to the page.
type Live struct {
	// Subject returns the subject to watch. id is the subject of the page's token.
	Subject func(id string) events.Subject
	// State returns the current state of the subject.
	State func(ctx context.Context, id string) (State, error)
	// Marks returns the progress of a running computation. Optional.
	Marks func(id string) []Mark

	// Answer and Continue replace the handlers of API/state and API/continue. Optional.
	Answer, Continue Handler
}

// State is the state of a page's subject. When it changes, the page loads its View again.
type State struct {
	Revision  int64
	Status    string
	Computing bool
}

// Mark is the progress of one stage of a computation.
type Mark struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// Signs is what the sandbox's test wallet may sign for a page.
type Signs uint8

// The zero value is for pages that need no signatures.
const (
	SignsNothing Signs = iota
	SignsTransactions
	SignsMessages
)

// table returns all routes of a page.
func (p *Page) table() []Route {
	var routes []Route
	if p.Path != "" {
		routes = append(routes, Get(p.Path, Open, "", p.open))
	}
	if p.Short != "" {
		routes = append(routes, Get(p.Short, Open, "", p.open))
	}
	if p.View != nil {
		view := Get(p.API+"/view", WithToken, p.Kind, p.View)
		if p.Asks {
			view.Method, view.JSON = http.MethodPost, true
		}
		routes = append(routes, view)
	}
	if p.Live != nil {
		state, next := p.Live.Answer, p.Live.Continue
		if state == nil {
			state = answerState
		}
		if next == nil {
			next = takeOver
		}
		routes = append(routes, Get(p.API+"/state", WithToken, p.Kind, state), Post(p.API+"/continue", WithToken, p.Kind,
			next))
	}
	return append(routes, p.Routes...)
}

// open serves the shell.
func (p *Page) open(c *Call) error { return c.server.page(c.W, http.StatusOK, c.server.shellOf(p)) }

// takeOver makes the calling tab the active one.
func takeOver(c *Call) error {
	if _, err := Body[struct{}](c); err != nil {
		return err
	}
	return Result(c, struct{}{}, c.TakeOver())
}

// answerState responds with the content of a stream's first event, for pages that have no stream.
func answerState(c *Call) error {
	pages, err := c.followed()
	if err != nil {
		return err
	}
	now, err := c.moment(pages[0])
	return Result(c, now, err)
}
