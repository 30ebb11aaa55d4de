package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/account/assets"
	"github.com/sayurintent/sayurintent/internal/actions"
	"github.com/sayurintent/sayurintent/internal/book"
	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/screen/screentest"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit/long"
	"github.com/sayurintent/sayurintent/internal/watch"
	"github.com/sayurintent/sayurintent/store"
)

const alice = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"

var owner = sui.MustAddress("0xa11ce")

// units describes pinned coins, as a chain would.
type units struct{}

func (units) Unit(_ context.Context, t sui.CoinType) (assets.Unit, error) {
	c, ok := coins.ByType(t)
	if !ok {
		return assets.Unit{Status: assets.UnitUnavailable, Reason: assets.MetadataFailed}, nil
	}
	return assets.Unit{Status: assets.UnitAvailable, Decimals: c.Decimals, Source: assets.FromMetadata}, nil
}

// place is an executor with a store. Executors on the same directory are like those of separate
// processes.
type place struct {
	*actions.Executor
	db    *store.DB
	names *book.Service
	watch *watch.Service
	now   time.Time
}

func at(t testing.TB, dir string) *place { return with(t, dir, nil) }

func with(t testing.TB, dir string, r actions.Requests) *place {
	t.Helper()
	p := &place{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return p.now }
	var err error
	if p.db, err = store.Open(context.Background(), store.Config{Dir: dir, Now: clock, Session: "conv_test"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.db.Close() })
	p.names, p.watch = book.NewService(p.db, clock), watch.NewService(p.db, units{}, clock)
	p.Executor = actions.New(actions.Config{Requests: r, Store: p.db, Book: p.names, Watch: p.watch,
		Now:    clock,
		Active: func(context.Context) (sui.Address, bool, error) { return owner, true, nil }})
	return p
}

// open reports whether requests of a caller's actions are still open.
func (p *place) open(ctx context.Context, caller string) (bool, error) {
	rows, err := p.db.ReviewedActions(ctx, caller)
	return len(rows) > 0, err
}

var trusted = actions.Caller{ID: "key/b", Acts: true, Reads: true}

func (p *place) run(t testing.TB, c actions.Caller, raw string) actions.Answer {
	t.Helper()
	a, err := p.Execute(context.Background(), c, json.RawMessage(raw))
	if err != nil {
		t.Fatal(raw, err)
	}
	return a
}

func add(id, title, more string) string {
	return `{"id":"` + id + `","type":"add_address_book","params":{"entries":[{"title":"` + title + `","address":"` +
		alice + `","chain":"Sui"}]}` + more + `}`
}

