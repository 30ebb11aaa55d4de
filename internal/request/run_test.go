package request_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bus"
	"github.com/sayurintent/sayurintent/internal/events"
	"github.com/sayurintent/sayurintent/internal/pagetoken"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/internal/testkit/double"
)

// TestRun follows a bundle of three steps from the request to the last receipt.
func TestRun(t *testing.T) {
	w := newWorld(t)
	fed := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: alice}
	b := w.ask(testkit.Swap("10", "SUI", "USDC"), fed, pay("1", bob))
	if b.State != request.Asked || b.Steps[0].Review != "" {
		t.Fatalf("%s, %+v", b.State, b.Steps)
	}
	if got := w.sweep(b.ID); got.Revision != b.Revision {
		t.Fatal("a bundle that nobody approved went on")
	}
	b = w.approve(b.ID)
	var digests []string
	t.Run("R000-19 R000-49 R000-143 one step after the other, each made just before its turn", func(t *testing.T) {
		for i := range 3 {
			b = w.sweep(b.ID)
			for n, s := range b.Steps {
				if made := s.Review != ""; made != (n <= i) {
					t.Errorf("at step %d: review of step %d is there: %v", i, n, made)
				}
			}
			digests = append(digests, w.sign(b).Execution.TxDigest)
		}
		b = w.sweep(b.ID)
	})
	if b.State != request.Completed || !slices.Equal(words(b), []string{"confirmed", "confirmed", "confirmed"}) {
		t.Fatalf("%s (%s) %v", b.State, b.Reason, words(b))
	}
	t.Run("the result of a step is the amount of its receipt", func(t *testing.T) {
		first, err := w.Store.Review(t.Context(), b.Steps[0].Review)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, c := range first.Execution.Receipt.BalanceChanges {
			if c.Coin == b.Steps[0].Result.CoinType {
				got = c.Amount.Decimal(b.Steps[0].Result.Decimals)
			}
		}
		if paid := b.Steps[1].Intent.From.Amount; paid == "" || paid != got {
			t.Errorf("paid on %q of %q", paid, got)
		}
	})
	task, err := w.Store.Task(t.Context(), b.Task)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("R000-38 R000-39 R000-40 R000-41 R000-42 R000-43 R000-44 R000-45 R000-54 the result object", func(t *testing.T) {
		var got map[string]any
		var want any
		if err := json.Unmarshal(task.Result, &got); err != nil {
			t.Fatalf("%v: %s", err, task.Result)
		}
		text := `{"bundle_id":"` + string(b.ID) +
			`","mode":"steps","bundle_success":true,"approval":"page","skip_approval_honoured":false,"transactions":[`
		for i, d := range digests {
			text += strings.NewReplacer("ID", string(rune('a'+i)), "N", string(rune('0'+i)), "D", d).
				Replace(`{"id":"ID","sequence":N,"chain":"Sui","tx_hash":"D","status":"confirmed","error":null},`)
		}
		if err := json.Unmarshal([]byte(strings.TrimSuffix(text, ",")+"]}"), &want); err != nil {
			t.Fatal(err)
		}
		// In addition to the specified members: what each step did, and the total cost.
		steps, _ := got["steps"].([]any)
		fees, _ := got["fees_paid"].(map[string]any)
		for i, s := range steps {
			one := s.(map[string]any)
			if did := []string{"Swapped 9.9012375 SUI for 12.79674 USDC", "Sent 12.79674 USDC",
				"Sent 1 SUI"}[i]; one["what"] != did || one["tx_hash"] != digests[i] || one["status"] != "confirmed" {
				t.Errorf("%v", one)
			}
		}
		if market, _ := fees["market"].([]any); len(steps) != 3 || len(market) != 1 || market[0] != "0.0012375 SUI" {
			t.Errorf("%v %v", steps, fees)
		}
		delete(got, "steps")
		delete(got, "fees_paid")
		g, _ := json.Marshal(got)
		x, _ := json.Marshal(want)
		if string(g) != string(x) || task.Error != "" || task.State != bus.Completed {
			t.Errorf("%s %s\n got %s\nwant %s", task.State, task.Error, g, x)
		}
	})
	t.Run("R000-46 R000-48 approval and password are asked for on pages, and the end is told once", func(t *testing.T) {
		page, err := w.Store.Since(t.Context(), bus.Cursor{}, bus.Filter{Session: w.Store.Bus(t.Context()), Sees: bus.UI},
			bus.MostRead)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, e := range page.Events {
			for _, mark := range []string{"tx_bundle_approval", "password_required", `"tool_name":"` + request.Tool +
				`","result"`} {
				if strings.Contains(string(e.Payload), mark) {
					seen[mark]++
				}
			}
		}
		if len(seen) != 3 || seen["tx_bundle_approval"] != 1 || seen["password_required"] != 1 || seen[`"tool_name":"`+
			request.Tool+`","result"`] != 1 {
			t.Error(seen)
		}
	})
}

