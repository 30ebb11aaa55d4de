package activity_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/account/activity"
	deepbook "github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	flowx "github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// one scans a chain of one transaction, edited.
func one(t *testing.T, edit func(*sui.PastTransaction)) activity.Scan {
	t.Helper()
	p := chainOf(1)
	p.list[0] = sent(7)
	zero := uint64(0)
	p.list[0].Checkpoint = &zero
	edit(&p.list[0])
	return open(t, p).scan(activity.Query{Limit: 1})
}

func TestRequestedAccount(t *testing.T) {
	t.Run("R004-223 R004-262 R004-264 R004-266 R004-267 R004-268 R004-269 R004-270 the account's own changes, and no other's", func(t *testing.T) {
		s := one(t, func(*sui.PastTransaction) {})
		e := s.Facts[0].Effect
		if e.Scope != "requested_account" || e.Role != activity.RoleSender || e.Evidence != activity.ChangesReturned ||
			e.AbsenceProven ||
			e.Inference != activity.UseReturned || len(e.Balances) != 2 || e.Completeness != activity.Complete {
			t.Errorf("%+v", e)
		}
		if diff := cmp.Diff(s.Facts[0].Effect, s.Rows[0].Effect); diff != "" || len(s.Facts[0].Balances) != 2 {
			t.Error(diff)
		}
	})
	t.Run("R004-263 R004-271 R004-279 R004-290 R004-291 raw sums by coin", func(t *testing.T) {
		p := chainOf(5)
		s := open(t, p).scan(activity.Query{})
		want := []activity.Flow{{Coin: sui.SUI, Increase: "0", Decrease: "12500000", Net: "-12500000", Count: 5},
			{Coin: usdc, Increase: "10", Decrease: "0", Net: "10", Count: 5}}
		if diff := cmp.Diff(want, s.Requested.Flows); diff != "" {
			t.Error(diff)
		}
		own := []activity.Flow{{Coin: sui.SUI, Increase: "0", Decrease: "2500000", Net: "-2500000", Count: 1},
			{Coin: usdc, Increase: "4", Decrease: "0", Net: "4", Count: 1}}
		if diff := cmp.Diff(own, s.Rows[0].Effect.Flows); diff != "" {
			t.Error(diff)
		}
		if text, err := json.Marshal(s.Rows[0].Effect); err != nil || !strings.Contains(string(text),
			`"amountRaw":"-2500000"`) {
			t.Errorf("%s %v", text, err)
		}
	})
	t.Run("R004-269 whether absence is proven stands in the effect by its name", func(t *testing.T) {
		for want, edit := range map[bool]func(*sui.PastTransaction){
			true:  func(p *sui.PastTransaction) { p.Sender, p.Balances.Items = owner(bob), p.Balances.Items[2:] },
			false: func(*sui.PastTransaction) {},
		} {
			s := one(t, edit)
			for _, e := range []activity.Effect{s.Rows[0].Effect, s.Facts[0].Effect} {
				var told map[string]any
				text, err := json.Marshal(e)
				if err == nil {
					err = json.Unmarshal(text, &told)
				}
				if got, ok := told["accountBalanceChangeAbsenceProven"].(bool); err != nil || !ok || got != want {
					t.Errorf("%s, %v; want %v", text, err, want)
				}
			}
			if s.Facts[0].AbsenceProven != want {
				t.Errorf("%+v", s.Facts[0])
			}
		}
	})
	for name, c := range map[string]struct {
		edit     func(*sui.PastTransaction)
		evidence activity.BalanceEvidence
		degree   activity.Completeness
		policy   activity.Inference
		absent   bool
	}{
		"R004-273 R004-275 R004-278 a truncated list": {func(p *sui.PastTransaction) { p.Balances.More = true },
			activity.ChangesIncomplete, activity.Truncated, activity.DoNotInfer, false},
		"R004-274 R004-275 R004-278 no list": {func(p *sui.PastTransaction) { p.Balances = sui.Listed[sui.PastBalance]{} },
			activity.ChangesUnavailable, activity.Unavailable, activity.DoNotInfer, false},
		"R004-274 R004-275 a list that contradicted the rest": {func(p *sui.PastTransaction) {
			p.Balances, p.BalancesRefused = sui.Listed[sui.PastBalance]{}, true
		}, activity.ChangesUnavailable, activity.Unavailable, activity.DoNotInfer, false},
		"R004-276 R004-277 nothing of the account in a whole list": {func(p *sui.PastTransaction) {
			p.Sender, p.Balances.Items = owner(bob), p.Balances.Items[2:]
		}, activity.NoChangesReturned, activity.Complete, activity.AbsenceProven, true},
		"R004-276 R004-277 nothing of the account, whose gas another paid": {func(p *sui.PastTransaction) {
			p.GasPayer, p.Balances.Items = owner(bob), p.Balances.Items[2:]
		}, activity.NoChangesReturned, activity.Complete, activity.AbsenceProven, true},
		"R004-276 R004-277 nothing of the account, and nothing was paid": {func(p *sui.PastTransaction) {
			p.Gas, p.Balances.Items = &sui.GasCost{}, p.Balances.Items[2:]
		}, activity.NoChangesReturned, activity.Complete, activity.AbsenceProven, true},
		"R004-276 nothing of the account, which sent and so paid gas": {func(p *sui.PastTransaction) { p.Balances.Items = p.Balances.Items[2:] },
			activity.ChangesIncomplete, activity.Truncated, activity.DoNotInfer, false},
		"R004-276 nothing of the account, which paid the gas of another": {func(p *sui.PastTransaction) {
			p.Sender, p.GasPayer, p.Balances.Items = owner(bob), owner(alice), p.Balances.Items[2:]
		}, activity.ChangesIncomplete, activity.Truncated, activity.DoNotInfer, false},
		"R004-276 nothing of the account, which sent at a cost that is not told": {func(p *sui.PastTransaction) {
			p.Gas, p.Balances.Items = nil, p.Balances.Items[2:]
		}, activity.ChangesIncomplete, activity.Truncated, activity.DoNotInfer, false},
		"R004-273 a change of the account, and none for the gas that it paid": {func(p *sui.PastTransaction) { p.Balances.Items = p.Balances.Items[1:] },
			activity.ChangesIncomplete, activity.Truncated, activity.DoNotInfer, false},
		"R004-276 a change of nobody may be the account's": {func(p *sui.PastTransaction) {
			p.Balances.Items = p.Balances.Items[2:]
			p.Balances.Items[0].Owner = nil
		}, activity.ChangesIncomplete, activity.Truncated, activity.DoNotInfer, false},
		"R004-273 nothing of the account in a truncated list": {func(p *sui.PastTransaction) {
			p.Balances.Items, p.Balances.More = p.Balances.Items[2:], true
		}, activity.ChangesIncomplete, activity.Truncated, activity.DoNotInfer, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := one(t, c.edit)
			f := s.Facts[0]
			if f.Evidence != c.evidence || f.Completeness != c.degree || f.Inference != c.policy ||
				f.AbsenceProven != c.absent || s.Requested.Completeness != c.degree {
				t.Errorf("%+v, requested %+v", f, s.Requested)
			}
			if c.degree != activity.Complete && len(f.Effect.Limitations) == 0 {
				t.Error("R004-272: nothing says why")
			}
			const refused = "balance_changes_contradicted_effects_and_were_left_out"
			if got := slices.Contains(f.Effect.Limitations, refused); got != strings.Contains(name, "contradicted") {
				t.Errorf("%v", f.Effect.Limitations)
			}
		})
	}
	t.Run("R004-220 R004-267 who did not send is affected only", func(t *testing.T) {
		s := one(t, func(p *sui.PastTransaction) { p.Sender = owner(bob) })
		if s.Rows[0].Effect.Role != activity.RoleAffected || s.Requested.Affected != 1 || s.Requested.Sent != 0 {
			t.Errorf("%+v", s.Requested)
		}
	})
}

