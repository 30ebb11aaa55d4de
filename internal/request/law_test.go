package request_test

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// wantReason fails unless err has a code and a reason.
func wantReason(t *testing.T, err error, code fault.Code, reason string) {
	t.Helper()
	if !fault.Is(err, code) || fault.As(err).Detail.Get("reason") != reason {
		t.Errorf("%v (%v), want %s with the reason %q", err, fault.As(err).Detail, code, reason)
	}
}

// TestLaw checks single transitions at their limits.
func TestLaw(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	fresh := func() request.Request {
		return request.Request{ID: "b", State: request.Asked, Revision: 1, CreatedAt: now,
			ApproveBy: now.Add(request.ApprovalLife),
			Steps: []request.Step{{ID: "a", State: request.Waiting, Wait: true, Timeout: time.Minute},
				{ID: "b", State: request.Waiting, Wait: true, Timeout: time.Minute}}}
	}
	t.Run("an approval that comes a moment too late is none", func(t *testing.T) {
		b := fresh()
		if err := b.Approve(nil, nil, now.Add(request.ApprovalLife)); err == nil {
			t.Error("it was taken")
		}
		b.Lapse(now.Add(request.ApprovalLife - time.Millisecond))
		if b.State != request.Asked {
			t.Error("it lapsed too early")
		}
		b.Lapse(now.Add(request.ApprovalLife))
		if b.State != request.Expired {
			t.Error(b.State)
		}
	})
	t.Run("a step that equals another wish needs its own tick", func(t *testing.T) {
		b := fresh()
		twins := []record.Related{{Review: "x", Equal: []record.Pair{{Own: 2, Other: 1}}}}
		wantReason(t, b.Approve([]string{"again:y", "replace:x", "b"}, twins, now), fault.Blocked, request.Duplicate)
		if err := b.Approve([]string{"again:y", "again:x"}, twins, now); err != nil || !slices.Equal(b.Accepted,
			[]string{"again:x"}) {
			t.Errorf("%v %+v", err, b.Accepted)
		}
	})
	open := func() request.Request {
		b := fresh()
		_ = b.Approve(nil, nil, now)
		b.Opened(0, "r", plan.Intent{}, nil, now)
		return b
	}
	sent := record.Session{ID: "r", Status: record.SignedPendingResult, Releases: []record.Release{{At: now}},
		Execution: &record.Execution{TxDigest: "D"}}
	t.Run("R000-35 R000-52 a receipt that does not come in time is a timeout, with its hash", func(t *testing.T) {
		b := open()
		b.Saw(0, sent, now)
		b.Saw(0, sent, now.Add(time.Minute-time.Millisecond))
		if b.Steps[0].State != request.Submitted {
			t.Fatal(b.Steps[0].State)
		}
		b.Saw(0, sent, now.Add(time.Minute))
		d := b.Data()
		if b.State != request.Stopped || len(d.Transactions) != 1 || d.Transactions[0].Status != "timeout" ||
			*d.Transactions[0].TxHash != "D" || d.Success {
			t.Errorf("%s %+v", b.State, d)
		}
		late := sent
		late.Status = record.Success
		before := b
		before.Steps = append([]request.Step{}, b.Steps...)
		b.Saw(0, late, now.Add(time.Hour))
		told, err := b.OtherEvents(before)
		if err != nil || len(told) != 1 || b.Steps[0].State != request.Confirmed || b.State != request.Stopped {
			t.Errorf("%v %v %s", err, told, b.Steps[0].State)
		}
	})
	t.Run("a step reported as not submitted is corrected by what the chain says later", func(t *testing.T) {
		for name, c := range map[string]struct {
			status record.Status
			why    record.FailureReason
			state  request.StepState
			error  string
		}{
			"it succeeded": {record.Success, "", request.Confirmed, ""},
			"it failed":    {record.Failure, record.FailureChainExecution, request.Failed, "chain_execution_failed"},
		} {
			b := open()
			dead := sent
			dead.Status, dead.Releases = record.Failure, []record.Release{{At: now, Dead: true, LookUntil: 9}}
			dead.Execution = &record.Execution{FailureReason: record.FailureCannotExecute}
			b.Saw(0, dead, now)
			if b.State != request.Stopped || b.Steps[0].Error != request.NotSubmitted || !b.Live(now) {
				t.Fatalf("%s: %s %+v, live %t", name, b.State, b.Steps[0], b.Live(now))
			}
			again := b
			again.Steps = slices.Clone(b.Steps)
			again.Saw(0, dead, now.Add(time.Hour))
			if told, err := again.OtherEvents(b); len(told) > 0 || err != nil || again.Revision != b.Revision ||
				!again.Live(now.Add(time.Hour)) {
				t.Errorf("%s: the same again: %v %v", name, told, err)
			}
			late := dead
			late.Status, late.Execution = c.status, &record.Execution{TxDigest: "D", FailureReason: c.why}
			again.Saw(0, late, now.Add(2*time.Hour))
			told, err := again.OtherEvents(b)
			body, _ := json.Marshal(told)
			says := map[bool]string{true: "is confirmed now: D", false: "was executed after all and failed: D"}[c.error == ""]
			if !strings.Contains(string(body), says) {
				t.Errorf("%s: told %s", name, body)
			}
			if step := again.Steps[0]; err != nil || len(told) != 1 || step.State != c.state || step.Error != c.error ||
				step.TxHash != "D" || step.Handed {
				t.Errorf("%s: %v %v %+v", name, err, told, step)
			}
			b.Saw(0, func() record.Session { s := dead; s.Releases = []record.Release{{At: now, Dead: true}}; return s }(),
				now.Add(time.Hour))
			if b.Live(now.Add(time.Hour)) {
				t.Errorf("%s: it is looked for without end", name)
			}
		}
	})
	t.Run("R000-34 pending is of a step whose receipt nobody waits for", func(t *testing.T) {
		b := open()
		b.Steps[0].Wait = false
		b.Saw(0, sent, now)
		if b.Steps[0].State != request.Pending || b.State != request.Running {
			t.Errorf("%s %s", b.Steps[0].State, b.State)
		}
		b = open()
		b.Steps[0].Wait = false
		b.Steps[1].Intent.From.ResultOf = 1
		b.Saw(0, sent, now)
		if b.Steps[0].State != request.Submitted {
			t.Errorf("the step after it takes its result, and does not wait: %s", b.Steps[0].State)
		}
	})
	t.Run("what is with a wallet is awaited when the bundle is stopped", func(t *testing.T) {
		b := open()
		handed := record.Session{ID: "r", Status: record.Ready, Releases: []record.Release{{At: now}}}
		b.Saw(0, handed, now)
		b.Stop(request.Cancelled, &handed, now)
		if b.State != request.Running || b.Stopping == "" || b.MayOpen(1) {
			t.Fatalf("%s %q", b.State, b.Stopping)
		}
		done := handed
		done.Status, done.Execution = record.Success, &record.Execution{TxDigest: "D"}
		b.Saw(0, done, now)
		if b.State != request.Stopped || b.Steps[0].State != request.Confirmed || b.Reason != request.Cancelled {
			t.Errorf("%s %s %s", b.State, b.Steps[0].State, b.Reason)
		}
	})
	t.Run("a step that was not handed out fails with what stops the bundle", func(t *testing.T) {
		b := open()
		b.Stopping = request.Cancelled
		b.Saw(0, record.Session{ID: "r", Status: record.Ready}, now)
		if b.Steps[0].State != request.Failed || b.Steps[0].Error != request.Cancelled {
			t.Errorf("%+v", b.Steps[0])
		}
	})
	t.Run("a wallet that says nothing leaves the step unknown, never failed", func(t *testing.T) {
		b := open()
		silent := record.Session{ID: "r", Status: record.Ready, Releases: []record.Release{{At: now}}}
		until := now.Add(request.WalletTime + time.Minute)
		b.Saw(0, silent, until.Add(-time.Millisecond))
		if b.Steps[0].State != request.Open || !b.Steps[0].Handed {
			t.Fatalf("%+v", b.Steps[0])
		}
		b.Saw(0, silent, until)
		if d := b.Data(); b.State != request.Stopped || d.Transactions[0].Status != "timeout" ||
			d.Transactions[0].TxHash != nil {
			t.Errorf("%s %+v", b.State, d)
		}
	})
	t.Run("nothing is handed out while the bundle stops", func(t *testing.T) {
		b := open()
		r := record.Session{ID: "r", Status: record.Ready}
		if err := b.Handing(r); err != nil {
			t.Fatal(err)
		}
		b.Stopping = request.Cancelled
		if err := b.Handing(r); !fault.Is(err, fault.HandoffUnavailable) {
			t.Error(err)
		}
	})
	t.Run("R000-53 R000-144 nothing is begun after a failure, and nothing is told of it", func(t *testing.T) {
		b := open()
		failed := sent
		failed.Status = record.Failure
		failed.Execution = &record.Execution{TxDigest: "D", FailureReason: record.FailureChainExecution,
			Receipt: &record.Receipt{FailureKind: "MoveAbort"}}
		b.Saw(0, failed, now)
		d := b.Data()
		if b.MayOpen(1) || b.State != request.Stopped || len(d.Transactions) != 1 ||
			*d.Transactions[0].Error != "chain_execution_failed: MoveAbort" {
			t.Errorf("%s %+v", b.State, d)
		}
	})
}

