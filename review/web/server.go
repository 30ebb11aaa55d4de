// Package web serves the loopback pages: where the person connects a wallet,
// reads exactly what would be signed, and sees what happened on chain.
//
// It renders what package review and package account say and passes on what
// the person does. It decides nothing about a review, holds no key, never
// signs, and answers no one but its own pages.
package web

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/backup"
	names "github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/calls"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/internal/wschat"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/review/history"
	"github.com/sayurintent/sayurintent/review/record"
)

// Config is what a server needs. Every field but Sandbox,
// Journal, Bundles, Bus, ProofFile, Workspace, Restart, ManualTest, Actions, Requests, Keys, Waiting, Past, RequestNumber, Booked, OnChain, Receipts, Pictures, Changes, Settings, Names,
// HomeCommand, HomeNote and Log is required.
type Config struct {
	// Network is shown on every page, for example sui:mainnet.
	Network string
	// WalletChain is the only Wallet Standard chain that pages accept.
	WalletChain string
	// Sandbox, when set, is mounted at /sandbox/wallet/sign behind guard and
	// page token; pages then carry the sandbox banner and the test wallet.
	Sandbox http.Handler

	Desk     *pagetoken.Desk
	Accounts *account.Service
	Reviews  *review.Service
	Hub      *events.Hub
	// Journal gives the sequence number of the latest journal row of a subject,
	// 0 when it has none: the id of a stream's events.
	Journal func(ctx context.Context, kind events.Kind, subject string) (int64, error)
	// Bus is the log of events; without it nobody can follow it here.
	Bus Bus
	// Calls are the tool calls that a conversation's pages show; nil: none.
	Calls *calls.Recent
	// ProofFile makes the file of a proved result; without it none can be saved.
	ProofFile ProofFile
	// Workspace runs what peers of the socket ask of the projects of this computer; without
	// it there is no socket.
	Workspace Workspace
	// Restart ends the server and starts it again, after the answers that are being written;
	// nil: it cannot.
	Restart func()
	// ManualTest opens the window for the manual test of the socket at the start, for these
	// projects.
	ManualTest []string
	// Actions carries out what programs of the person's ask for; without it none can.
	Actions *actions.Executor
	// Requests answers what pages ask by the bus; without it every kind is unknown.
	Requests Requests
	// Keys judges the access tokens of programs of the person's; without it there are
	// none.
	Keys *pagetoken.Keys
	// PaidNames are the names of SuiNS that were paid; without it the book shows none.
	PaidNames PaidNames
	// Bundles approves and follows bundles of transactions; without it there is no page of
	// one, and no review is a step.
	Bundles *request.Service
	// Remotes keeps the machines elsewhere that a person admits; without it there are none.
	Remotes Remotes
	// Sharing says how the sharing that the settings hold stands in this process; without
	// it the page offers none.
	Sharing func() Shared
	// Folders keeps the source projects that a person registers, and Edits changes their
	// files; without both there are none.
	Folders Folders
	Edits   Edits
	// Locate finds the source of a function of a published package in the registered
	// projects; without it no page names one.
	Locate func(ctx context.Context, pkg, module, function string) (workspace.Place, bool)
	// Waiting lists the reviews that are not over, latest changed first, for the home
	// page; without it that page lists nothing.
	Waiting func(ctx context.Context, now time.Time, limit int) ([]record.Waiting, error)
	// Past lists at most most reviews of a scope, latest first, and says how many
	// there are; without it the account page lists none.
	Past func(ctx context.Context, s history.Scope, most int) ([]history.Activity, int, error)
	// RequestNumber counts the requests for an account in the ten minutes before one that
	// was made at a time, that one included; without it no page says which one it is.
	RequestNumber func(ctx context.Context, account sui.Address, at time.Time) (int, error)
	// Booked lists what the chain executed in a period; without it the home page offers
	// no table of receipts.
	Booked Booked
	// OnChain reads what an account has; without it the account page says that
	// there is no node to ask.
	OnChain OnChain
	// Receipts tells of any transaction; without it the receipt page says that there
	// is nobody to ask.
	Receipts Receipts
	// Pictures is asked for what is drawn of a market; without it nothing is.
	Pictures Pictures
	// Changes gives what is stored of changes of an account's coins, as CSV with a
	// first line of names; more says that there are further ones. Without it the
	// account page offers no such table.
	Changes func(ctx context.Context, owner sui.Address) (text []byte, more bool, err error)
	// Settings is what the person sets on this machine; without it there is no
	// settings page.
	Settings *settings.Service
	// Backup exports, imports and resets what is stored, from the settings page; it
	// is there where Settings is.
	Backup *backup.Service
	// Names is the address book; without it no address has a name, and there is no page
	// of the book.
	Names *names.Service
	// HomeCommand is what a person types to get a link to the home page, and HomeNote
	// what else that takes; "" where no command reaches these pages.
	HomeCommand, HomeNote string

	Now func() time.Time
	Log *slog.Logger
}

