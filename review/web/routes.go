package web

import (
	"net/http"
	"strings"

	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// right says what a caller must show before a handler runs.
type right uint8

const (
	// open routes hold no data; they may be opened from anywhere.
	open right = iota
	// withCode routes need a one-time code in their body.
	withCode
	// publicly routes tell public facts to our own pages, or to callers that are no
	// browser: no other website, no navigation.
	publicly
	// withToken routes need the token of a page of the same kind and id.
	withToken
	// withActive routes need such a token, and the page must be the active one.
	withActive
	// withDoor routes need the token of a page of the kind, or an access token of the
	// person's; what is posted by a page needs the active one.
	withDoor
	// withBackend and withFrontend routes need an access token of that scope.
	withBackend
	withFrontend
	// withSocket is for the one route whose callers, editors and backends, are judged by
	// their token and the origin that it is for.
	withSocket
	// withContinue is for the one step a read-only page may take.
	withContinue = withToken
)

// door reports whether a route is entered as a door of the bus is.
func (r right) door() bool { return r == withDoor || r == withBackend || r == withFrontend }

// scope is what an access token must open for a route that is a door.
func (r right) scope() pagetoken.Scope {
	switch r {
	case withBackend:
		return pagetoken.AgentBackend
	case withFrontend:
		return pagetoken.AgentFrontend
	}
	return pagetoken.UIEvents
}

// route is one line of the table of everything this server answers.
type route struct {
	method string
	path   string         // {id} stands for one session id
	right  right          // what the caller must show
	kind   pagetoken.Kind // whose pages; empty: any
	json   bool           // takes a JSON body
	run    func(*Server, *call) error
}

// routes is the whole surface. Every row is walked by a test, so a route
// cannot be added without a decision about who may call it.
func routes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/", open, "", false, (*Server).homeShell},
		{get, "/connect/{id}", open, "", false, (*Server).connectShell},
		{get, "/review/{id}", open, "", false, (*Server).reviewShell},
		{get, "/account/{id}", open, "", false, (*Server).accountShell},
		{get, "/receipt/{id}", open, "", false, (*Server).receiptShell},
		{get, "/favicon.ico", open, "", false, (*Server).favicon},
		{get, "/assets/{id}", open, "", false, (*Server).asset},

		{post, "/api/exchange", withCode, "", true, (*Server).exchange},
		{post, "/api/receipt", publicly, "", true, (*Server).receiptAsk},
		{get, "/api/stream", withToken, "", false, (*Server).stream},

		{get, "/api/home/view", withToken, pagetoken.Home, false, (*Server).homeView},
		{get, "/api/home/state", withToken, pagetoken.Home, false, (*Server).pageState},
		{post, "/api/home/open", withActive, pagetoken.Home, true, (*Server).homeOpen},
		{post, "/api/home/account", withActive, pagetoken.Home, true, (*Server).homeAccount},
		{post, "/api/home/receipts", withToken, pagetoken.Home, true, (*Server).homeReceipts},
		{post, "/api/home/console", withActive, pagetoken.Home, true, (*Server).homeConsole},
		{post, "/api/home/connect", withActive, pagetoken.Home, true, (*Server).homeConnect},
		{post, "/api/home/use", withActive, pagetoken.Home, true, (*Server).homeUse},
		{post, "/api/home/continue", withContinue, pagetoken.Home, true, (*Server).tabContinue},

		{get, "/api/account/{id}/view", withToken, pagetoken.Account, false, (*Server).accountView},
		{get, "/api/account/{id}/state", withToken, pagetoken.Account, false, (*Server).pageState},
		{post, "/api/account/{id}/holdings", withToken, pagetoken.Account, true, (*Server).accountHoldings},
		{post, "/api/account/{id}/managers", withToken, pagetoken.Account, true, (*Server).accountManagers},
		{post, "/api/account/{id}/permissions", withToken, pagetoken.Account, true, (*Server).accountPermissions},
		{post, "/api/account/{id}/inside", withToken, pagetoken.Account, true, (*Server).accountInside},
		{post, "/api/account/{id}/changes", withToken, pagetoken.Account, true, (*Server).accountChanges},
		{post, "/api/account/{id}/open", withActive, pagetoken.Account, true, (*Server).accountOpen},
		{post, "/api/account/{id}/continue", withContinue, pagetoken.Account, true, (*Server).tabContinue},

		{get, "/api/wallet/{id}/view", withToken, pagetoken.Connect, false, (*Server).walletView},
		{get, "/api/wallet/{id}/state", withToken, pagetoken.Connect, false, (*Server).walletState},
		{post, "/api/wallet/{id}/state", withActive, pagetoken.Connect, true, (*Server).walletReport},
		{post, "/api/wallet/{id}/use", withActive, pagetoken.Connect, true, (*Server).walletUse},
		{post, "/api/wallet/{id}/forget", withActive, pagetoken.Connect, true, (*Server).walletForget},
		{post, "/api/wallet/{id}/challenge", withActive, pagetoken.Connect, true, (*Server).walletChallenge},
		{post, "/api/wallet/{id}/account", withActive, pagetoken.Connect, true, (*Server).walletAccount},
		{post, "/api/wallet/{id}/continue", withContinue, pagetoken.Connect, true, (*Server).walletContinue},

		{get, "/api/review/{id}/view", withToken, pagetoken.Review, false, (*Server).reviewView},
		{get, "/api/review/{id}/state", withToken, pagetoken.Review, false, (*Server).reviewState},
		{post, "/api/review/{id}/proof", withToken, pagetoken.Review, true, (*Server).reviewProof},
		{get, "/api/review/{id}/picture", withToken, pagetoken.Review, false, (*Server).reviewPicture},
		{post, "/api/review/{id}/compute", withActive, pagetoken.Review, true, (*Server).reviewCompute},
		{post, "/api/review/{id}/continue", withContinue, pagetoken.Review, true, (*Server).reviewContinue},
		{post, "/api/review/{id}/handoff", withActive, pagetoken.Review, true, (*Server).reviewHandoff},
		{post, "/api/review/{id}/signed", withToken, pagetoken.Review, true, (*Server).reviewSigned},
		{post, "/api/review/{id}/submit", withActive, pagetoken.Review, true, (*Server).reviewSubmit},
		{post, "/api/review/{id}/outcome", withActive, pagetoken.Review, true, (*Server).reviewOutcome},
	}
}

