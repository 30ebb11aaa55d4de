package web

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// refusal is an error with an HTTP status, returned by a guard or a handler.
type refusal struct {
	status int
	fault  *fault.Error
}

// Refuse returns an error with an HTTP status. reason is for programs, the text for people.
func Refuse(status int, reason, format string, args ...any) error {
	return &refusal{status, fault.New(fault.InputInvalid, format, args...).With("reason", reason)}
}

// RefuseAs returns f with a different HTTP status.
func RefuseAs(status int, f *fault.Error) error { return &refusal{status, f} }

// guards are the checks of every request, in order, before routing. The host is checked first,
// because a page on a rebound host name passes all other checks.
func (s *Server) guards() []func(*http.Request) error {
	return []func(*http.Request) error{guardHead, s.guardHost, guardForm, s.guardQuery, s.guardOrigin}
}

// guardHost accepts exactly one host, in one spelling. It rejects "localhost", other ports and
// other notations of the address, because browsers treat them as other origins. A rebound name
// differs only in Host.
func (s *Server) guardHost(r *http.Request) error {
	_, port, _ := strings.Cut(s.host, ":")
	g := s.guest(r.URL.Path)
	//mutant:never ./review/web TestHost
	if (r.Host != s.host && (g == nil || !g.Named(r, port))) || r.URL.Host != "" {
		return Refuse(http.StatusMisdirectedRequest, "wrong_host", "This server answers only to http://%s.", s.host)
	}
	return nil
}

// guardForm rejects request lines that two programs could parse differently.
func guardForm(r *http.Request) error {
	const text = "The address is not written the way this server writes it."
	target, _, _ := strings.Cut(r.RequestURI, "?")
	switch {
	case !r.ProtoAtLeast(1, 1), r.Method == http.MethodConnect,
		!strings.HasPrefix(target, "/"), len(target) > maxPath, strings.ContainsAny(target, "%\\#"):
		return Refuse(http.StatusBadRequest, "request_form", text)
	case len(r.TransferEncoding) > 0, r.Header.Get("Transfer-Encoding") != "", len(r.Trailer) > 0:
		return Refuse(http.StatusBadRequest, "transfer_encoding", "Send the body in one piece with its length.")
	case strings.EqualFold(r.Header.Get("Service-Worker"), "script"):
		return Refuse(http.StatusNotFound, "service_worker", "There are no service workers here.")
	}
	for i, part := range strings.Split(target, "/") {
		if part == "." || part == ".." || (part == "" && i > 0 && target != "/") {
			return Refuse(http.StatusBadRequest, "request_form", text)
		}
	}
	return nil
}

// guardQuery rejects queries, because a token in a query would end up in histories and logs. Guests
// check their own queries.
func (s *Server) guardQuery(r *http.Request) error {
	if g := s.guest(r.URL.Path); g != nil {
		return g.Query(r)
	}
	//mutant:never ./review/web TestEveryRoute
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		return Refuse(http.StatusBadRequest, "query",
			"No address of this server takes a query; a token or code never travels in one.")
	}
	return nil
}

// guardOrigin accepts a request without an Origin header, or with this server's origin. For a
// guest, the token determines the allowed origin, so its handler checks it.
func (s *Server) guardOrigin(r *http.Request) error {
	if s.guest(r.URL.Path) != nil && r.Method == http.MethodGet {
		return nil
	}
	origins := r.Header.Values("Origin")
	//mutant:never ./review/web TestGuardTable
	if len(origins) > 1 || (len(origins) == 1 && origins[0] != s.origin) {
		return Refuse(http.StatusForbidden, "foreign_origin", "Only pages of %s may ask this.", s.origin)
	}
	return nil
}

// guardSite checks the Sec-Fetch-Site header. Open routes contain no data and may be opened from
// any site. All others may be called only from this server's pages. A caller without the header is
// not a browser, and is checked by host and token.
func guardSite(r *http.Request, open, guest bool) error {
	sites := r.Header.Values("Sec-Fetch-Site")
	if len(sites) == 0 || (len(sites) == 1 && sites[0] == "same-origin") {
		return nil
	}
	if guest && r.Method == http.MethodGet && len(r.Header.Values("Origin")) > 0 {
		return nil // the handler checks the origin
	}
	navigation := r.Header.Get("Sec-Fetch-Mode") == "navigate"
	if dest := r.Header.Get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		navigation = false
	}
	known := len(sites) == 1 && (sites[0] == "none" || sites[0] == "cross-site" || sites[0] == "same-site")
	//mutant:always ./review/web TestGuardTable
	if open && known && (navigation || sites[0] == "none") {
		return nil
	}
	return Refuse(http.StatusForbidden, "foreign_site", "Only pages of this server may ask this.")
}

// guardBody accepts only the content types of a route, which is JSON for almost all routes. It
// rejects transfer encodings and bodies that are too large.
func guardBody(r *http.Request, most int64, accepted []string) error {
	no := Refuse(http.StatusUnsupportedMediaType, "content_type", "Send %s.", strings.Join(accepted, " or "))
	types := r.Header.Values("Content-Type")
	//mutant:never ./review/web TestGuardTable
	if len(types) != 1 || r.Header.Get("Content-Encoding") != "" {
		return no
	}
	kind, parameters, err := mime.ParseMediaType(types[0])
	charset := strings.ToLower(parameters["charset"])
	if err != nil || !slices.Contains(accepted, kind) || len(parameters) > 1 || (charset != "" && charset != "utf-8") ||
		(charset == "" && len(parameters) == 1) {
		return no
	}
	if r.ContentLength > most {
		return tooLarge(most)
	}
	return nil
}

func tooLarge(most int64) error {
	text := fmt.Sprintf("The body is larger than %d bytes.", most)
	if most > maxBody {
		text = fmt.Sprintf("This file is larger than %d MiB and was not read. Nothing was changed.", most>>20)
	}
	return &refusal{http.StatusRequestEntityTooLarge, fault.New(fault.TooLarge, "%s", text)}
}

// MaxToken is the maximum length of a token in bytes.
const MaxToken = 128

// Bearer returns the bearer token of a request, or "" unless there is exactly one.
func Bearer(r *http.Request) string {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return ""
	}
	token, ok := strings.CutPrefix(values[0], "Bearer ")
	if !ok || len(token) > MaxToken {
		return ""
	}
	return token
}
