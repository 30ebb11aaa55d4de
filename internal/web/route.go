package web

import (
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// Right is the authorization that a route requires.
type Right uint8

const (
	// Open routes return no data. Any website may link to them.
	Open Right = iota
	// WithCode routes require a one-time code in the body.
	WithCode
	// Public routes return public data, to this server's pages and to programs other than browsers.
	Public
	// WithToken routes require the token of a page with the same kind and id.
	WithToken
	// WithActive routes require the token of the active tab.
	WithActive
	// Judged routes are authorized by their Judge.
	Judged
	// ByHandler routes are authorized by their handler, which may keep the connection open.
	ByHandler
)

// Handler responds to a call, or returns an error for the server to report.
type Handler func(*Call) error

// Judge authorizes a caller. It returns a name for rate limits, and the handler to run. The
// server calls it again after reading the body, and runs the handler returned last.
type Judge func(*Call) (caller string, run func() error, err error)

// Guest exempts a route from the guards of Host, Origin and query. The handler checks the origin.
type Guest struct {
	// Named reports whether to accept a request for another host. port is the server's.
	Named func(r *http.Request, port string) bool
	// Query checks the query.
	Query func(r *http.Request) error
}

// Route is one entry of the route table.
type Route struct {
	Method string
	Path   string // {id} matches one valid name
	Right  Right
	Kind   pagetoken.Kind // kind of the token; "" for any
	JSON   bool           // expects a JSON body
	Run    Handler

	Judge   Judge    // replaces Run if Right is Judged
	Guest   *Guest   // optional
	MaxBody int64    // in bytes, 0 for 64 KiB
	Types   []string // media types of the body; nil means application/json
}

// Get returns a GET route.
func Get(path string, right Right, kind pagetoken.Kind, run Handler) Route {
	return Route{Method: http.MethodGet, Path: path, Right: right, Kind: kind, Run: run}
}

// Post returns a POST route with a JSON body.
func Post(path string, right Right, kind pagetoken.Kind, run Handler) Route {
	return Route{Method: http.MethodPost, Path: path, Right: right, Kind: kind, JSON: true, Run: run}
}

// paged reports whether the route requires a page token.
func (rt *Route) paged() bool { return rt.Right == WithToken || rt.Right == WithActive }

// takes returns the size limit and the media types of a route's body.
func (rt *Route) takes() (most int64, types []string) {
	most, types = rt.MaxBody, rt.Types
	if most == 0 {
		most = maxBody
	}
	if len(types) == 0 {
		types = []string{"application/json"}
	}
	return most, types
}

// match returns the {id} of a path that matches the route.
func (rt *Route) match(path string) (id string, ok bool) {
	pattern, target := strings.Split(rt.Path, "/"), strings.Split(path, "/")
	if len(pattern) != len(target) {
		return "", false
	}
	for i, part := range pattern {
		switch {
		case part == "{id}" && validName(target[i]):
			id = target[i]
		case part != target[i]:
			return "", false
		}
	}
	return id, true
}

// validName reports whether s can be a session id or the name of an asset. It has no characters
// with a special meaning in paths, logs or pages.
func validName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return s != "" && len(s) <= len("0x")+64 && strings.Trim(s, letters) == ""
}

// Routes returns the route table.
func (s *Server) Routes() []Route { return s.routes }

// find returns the route of a request. If only the method is wrong, it returns the allowed methods.
// If no path matches, both results are nil.
func (s *Server) find(method, path string) (rt *Route, id string, allowed []string) {
	for i := range s.routes {
		got, ok := s.routes[i].match(path)
		if !ok {
			continue
		}
		// A HEAD request for a page is allowed to everyone who may open it.
		look := method == http.MethodHead && s.routes[i].Right == Open
		if s.routes[i].Method == method || look {
			return &s.routes[i], got, nil
		}
		allowed = append(allowed, s.routes[i].Method)
		if s.routes[i].Right == Open {
			allowed = append(allowed, http.MethodHead)
		}
	}
	return nil, "", allowed
}

// guest returns the Guest of a path, or nil.
func (s *Server) guest(path string) *Guest {
	for i := range s.routes {
		if g := s.routes[i].Guest; g != nil && s.routes[i].Path == path {
			return g
		}
	}
	return nil
}
