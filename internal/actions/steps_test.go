package actions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sayurintent/sayurintent/internal/actions"
)

type ending struct {
	data any
	why  string
	open bool // the chain may still contradict it
}

// requests accepts every request unless its label or material is a rejection reason. A test ends them.
type requests struct {
	sync.Mutex
	material bool
	asked    []actions.Asked
	kept     int
	over     map[string]ending
}

func (b *requests) TakesMaterial(context.Context) (bool, error) { return b.material, nil }

func (b *requests) Judge(_ context.Context, in actions.Asked) (func(context.Context, actions.Tx) (string, error),
	error) {
	b.Lock()
	defer b.Unlock()
	b.asked = append(b.asked, in)
	if in.Label == "refuse b" {
		return nil, actions.Refusals{{Word: "blocked", Text: "Not this one.", Step: "b"}}
	}
	if m := in.Steps[0].Material; m != nil && m.Value == "wrong" {
		return nil, &actions.Refusal{Word: "details_mismatch", Text: "tx_details.value disagrees."}
	}
	return func(context.Context, actions.Tx) (string, error) {
		b.Lock()
		defer b.Unlock()
		if in.Label == "late" {
			return "", &actions.Refusal{Word: "bundle_in_progress", Text: "Another one runs."}
		}
		b.kept++
		return fmt.Sprint("bundle-", b.kept), nil
	}, nil
}

func (b *requests) Over(_ context.Context, id string) (actions.End, error) {
	b.Lock()
	defer b.Unlock()
	e, over := b.over[id]
	return actions.End{Data: e.data, Why: e.why, Over: over, Final: !e.open}, nil
}

const twoWishes = `{"id":%q,"type":"sign_transaction_bundle","params":{"bundle_label":%q,"skip_approval":true,"transactions":[` +
	`{"id":"b","sequence":5,"chain":"sui","action":"Then","resultOf":"a","share":"1/2","coin":"USDC","intent":{"type":"transfer"},"wait_for_receipt":false,"receipt_timeout_seconds":9},` +
	`{"id":"a","sequence":2,"chain":"Sui","review_session_id":"r1"}]},"auto_execute":true}`