func (p *place) titles(t testing.TB) (list []string) {
	t.Helper()
	all, err := p.names.List(context.Background(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		list = append(list, e.Title)
	}
	return list
}

const auto = `,"auto_execute":true`

func TestAutoExecute(t *testing.T) {
	p := at(t, t.TempDir())
	t.Run("R000-8 a change is made at once only where the action and the token say so", func(t *testing.T) {
		for i, c := range []struct {
			who  actions.Caller
			more string
			now  bool
		}{{trusted, auto, true}, {trusted, "", false}, {trusted, `,"auto_execute":false`, false},
			{actions.Caller{ID: "key/x"}, auto, false}} {
			a := p.run(t, c.who, add(fmt.Sprint("a", i), "Alice", c.more))
			if a.Accepted == c.now || a.Result.Success != c.now {
				t.Errorf("%+v %s: %+v", c.who, c.more, a)
			}
		}
		if got := p.titles(t); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
	t.Run("the book is read only with that right", func(t *testing.T) {
		if a := p.run(t, actions.Caller{ID: "key/x", Acts: true},
			`{"type":"get_address_book"}`); a.Result.Error != actions.NotAllowed || a.Result.Data != nil {
			t.Errorf("%+v", a)
		}
	})
	t.Run("what waits ends by no, by yes and by its time", func(t *testing.T) {
		offered, err := p.Waiting(t.Context(), 0)
		if err != nil || len(offered) != 3 || offered[0].Action.AutoExecute || offered[0].Action.ID == "a1" {
			t.Fatal(offered, err)
		}
		for i, yes := range []bool{true, false} {
			r := actions.Result{Action: "add_address_book", ActionID: offered[i].Action.ID, Success: yes}
			for range 2 {
				if got, err := p.Report(t.Context(), r); err != nil || got.Success != yes || got.ActionID != r.ActionID || !yes &&
					got.Error != actions.UserRejected {
					t.Errorf("%+v, %v", got, err)
				}
			}
		}
		if _, err := p.Report(t.Context(), actions.Result{Action: "add_token", ActionID: offered[2].Action.ID,
			Success: true}); !fault.Is(err, fault.InputInvalid) {
			t.Error("another type:", err)
		}
		p.now = p.now.Add(actions.AskedFor)
		if got, err := p.Report(t.Context(), actions.Result{Action: "add_address_book", ActionID: offered[2].Action.ID,
			Success: true}); err != nil || got.Error != actions.Expired {
			t.Errorf("%+v, %v", got, err)
		}
		if got := p.titles(t); len(got) != 2 {
			t.Errorf("%v", got)
		}
	})
}

func TestOnce(t *testing.T) {
	dir := t.TempDir()
	here, there := at(t, dir), at(t, dir)
	t.Run("of two executions of one id at once one does it, and both have its result", func(t *testing.T) {
		var wait sync.WaitGroup
		got := make([]string, 16)
		for i := range got {
			wait.Go(func() {
				p := []*place{here, there}[i%2]
				a, err := p.Execute(context.Background(), trusted, json.RawMessage(add("one", "Alice", auto)))
				b, _ := json.Marshal(a.Result)
				got[i] = fmt.Sprint(string(b), err)
			})
		}
		wait.Wait()
		if slices.Sort(got); got[0] != got[len(got)-1] || len(here.titles(t)) != 1 {
			t.Errorf("%v, %v", got, here.titles(t))
		}
	})
	t.Run("an id is not used for another action, and is a caller's own", func(t *testing.T) {
		if a := here.run(t, trusted, add("one", "Bob", auto)); a.Result.Error != actions.IDReused {
			t.Errorf("%+v", a)
		}
		if a := here.run(t, actions.Caller{ID: "key/c", Acts: true}, add("one", "Bob", auto)); !a.Result.Success {
			t.Errorf("%+v", a)
		}
	})
	t.Run("results are listed in their order, each once", func(t *testing.T) {
		here.run(t, trusted, add("two", "Carol", auto))
		rows, err := there.Results(t.Context(), trusted.ID, 0)
		if err != nil || len(rows) != 2 || rows[0].ID != "one" || rows[1].ID != "two" {
			t.Errorf("%+v %v", rows, err)
		}
	})
}

func TestBadInput(t *testing.T) {
	p := at(t, t.TempDir())
	good := map[string]map[string]any{
		"add_token":           {"tokens": map[string]any{"chain": "Sui", "ticker": "SUI", "decimals": 9, "is_native": true}},
		"add_chain":           {"chains": map[string]any{"chain": "Sui"}},
		"add_address_book":    {"entries": map[string]any{"title": "A", "address": alice, "chain": "Sui"}},
		"delete_address_book": {"entries": map[string]any{"id": "x"}},
	}
	optional := map[string]bool{"is_native": true, "id": true}
	try := func(what, kind string, params any) {
		t.Helper()
		b, _ := json.Marshal(map[string]any{"type": kind, "params": params, "auto_execute": true})
		if a := p.run(t, trusted, string(b)); a.Result.Error != actions.InvalidParams || a.Accepted {
			t.Errorf("%s, %s: %+v", kind, what, a)
		}
	}
	for kind, params := range good {
		for list, entry := range params {
			one := entry.(map[string]any)
			try("no list", kind, map[string]any{})
			try("an empty list", kind, map[string]any{list: []any{}})
			try("a wrong list", kind, map[string]any{list: "x"})
			try("33 entries", kind, map[string]any{list: slices.Repeat([]any{one}, 33)})
			try("an unknown member", kind, map[string]any{list: []any{one}, "more": 1})
			for name := range one {
				with := func(v any) any {
					changed := map[string]any{}
					for k, old := range one {
						changed[k] = old
					}
					if changed[name] = v; v == nil {
						delete(changed, name)
					}
					return map[string]any{list: []any{changed}}
				}
				if !optional[name] {
					try("without "+name, kind, with(nil))
				}
				try("a wrong "+name, kind, with([]any{1}))
				try("an oversized "+name, kind, with(strings.Repeat("x", 2001)))
			}
			b, _ := json.Marshal(one)
			twice := fmt.Sprintf(`{"type":%q,"params":{%q:[%s],%q:[%s]}}`, kind, list, b, list, b)
			if a := p.run(t, trusted, twice); a.Result.Error != actions.InvalidParams {
				t.Errorf("a member twice: %+v", a)
			}
		}
	}
	for raw, want := range map[string]string{
		`{}`: actions.UnknownType, `{"type":"transfer_all"}`: actions.UnknownType, `[]`: actions.InvalidParams,
		`{"type":7}`: actions.InvalidParams,
		`{"id":"` + strings.Repeat("x", 101) + `","type":"add_chain","params":{"chain":"Sui"}}`: actions.InvalidParams,
		`{"id":"a\nb","type":"get_address_book"}`:                                               actions.InvalidParams,
		`{"type":"get_address_book","params":{"chain":"Moon"}}`:                                 "unknown_chain",
	} {
		if a := p.run(t, trusted, raw); a.Result.Error != want || a.Result.Success {
			t.Errorf("%s: %+v", raw, a)
		}
	}
	if list, err := p.watch.List(t.Context(), owner); err != nil || len(list) != 0 || len(p.titles(t)) != 0 {
		t.Error("something was stored", list, err)
	}
}

// TestCorpora: secret phrases that users paste are refused in every request, even as a list with one
// word per item.
func TestCorpora(t *testing.T) {
	screen := func(v any) bool {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		err = actions.Screen(b)
		return err != nil && fault.As(err).Detail.Get("reason") == "secret"
	}
	screentest.Door(t, 0, func(text string) bool {
		return screen(map[string]any{"type": "note", "params": map[string]any{"note": text}})
	})
	var items []any
	for _, word := range screentest.NewDraw(t).Phrase(12) {
		items = append(items, map[string]any{"title": word})
	}
	if !screen(map[string]any{"entries": items}) {
		t.Errorf("came in: %v", items)
	}
}

func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	p := at(t, dir)
	const key = "suiprivkey1qzwant3kaegmjy4qxex93s0jzvemekkjmyv3r2sjwgnv2y479pgsywhveae"
	for _, raw := range []string{add(key, "A", ""), add("x", key, ""), strings.Replace(add("x", "A", ""), alice, key, 1),
		`{"type":"` + key + `"}`, `{"type":"add_chain","params":{"chains":[{"chain":"Sui"}],"password":"hunter2"}}`,
		`{"type":"add_chain","description":"` + key + `","params":{"chains":[{"chain":"Sui"}]}}`,
		`{"type":"add_chain","params":{"chains":[{"chain":"Sui"}],"` + key + `":1}}`,
		`{"type":"add_chain","params":{"chains":[{"chain":"Sui","private_key":"0x1"}]}}`} {
		if err := actions.Screen([]byte(raw)); !fault.Is(err, fault.InputInvalid) || strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if err := actions.Screen([]byte(add("x", "Alice", auto))); err != nil {
		t.Error("what is none:", err)
	}
	if _, err := p.Do(t.Context(), "add_address_book", json.RawMessage(`{"entries":[{"title":"`+key+`","address":"`+alice+
		`","chain":"Sui"}]}`)); err == nil {
		t.Error("taken")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if b, _ := os.ReadFile(f); strings.Contains(string(b), "suiprivkey1") {
			t.Error("stored in", f)
		}
	}
}

func TestBundles(t *testing.T) {
	p := at(t, t.TempDir())
	step := func(id string, seq int, chain, more string) string {
		return fmt.Sprintf(`{"id":%q,"sequence":%d,"chain":%q%s}`, id, seq, chain, more)
	}
	const payload = `,"keysign_payload":"AA=="`
	for i, c := range []struct{ name, steps, want string }{
		{"R000-25 neither payload", step("a", 0, "Ethereum", ""), actions.InvalidParams},
		{"a payload and an intent", step("a", 0, "Sui", payload+`,"intent":{"type":"transfer"}`), actions.InvalidParams},
		{"a result without an intent", step("a", 0, "Sui", payload+`,"resultOf":"b"`), actions.InvalidParams},
		{"a review by both its names", step("a", 0, "Sui", `,"review_session_id":"x","reviewSessionId":"x"`),
			actions.InvalidParams},
		{"an intent that is null", step("a", 0, "Sui", `,"intent":null`), actions.InvalidParams},
		{"an intent elsewhere", step("a", 0, "Ethereum", `,"intent":{"type":"transfer"}`), actions.UnsupportedChain},
		{"intents where none are carried out", step("a", 0, "Sui", `,"intent":{"type":"transfer"}`), actions.NotAllowed},
		{"R000-28 no context", step("a", 0, "Ethereum", `,"unsigned_tx_hex":"0x"`), actions.InvalidParams},
		{"R000-20 an id twice", step("a", 0, "Sui", payload) + "," + step("a", 1, "Sui", payload), actions.InvalidParams},
		{"R000-21 a place twice", step("a", 0, "Sui", payload) + "," + step("b", 0, "Sui", payload), actions.InvalidParams},
		{"R000-24 another mode", step("a", 0, "Sui", payload+`,"signing_mode":"rsa"`), actions.InvalidParams},
		{"R000-31 an EVM type on Sui", step("a", 0, "Sui", `,"unsigned_tx_hex":"0x","chain_context":{"tx_type":"eip1559"}`),
			actions.InvalidParams},
		{"R000-22 no chain of the enum", step("a", 0, "Moon", payload), "unknown_chain"},
		{"R000-49 the first by sequence", step("b", 1, "Base", payload) + "," + step("a", 0, "Ethereum", payload),
			actions.UnsupportedChain},
		{"transactions of others", step("a", 0, "Sui", payload), actions.MaterialOff},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := fmt.Sprint("s", i)
			a := p.run(t, trusted,
				fmt.Sprintf(`{"id":%q,"type":"sign_transaction_bundle","params":{"transactions":[%s]},"auto_execute":true}`, id,
					c.steps))
			r := a.Result
			if a.Accepted != (c.want != actions.InvalidParams) {
				t.Errorf("%+v", a)
			}
			if a.Accepted {
				row, err := p.db.Action(t.Context(), trusted.ID, id)
				if err != nil || json.Unmarshal(row.Result, &r) != nil || !strings.Contains(string(r.Data), `"id":"a"`) {
					t.Fatal(row, err)
				}
			}
			if r.Error != c.want || r.Success {
				t.Errorf("%+v", r)
			}
		})
	}
	t.Run("a bundle that is refused names every step, whatever is wrong with it", func(t *testing.T) {
		p.run(t, trusted, `{"id":"all","type":"sign_transaction_bundle","params":{"skip_approval":true,"transactions":[`+
			step("a", 0, "Sui", payload)+","+step("b", 1, "Base", payload)+","+step("c", 2, "Moon", payload)+`]}}`)
		row, err := p.db.Action(t.Context(), trusted.ID, "all")
		if err != nil || row == nil {
			t.Fatal(row, err)
		}
		var r struct {
			Error string
			Data  actions.BundleData
		}
		if err := json.Unmarshal(row.Result, &r); err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, s := range r.Data.Transactions {
			if s.Message == "" {
				t.Errorf("%s has no message", s.ID)
			}
			words = append(words, s.ID+" "+*s.Error)
		}
		want := []string{"a " + actions.NotBegun, "b " + actions.UnsupportedChain, "c unknown_chain"}
		if !slices.Equal(words, want) || r.Error != actions.UnsupportedChain || r.Data.Skipped == nil || *r.Data.Skipped {
			t.Errorf("%s", row.Result)
		}
	})
	t.Run("R000-156 R000-157 sign_tx of the EVM path is understood", func(t *testing.T) {
		p.run(t, trusted, `{"id":"old","type":"sign_tx","params":{"to":"0x1","value":"0x0","data":"0x"}}`)
		row, err := p.db.Action(t.Context(), trusted.ID, "old")
		if err != nil || row == nil || !strings.Contains(string(row.Result), actions.UnsupportedChain) {
			t.Error(row, err)
		}
	})
}

func TestLegacyNames(t *testing.T) {
	for old, c := range map[string]struct{ params, want string }{
		"add_coin":                  {`{"chain":"Sui","ticker":"SUI","decimals":9,"is_native":true}`, `"chain_added":true`},
		"add_chain":                 {`{"chain":"Sui"}`, `"ticker":"SUI"`},
		"add_address_book_entry":    {`{"title":"A","address":"` + alice + `","chain":"Sui"}`, `"title":"A"`},
		"address_book_add":          {`{"entries":[{"title":"A","address":"` + alice + `","chain":"Sui"}]}`, `"title":"A"`},
		"remove_address_book_entry": {`{"title":"A"}`, `not_found`},
		"address_book_remove":       {`{"id":"x"}`, `not_found`},
	} {
		t.Run("R000-150 "+old, func(t *testing.T) {
			a := at(t, t.TempDir()).run(t, trusted, fmt.Sprintf(`{"id":"1","type":%q,"params":%s,"auto_execute":true}`, old,
				c.params))
			if !a.Result.Success || a.Result.Action != old || !strings.Contains(string(a.Result.Data), c.want) {
				t.Errorf("%+v %s", a, a.Result.Data)
			}
		})
	}
}

// The specification's examples, verbatim.
func TestExamples(t *testing.T) {
	b, err := os.ReadFile("testdata/examples.json")
	var list []struct {
		Name, Type, Error, Data string
		Params                  json.RawMessage
	}
	if err != nil || json.Unmarshal(b, &list) != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		t.Run(x.Name, func(t *testing.T) {
			raw, _ := json.Marshal(map[string]any{"id": "x", "type": x.Type, "params": x.Params, "auto_execute": true})
			p := at(t, t.TempDir())
			r := p.run(t, trusted, string(raw)).Result
			if row, err := p.db.Action(t.Context(), trusted.ID, "x"); err == nil && row != nil {
				_ = json.Unmarshal(row.Result, &r)
			}
			if r.Error != x.Error || string(r.Data) != x.Data || r.Success != (x.Error == "") {
				t.Errorf("%+v\n%s", r, r.Data)
			}
		})
	}
}