func TestContext(t *testing.T) {
	s := one(t, func(*sui.PastTransaction) {})
	c := s.Rows[0].Context
	t.Run("R004-226 R004-255 what the transaction did, without its balance changes", func(t *testing.T) {
		text, err := json.Marshal(c)
		// The text contains only the completeness of that list.
		if rest := strings.Replace(string(text), `"balanceChanges":"complete"`, "", 1); err != nil ||
			strings.Contains(strings.ToLower(rest), "balance") {
			t.Errorf("%s %v", text, err)
		}
		if c.Calls[0].What != deepbook.Packages()[2].ID.String()+"::pool::swap_exact_quantity" ||
			c.Objects[0] != (activity.Counted{What: "mutated", Count: 1}) {
			t.Errorf("%+v", c)
		}
	})
	t.Run("R004-299 R004-300 R004-302 R004-313 gas in MIST, and in SUI", func(t *testing.T) {
		if c.GasNet.String() != "2500000" || c.GasCost.Display != "0.0025" || c.GasCost.Symbol != "SUI" {
			t.Errorf("%v %+v", c.GasNet, c.GasCost)
		}
	})
	t.Run("R004-328 rows of a scan have no details, and the way to them", func(t *testing.T) {
		if s.Rows[0].Detail != nil || s.Rows[0].Lookup != (activity.Lookup{Tool: "read.inspect_sui_transaction",
			Digest: digest(7)}) {
			t.Errorf("%+v", s.Rows[0])
		}
	})
	t.Run("R004-224 R004-255 without lists there is no context, and that is counted", func(t *testing.T) {
		s := one(t, func(p *sui.PastTransaction) {
			p.Balances, p.Objects, p.Events = sui.Listed[sui.PastBalance]{}, sui.Listed[sui.PastObject]{},
				sui.Listed[sui.PastEvent]{}
		})
		if s.Rows[0].Context != nil || s.Available != (activity.Availability{Rows: 1, Without: 1}) {
			t.Errorf("%+v", s.Available)
		}
		if s := one(t, func(*sui.PastTransaction) {}); s.Rows[0].Context == nil ||
			s.Available != (activity.Availability{Rows: 1, With: 1, All: true}) {
			t.Errorf("with lists: %+v", s.Available)
		}
	})
	t.Run("R004-306 a status that is not told is unknown", func(t *testing.T) {
		if s := one(t, func(p *sui.PastTransaction) { p.Status = "" }); s.Rows[0].Status != sui.PastUnknown {
			t.Errorf("%s", s.Rows[0].Status)
		}
	})
	t.Run("one huge transaction is capped and marked", func(t *testing.T) {
		p := chainOf(1)
		for i := range 5000 {
			p.list[0].Objects.Items = append(p.list[0].Objects.Items, sui.PastObject{ID: bob, Change: "created",
				Type: "0x2::x::" + strings.Repeat("T", 5000) + fmt.Sprint(i)})
		}
		h := open(t, p)
		h.connect(alice)
		s := h.scan(activity.Query{})
		if s.Rows[0].Context.Lists.Objects != activity.Truncated || s.Rows[0].Context.Lists.Calls != activity.Complete {
			t.Errorf("%+v", s.Rows[0].Context.Lists)
		}
		got, err := h.db.Activity(context.Background(), activity.Span{Account: alice}, 1)
		if err != nil || len(got.Rows) != 1 {
			t.Fatal(err)
		}
		if text, err := json.Marshal(got.Rows[0].Detail); err != nil || len(text) > activity.MostDetail ||
			got.Rows[0].Detail.Lists.Objects != activity.Truncated {
			t.Errorf("%d bytes stored, %v", len(text), err)
		}
	})
	t.Run("text of the chain is shown without what hides or reorders", func(t *testing.T) {
		s := one(t, func(p *sui.PastTransaction) {
			p.Status, p.Failure = sui.PastFailed, &sui.PastFailure{Message: "ignore\u202e all\x00",
				Abort: &sui.MoveAbort{Package: bob, Module: "m", Function: "f", Code: 7}}
		})
		f := s.Rows[0].Context.Failure
		if strings.ContainsAny(f.Message, "\u202e\x00") || *f.Code != 7 {
			t.Errorf("%+v", f)
		}
		if a := s.Analysis; len(a.Failures) != 1 || a.Failures[0].Count != 1 || a.Overview.Failed != 1 {
			t.Errorf("%+v", a)
		}
	})
	t.Run("R004-283 the analysis has failures with their details, alike ones once", func(t *testing.T) {
		failing := func(message, module, function string, code uint64) func(*sui.PastTransaction) {
			return func(p *sui.PastTransaction) {
				p.Status, p.Failure = sui.PastFailed, &sui.PastFailure{Message: message, Abort: &sui.MoveAbort{Package: bob,
					Module: module, Function: function, Code: code}}
			}
		}
		p := chainOf(4)
		failing("too little", "pool", "swap", 7)(&p.list[0])
		failing("too little", "pool", "swap", 7)(&p.list[1])
		failing("out of gas", "coin", "split", 2)(&p.list[2])
		a := open(t, p).scan(activity.Query{}).Analysis
		code := func(n uint64) *uint64 { return &n }
		want := []activity.FailureCount{
			{Failure: activity.Failure{Message: "too little", Code: code(7), Package: &bob, Module: "pool", Function: "swap"},
				Count: 2},
			{Failure: activity.Failure{Message: "out of gas", Code: code(2), Package: &bob, Module: "coin", Function: "split"},
				Count: 1},
		}
		if diff := cmp.Diff(want, a.Failures); diff != "" || a.Overview.Failed != 3 {
			t.Error(diff, a.Overview)
		}
	})
}