// TestHanding requests the release of steps before, during and out of their turn, and of one that
// would exceed the approval.
func TestHanding(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	given, err := w.Reviews.Prepare(ctx, pay("3", bob))
	if err != nil {
		t.Fatal(err)
	}
	list := steps(pay("1", alice), plan.Intent{})
	list[1].Intent, list[1].Review = plan.Intent{}, given.ID
	b := w.askOf("", false, list)
	refused := func(r record.Session, words string) {
		t.Helper()
		if err := w.hand(r); !fault.Is(err, fault.HandoffUnavailable) || !strings.Contains(fault.As(err).Text, words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	second := w.ready(b.Steps[1])
	refused(second, "not approved")
	w.approve(b.ID)
	b = w.sweep(b.ID)
	refused(second, "not its turn")
	first := w.ready(b.Steps[0])
	t.Run("more than was approved is not handed out", func(t *testing.T) {
		// As if the user had approved one unit less than the step takes.
		if _, err := w.Store.ChangeRequest(ctx, b.ID, "test", func(b *request.Request) (*record.Session, error) {
			b.Steps[0].Most[0].Raw--
			b.Revision++
			return nil, nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := w.hand(first); err == nil || !strings.Contains(fault.As(err).Text, "more than you approved") {
			t.Errorf("%v", err)
		}
		b = w.sweep(b.ID)
		if b.State != request.Stopped || b.Steps[0].Error != request.Outside {
			t.Errorf("%s %+v", b.State, b.Steps[0])
		}
	})
	refused(first, "has ended")
	t.Run("a review that the client named, and whose turn never came, is the person's again", func(t *testing.T) {
		if err := w.hand(second); err != nil {
			t.Error(err)
		}
	})
}

// TestLimits sums what may leave, and refuses unlimited amounts.
func TestLimits(t *testing.T) {
	usdc := plan.Asset{Symbol: "USDC", CoinType: "0x2::usdc::USDC", Decimals: 6}
	leaves := func(role plan.Role, a plan.Asset, n int64) plan.Bound {
		return plan.Bound{Role: role, Coin: a, Least: big.NewInt(-n), Most: new(big.Int)}
	}
	p := plan.Promise{Outcomes: []plan.Outcome{
		{Bounds: []plan.Bound{leaves(plan.RoleInput, plan.SUI, 5), leaves(plan.RoleFee, plan.SUI, 2), {Role: plan.RoleOutput,
			Coin: usdc}}},
		{Bounds: []plan.Bound{leaves(plan.RoleInput, plan.SUI, 6), leaves(plan.RoleFee, usdc, 1)}},
	}}
	most, err := request.MostOf(p)
	if err != nil || len(most) != 2 || most[0].Raw+most[1].Raw != 8 {
		t.Errorf("%v %v", most, err)
	}
	p.Outcomes[1].Bounds[1].Least = nil
	if _, err := request.MostOf(p); !fault.Is(err, fault.InputInvalid) || !strings.Contains(fault.As(err).Text, "USDC") {
		t.Errorf("a loss without a bound: %v", err)
	}
	b := request.Request{Steps: []request.Step{
		{Most: []plan.Amount{plan.SUI.Of(1<<64 - 1)}, Result: usdc}, {Most: []plan.Amount{plan.SUI.Of(1<<64 - 1)}},
		{Intent: plan.Intent{From: plan.IntentSource{ResultOf: 1}}},
	}}
	all := b.Limits()
	if len(all) != 2 || all[0].Display() != "36893488147.41910323" || len(all[1].Besides) != 1 || all[1].Besides[0] != 1 ||
		all[1].Raw != "0" {
		t.Errorf("%+v %s", all, all[0].Display())
	}
}

// TestAsk refuses impossible steps before anything is shown, and names the step.
func TestAsk(t *testing.T) {
	w := newWorld(t)
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "SUI", ResultOf: 1}, Recipient: alice}
	share := func(of string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1, Share: of},
			Recipient: alice}
	}
	for name, c := range map[string]struct {
		list []plan.Intent
		says string
	}{
		"an unknown coin": {[]plan.Intent{pay("1", alice),
			{Type: "transfer", From: plan.IntentSource{Symbol: "NOPE", Amount: "1"}, Recipient: alice}}, "Step 2 (b)"},
		"an amount that is none": {[]plan.Intent{pay("0", alice)}, "Step 1 (a)"},
		"the result of another coin": {[]plan.Intent{testkit.Swap("10", "SUI", "USDC"), fed},
			"does not return the coin"},
		"the result of a payment": {[]plan.Intent{pay("1", alice), fed}, "does not return the coin"},
		"a share that is none":    {[]plan.Intent{testkit.Swap("10", "SUI", "USDC"), share("2/1")}, "A share is"},
		"shares of more than there is": {[]plan.Intent{testkit.Swap("10", "SUI", "USDC"), share("1/2"), share("51%")},
			"more than all of it"},
	} {
		if _, err := w.svc.Ask(t.Context(), "", false, steps(c.list...)); err == nil || !strings.Contains(fault.As(err).Text,
			c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	if _, err := w.svc.Ask(t.Context(), phrase, false, steps(pay("1", alice))); !fault.Is(err, fault.InputInvalid) {
		t.Errorf("a recovery phrase as the label: %v", err)
	}
	for _, label := range []string{"Say Ur Intent: checked and safe", "ЅАY-UR-ІNTENT"} {
		list := steps(pay("1", alice))
		list[0].Label = label
		for name, ask := range map[string]func() error{
			"of a bundle": func() error { _, err := w.svc.Ask(t.Context(), label, false, steps(pay("1", alice))); return err },
			"of a step":   func() error { _, err := w.svc.Ask(t.Context(), "", false, list); return err },
		} {
			if err := ask(); !fault.Is(err, fault.InputInvalid) || !strings.Contains(fault.As(err).Text,
				"name of this program") {
				t.Errorf("%q as the label %s: %v", label, name, err)
			}
		}
	}
	if list, err := w.Store.LiveRequests(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("something was stored: %v %v", list, err)
	}
}

// TestTwins finds recent and open requests for the same.
func TestTwins(t *testing.T) {
	w := newWorld(t)
	done := w.Settle(w.Ready(pay("2", alice)))
	open := w.Ready(pay("3", alice))
	w.HandOff(open)
	b := w.ask(pay("1", alice), pay("2", alice), pay("3", alice), pay("2", bob), pay("1", alice))
	twins, err := w.svc.Twins(t.Context(), b)
	if err != nil || len(twins) != 2 || twins[0].Equal[0].Own != 3 || twins[1].Equal[0].Own != 2 {
		t.Fatalf("%+v %v", twins, err)
	}
	if len(b.Warnings) != 2 || !strings.Contains(b.Warnings[1], "step b") || !strings.Contains(b.Warnings[1],
		"done less than 10 minutes ago") ||
		!strings.Contains(b.Warnings[0], "not known whether it was signed") {
		t.Error(b.Warnings)
	}
	_, err = w.svc.Approve(t.Context(), b.ID, w.shown(b.ID), []string{"again:" + string(done.ID)})
	wantReason(t, err, fault.Blocked, request.Duplicate)
	w.Clock.Advance(record.Recent)
	if twins, err = w.svc.Twins(t.Context(), b); err != nil || len(twins) != 1 || twins[0].Equal[0].Own != 3 ||
		twins[0].Review != open.ID {
		t.Errorf("ten minutes later: %+v %v", twins, err)
	}
}

// TestDuplicateMeanwhile checks that the user is asked about a step that was executed elsewhere
// after the approval.
func TestDuplicateMeanwhile(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", alice))
	w.approve(b.ID)
	w.sign(w.sweep(b.ID))
	s := w.Ready(pay("2", alice))
	_, err := w.handOut(s)
	if f := fault.As(err); f.Detail.Get("reason") != "again" || f.Detail.Get("bundle_id") != string(b.ID) {
		t.Fatalf("what a running bundle still does is done beside it: %v", err)
	}
	if _, err = w.handOut(s, "again:"+string(b.ID)); err != nil {
		t.Fatal(err)
	}
	r := w.ready(w.sweep(b.ID).Steps[1])
	_, err = w.handOut(r)
	if f := fault.As(err); f.Detail.Get("reason") != "again" && f.Detail.Get("reason") != "replace" ||
		f.Detail.Get("reviewSessionId") != string(s.ID) {
		t.Errorf("%s: %v", r.Status, err)
	}
}

// TestPrior starts a bundle without its page, once, if exactly it was approved before.
func TestPrior(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	list := steps(pay("1", alice), pay("2", bob))
	b := w.askOf("Two payments", true, list)
	if b.State != request.Asked || b.NotHonoured != "no_prior_approval" {
		t.Fatalf("%s %q", b.State, b.NotHonoured)
	}
	if err := w.svc.Later(ctx, b.ID, w.shown(b.ID), "page"); err != nil {
		t.Fatal(err)
	}
	if got := w.get(b.ID); got.State != request.Rejected || got.Reason != request.ApprovedLater ||
		got.Steps[0].Review != "" {
		t.Errorf("%s %s", got.State, got.Reason)
	}
	other := steps(pay("1", alice), pay("2.000000001", bob))
	if b := w.askOf("Two payments", true, other); b.State != request.Asked {
		t.Error("another bundle took the approval")
	} else if _, err := w.svc.Reject(ctx, b.ID, w.shown(b.ID)); err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i].ID = "x" + list[i].ID // ids may differ
	}
	t.Run("R000-36 exactly this one begins at once, and the wallet is asked all the same", func(t *testing.T) {
		b = w.askOf("Two payments", true, list)
		if b.State != request.Running || b.Approval != request.ByPrior || b.NotHonoured != "" || !b.Data().Honoured {
			t.Fatalf("%s %q %q", b.State, b.Approval, b.NotHonoured)
		}
		if b = w.sweep(b.ID); b.Steps[0].State != request.Open {
			t.Errorf("%+v", b.Steps[0])
		}
	})
	if _, err := w.svc.Stop(ctx, b.ID, yes); err != nil {
		t.Fatal(err)
	}
	t.Run("it is used up", func(t *testing.T) {
		if b = w.askOf("Two payments", true, list); b.State != request.Asked {
			t.Errorf("%s", b.State)
		}
	})
	t.Run("it ends after ten minutes", func(t *testing.T) {
		if err := w.svc.Later(ctx, b.ID, w.shown(b.ID), "page"); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(request.ApprovalLife)
		if b = w.askOf("Two payments", true, list); b.State != request.Asked {
			t.Errorf("%s", b.State)
		}
	})
}

