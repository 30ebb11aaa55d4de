package web_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/web"
	"github.com/sayurintent/sayurintent/store"
)

// bench is a page server over a complete back end.
type bench struct {
	b      *testing.B
	house  *testkit.Harness
	origin string

	bundles *request.Service
}

func newBench(b *testing.B) *bench {
	b.Helper()
	h := testkit.Start(b, time.Now, nil)
	bundles := request.New(request.Config{Store: h.Store, Make: h.Reviews, Hub: h.Hub, Now: h.Clock.Now, Rand: rand.Reader,
		Active: func(ctx context.Context) (record.Account, bool, error) {
			a, ok, err := h.Accounts.Active(ctx)
			return record.Account{Address: a.Account, WalletName: a.WalletName, WalletID: a.WalletID}, ok, err
		}})
	server, _, err := assemble(benchConfig(h, bundles))
	if err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(ln) }()
	b.Cleanup(func() { _ = server.Shutdown(context.Background()); <-done })
	return &bench{b, h, "http://" + ln.Addr().String(), bundles}
}

// benchConfig returns the configuration of the pages over a harness.
func benchConfig(h *testkit.Harness, bundles *request.Service) config {
	return config{
		Config: web.Config{Network: testkit.Network, WalletChain: testkit.WalletChain, Desk: h.Passes, Accounts: h.Accounts,
			Hub: h.Hub, Journal: h.Store.JournalHead, Now: h.Clock.Now},
		DB: h.Store, Reviews: h.Reviews, Bundles: bundles, Names: book.NewService(h.Store, h.Clock.Now),
		Keys: pagetoken.NewKeys(h.Store, h.Clock.Now, rand.Reader),
	}
}

// ask sends a request and returns the body of the response.
func (n *bench) ask(method, path, token string, body any) []byte {
	var payload io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			n.b.Fatal(err)
		}
		payload = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, n.origin+path, payload)
	if err != nil {
		n.b.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		n.b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		n.b.Fatalf("%s %s: %s %s %v", method, path, resp.Status, text, err)
	}
	return text
}

// open opens a page with a new link and returns its token.
func (n *bench) open(kind pagetoken.Kind, id string) string {
	code, err := n.house.Passes.Link(context.Background(), kind, id, 0)
	if err != nil {
		n.b.Fatal(err)
	}
	var out struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(n.ask("POST", "/api/exchange", "", map[string]string{"kind": string(kind), "id": id,
		"code": code.Reveal()}), &out); err != nil {
		n.b.Fatal(err)
	}
	return out.Token
}

// BenchmarkViewFragment measures the time from a request to the complete fragment of a ready
// review. The goal is less than 5 ms and 40 KB.
func BenchmarkViewFragment(b *testing.B) {
	n := newBench(b)
	s := n.house.Ready(testkit.Swap("10", "SUI", "USDC"))
	token := n.open(pagetoken.Review, string(s.ID))
	size := 0
	for b.Loop() {
		size = len(n.ask("GET", "/api/review/"+string(s.ID)+"/view", token, nil))
	}
	b.ReportMetric(float64(size), "bytes/view")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/view")
}

// BenchmarkReleaseToBytes measures the time from a page's request for the bytes to their arrival,
// including reading the coins from a node on this machine. The goal is less than 5 ms.
func BenchmarkReleaseToBytes(b *testing.B) {
	n := newBench(b)
	var spent time.Duration
	for range b.N {
		s := n.house.Ready(testkit.Swap("10", "SUI", "USDC"))
		token := n.open(pagetoken.Review, string(s.ID))
		body := map[string]any{"revision": s.Revision, "commitment": s.Commitment}
		begin := time.Now()
		n.ask("POST", "/api/review/"+string(s.ID)+"/handoff", token, body)
		spent += time.Since(begin)
	}
	b.ReportMetric(float64(spent.Microseconds())/1000/float64(b.N), "ms/release")
}

// BenchmarkHomeFragment measures a full home page.
func BenchmarkHomeFragment(b *testing.B) {
	n := newBench(b)
	for range 60 {
		n.house.Open(testkit.Swap("10", "SUI", "USDC"))
	}
	token := n.open(pagetoken.Home, pagetoken.HomeSubject)
	size := 0
	for b.Loop() {
		size = len(n.ask("GET", "/api/home/view", token, nil))
	}
	b.ReportMetric(float64(size), "bytes/view")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/view")
}

// TestFullHomeIsSmall checks that a full home page is no larger than a fragment may be.
func TestFullHomeIsSmall(t *testing.T) {
	r := newRig(t, nil)
	for range 60 {
		s, materials := poisoned(t, record.Blocked, hostile[0])
		r.put(s, materials)
	}
	a := r.do("GET", "/api/home/view", r.token(pagetoken.Home, pagetoken.HomeSubject), nil)
	if a.status != http.StatusOK || len(a.body) > 40<<10 || len(a.body) < 5<<10 {
		t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
	if !bytes.Contains([]byte(a.body), []byte("More than 50 things need you")) || bytes.Contains([]byte(a.body),
		[]byte("<script")) {
		t.Error("the list is not capped with a word, or holds markup of others")
	}
}

// benchAgent is a page server for a backend's actions.
type benchAgent struct {
	origin string
	keys   []string
}

func newBenchAgent(b *testing.B) *benchAgent {
	b.Helper()
	h := testkit.Start(b, time.Now, nil)
	db, err := store.Open(b.Context(), store.Config{Dir: b.TempDir(), Now: time.Now, Hub: h.Hub})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	c := benchConfig(h, nil)
	c.DB, c.Keys, c.Actions = db, pagetoken.NewKeys(db, time.Now, rand.Reader), executorOver(db, h.Accounts)
	server, _, err := assemble(c)
	if err != nil {
		b.Fatal(err)
	}
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(ln) }()
	b.Cleanup(func() { _ = server.Shutdown(context.Background()); <-done })
	out := &benchAgent{origin: "http://" + ln.Addr().String()}
	for range pagetoken.MostKeys {
		out.keys = append(out.keys, agentKey(b, db, pagetoken.AgentBackend, true))
	}
	return out
}

// key returns one of the tokens, so that no action exceeds a token's rate limit.
func (h *benchAgent) key(i int) string { return h.keys[i%len(h.keys)] }