// Any sequence of actions leads to the same state, through either endpoint.
func TestDoorsAgree(t *testing.T) {
	long.Skip(t, "it compares every door for every action")
	usdc, _ := coins.BySymbol("USDC")
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		one, three := at(t, t.TempDir()), at(t, t.TempDir())
		for i := range 25 {
			name := string(rune('A' + r.IntN(3)))
			pool := [][2]string{
				{"add_address_book", `{"entries":[{"title":"` + name + `","address":"` + alice +
					`","chain":"Sui"},{"title":"","address":"x","chain":"Sui"}]}`},
				{"delete_address_book", `{"entries":[{"title":"` + name + `","chain":"sui"}]}`},
				{"add_token", `{"tokens":[{"chain":"Sui","ticker":"U","contract_address":"` + string(usdc.Type) + `","decimals":` +
					fmt.Sprint(5+r.IntN(2)) + `}]}`},
				{"add_chain", `{"chains":[{"chain":"Sui"},{"chain":"Base"}]}`}, {"add_token", `{"tokens":[]}`},
			}
			c := pool[r.IntN(len(pool))]
			var want, got actions.Result
			want, err := one.Do(t.Context(), c[0], json.RawMessage(c[1]))
			if err != nil {
				t.Fatal(err)
			}
			raw := fmt.Sprintf(`{"id":"%d","type":%q,"params":%s,"auto_execute":true}`, i, c[0], c[1])
			switch r.IntN(3) {
			case 0:
				got, err = three.Do(t.Context(), c[0], json.RawMessage(c[1]))
			case 1:
				got = three.run(t, trusted, raw).Result
			case 2:
				if a := three.run(t, actions.Caller{ID: "key/asks"}, raw); !a.Accepted {
					got = a.Result
					break
				}
				offered, none := three.Waiting(t.Context(), 0)
				if none != nil || len(offered) != 1 {
					t.Fatal(offered, none)
				}
				got, err = three.Report(t.Context(), actions.Result{Action: c[0], ActionID: offered[0].Action.ID, Success: true})
			}
			if err != nil || got.Success != want.Success || got.Error != want.Error {
				t.Fatalf("%s: %+v, want %+v, %v", raw, got, want, err)
			}
		}
		state := func(p *place) string {
			list, err := p.watch.List(t.Context(), owner)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(p.titles(t), list)
		}
		if a, b := state(one), state(three); a != b {
			t.Errorf("seed %d:\n%s\n%s", seed, a, b)
		}
	}
}