func TestSteps(t *testing.T) {
	dir := t.TempDir()
	b := &requests{over: map[string]ending{}}
	p := with(t, dir, b)
	who := actions.Caller{ID: "key/b", Client: "claude-code"}
	result := func(id string) string {
		t.Helper()
		rows, err := p.Results(t.Context(), who.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.ID == id {
				return string(row.Result)
			}
		}
		return ""
	}
	t.Run("R000-24 R000-30 the named key goes along", func(t *testing.T) {
		a := p.run(t, who,
			`{"id":"key","type":"sign_transaction_bundle","params":{"transactions":[{"id":"a","sequence":0,"chain":"Sui",`+
				`"signing_mode":"eddsa_ed25519","intent":{"type":"transfer"},"chain_context":{"derive_path":"m/44'/784'/0'/0'/0'"}}]}}`)
		want := actions.Key{Path: "m/44'/784'/0'/0'/0'", Scheme: "eddsa_ed25519"}
		if !a.Accepted || b.asked[0].Steps[0].Key != want {
			t.Errorf("%+v %+v", a, b.asked)
		}
		b.asked, b.kept = nil, 0
	})
	t.Run("R000-49 R000-143 R000-147 steps come in their order, as the tool for AI clients takes them",
		func(t *testing.T) {
			if a := p.run(t, who, fmt.Sprintf(twoWishes, "one", "Mine")); !a.Accepted || result("one") != "" {
				t.Fatalf("%+v %s", a, result("one"))
			}
			got, err := json.Marshal(b.asked[0])
			want := `{"Client":"claude-code","Label":"Mine","Skip":true,"Steps":[{"id":"a","sequence":2,"chain":"Sui","reviewSessionId":"r1"},` +
				`{"id":"b","sequence":5,"chain":"sui","action":"Then","intent":{"type":"transfer"},"resultOf":"a","share":"1/2","coin":"USDC","wait_for_receipt":false,"receipt_timeout_seconds":9}]}`
			if err != nil || string(got) != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
			if pending, err := p.open(t.Context(), who.ID); err != nil || !pending {
				t.Error(pending, err)
			}
		})
	t.Run("R000-54 the result is that of the bundle, once it is over", func(t *testing.T) {
		b.over["bundle-1"] = ending{map[string]any{"transactions": []int{}, "bundle_success": false}, "user_rejected", false}
		if r := result("one"); r != `{"action":"sign_transaction_bundle","action_id":"one","success":false,"data":{"bundle_success":false,"transactions":[]},"error":"user_rejected"}` {
			t.Error(r)
		}
	})
	t.Run("what the chain says later replaces the result, and the stream has it anew", func(t *testing.T) {
		p.run(t, who, fmt.Sprintf(twoWishes, "slow", "Slow"))
		results := func() (list []actions.Row) {
			t.Helper()
			rows, err := with(t, dir, b).Results(t.Context(), who.ID, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				if row.ID == "slow" {
					list = append(list, row)
				}
			}
			return list
		}
		b.over["bundle-2"] = ending{"timeout", "timeout", true}
		first, again := results(), results()
		if len(first) != 1 || len(again) != 1 || first[0].Seq != again[0].Seq || !strings.Contains(string(first[0].Result),
			`"data":"timeout","error":"timeout"`) {
			t.Fatalf("%+v\n%+v", first, again)
		}
		if a := p.run(t, who, fmt.Sprintf(twoWishes, "slow", "Slow")); a.Accepted || a.Result.Error != "timeout" {
			t.Errorf("the same again: %+v", a)
		}
		b.over["bundle-2"] = ending{"confirmed after all", "timeout", false}
		late := results()
		if len(late) != 1 || late[0].Seq <= first[0].Seq || late[0].Review != nil ||
			!strings.Contains(string(late[0].Result), "confirmed after all") {
			t.Errorf("%+v", late)
		}
		if open, err := p.open(t.Context(), who.ID); err != nil || open {
			t.Error(open, err)
		}
	})
	t.Run("every step of a bundle that is not taken is named", func(t *testing.T) {
		p.run(t, who, fmt.Sprintf(twoWishes, "no", "refuse b"))
		if r := result("no"); !strings.Contains(r,
			`"id":"a","sequence":2,"chain":"Sui","tx_hash":null,"status":"failed","error":"not_begun"`) ||
			!strings.Contains(r,
				`"id":"b","sequence":5,"chain":"sui","tx_hash":null,"status":"failed","error":"blocked","message":"Not this one."`) ||
			!strings.HasSuffix(r, `"bundle_success":false,"skip_approval_honoured":false},"error":"blocked"}`) {
			t.Error(r)
		}
		p.run(t, who, fmt.Sprintf(twoWishes, "late", "late"))
		if r := result("late"); strings.Count(r, `"error":"bundle_in_progress"`) != 3 || b.kept != 2 {
			t.Error(r)
		}
	})
	t.Run("of one id at once, in two processes, one bundle is made", func(t *testing.T) {
		before := b.kept
		var wait sync.WaitGroup
		for _, at := range []*place{p, with(t, dir, b), p, with(t, dir, b)} {
			wait.Go(func() {
				a, err := at.Execute(context.Background(), who, json.RawMessage(fmt.Sprintf(twoWishes, "race", "Race")))
				if err != nil || !a.Accepted {
					t.Errorf("%+v %v", a, err)
				}
			})
		}
		wait.Wait()
		if b.kept != before+1 {
			t.Errorf("%d bundles", b.kept-before)
		}
	})
	t.Run("no frontend is offered a bundle, and none answers one for the person", func(t *testing.T) {
		for _, token := range []string{"true", "false"} {
			p.run(t, actions.Caller{ID: "key/asks"}, strings.Replace(fmt.Sprintf(twoWishes, "front"+token, "Front "+token),
				`"auto_execute":true`, `"auto_execute":`+token, 1))
		}
		if offered, err := p.Waiting(t.Context(), 0); err != nil || len(offered) != 0 {
			t.Errorf("%+v %v", offered, err)
		}
		row, err := p.db.Action(t.Context(), "key/asks", "fronttrue")
		if err != nil || row == nil || row.Result != nil {
			t.Fatal(row, err)
		}
		for _, id := range []string{row.Ticket, row.ID} {
			if r, err := p.Report(t.Context(), actions.Result{Action: actions.SignBundle, ActionID: id,
				Success: true}); err == nil {
				t.Errorf("%+v", r)
			}
			if r, err := p.Report(t.Context(), actions.Result{Action: actions.SignBundle, ActionID: id}); err == nil {
				t.Errorf("%+v", r)
			}
		}
		if row, err := p.db.Action(t.Context(), "key/asks", "fronttrue"); err != nil || row == nil || row.Result != nil {
			t.Error("a frontend ended it", row, err)
		}
	})
	t.Run("a program that floods the person is stopped, until something ends", func(t *testing.T) {
		flood := actions.Caller{ID: "key/flood"}
		first := b.kept + 1
		for i := range actions.MostWaiting {
			if a := p.run(t, flood, fmt.Sprintf(twoWishes, fmt.Sprint("f", i), fmt.Sprint(i))); !a.Accepted {
				t.Fatalf("%d: %+v", i, a)
			}
		}
		if a := p.run(t, flood, fmt.Sprintf(twoWishes, "more", "more")); a.Accepted || a.Result.Error != actions.TooMany {
			t.Errorf("%+v", a)
		}
		b.over[fmt.Sprint("bundle-", first)] = ending{data: "done"}
		if a := p.run(t, flood, fmt.Sprintf(twoWishes, "more", "more")); !a.Accepted {
			t.Errorf("after one ended: %+v", a)
		}
	})
	t.Run("an AI client asks by its own tool", func(t *testing.T) {
		if r, err := p.Do(t.Context(), actions.SignBundle,
			json.RawMessage(`{"transactions":[{"id":"a","sequence":0,"chain":"Sui","intent":{"type":"transfer"}}]}`)); err != nil || r.Error != actions.NotAllowed {
			t.Errorf("%+v %v", r, err)
		}
	})
}
