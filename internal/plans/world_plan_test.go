package plans_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/plans"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/settings"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/store"
)

// TestTwoGroups sets "swap, then pay two people", and carries it out group by group.
func TestTwoGroups(t *testing.T) {
	w := newWorld(t)
	u, v := w.set(group("pay", []string{"swap"}, pay("1", alice), pay("2", bob)),
		group("swap", nil, testkit.Swap("10", "SUI", "USDC")))
	if u.Type != "tool_async_result" || u.Tool != "set_execution_plan" || !u.Result.OK || !u.Notify ||
		!slices.Equal(v.Order, []string{"swap", "pay"}) {
		t.Fatalf("%+v %s", u, u.Result.Value)
	}
	u, first := w.next(v.Plan)
	if u.Tool != "next_groups" || !u.Result.OK || len(first.Groups) != 1 || first.Groups[0].ID != "swap" ||
		first.Groups[0].State != plans.Asked ||
		!slices.Equal(first.Waiting, []string{"pay"}) || first.Console != "events.create_console_session" {
		t.Fatalf("%s", u.Result.Value)
	}
	if b := w.get(first.Groups[0].Bundle); b.Label != "Group 1 of 2: Group swap" ||
		b.Session != w.Store.Bus(t.Context()) ||
		b.Task != first.Groups[0].Task {
		t.Errorf("%+v", b)
	}
	if _, again := w.next(v.Plan); again.Groups[0].Bundle != first.Groups[0].Bundle {
		t.Error("the group was asked for twice")
	}
	w.carry(first.Groups[0].Bundle)
	u, second := w.next(v.Plan)
	if len(second.Groups) != 1 || second.Groups[0].ID != "pay" || !slices.Equal(second.Done, []string{"swap"}) {
		t.Fatalf("%s", u.Result.Value)
	}
	w.carry(second.Groups[0].Bundle)
	if u, end := w.next(v.Plan); !u.Result.OK || end.Status != "done" || len(end.Groups) != 0 || len(end.Done) != 2 {
		t.Errorf("%s", u.Result.Value)
	}
}