// TestReject ends a bundle before anything is built.
func TestReject(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", bob))
	got, err := w.svc.Reject(t.Context(), b.ID, w.shown(b.ID))
	if err != nil || got.State != request.Rejected {
		t.Fatal(got.State, err)
	}
	w.sweep(b.ID)
	task, err := w.Store.Task(context.Background(), b.Task)
	t.Run("R000-47 user_rejected at once, and nothing was built", func(t *testing.T) {
		if err != nil || !strings.HasPrefix(task.Error, request.UserRejected) || !strings.Contains(string(task.Result),
			`"transactions":[]`) ||
			!strings.Contains(string(task.Result), `"bundle_success":false`) || w.get(b.ID).Steps[0].Review != "" {
			t.Errorf("%v %q %s", err, task.Error, task.Result)
		}
	})
	if _, err := w.svc.Approve(t.Context(), b.ID, w.shown(b.ID), nil); err == nil {
		t.Error("a rejected bundle was approved")
	}
}

// TestCancelled stops a bundle by its task, like an interrupt and the AI client: immediately
// between two steps, and otherwise after the released step.
func TestCancelled(t *testing.T) {
	w := newWorld(t)
	b := w.ask(pay("1", alice), pay("2", bob), pay("3", bob))
	w.approve(b.ID)
	w.sign(w.sweep(b.ID))
	b = w.sweep(b.ID)
	second := w.ready(*b.Present())
	o, err := w.Reviews.Handoff(t.Context(), second.ID, second.Revision, second.Commitment, testkit.Ticks(second)...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.CancelTask(t.Context(), b.Task); err != nil {
		t.Fatal(err)
	}
	if b = w.sweep(b.ID); b.State != request.Running || b.Stopping != request.Cancelled {
		t.Fatalf("%s %q", b.State, b.Stopping)
	}
	raw, signature := w.Sign(o)
	if _, err := w.Reviews.Signed(t.Context(), second.ID, o.Nonce, raw, signature); err != nil {
		t.Fatal(err)
	}
	w.Until(second.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
	b = w.sweep(b.ID)
	task, err := w.Store.Task(t.Context(), b.Task)
	if err != nil || b.State != request.Stopped || !slices.Equal(words(b), []string{"confirmed", "confirmed",
		"waiting"}) ||
		task.State != bus.Cancelled || !strings.Contains(string(task.Result), `"bundle_success":false`) {
		t.Errorf("%v %s %v %s %s", err, b.State, words(b), task.State, task.Result)
	}
}

// TestShares pays shares of a swap's result to two recipients.
func TestShares(t *testing.T) {
	w := newWorld(t)
	share := func(of, to string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", ResultOf: 1, Share: of}, Recipient: to}
	}
	b := w.ask(testkit.Swap("10", "SUI", "USDC"), share("1/4", alice), share("75%", bob))
	if asked := b.Steps[1].Intent.Asked; !strings.Contains(asked, "1/4 of the USDC that step 1 results in") {
		t.Errorf("step 2 is %q", asked)
	}
	w.approve(b.ID)
	for range 3 {
		w.sign(w.sweep(b.ID))
	}
	b = w.sweep(b.ID)
	if b.State != request.Completed {
		t.Fatalf("%s (%s) %v", b.State, b.Reason, words(b))
	}
	first, err := w.Store.Review(t.Context(), b.Steps[0].Review)
	if err != nil {
		t.Fatal(err)
	}
	var whole uint64
	for _, c := range first.Execution.Receipt.BalanceChanges {
		if c.Coin == b.Steps[0].Result.CoinType {
			whole = uint64(c.Amount.Amount)
		}
	}
	for i, want := range []uint64{whole / 4, whole * 3 / 4} {
		if got := b.Steps[i+1].Most[0].Raw; uint64(got) != want || want == 0 {
			t.Errorf("share %d is %d of %d, want %d", i, got, whole, want)
		}
	}
}

// TestListed checks that the page of waiting requests is woken when a bundle starts to wait, and
// when it ends.
func TestListed(t *testing.T) {
	w := newWorld(t)
	home := w.Hub.Watch(events.Subject{Kind: events.Home, ID: pagetoken.HomeSubject})
	defer home.Close()
	woken := func(what string) {
		t.Helper()
		double.Next(t, what+": the page is woken", home.C)
	}
	b := w.ask(pay("1", alice))
	woken("asked")
	if list, err := w.svc.Live(t.Context()); err != nil || len(list) != 1 || list[0].ID != b.ID {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := w.svc.Reject(t.Context(), b.ID, w.shown(b.ID)); err != nil {
		t.Fatal(err)
	}
	woken("rejected")
	if list, err := w.svc.Live(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v %v", list, err)
	}
}