func TestLabels(t *testing.T) {
	find := func(s activity.Scan) []string {
		var out []string
		for _, m := range s.Rows[0].Context.Matches {
			out = append(out, m.ID+" "+string(m.Evidence)+" "+string(m.Action))
		}
		return out
	}
	bare := func(p *sui.PastTransaction) { p.Calls.Items, p.Events.Items, p.Objects.Items = nil, nil, nil }
	for name, c := range map[string]struct {
		edit func(*sui.PastTransaction)
		want []string
	}{
		"R004-285 a call wins over an event": {func(*sui.PastTransaction) {},
			[]string{"deepbook-v3 direct_move_call swap"}},
		"R004-285 an event names the first package": {func(p *sui.PastTransaction) { p.Calls.Items = nil },
			[]string{"deepbook-v3 event_type unknown"}},
		"R004-285 an object's type": {func(p *sui.PastTransaction) {
			bare(p)
			p.Objects.Items = []sui.PastObject{{ID: bob, Change: "mutated", Type: flowx.OriginalPackage.String() +
				"::position::Position"}}
		}, []string{"flowx-clmm object_type unknown"}},
		"R004-285 the package of a failure is no evidence": {func(p *sui.PastTransaction) {
			bare(p)
			p.Status, p.Failure = sui.PastFailed, &sui.PastFailure{Message: "aborted in " + deepbook.OriginalPackage.String() +
				"::pool",
				Abort: &sui.MoveAbort{Package: deepbook.Packages()[0].ID, Module: "pool", Function: "swap_exact_quantity", Code: 7}}
		}, nil},
		"R004-285 a shared object": {func(p *sui.PastTransaction) {
			bare(p)
			p.Shared.Items = []sui.ObjectID{flowx.Versioned}
		}, []string{"flowx-clmm shared_object unknown"}},
		"a type parameter of a protocol is none of its types": {func(p *sui.PastTransaction) {
			bare(p)
			p.Objects.Items = []sui.PastObject{{ID: bob, Change: "mutated", Type: "0x2::coin::Coin<" +
				deepbook.OriginalPackage.String() + "::pool::X>"}}
		}, nil},
		"R004-284 the chain's own packages, by their whole ids": {func(p *sui.PastTransaction) {
			bare(p)
			p.Calls.Items = []sui.PastCall{
				{Package: sui.MustAddress("0x1"), Module: "option", Function: "none"},
				{Package: sui.MustAddress("0x2"), Module: "transfer", Function: "public_transfer"},
				{Package: sui.MustAddress("0x3"), Module: "sui_system", Function: "request_add_stake"},
				{Package: sui.MustAddress("0xdee9"), Module: "clob_v2", Function: "swap_exact_base_for_quote"},
				{Package: sui.MustAddress("0xde"), Module: "clob_v2", Function: "swap_exact_base_for_quote"},
			}
		}, []string{"move-stdlib direct_move_call unknown", "sui-framework direct_move_call transfer",
			"sui-system direct_move_call unknown",
			"deepbook-v2 direct_move_call swap"}},
		"a coin's type is no use of the framework, a stake's is one of the system": {func(p *sui.PastTransaction) {
			bare(p)
			p.Objects.Items = []sui.PastObject{{ID: bob, Change: "mutated", Type: "0x2::coin::Coin<0x2::sui::SUI>"},
				{ID: alice, Change: "created", Type: "0x3::staking_pool::StakedSui"}}
		}, []string{"sui-system object_type unknown"}},
		"a module's name alone is no protocol": {func(p *sui.PastTransaction) {
			bare(p)
			p.Calls.Items = []sui.PastCall{{Package: bob, Module: "pool", Function: "swap_exact_quantity"}}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := one(t, c.edit)
			if diff := cmp.Diff(c.want, find(s)); diff != "" {
				t.Error(diff)
			}
			for _, m := range s.Rows[0].Context.Matches {
				if !slices.Contains(m.Limitations, "transaction_activity_label_only") || m.Source != "pinned_registry" {
					t.Errorf("R004-286 R004-287 R004-307: %+v", m)
				}
			}
		})
	}
	t.Run("every published package of DeepBook is recognised", func(t *testing.T) {
		for _, p := range deepbook.Packages() {
			s := one(t, func(past *sui.PastTransaction) {
				bare(past)
				past.Calls.Items = []sui.PastCall{{Package: p.ID, Module: "pool", Function: "place_limit_order"}}
			})
			if diff := cmp.Diff([]string{"deepbook-v3 direct_move_call order"}, find(s)); diff != "" {
				t.Errorf("package %d: %s", p.Number, diff)
			}
		}
	})
}

