// Package web is the kernel of the loopback pages: the server that the user's browser talks to, and
// everything that all pages share. It makes no decision about a review, holds no key, never signs,
// and serves only its own pages.
//
// Each page is a package, which returns a Page: a shell without data, a script, a View that returns
// the data as HTML, and routes, each with the authorization that it requires. New serves a list of
// pages behind one guard and one route table. The kernel refers to no page by name. It implements
// the behavior common to all pages: a one-time code opens a link, a stream reports changes, one tab
// is active and another can take over, a page links to other pages, and the header shows the
// account in use. A Handler receives a Call, which is authorized.
package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/web/marks"
	"github.com/sayurintent/sayurintent/internal/web/words"
)

// Config configures a Server. The fields up to Now are required.
type Config struct {
	// Network is shown on every page, for example sui:mainnet.
	Network string
	// WalletChain is the only Wallet Standard chain that pages accept.
	WalletChain string

	Desk     *pagetoken.Desk
	Accounts *account.Service
	// Frozen reports whether the user has paused signing.
	Frozen func(context.Context) (bool, error)
	Hub    *events.Hub
	// Journal returns the sequence number of the latest journal row of a subject, or 0 if there is
	// none. Streams use it as the id of their events.
	Journal func(ctx context.Context, kind events.Kind, subject string) (int64, error)
	Now     func() time.Time

	// Waiting returns the number of requests that need the user. Optional.
	Waiting func(context.Context) (int, error)
	// Sandbox signs for the test wallet. If it is set, pages show the sandbox banner.
	Sandbox http.Handler
	// HomeCommand prints a link to the home page, and HomeNote states any further requirement. Both
	// are "" if no command can open these pages.
	HomeCommand, HomeNote string
	Log                   *slog.Logger
	// Heartbeat is the time between comments in an idle stream; 0 means 15 seconds.
	Heartbeat time.Duration
}

// Server serves the pages of one process.
type Server struct {
	Config
	host      string // 127.0.0.1:port, the only accepted Host
	origin    string
	pages     []Page
	kinds     map[pagetoken.Kind]*Page
	routes    []Route
	assets    map[string]asset // by name
	templates func() (*template.Template, error)
	preload   func() map[string][]string // scripts to preload, by page name
	streams   *Streams                   // the streams of pages
	open      atomic.Int64               // number of open streams of all kinds
	busy      *busy

	challenges challenges // messages that begin browser sessions

	done   chan struct{} // closed by the first Shutdown, which ends streams
	ending sync.Once

	mu   sync.Mutex
	http *http.Server
}