// TestAtOnce calls for the next groups many times at once in two processes.
func TestAtOnce(t *testing.T) {
	w := newWorld(t)
	_, v := w.set(group("a", nil, pay("1", alice)), group("b", nil, pay("2", alice)), group("c", nil, pay("3", alice)),
		group("d", nil, pay("4", alice)))
	other, db := w.second()
	for _, db := range []*store.DB{w.Store, db} { // both are led by one client
		if err := db.Converse(t.Context(), "claude"); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var calls []plans.Call
	var wg sync.WaitGroup
	for range 5 {
		for _, p := range []*plans.Service{w.plans, other} {
			wg.Go(func() {
				c, err := p.Next(context.Background(), v.Plan)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				calls = append(calls, c)
			})
		}
		wg.Go(func() {
			if err := other.Sweep(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	bundles := map[string]map[request.ID]bool{}
	for _, c := range calls {
		_, v := w.answer(c)
		for _, g := range v.Groups {
			if bundles[g.ID] == nil {
				bundles[g.ID] = map[request.ID]bool{}
			}
			bundles[g.ID][g.Bundle] = true
		}
	}
	live, err := w.Store.LiveRequests(t.Context())
	if err != nil || len(live) != plans.MostOpen || len(bundles) != plans.MostOpen {
		t.Errorf("%d bundles, %v, %v", len(live), bundles, err)
	}
	for id, list := range bundles {
		if len(list) != 1 {
			t.Errorf("group %s has %d bundles", id, len(list))
		}
	}
}

// TestEnded continues after a group that ended otherwise than asked.
func TestEnded(t *testing.T) {
	w := newWorld(t)
	chain := func() plans.ID {
		_, v := w.set(group("a", nil, pay("1", alice), pay("2", alice)), group("b", []string{"a"}, pay("3", bob)),
			group("c", []string{"b"}, pay("4", bob)))
		return v.Plan
	}
	t.Run("nobody answered", func(t *testing.T) {
		id := chain()
		_, before := w.next(id)
		w.Clock.Advance(request.ApprovalLife)
		_, after := w.next(id)
		if len(after.Groups) != 1 || after.Groups[0].Bundle == before.Groups[0].Bundle {
			t.Fatalf("%+v", after)
		}
		w.Clock.Advance(request.ApprovalLife)
	})
	t.Run("stopped before anything happened", func(t *testing.T) {
		id := chain()
		_, v := w.next(id)
		w.approve(v.Groups[0].Bundle)
		if _, err := w.bundles.Stop(t.Context(), v.Groups[0].Bundle, yes); err != nil {
			t.Fatal(err)
		}
		_, again := w.next(id)
		if len(again.Groups) != 1 || again.Groups[0].Bundle == v.Groups[0].Bundle ||
			!slices.Equal(again.Waiting, []string{"b", "c"}) {
			t.Errorf("%+v", again)
		}
		w.Clock.Advance(request.ApprovalLife)
	})
	t.Run("the person said no", func(t *testing.T) {
		id := chain()
		_, v := w.next(id)
		if _, err := w.bundles.Reject(t.Context(), v.Groups[0].Bundle, w.shown(v.Groups[0].Bundle)); err != nil {
			t.Fatal(err)
		}
		u, after := w.next(id)
		if u.Result.OK || after.Status != "blocked" || len(after.Groups) != 0 || after.Ended[0].State != plans.Rejected ||
			after.Ended[0].Again ||
			!slices.Equal(after.Blocked, []string{"b", "c"}) {
			t.Errorf("%s", u.Result.Value)
		}
	})
	t.Run("a part was done", func(t *testing.T) {
		id := chain()
		_, v := w.next(id)
		first := v.Groups[0].Bundle
		w.approve(first)
		w.sign(w.present(first))
		if _, err := w.bundles.Stop(t.Context(), first, yes); err != nil {
			t.Fatal(err)
		}
		u, after := w.next(id)
		if u.Result.OK || after.Status != "blocked" || after.Ended[0].State != plans.Partly ||
			!slices.Equal(after.Blocked, []string{"b", "c"}) {
			t.Errorf("%s", u.Result.Value)
		}
	})
}

// TestHeld requests nothing while a bundle of the account runs.
func TestHeld(t *testing.T) {
	w := newWorld(t)
	_, v := w.set(group("a", nil, pay("1", alice)), group("b", nil, pay("2", bob)))
	other, err := w.bundles.Ask(t.Context(), "", false, []request.Wanted{group("x", nil, pay("5", bob)).Steps[0]})
	if err != nil {
		t.Fatal(err)
	}
	w.approve(other.ID)
	u, held := w.next(v.Plan)
	if held.Held == nil || held.Held.Reason != "bundle_in_progress" || len(held.Groups) != 0 ||
		!slices.Equal(held.Ready, []string{"a", "b"}) {
		t.Fatalf("%s", u.Result.Value)
	}
	if _, err := w.bundles.Stop(t.Context(), other.ID, yes); err != nil {
		t.Fatal(err)
	}
	if _, after := w.next(v.Plan); len(after.Groups) != 2 || after.Held != nil {
		t.Errorf("%+v", after)
	}
}

// TestApprovedForLater: what the user approved for later runs when it is requested again.
func TestApprovedForLater(t *testing.T) {
	w := newWorld(t)
	_, v := w.set(group("a", nil, pay("1", alice)))
	_, first := w.next(v.Plan)
	if err := w.bundles.Later(t.Context(), first.Groups[0].Bundle, w.shown(first.Groups[0].Bundle), "page"); err != nil {
		t.Fatal(err)
	}
	_, second := w.next(v.Plan)
	if len(second.Groups) != 1 || second.Groups[0].State != plans.Running {
		t.Fatalf("%+v", second)
	}
	if b := w.get(second.Groups[0].Bundle); b.Approval != request.ByPrior {
		t.Error(b.Approval)
	}
}

// TestPreflight reports the problems of a requested group.
func TestPreflight(t *testing.T) {
	w := newWorld(t)
	both := group("both", nil, pay("6", alice), pay("7", bob))
	both.Atomic = true
	_, v := w.set(group("again", nil, pay("5", alice), pay("1", bob)), both)
	w.sign(w.Ready(pay("1", bob)).ID)
	if out, err := settings.New(settings.Config{Store: w.Store}).Freeze(t.Context()); err != nil || !out.Done {
		t.Fatal(err)
	}
	_, first := w.next(v.Plan)
	got := map[string]string{}
	for _, g := range first.Groups {
		for _, b := range g.Blockers {
			got[g.ID] += b.Check + b.Step + " "
		}
	}
	if got["again"] != "open_releases"+both.Steps[1].ID+" stopped " || got["both"] != "stopped " {
		t.Errorf("%q", got)
	}
}

// TestAtomic runs a group as one transaction.
func TestAtomic(t *testing.T) {
	w := newWorld(t)
	g := group("both", nil, pay("1", alice), pay("2", bob))
	g.Atomic = true
	_, v := w.set(g, group("after", []string{"both"}, pay("3", bob)))
	u, first := w.next(v.Plan)
	if len(first.Groups) != 1 || first.Groups[0].Review == "" || first.Groups[0].Bundle != "" {
		t.Fatalf("%s", u.Result.Value)
	}
	if _, again := w.next(v.Plan); again.Groups[0].Review != first.Groups[0].Review {
		t.Error("it was asked for twice")
	}
	w.sign(first.Groups[0].Review)
	if u, second := w.next(v.Plan); len(second.Groups) != 1 || second.Groups[0].ID != "after" ||
		!slices.Equal(second.Done, []string{"both"}) {
		t.Errorf("%s", u.Result.Value)
	}
}

// TestParted follows a group with one transaction to the bundle of its steps, after the user chose
// to sign each separately.
func TestParted(t *testing.T) {
	w := newWorld(t)
	g := group("both", nil, pay("1", alice), pay("2", bob))
	g.Atomic = true
	_, v := w.set(g, group("after", []string{"both"}, pay("3", bob)))
	_, first := w.next(v.Plan)
	if _, err := w.Reviews.Opened(t.Context(), first.Groups[0].Review); err != nil {
		t.Fatal(err)
	}
	b, err := w.bundles.Part(t.Context(), first.Groups[0].Review, yes)
	if err != nil {
		t.Fatal(err)
	}
	u, parted := w.next(v.Plan)
	if len(parted.Groups) != 1 || parted.Groups[0].Bundle != b.ID || parted.Groups[0].Review != "" {
		t.Fatalf("%s", u.Result.Value)
	}
	w.carry(b.ID)
	if u, after := w.next(v.Plan); len(after.Groups) != 1 || after.Groups[0].ID != "after" ||
		!slices.Equal(after.Done, []string{"both"}) {
		t.Errorf("%s", u.Result.Value)
	}
}

// TestChosen: a group whose steps the user signs as one transaction is done with it.
func TestChosen(t *testing.T) {
	w := newWorld(t)
	_, v := w.set(group("both", nil, pay("1", alice), pay("2", bob)))
	_, first := w.next(v.Plan)
	id := first.Groups[0].Bundle
	if _, err := w.bundles.Choose(t.Context(), id, w.shown(id), request.Atomic); err != nil {
		t.Fatal(err)
	}
	w.carry(id)
	if u, end := w.next(v.Plan); end.Status != "done" {
		t.Errorf("%s", u.Result.Value)
	}
}

// TestDefects reports all problems of a plan at once.
func TestDefects(t *testing.T) {
	w := newWorld(t)
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: alice}
	entry := group("entry", nil, pay("1", ""))
	entry.Steps[0].Entry = "addr_nobody"
	u, v := w.set(group("coin", nil, testkit.Swap("10", "SUI", "NOPE"), fed), entry, group("fine", nil, pay("1", bob)),
		group("amount", nil, pay("0", bob)))
	if u.Result.OK || len(v.Unsupported) != 1 || v.Unsupported[0].Group != "coin" || v.Unsupported[0].Step != "a" ||
		len(v.Missing) != 1 || v.Missing[0].Group != "entry" || len(v.Defects) != 2 || v.Defects[0].Step != "b" ||
		v.Defects[1].Group != "amount" {
		t.Fatalf("%s", u.Result.Value)
	}
	if u, next := w.next(v.Plan); u.Result.OK || len(next.Missing) != 1 || len(next.Groups) != 0 {
		t.Errorf("a plan with defects is asked for: %s", u.Result.Value)
	}
}

// TestLongest: the result of the largest plan, with the longest names, fits into its event.
func TestLongest(t *testing.T) {
	w := newWorld(t)
	var groups []plans.Group
	for i := range plans.MostGroups {
		g := group(fmt.Sprintf("%040d", i), nil, slices.Repeat([]plan.Intent{testkit.Swap("10", "SUI",
			strings.Repeat("ж", 200))}, 2)...)
		g.Title = strings.Repeat("ж\"", 40)
		for j := range g.Steps {
			g.Steps[j].ID = strings.Repeat("ж\"", 190) + fmt.Sprint(j)
		}
		groups = append(groups, g)
	}
	u, v := w.set(groups...)
	if n := len(v.Unsupported) + len(v.Defects); u.Result.OK || n != 20 || v.LeftOut != 20 {
		t.Errorf("%d defects, %d left out, %d bytes: %s", n, v.LeftOut, len(u.Result.Value), u.Result.Value)
	}
}

// TestNoAccount checks a plan again once an account is connected.
func TestNoAccount(t *testing.T) {
	w := newWorld(t)
	if _, _, err := w.Accounts.Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	u, v := w.set(group("a", nil, pay("1", alice)))
	if u.Result.OK || len(v.Missing) != 1 || v.Missing[0].Code != string(fault.ActiveAccountNotSet) {
		t.Fatalf("%s", u.Result.Value)
	}
	w.Connect(sandbox.Account)
	if u, next := w.next(v.Plan); !u.Result.OK || len(next.Groups) != 1 {
		t.Errorf("%s", u.Result.Value)
	}
}

// TestOtherAccount asks for no group of a plan that is for another account than the one in
// use.
func TestOtherAccount(t *testing.T) {
	w := newWorld(t)
	_, v := w.set(group("a", nil, pay("1", alice)))
	w.Connect(sui.MustAddress("0xa11ce"))
	if u, next := w.next(v.Plan); u.Result.OK || len(next.Groups) != 0 || len(next.Defects) != 1 {
		t.Errorf("%s", u.Result.Value)
	}
}

// TestLeftCall: another process answers the call of a process that is gone, for the calling
// conversation.
func TestLeftCall(t *testing.T) {
	w := newWorld(t)
	_, v := w.set(group("a", nil, pay("1", alice)))
	other, _ := w.second()
	c := plans.Call{ID: "call_left", Tool: plans.NextTool, Plan: v.Plan, Session: w.Store.Bus(t.Context()),
		At: w.Clock.Now()}
	if err := w.Store.KeepPlanCall(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	if err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, _ := w.Store.PlanCalls(t.Context(), w.Clock.Now()); len(list) != 1 {
		t.Fatal("a call was taken from a process that lives")
	}
	w.Clock.Advance(time.Minute)
	if err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, next := w.answer(c)
	if b := w.get(next.Groups[0].Bundle); b.Session != w.Store.Bus(t.Context()) {
		t.Error("the bundle is of another conversation")
	}
	late := plans.Call{ID: "call_late", Tool: plans.NextTool, Plan: v.Plan, Session: w.Store.Bus(t.Context()),
		At: w.Clock.Now()}
	if err := w.Store.KeepPlanCall(t.Context(), late, nil); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(request.ApprovalLife + time.Second)
	if err := other.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if u, v := w.answer(late); u.Result.OK || v.Code != string(fault.SessionExpired) {
		t.Errorf("what was called long ago is asked for now: %s", u.Result.Value)
	}
}

// TestWithdrawn undoes a call whose answer nobody receives.
func TestWithdrawn(t *testing.T) {
	w := newWorld(t)
	_, v := w.set(group("a", nil, pay("1", alice)))
	c, err := w.plans.Next(t.Context(), v.Plan)
	if err != nil {
		t.Fatal(err)
	}
	_, next := w.answer(c)
	if err := w.plans.Withdraw(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := w.bundles.Get(t.Context(), next.Groups[0].Bundle); !fault.Is(err, fault.SessionNotFound) {
		t.Error("the bundle is still there", err)
	}
	if _, again := w.next(v.Plan); len(again.Groups) != 1 {
		t.Errorf("%+v", again)
	}
	s, err := w.plans.Set(t.Context(), []plans.Group{group("a", nil, pay("1", alice))})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.plans.Withdraw(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := w.plans.Next(t.Context(), s.Plan); !fault.Is(err, fault.SessionNotFound) {
		t.Error("the plan is still there", err)
	}
}