// sandboxRoute is mounted on the sandbox network alone: the test wallet's key
// stays in the sandbox, and only review and connect pages and the book may ask it to sign.
var sandboxRoute = route{http.MethodPost, "/sandbox/wallet/sign", withActive, "", true, (*Server).sandboxSign}

// match returns the {id} of a path that fits the route's.
func (rt route) match(path string) (id string, ok bool) {
	pattern, target := strings.Split(rt.path, "/"), strings.Split(path, "/")
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

// validName accepts session ids and asset names: nothing that a path, a log or
// a page could read as more than a name.
func validName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	return s != "" && len(s) <= len("0x")+64 && strings.Trim(s, letters) == ""
}

// find returns the route of a request. When only the method is wrong it gives
// the methods that are right; when nothing fits, neither.
func (s *Server) find(method, path string) (rt *route, id string, allowed []string) {
	for i := range s.routes {
		got, ok := s.routes[i].match(path)
		if !ok {
			continue
		}
		// Who may open a page may also ask whether it is there.
		look := method == http.MethodHead && s.routes[i].right == open
		if s.routes[i].method == method || look {
			return &s.routes[i], got, nil
		}
		allowed = append(allowed, s.routes[i].method)
		if s.routes[i].right == open {
			allowed = append(allowed, http.MethodHead)
		}
	}
	return nil, "", allowed
}
