package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/sayurintent/sayurintent/internal/fault"
)

// Error returns the text of the fault.
func (n *refusal) Error() string { return n.fault.Error() }

// fail responds with err: as an error page if a browser navigates to the address, and as JSON
// otherwise. The cause is logged, and never sent to the client.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f, status := fault.As(err), 0
	var no *refusal
	if errors.As(err, &no) {
		f, status = no.fault, no.status
	} else {
		status = fault.Lookup(f.Code).Status
	}
	if status >= http.StatusInternalServerError {
		s.Log.Warn("a page's request failed", "path", r.URL.Path, "kind", string(f.Code), "cause", f.Err)
	}
	navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate" ||
		(r.Header.Get("Sec-Fetch-Mode") == "" && strings.Contains(r.Header.Get("Accept"), "text/html"))
	if navigates {
		s.failPage(w, r, status, f.Text)
		return
	}
	type body struct {
		Kind    fault.Code   `json:"kind"`
		Message string       `json:"message"`
		Details fault.Detail `json:"details,omitempty"`
	}
	writeJSON(w, status, struct {
		Error body `json:"error"`
	}{body{f.Code, f.Text, f.Detail}})
}

// writeJSON responds with one JSON document. v is one of this package's response types, which
// always marshal.
func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError,
			[]byte(`{"error":{"kind":"internal_error","message":"An answer could not be written."}}`)
	}
	write(w, status, "application/json", b)
}

func write(w http.ResponseWriter, status int, kind string, b []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	// A write fails if the client has disconnected, which is not an error of the server.
	_, _ = w.Write(b)
}