// New returns a server of pages. It returns an error if two pages have a route or a file name in
// common.
func New(c Config, pages ...Page) (*Server, error) {
	if c.Desk == nil || c.Accounts == nil || c.Frozen == nil || c.Hub == nil || c.Journal == nil || c.Now == nil ||
		c.Network == "" || c.WalletChain == "" {
		return nil, errors.New("web: the configuration lacks a service, the clock or the network")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = streamHeartbeat
	}
	folders, files, err := collect(pages)
	if err != nil {
		return nil, err
	}
	s := &Server{Config: c, pages: pages, kinds: map[pagetoken.Kind]*Page{}, assets: files, busy: newBusy(),
		done:    make(chan struct{}),
		streams: NewStreams(maxStreams, "Too many pages are open. Close some of them.")}
	s.templates = sync.OnceValues(func() (*template.Template, error) {
		functions := words.Functions()
		maps.Copy(functions, marks.Functions())
		return parseTemplates(folders, functions)
	})
	s.preload = sync.OnceValue(s.modules)
	s.routes = []Route{
		Get("/favicon.ico", Open, "", s.favicon),
		Get("/assets/{id}", Open, "", s.asset),
		Post("/api/exchange", WithCode, "", s.exchange),
		Get("/api/stream", WithToken, "", s.stream),
		Post("/api/leave", WithToken, "", Empty(s.leave)),
		Post("/api/session/challenge", WithToken, "", Empty(s.challengeSession)),
		Post("/api/session/begin", WithToken, "", Reads(s.beginSession)),
		Post("/api/session/end", WithToken, "", Empty(s.endSession)),
	}
	if c.Sandbox != nil {
		s.routes = append(s.routes, Post(signPath, WithActive, "", s.sandboxSign))
	}
	for i := range s.pages {
		if err := s.mount(&s.pages[i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// mount adds the routes of a page.
func (s *Server) mount(p *Page) error {
	for _, rt := range p.table() {
		if slices.ContainsFunc(s.routes, func(had Route) bool { return had.Method == rt.Method && had.Path == rt.Path }) {
			return fmt.Errorf("web: two pages answer %s %s", rt.Method, rt.Path)
		}
		s.routes = append(s.routes, rt)
	}
	if p.Kind != "" {
		s.kinds[p.Kind] = p
	}
	return nil
}

// Serve serves requests on ln until Shutdown. ln must listen on 127.0.0.1, because its address is
// the origin of the pages and only loopback may be served.
func (s *Server) Serve(ln net.Listener) error {
	at, err := netip.ParseAddrPort(ln.Addr().String())
	if err != nil || at.Addr() != netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
		return errors.New("web: pages are served on 127.0.0.1 alone, not on " + ln.Addr().String())
	}
	s.mu.Lock()
	if s.http != nil {
		s.mu.Unlock()
		return errors.New("web: the server serves already, or was shut down")
	}
	s.host, s.origin = at.String(), "http://"+at.String()
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime,
		ReadTimeout:       bodyTime,
		WriteTimeout:      answerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeader,
		ConnContext:       connContext,
		ConnState:         connState,
		// "OPTIONS *" goes through the guards like any other request.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
	server := s.http
	s.mu.Unlock()
	if err := server.Serve(newListener(ln)); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown ends all streams, waits for running requests until ctx ends, but at most two seconds,
// and closes everything. It may be called more than once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.ending.Do(func() {
		close(s.done)
		for _, p := range s.pages {
			if p.Close != nil {
				p.Close()
			}
		}
	})
	s.mu.Lock()
	server := s.http
	s.mu.Unlock()
	if server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// Connected returns the number of open streams. A hidden page, or one that was refused a stream,
// polls instead and is not counted.
func (s *Server) Connected() int { return int(s.open.Load()) }

// ServeHTTP authorizes a request and runs its handler. Every request gets a response, even after a
// panic.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	wrote := &answered{ResponseWriter: w}
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		s.Log.Error("a page handler panicked", "path", r.URL.Path)
		if !wrote.started {
			s.fail(wrote, r, fault.New(fault.InternalError, "Something went wrong inside Say Ur Intent."))
		}
	}()
	if err := s.answer(wrote, r); err != nil {
		s.fail(wrote, r, err)
	}
}

// answer authorizes a request and runs its handler. The order is: guards, route, site, token, body,
// token again, handler. The token is checked again because it may have expired or been revoked
// while the body arrived.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) error {
	for _, judge := range s.guards() {
		if no := judge(r); no != nil {
			return no
		}
	}
	rt, id, allowed := s.find(r.Method, r.URL.Path)
	if no := guardSite(r, rt == nil && len(allowed) == 0 || rt != nil && rt.Right == Open,
		s.guest(r.URL.Path) != nil); no != nil {
		return no
	}
	if rt == nil && len(allowed) > 0 {
		for _, method := range allowed {
			w.Header().Add("Allow", method)
		}
		return Refuse(http.StatusMethodNotAllowed, "method", "This address does not take %s.", words.Shown(r.Method, 16))
	}
	if rt == nil {
		return Refuse(http.StatusNotFound, "unknown_address", "There is nothing at this address.")
	}
	c := &Call{W: w, R: r, ID: id, server: s}
	run, err := s.enter(c, rt)
	if err != nil {
		return err
	}
	if c.counted != "" {
		if !s.busy.enter(c.counted) {
			return fault.New(fault.RateLimited, "%s", crowded(rt))
		}
		defer s.busy.leave(c.counted)
	}
	if rt.JSON {
		most, types := rt.takes()
		if no := guardBody(r, most, types); no != nil {
			return no
		}
		if run, err = s.readBody(c, rt, most, run); err != nil {
			return err
		}
	} else if r.ContentLength != 0 {
		return Refuse(http.StatusBadRequest, "body", "This address takes no body.")
	}
	return run()
}