func TestAnalysis(t *testing.T) {
	p := chainOf(10)
	p.list[3].Status, p.list[3].Failure = sui.PastFailed, &sui.PastFailure{Message: "out of gas"}
	a := open(t, p).scan(activity.Query{Limit: 8}).Analysis
	t.Run("R004-236 R004-238 R004-261 R004-280 R004-281 R004-282 R004-284 R004-301 counts and sums", func(t *testing.T) {
		if a.Overview.Transactions != 8 || a.Overview.Analyzed != 8 || a.Overview.Failed != 1 || a.Overview.Succeeded != 7 ||
			a.Gas.Net != "20000000" || a.Gas.Cost.Display != "0.02" ||
			a.Calls[0].Count != 8 || a.Events.Count != 8 || a.Objects[0].Count != 8 || len(a.Protocols) != 1 ||
			a.Protocols[0].ID != "deepbook-v3" || a.Protocols[0].Count != 8 {
			t.Errorf("%+v", a)
		}
		if diff := cmp.Diff(activity.Flow{Coin: usdc, Increase: "44", Decrease: "44", Net: "0", Count: 16},
			a.Flows[1]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("R004-261 what limits it is said", func(t *testing.T) {
		for _, word := range []string{activity.LimitLatest, activity.LimitNotWallet, activity.LimitNotComplete} {
			if !slices.Contains(a.Limits, word) {
				t.Errorf("%v lacks %s", a.Limits, word)
			}
		}
	})
}
