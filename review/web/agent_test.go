package web_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account"
	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/watch"
	"github.com/sayurintent/sayurintent/store"
)

// noUnits is a chain that cannot be queried.
type noUnits struct{}

func (noUnits) Unit(context.Context, sui.CoinType) (assets.Unit, error) {
	return assets.Unit{Status: assets.UnitUnavailable, Reason: assets.MetadataFailed}, nil
}

func executorOver(db *store.DB, accounts *account.Service) *actions.Executor {
	return actions.New(actions.Config{Store: db, Book: book.NewService(db, time.Now), Watch: watch.NewService(db,
		noUnits{}, time.Now), Now: time.Now,
		Active: func(ctx context.Context) (sui.Address, bool, error) {
			a, ok, err := accounts.Active(ctx)
			return a.Account, ok, err
		}})
}

// agentKey creates an access token with a scope. rights adds all permissions of a backend.
func agentKey(t testing.TB, db *store.DB, scope pagetoken.Scope, rights bool) string {
	t.Helper()
	token, _, err := pagetoken.NewKeys(db, time.Now, rand.Reader).MakeOf(context.Background(),
		pagetoken.Key{Name: "mine", Client: "claude-code", Scope: scope, Acts: rights, Reads: rights},
		func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return token.Reveal()
}

const (
	agentPath = "/api/agent/actions"
	askPath   = "/api/agent/messages"
	aliceAt   = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
)

func addAlice(id string, auto bool) string {
	return fmt.Sprintf(`{"id":%q,"type":"add_address_book","title":"Add Alice","params":{"entries":[{"title":"Alice","address":%q,"chain":"Sui"}]},"auto_execute":%v}`, id, aliceAt, auto)
}

// said posts a frontend's message and returns the frames of the response by name.
func (r *rig) said(token, body string) map[string]string {
	r.t.Helper()
	a := r.post(askPath, token, body)
	if a.status != http.StatusOK {
		r.t.Fatalf("%s: %d %s", body, a.status, a.body)
	}
	frames := map[string]string{}
	for _, frame := range strings.Split(a.body, "\n\n") {
		name, data := "", ""
		for _, line := range strings.Split(frame, "\n") {
			if v, ok := strings.CutPrefix(line, "event: "); ok {
				name = v
			}
			if v, ok := strings.CutPrefix(line, "data: "); ok {
				data = v
			}
		}
		frames[name] = data
	}
	return frames
}

// offered returns the only action that a frontend receives.
func (r *rig) offered(token string) actions.Action {
	r.t.Helper()
	var f struct{ Actions []actions.Action }
	data := r.said(token, `{"poll":true}`)["actions"]
	if err := json.Unmarshal([]byte(data), &f); err != nil || len(f.Actions) != 1 {
		r.t.Fatalf("%v: %q", err, data)
	}
	return f.Actions[0]
}

func TestAgentScopes(t *testing.T) {
	r := newRig(t, func(c *config) { c.Hold = time.Millisecond })
	page := r.setter()
	keys := map[pagetoken.Scope]string{}
	for _, scope := range pagetoken.Scopes() {
		if scope.Socket() || scope == pagetoken.AIClient { // these belong to no client
			want := pagetoken.Key{Name: "mine", Scope: scope}
			if scope.Socket() {
				want.Projects = []string{"mine"}
			}
			token, _, err := pagetoken.NewKeys(r.db, time.Now, rand.Reader).MakeOf(t.Context(), want,
				func(context.Context) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			keys[scope] = token.Reveal()
			continue
		}
		a := r.settingsCall(page, "token", fields{"name": "mine", "client": "claude-code", "scope": string(scope)})
		if keys[scope] = a.text("token"); a.status != http.StatusOK || keys[scope] == "" {
			t.Fatal(a.status, a.body)
		}
	}
	if a := r.settingsCall(page, "token", fields{"name": "mine", "client": "x",
		"scope": "all"}); a.status != http.StatusBadRequest {
		t.Error(a.status, a.body)
	}
	for path, body := range map[string]string{agentPath: `{"actions":[` + addAlice("1", true) + `]}`,
		askPath: `{"poll":true}`} {
		want := pagetoken.AgentBackend
		if path == askPath {
			want = pagetoken.AgentFrontend
		}
		for scope, key := range keys {
			if a := r.post(path, key, body); (a.status < 300) != (scope == want) || scope != want &&
				a.status != http.StatusUnauthorized {
				t.Errorf("%s with %s: %d %s", path, scope, a.status, a.body)
			}
		}
		var said []string
		for _, wrong := range []string{page, "wrong", "", keys[pagetoken.Editor], keys[pagetoken.AgentBackend] + "x"} {
			a := r.post(path, wrong, body)
			if a.status != http.StatusUnauthorized || !strings.Contains(a.body, "Access for your own programs") ||
				strings.Contains(a.body, "AI client") {
				t.Errorf("%s with the token %q: %d %s", path, wrong, a.status, a.body)
			}
			said = append(said, a.body)
		}
		if len(slices.Compact(said)) != 1 {
			t.Errorf("%s tells tokens apart: %q", path, said)
		}
	}
	if a := r.post("/api/chat", keys[pagetoken.AgentBackend],
		`{"session_id":"x","message":"hi"}`); a.status != http.StatusUnauthorized {
		t.Errorf("a backend chats: %d", a.status)
	}
}

func TestAgentActions(t *testing.T) {
	r := newRig(t, func(c *config) { c.Hold = time.Millisecond })
	trusted, asks, front := agentKey(t, r.db, pagetoken.AgentBackend, true), agentKey(t, r.db, pagetoken.AgentBackend,
		false), agentKey(t, r.db, pagetoken.AgentFrontend, false)
	t.Run("R000-2 R000-11 R000-12 results are in the order of the actions, one each", func(t *testing.T) {
		a := r.post(agentPath, trusted, `{"actions":[`+addAlice("a", true)+
			`,{"id":"b","type":"get_address_book"},{"id":"c","type":"x"},`+addAlice("a", true)+`]}`)
		var out struct {
			Results []actions.Result `json:"action_results"`
		}
		if err := json.Unmarshal([]byte(a.body), &out); err != nil || a.status != http.StatusOK || len(out.Results) != 4 {
			t.Fatal(a.status, a.body)
		}
		got := ""
		for _, o := range out.Results {
			got += fmt.Sprint(o.Action, " ", o.ActionID, " ", o.Success, o.Error, ";")
		}
		if got != "add_address_book a true;get_address_book b true;x c falseunknown_action_type;add_address_book a true;" ||
			string(out.Results[0].Data) != string(out.Results[3].Data) || !strings.Contains(string(out.Results[1].Data),
			`"total_count":1`) {
			t.Error(got, a.body)
		}
	})
	t.Run("R000-1 R000-10 what is asked first goes to a frontend, and the result to the backend's stream",
		func(t *testing.T) {
			if a := r.post(agentPath, asks, `{"actions":[`+addAlice("w", true)+`]}`); a.status != http.StatusAccepted ||
				a.text("accepted") != `["w"]` {
				t.Fatal(a.status, a.body)
			}
			o := r.offered(front)
			if o.Title != "Add Alice" || o.AutoExecute || o.ID == "w" {
				t.Errorf("%+v", o)
			}
			stream := r.listenAt("/api/agent/stream", asks, "")
			defer stream.close()
			report := `{"action_result":{"action":"add_address_book","action_id":"` + o.ID +
				`","success":true,"data":{"results":[]},"error":""}}`
			if f := r.said(front, report); !strings.Contains(f["message"], `"title":"Alice"`) || f["done"] == "" {
				t.Error(f)
			}
			got := stream.until("action_result")
			if !strings.Contains(got.data, `{"action_result":{"action":"add_address_book","action_id":"w","success":true`) ||
				got.id == "" {
				t.Errorf("%+v", got)
			}
			again := r.listenAt("/api/agent/stream", asks, got.id)
			defer again.close()
			r.post(agentPath, asks, `{"actions":[{"id":"s","type":"sign_tx","params":{"to":"0x1"},"auto_execute":true}]}`)
			if e := again.until("action_result"); !strings.Contains(e.data, `"action_id":"s","success":false`) ||
				!strings.Contains(e.data, `"bundle_success":false`) {
				t.Errorf("after the first: %+v", e)
			}
		})
	t.Run("R000-157 a root of transactions is a bundle", func(t *testing.T) {
		if a := r.post(agentPath, trusted, `{"transactions":[{"to":"0x1","value":"0x0"}]}`); a.status != http.StatusAccepted {
			t.Error(a.status, a.body)
		}
	})
	t.Run("bad requests are refused whole", func(t *testing.T) {
		one := addAlice("n", true)
		for body, status := range map[string]int{`{}`: 400, `{"actions":[]}`: 400, `{"actions":{}}`: 400, `[]`: 400,
			`{"actions":null,"x":1}`:                                  400,
			`{"actions":[` + one + strings.Repeat(","+one, 32) + `]}`: 400, `{"actions":[` + one + `],"transactions":[]}`: 400,
			`{"actions":[` + one + `],"actions":[]}`: 400, `{"actions":[` + one +
				`,{"type":"add_chain","params":{"mnemonic":"x"}}]}`: 400,
			`{"actions":["` + strings.Repeat("x", 600<<10) + `"]}`: 413} {
			if a := r.post(agentPath, trusted, body); a.status != status {
				t.Errorf("%.80s: %d %s", body, a.status, a.body)
			}
		}
		for _, body := range []string{`{}`, `{"poll":false}`, `{"content":""}`, `{"content":"hi"}`,
			`{"action_result":{"action":"tool_name","action_id":"uuid","success":true,"data":{},"error":"..."}}`} {
			if a := r.post(askPath, front, body); a.status < 400 {
				t.Errorf("%s: %d %s", body, a.status, a.body)
			}
		}
		if row, err := r.db.Action(t.Context(), "key/n", "n"); err != nil || row != nil {
			t.Error("stored", row, err)
		}
	})
	t.Run("a note waits for the client of the token", func(t *testing.T) {
		if err := r.db.Converse(t.Context(), "claude-code"); err != nil {
			t.Fatal(err)
		}
		if f := r.said(front, `{"content":"hello"}`); !strings.Contains(f["message"], "waits") {
			t.Error(f)
		}
	})
}

// TestAgentSilentReader checks that a backend that never reads its stream does not block others.
func TestAgentSilentReader(t *testing.T) {
	r := newRig(t, nil)
	key := agentKey(t, r.db, pagetoken.AgentBackend, true)
	for range 6 { // more than one caller may have, so the oldest end
		s := r.listenAt("/api/agent/stream", key, "")
		defer s.close()
	}
	for i := range 30 {
		if a := r.post(agentPath, key, `{"actions":[`+addAlice(fmt.Sprint(i), true)+`]}`); a.status != http.StatusOK {
			t.Fatal(i, a.status, a.body)
		}
	}
	late := r.listenAt("/api/agent/stream", key, "")
	defer late.close()
	for i := range 30 {
		if e := late.until("action_result"); !strings.Contains(e.data, fmt.Sprintf(`"action_id":"%d"`, i)) {
			t.Fatalf("%d: %+v", i, e)
		}
	}
}

// TestAgentExamples sends the examples in the specification to both endpoints.
func TestAgentExamples(t *testing.T) {
	b, err := os.ReadFile("../../internal/actions/testdata/examples.json")
	var list []struct {
		Name, Type, Error, Data string
		Params                  json.RawMessage
	}
	if err != nil || json.Unmarshal(b, &list) != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(c *config) { c.Hold = time.Millisecond })
	trusted, asks, front := agentKey(t, r.db, pagetoken.AgentBackend, true), agentKey(t, r.db, pagetoken.AgentBackend,
		false), agentKey(t, r.db, pagetoken.AgentFrontend, false)
	for i, x := range list {
		t.Run(x.Name, func(t *testing.T) {
			for door, key := range map[string]string{"at once": trusted, "asked first": asks} {
				body := fmt.Sprintf(`{"actions":[{"id":"x%d","type":%q,"title":"Human label","description":"...","params":%s,"auto_execute":true}]}`, i, x.Type, x.Params)
				a := r.post(agentPath, key, body)
				var out struct {
					Results  []actions.Result `json:"action_results"`
					Accepted []string
				}
				if err := json.Unmarshal([]byte(a.body), &out); err != nil || len(out.Results)+len(out.Accepted) != 1 {
					t.Fatal(a.status, a.body)
				}
				var got actions.Result
				switch {
				case len(out.Results) == 1:
					got = out.Results[0]
				case x.Type == actions.SignBundle:
					again := json.Unmarshal([]byte(r.post(agentPath, key, body).body), &out)
					if again != nil || len(out.Results) != 1 {
						t.Fatal("the same id again has no stored result", again)
					}
					got = out.Results[0]
				default:
					o := r.offered(front)
					var f struct {
						Result actions.Result `json:"action_result"`
					}
					data := r.said(front, fmt.Sprintf(`{"action_result":{"action":%q,"action_id":%q,"success":true}}`, x.Type,
						o.ID))["message"]
					if err := json.Unmarshal([]byte(data), &f); err != nil {
						t.Fatal(err, data)
					}
					got = f.Result
				}
				if door == "asked first" && x.Type == actions.GetBook {
					if got.Error != actions.NotAllowed {
						t.Errorf("%+v", got)
					}
					continue
				}
				if got.Error != x.Error || string(got.Data) != x.Data {
					t.Errorf("%s: %+v\n%s", door, got, got.Data)
				}
			}
		})
	}
}

// BenchmarkAgentAction measures one action over HTTP, which is stored on disk.
func BenchmarkAgentAction(b *testing.B) {
	h := newBenchAgent(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		body := `{"actions":[` + strings.ReplaceAll(addAlice(fmt.Sprint(i), true), "Alice", "A") + `]}`
		req, err := http.NewRequest("POST", h.origin+agentPath, bytes.NewReader([]byte(body)))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+h.key(i))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			b.Fatal(resp.StatusCode, string(text))
		}
	}
}
