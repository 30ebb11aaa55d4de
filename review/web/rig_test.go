package web_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pages"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/internal/web/editor"
	"github.com/sayurintent/sayurintent/internal/workspace"
	"github.com/sayurintent/sayurintent/review"
	"github.com/sayurintent/sayurintent/store"
)

// rig is a page server over a real store and real services. It has no node: tests store sessions in
// the state that they need.
type rig struct {
	t        *testing.T
	db       *store.DB
	hub      *events.Hub
	desk     *pagetoken.Desk
	accounts *account.Service
	reviews  *review.Service
	server   *web.Server
	editor   *editor.Editor
	dir      string // directory of the store
	origin   string
	host     string
}

// newRig serves pages on a separate port. change may edit the configuration.
func newRig(t *testing.T, change func(*config)) *rig {
	t.Helper()
	return newRigOver(t, store.Config{Dir: double.Dir(t), Now: time.Now}, change)
}

// newRigOver is newRig with a configuration of the store.
func newRigOver(t *testing.T, over store.Config, change func(*config)) *rig {
	t.Helper()
	r := &rig{t: t, hub: &events.Hub{}, dir: over.Dir}
	over.Hub = r.hub
	var err error
	r.db, err = store.Open(t.Context(), over)
	if err != nil {
		t.Fatal(err)
	}
	r.desk = pagetoken.NewDesk(r.db, time.Now, rand.Reader)
	r.accounts = account.New(account.Config{Store: r.db, Hub: r.hub, Now: time.Now, Chain: "sui:localnet"})
	r.reviews = review.New(review.Config{Store: r.db, Hub: r.hub, Now: time.Now, Network: "sui:sandbox", Active: r.active,
		Compare: asStored})
	r.serve(change)
	t.Cleanup(func() {
		r.reviews.Close()
		if err := r.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) active(ctx context.Context) (record.Account, bool, error) {
	a, ok, err := r.accounts.Active(ctx)
	return record.Account{Address: a.Account, WalletName: a.WalletName, WalletID: a.WalletID}, ok, err
}

// serve starts the page server over r's services.
func (r *rig) serve(change func(*config)) {
	r.t.Helper()
	edits := workspace.NewLocal(workspace.Config{Registry: r.db, Changes: r.db, Now: time.Now})
	c := config{
		Config: web.Config{Network: "sui:sandbox", WalletChain: "sui:localnet", Desk: r.desk, Accounts: r.accounts,
			Hub:     r.hub,
			Journal: r.db.JournalHead, Now: time.Now, HomeCommand: "say-ur-intent pages --network sandbox",
			HomeNote: "Mind the place."},
		DB: r.db, Reviews: r.reviews, Actions: executorOver(r.db, r.accounts), Keys: pagetoken.NewKeys(r.db, time.Now,
			rand.Reader),
		Bundles: bundlesOver(r), Edits: edits, Protocol: workspace.Protocol{Executor: edits, Registry: r.db},
		Sources:  pages.Sources{Booked: r.db.Receipts},
		Settings: r.settings(), Backup: r.backup(), Names: book.NewService(r.db, time.Now),
	}
	if change != nil {
		change(&c)
	}
	var err error
	if r.server, r.editor, err = assemble(c); err != nil {
		r.t.Fatal(err)
	}
	at := r.host
	if at == "" {
		at = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp4", at)
	if err != nil {
		r.t.Fatal(err)
	}
	r.host = ln.Addr().String()
	r.origin = "http://" + r.host
	ended := make(chan error, 1)
	go func() { ended <- r.server.Serve(ln) }()
	server := r.server
	// Wait for the first response, because shutting down a server before it serves is an error.
	resp, err := http.Get(r.origin + "/assets/mark.svg")
	if err != nil {
		r.t.Fatal(err)
	}
	resp.Body.Close()
	r.t.Cleanup(func() {
		server.Shutdown(context.Background())
		if err := <-ended; err != nil {
			r.t.Error("Serve:", err)
		}
	})
}

// link returns a new link to a page, as an AI client gets it.
func (r *rig) link(kind pagetoken.Kind, id string) string {
	r.t.Helper()
	link := func(ctx context.Context, kind pagetoken.Kind, id string) (pagetoken.Code, error) {
		return r.desk.Link(ctx, kind, id, 0)
	}
	if kind == pagetoken.Home { // AI clients do not get these links
		link = r.desk.OwnLink
	}
	code, err := link(r.t.Context(), kind, id)
	if err != nil {
		r.t.Fatal(err)
	}
	path := string(kind) + "/" + id
	switch kind {
	case pagetoken.Home:
		path = ""
	case pagetoken.Book, pagetoken.Reviews:
		path = string(kind)
	}
	return r.origin + "/" + path + "#" + code.Reveal()
}

// token opens a link as a page does and returns the token of the tab.
func (r *rig) token(kind pagetoken.Kind, id string) string {
	r.t.Helper()
	_, code, _ := strings.Cut(r.link(kind, id), "#")
	a := r.do("POST", "/api/exchange", "", map[string]string{"kind": string(kind), "id": id, "code": code})
	if a.status != http.StatusOK {
		r.t.Fatalf("exchange: %d %s", a.status, a.body)
	}
	return a.text("token")
}

// wide opens a page as a tab of a browser session and returns the token of the tab.
func (r *rig) wide(kind pagetoken.Kind, id string) string {
	r.t.Helper()
	_, code, _ := strings.Cut(r.link(pagetoken.Home, pagetoken.HomeSubject), "#")
	a := r.do("POST", "/api/exchange", "", map[string]string{"kind": "home", "id": "home", "code": code})
	a = r.do("POST", "/api/exchange", "", map[string]string{"kind": string(kind), "id": id, "session": a.text("session")})
	if a.status != http.StatusOK {
		r.t.Fatalf("exchange: %d %s", a.status, a.body)
	}
	return a.text("token")
}

// answer is a response.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

// text returns a member of a JSON response. Dots select nested members.
func (a answer) text(path string) string {
	a.t.Helper()
	var v any
	if err := json.Unmarshal([]byte(a.body), &v); err != nil {
		a.t.Fatalf("the answer is no JSON: %v\n%s", err, a.body)
	}
	for _, key := range strings.Split(path, ".") {
		object, _ := v.(map[string]any)
		v = object[key]
	}
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// do sends a request like a caller other than a browser.
func (r *rig) do(method, path, token string, body any) answer {
	r.t.Helper()
	return r.ask(method, path, body, func(h http.Header) {
		if token != "" {
			h.Set("Authorization", "Bearer "+token)
		}
	})
}

// ask sends a request with the headers that set adds.
func (r *rig) ask(method, path string, body any, set func(http.Header)) answer {
	r.t.Helper()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			r.t.Fatal(err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.origin+path, payload)
	if err != nil {
		r.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if set != nil {
		set(req.Header)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer{r.t, resp.StatusCode, resp.Header, string(b)}
}

// asStored accepts any row, because samples were not built by an adapter.
func asStored(*record.Row) string { return "" }

// bundlesOver returns a service of bundles over the rig's store and reviews. Its bundles do not
// progress.
func bundlesOver(r *rig) *request.Service {
	return request.New(request.Config{Store: r.db, Make: r.reviews, Active: r.active, Hub: r.hub, Now: time.Now,
		Rand: rand.Reader})
}