// crowded returns the error message for too many concurrent requests.
func crowded(rt *Route) string {
	switch rt.Right {
	case Judged:
		return "This caller asks for too much at once. Wait a moment."
	case Public:
		return "Too much is asked for at once. Wait a moment."
	}
	return "This page asks for too much at once. Wait a moment."
}

// enter authorizes the caller of a route and returns the handler to run.
func (s *Server) enter(c *Call, rt *Route) (run func() error, err error) {
	run = func() error { return rt.Run(c) }
	switch {
	case rt.paged():
		if err := s.authorise(c, rt); err != nil {
			return nil, err
		}
		c.counted = c.Pass.Subject
	case rt.Right == Judged:
		if c.counted, run, err = rt.Judge(c); err != nil {
			return nil, err
		}
	case rt.Right == Public:
		c.counted = rt.Path
		return run, nil
	default:
		return run, nil
	}
	ShowedToken(c.R)
	return run, nil
}

// authorise checks the page token, and that it belongs to this page.
func (s *Server) authorise(c *Call, rt *Route) error {
	p, err := s.Desk.Check(c.Ctx(), Bearer(c.R))
	if err != nil {
		return err
	}
	if (rt.Kind != "" && p.Kind != rt.Kind) || (c.ID != "" && p.Subject != c.ID) {
		_, err := s.Desk.Check(c.Ctx(), "")
		return err
	}
	active := rt.Right == WithActive
	if err := pagetoken.Acting(p); active && err != nil {
		return err
	}
	c.Pass, c.Right = p, s.Desk.Right(Bearer(c.R), active)
	return nil
}

// readBody reads the whole body of a call, then authorizes the call again.
func (s *Server) readBody(c *Call, rt *Route, most int64, run func() error) (func() error, error) {
	b, err := io.ReadAll(http.MaxBytesReader(c.W, c.R.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge(large.Limit)
	case err != nil:
		return nil, Refuse(http.StatusBadRequest, "body", "The request body is incomplete.")
	}
	c.R.Body = io.NopCloser(bytes.NewReader(b))
	switch {
	case rt.paged():
		return run, s.authorise(c, rt)
	case rt.Right == Judged:
		_, run, err = rt.Judge(c)
	}
	return run, err
}

// answered records whether the response has started.
type answered struct {
	http.ResponseWriter
	started bool
}

// WriteHeader passes the status on. An error status also closes the connection: the client may have
// sent further requests that assumed a different response, or hidden one behind a request that two
// programs parse differently.
func (a *answered) WriteHeader(status int) {
	a.started = true
	//mutant:never ./review/web TestRefusalsCloseTheConnection
	if status >= http.StatusBadRequest {
		a.Header().Set("Connection", "close")
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write passes bytes on.
func (a *answered) Write(b []byte) (int, error) {
	a.started = true
	return a.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answered) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// busy counts the running requests of each caller.
type busy struct {
	mu    sync.Mutex
	count map[string]int
}

func newBusy() *busy { return &busy{count: map[string]int{}} }

func (b *busy) enter(subject string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.count[subject] >= maxRequestsSession {
		return false
	}
	b.count[subject]++
	return true
}

// hold takes a place even if the limit is reached. It takes back a place that leave gave up
// temporarily.
func (b *busy) hold(subject string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count[subject]++
}

func (b *busy) leave(subject string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.count[subject]--; b.count[subject] <= 0 {
		delete(b.count, subject)
	}
}
