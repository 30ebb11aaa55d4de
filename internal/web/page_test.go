package web

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
)

// toy returns a server with pages made only for tests.
func toy(pages ...Page) (*Server, error) {
	s, err := New(Config{Network: "sui:toy", WalletChain: "sui:toy", Desk: &pagetoken.Desk{}, Accounts: &account.Service{},
		Hub:     &events.Hub{},
		Frozen:  func(context.Context) (bool, error) { return false, nil },
		Journal: func(context.Context, events.Kind, string) (int64, error) { return 0, nil }, Now: time.Now}, pages...)
	if err == nil {
		s.host = "127.0.0.1:1"
	}
	return s, err
}

func folder(names ...string) fs.FS {
	files := fstest.MapFS{}
	for _, name := range names {
		files[name] = &fstest.MapFile{Data: []byte("// a comment\nimport { main } from './page.js';\n")}
	}
	return files
}

func get(s *Server, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host, r.URL.Host = s.host, ""
	s.ServeHTTP(w, r)
	return w
}

// A page has its shell, its files, and the routes that every page has.
func TestPage(t *testing.T) {
	s, err := toy(Page{Kind: "toy", Name: "toy", Title: "A toy", Path: "/toy/{id}", API: "/api/toy/{id}",
		Files:  folder("toy.js"),
		Styles: []string{"picture.css"}, View: func(*Call) error { return errors.New("never") }, Live: &Live{},
		Routes: []Route{Post("/api/toy/{id}/spin", WithActive, "toy", nil)}})
	if err != nil {
		t.Fatal(err)
	}
	var table []string
	for _, rt := range s.Routes() {
		if strings.Contains(rt.Path, "toy") {
			table = append(table, rt.Method+" "+rt.Path)
		}
	}
	const want = "GET /toy/{id}, GET /api/toy/{id}/view, GET /api/toy/{id}/state, POST /api/toy/{id}/continue, POST /api/toy/{id}/spin"
	if got := strings.Join(table, ", "); got != want {
		t.Errorf("routes %s, want %s", got, want)
	}
	shell := get(s, "/toy/1").Body.String()
	for _, part := range []string{"<title>A toy", `<body class="toy"`, "/assets/toy.js", "/assets/picture.css",
		`modulepreload" href="/assets/page.js"`, `id="account"`} {
		if !strings.Contains(shell, part) {
			t.Errorf("the shell lacks %s:\n%s", part, shell)
		}
	}
	if script := get(s, "/assets/toy.js").Body.String(); script != "\nimport { main } from './page.js';\n" {
		t.Errorf("the script is %q", script)
	}
	for _, path := range []string{"/api/toy/1/view", "/api/toy/1/state"} {
		if w := get(s, path); w.Code == http.StatusOK {
			t.Errorf("%s answers without a token", path)
		}
	}
}

// New rejects two pages that have a route or a file in common.
func TestPagesThatMeet(t *testing.T) {
	one := Page{Name: "one", Path: "/one", Files: folder("one.js")}
	for name, other := range map[string]Page{
		"a route":                   {Name: "other", Path: "/one"},
		"a route of its own":        {Routes: []Route{Get("/one", Open, "", nil)}},
		"a file":                    {Files: folder("one.js")},
		"a file that is all pages'": {Files: folder("page.js")},
	} {
		if _, err := toy(one, other); err == nil {
			t.Errorf("%s: it starts", name)
		}
	}
	if _, err := toy(one); err != nil {
		t.Error(err)
	}
}