// TestOneRuns checks that a second bundle of the account does not run, and an identical one is not
// asked twice.
func TestOneRuns(t *testing.T) {
	w := newWorld(t)
	first, second := w.ask(pay("1", alice)), w.ask(pay("2", alice))
	_, err := w.svc.Ask(t.Context(), "", false, steps(pay("2", alice)))
	wantReason(t, err, fault.InvalidSessionTransition, request.Duplicate)
	w.approve(first.ID)
	_, err = w.svc.Approve(t.Context(), second.ID, w.shown(second.ID), nil)
	wantReason(t, err, fault.InvalidSessionTransition, "bundle_in_progress")
	_, err = w.svc.Ask(t.Context(), "", false, steps(pay("3", alice)))
	wantReason(t, err, fault.InvalidSessionTransition, "bundle_in_progress")
	if _, err := w.svc.Stop(t.Context(), first.ID, yes); err != nil {
		t.Fatal(err)
	}
	w.approve(second.ID)
}

// TestAnswers refuses an answer to an outdated page, or from a page without permission.
func TestAnswers(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice))
	old := request.Answer{Revision: b.Revision - 1, Right: yes}
	if _, err := w.svc.Approve(t.Context(), b.ID, old, nil); err == nil {
		t.Error("an outdated page approved")
	}
	gone := request.Answer{Revision: b.Revision,
		Right: func(context.Context) error { return fault.New(fault.SessionMismatch, "gone") }}
	if _, err := w.svc.Approve(t.Context(), b.ID, gone, nil); !fault.Is(err, fault.SessionMismatch) {
		t.Error(err)
	}
	if got := w.get(b.ID); got.State != request.Asked {
		t.Error(got.State)
	}
}