// Server serves the pages of one process.
type Server struct {
	Config
	host    string // 127.0.0.1:port, the only Host that is answered
	origin  string
	routes  []route
	assets  map[string]string                  // Content-Type of the files that a page may load
	pages   func() (*template.Template, error) // parsed for the first page
	streams *streams
	// doorStreams are those of the bus.
	doorStreams *streams
	paces       *paces
	busy        *busy
	// pictured keeps what was drawn last.
	pictured pictured
	// paceReceipts bounds what the receipt page asks the node.
	paceReceipts pace
	done         chan struct{} // closed by the first Shutdown; ends streams
	ending       sync.Once
	sockets      wschat.Hub
	manual       manual
	timing       wschat.Timing

	heartbeat time.Duration
	hold      time.Duration // how long a frontend waits for work

	mu   sync.Mutex
	http *http.Server
}

// New checks the configuration and reads the embedded assets.
func New(c Config) (*Server, error) {
	if c.Desk == nil || c.Accounts == nil || c.Reviews == nil || c.Hub == nil || c.Now == nil ||
		c.Network == "" || c.WalletChain == "" {
		return nil, errors.New("web: the configuration lacks a service, the clock or the network")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Journal == nil {
		c.Journal = func(context.Context, events.Kind, string) (int64, error) { return 0, nil }
	}
	if c.Waiting == nil {
		c.Waiting = func(context.Context, time.Time, int) ([]record.Waiting, error) { return nil, nil }
	}
	if c.Past == nil {
		c.Past = func(context.Context, history.Scope, int) ([]history.Activity, int, error) { return nil, 0, nil }
	}
	if c.OnChain == nil {
		c.OnChain = offline{}
	}
	assets, err := listAssets()
	if err != nil {
		return nil, err
	}
	s := &Server{Config: c, routes: routes(), assets: assets, pages: sync.OnceValues(parsePages),
		streams: newStreams(maxStreams), doorStreams: newStreams(mostDoorStreams), paces: newPaces(), busy: newBusy(), done: make(chan struct{}),
		heartbeat: streamHeartbeat, hold: agentHold, timing: wschat.Usual()}
	s.manual.begin(c.ManualTest, c.Now())
	if c.Bus != nil {
		s.routes = append(s.routes, doorRoutes()...)
		s.routes = append(s.routes, consoleRoutes()...)
	}
	if c.Bus != nil && c.Bundles != nil {
		s.routes = append(s.routes, bundleRoutes()...)
	}
	if c.Names != nil {
		s.routes = append(s.routes, bookRoutes()...)
	}
	if c.Bus != nil && c.Keys != nil && c.Actions != nil {
		s.routes = append(s.routes, agentRoutes()...)
	}
	if c.Workspace != nil && c.Keys != nil {
		s.routes = append(s.routes, socketRoutes()...)
		if c.Settings != nil {
			s.routes = append(s.routes, socketSettingsRoutes()...)
		}
	}
	if c.Settings != nil && c.Keys != nil {
		s.routes = append(s.routes, keyRoutes()...)
		if s.Remotes != nil {
			s.routes = append(s.routes, remoteRoutes()...)
		}
	}
	if c.Settings != nil {
		s.routes = append(s.routes, settingsRoutes()...)
	}
	if c.Settings != nil && c.Bus != nil && c.Folders != nil && c.Edits != nil {
		s.routes = append(s.routes, projectRoutes()...)
	}
	if c.Sandbox != nil {
		s.routes = append(s.routes, sandboxRoute)
	}
	return s, nil
}

// Serve answers requests on ln until Shutdown. ln must listen on 127.0.0.1: the
// address is the origin, and nothing but loopback is ever served.
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
		// "OPTIONS *" meets the guard like everything else.
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

// Shutdown ends all streams, lets running answers finish for at most two
// seconds or until ctx ends, and closes everything. It may be called again.
func (s *Server) Shutdown(ctx context.Context) error {
	s.ending.Do(func() {
		close(s.done)
		s.sockets.Close()
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

// Connected returns the number of pages that hold a stream right now. A page that nobody
// looks at, or that finds no place for one, asks now and then instead.
func (s *Server) Connected() int { return s.streams.count() + s.doorStreams.count() }

// call is one admitted request on its way to a handler. Where the route needs a
// token, right judges it once more, and is for the transaction of what the call
// changes.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	id    string
	pass  pagetoken.Pass
	right func(context.Context) error
	door  door // of a caller of the bus
}

func (c *call) ctx() context.Context { return c.r.Context() }

// ServeHTTP judges a request and runs its handler. No panic and no error
// leaves it without an answer.
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

// answer is the order of judgement: guards, route, site, token, body, token again,
// handler. A body may take as long as a page's right needs to end, so the right
// counts that is there when the whole body is.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) error {
	for _, judge := range s.guards() {
		if no := judge(r); no != nil {
			return no
		}
	}
	rt, id, allowed := s.find(r.Method, r.URL.Path)
	if no := guardSite(r, rt == nil && len(allowed) == 0 || rt != nil && rt.right == open); no != nil {
		return no
	}
	if rt == nil && len(allowed) > 0 {
		for _, method := range allowed {
			w.Header().Add("Allow", method)
		}
		return refuse(http.StatusMethodNotAllowed, "method", "This address does not take %s.", shown(r.Method, 16))
	}
	if rt == nil {
		return refuse(http.StatusNotFound, "unknown_address", "There is nothing at this address.")
	}
	c := &call{w: w, r: r, id: id}
	if rt.right == withToken || rt.right == withActive {
		if err := s.authorise(c, rt); err != nil {
			return err
		}
		showedToken(r)
		if !s.busy.enter(c.pass.Subject) {
			return fault.New(fault.RateLimited, "This page asks for too much at once. Wait a moment.")
		}
		defer s.busy.leave(c.pass.Subject)
	}
	if rt.right.door() {
		if err := s.enterDoor(c, rt); err != nil {
			return err
		}
		showedToken(r)
		if !s.busy.enter(c.door.caller) {
			return fault.New(fault.RateLimited, "This caller asks for too much at once. Wait a moment.")
		}
		defer s.busy.leave(c.door.caller)
	}
	if rt.right == publicly {
		if !s.busy.enter(rt.path) {
			return fault.New(fault.RateLimited, "Too much is asked for at once. Wait a moment.")
		}
		defer s.busy.leave(rt.path)
	}
	if rt.json {
		most, types := rt.takes()
		if no := guardBody(r, most, types); no != nil {
			return no
		}
		if err := s.readBody(c, rt, most); err != nil {
			return err
		}
	} else if r.ContentLength != 0 {
		return refuse(http.StatusBadRequest, "body", "This address takes no body.")
	}
	return rt.run(s, c)
}

// authorise checks the page token and that it belongs to this page.
func (s *Server) authorise(c *call, rt *route) error {
	p, err := s.Desk.Check(c.ctx(), bearer(c.r))
	if err != nil {
		return err
	}
	if (rt.kind != "" && p.Kind != rt.kind) || (c.id != "" && p.Subject != c.id) {
		_, err := s.Desk.Check(c.ctx(), "")
		return err
	}
	active := rt.right == withActive
	if err := pagetoken.Acting(p); active && err != nil {
		return err
	}
	c.pass, c.right = p, s.Desk.Right(bearer(c.r), active)
	return nil
}

// readBody reads the whole body of a call before its handler runs, then judges the
// right to the route once more.
func (s *Server) readBody(c *call, rt *route, most int64) error {
	b, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, most))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge(large.Limit)
	case err != nil:
		return refuse(http.StatusBadRequest, "body", "The body did not arrive in full.")
	}
	c.r.Body = io.NopCloser(bytes.NewReader(b))
	if rt.right == withToken || rt.right == withActive {
		return s.authorise(c, rt)
	}
	if rt.right.door() {
		return s.enterDoor(c, rt)
	}
	return nil
}

// answered remembers whether an answer has begun.
type answered struct {
	http.ResponseWriter
	started bool
}

// WriteHeader passes the status on. A refusal ends the connection: what follows on
// it was sent by somebody who counted on another answer, or hid it behind a request
// that two programs read differently.
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

// busy counts the running requests of each session.
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

// hold takes a place whatever the limit: it gives back one that leave lent away.
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
