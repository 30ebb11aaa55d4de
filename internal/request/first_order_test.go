package request_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// of names the manager that a step creates.
func of(step int, in plan.Intent) plan.Intent {
	in.ManagerOf = step
	return in
}

// TestFirstOrder creates a balance manager, funds it and places an order with it.
func TestFirstOrder(t *testing.T) {
	did := []string{"Created a balance manager", "Put 10 SUI into your new balance manager",
		"Order placed: 5 SUI waits to be sold at 9.5 USDC per SUI"}
	named := []plan.Intent{{Type: "manager-create"}, of(1, into("10", "SUI")), of(1, place("sell", "9.5", "5"))}
	unnamed := []plan.Intent{{Type: "manager-create"}, into("10", "SUI"), place("sell", "9.5", "5")}
	for name, list := range map[string][]plan.Intent{"named": named, "the only one": unnamed} {
		t.Run(name+" as one transaction", func(t *testing.T) {
			w := newWorld(t)
			b := w.ask(list...)
			if !w.svc.Atomic(t.Context(), b) {
				t.Errorf("it is not advised: %s", w.svc.Apart(b.ID))
			}
			if _, err := w.choose(b.ID, request.Atomic); err != nil {
				t.Fatal(err)
			}
			w.approve(b.ID)
			r := w.sign(w.sweep(b.ID))
			if r.Status != record.Success {
				t.Fatalf("%s %+v", r.Status, r.State.Checks)
			}
			for _, p := range r.Execution.Receipt.Promises {
				if !p.Kept {
					t.Errorf("%+v", p)
				}
			}
			done := r.Execution.Receipt
			if len(done.Made) != 1 || done.Result.Title != strings.Join(did, "; ") {
				t.Fatalf("%+v", done)
			}
			w.holds(t, done, 1)
			if b = w.sweep(b.ID); b.State != request.Completed {
				t.Errorf("%s (%s)", b.State, b.Reason)
			}
			for i, s := range b.Data().Steps {
				if s.What != did[i] || s.TxHash != r.Execution.TxDigest {
					t.Errorf("%+v", s)
				}
				if told := slices.Contains(s.Amounts, "Balance manager: "+done.Made[0].String()); told != (i == 0) {
					t.Errorf("%+v", s)
				}
			}
		})
		t.Run(name+" one by one", func(t *testing.T) {
			w := newWorld(t)
			b := w.ask(list...)
			w.approve(b.ID)
			var done *record.Receipt
			for range list {
				r := w.sign(w.sweep(b.ID))
				if r.Status != record.Success {
					t.Fatalf("%s %+v", r.Status, r.State.Checks)
				}
				if done == nil {
					done = r.Execution.Receipt
				}
			}
			if b = w.sweep(b.ID); b.State != request.Completed {
				t.Errorf("%s (%s)", b.State, b.Reason)
			}
			w.holds(t, done, 1)
			d := b.Data()
			for i, s := range d.Steps {
				if s.What != strings.ReplaceAll(did[i], "your new", "your") {
					t.Errorf("%+v", s)
				}
			}
			if d.Fees == nil || d.Fees.Gas != "0.007418724 SUI" || len(d.Fees.Market) != 0 ||
				d.Steps[0].TxHash == d.Steps[1].TxHash {
				t.Errorf("%+v %+v", d.Fees, d.Steps)
			}
		})
	}
}

// TestFirstOrderAgain checks that a repeated deposit into the new manager is recognized.
func TestFirstOrderAgain(t *testing.T) {
	w := newWorld(t)
	b := w.ask(plan.Intent{Type: "manager-create"}, of(1, into("10", "SUI")), of(1, place("sell", "9.5", "5")))
	if _, err := w.choose(b.ID, request.Atomic); err != nil {
		t.Fatal(err)
	}
	w.approve(b.ID)
	r := w.sign(w.sweep(b.ID))
	w.sweep(b.ID)
	again, order := into("10", "SUI"), place("sell", "9.5", "5")
	again.Manager, order.Manager = r.Execution.Receipt.Made[0].String(), r.Execution.Receipt.Made[0].String()
	for _, in := range []plan.Intent{again, order, into("10", "SUI")} {
		if b := w.ask(in); len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], request.Duplicate) {
			t.Errorf("%s: %q", in.Type, b.Warnings)
		}
	}
	if b := w.ask(into("11", "SUI")); len(b.Warnings) != 0 {
		t.Errorf("another amount: %q", b.Warnings)
	}
}

// holds checks the balances and the number of orders of a receipt's manager.
func (w *world) holds(t *testing.T, made *record.Receipt, orders int) {
	t.Helper()
	a, err := deepbook.NewInventory(w.Pools, w.Node).Account(t.Context(), "SUI_USDC", made.Made[0])
	if err != nil || len(a.Orders) != orders || a.Owner != made.Sender || a.Free.Base+a.Locked.Base != 10_000_000_000 {
		t.Errorf("%v %+v", err, a)
	}
}

// TestFirstOrderVariations uses new managers in one transaction in other ways, valid and invalid.
func TestFirstOrderVariations(t *testing.T) {
	create := plan.Intent{Type: "manager-create"}
	market := func(side, quantity string) plan.Intent {
		return plan.Intent{Type: "market-order", MaxSlippageBps: 100, Order: &plan.Order{Pool: "SUI_USDC", Side: side,
			Quantity: quantity}}
	}
	half := halfOf("USDC")
	half.ManagerOf = 2
	for name, c := range map[string]struct {
		steps []plan.Intent
		made  int
		did   string
	}{
		"an order that trades at once": {[]plan.Intent{create, of(1, into("10", "SUI")), of(1, market("sell", "5"))}, 1,
			"Created a balance manager; Put 10 SUI into your new balance manager; Sold 5 SUI for "},
		"what trades is taken out": {[]plan.Intent{create, of(1, into("10", "SUI")), of(1, market("sell", "5")),
			of(1, outOf("4", "SUI"))}, 1,
			"Created a balance manager; Put 10 SUI into your new balance manager; Sold 5 SUI for "},
		"a swap pays": {[]plan.Intent{testkit.Swap("10", "SUI", "USDC"), create, half, of(2, place("buy", "0.5", "10"))}, 1,
			"; Created a balance manager; Put 6.366378 USDC into your new balance manager; Order placed: 10 SUI waits to be " +
				"bought at 0.5 USDC per SUI"},
		"two managers": {[]plan.Intent{create, create, of(2, into("10", "SUI")), of(1, into("20", "SUI")),
			of(2, place("sell", "9.5", "5")), of(1, place("sell", "9.6", "6"))}, 2,
			"Order placed: 5 SUI waits to be sold at 9.5 USDC per SUI; Order placed: 6 SUI waits to be sold at 9.6 USDC per " +
				"SUI"},
		"nothing uses it": {[]plan.Intent{create, pay("1", alice)}, 1, "Created a balance manager; Sent 1 SUI"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.ask(c.steps...)
			if _, err := w.choose(b.ID, request.Atomic); err != nil {
				t.Fatal(err)
			}
			w.approve(b.ID)
			r := w.sign(w.sweep(b.ID))
			if r.Status != record.Success || len(r.Execution.Receipt.Made) != c.made ||
				!strings.Contains(r.Execution.Receipt.Result.Title, c.did) {
				t.Fatalf("%s %+v", r.Status, r.Execution.Receipt)
			}
			for _, p := range r.Execution.Receipt.Promises {
				if !p.Kept {
					t.Errorf("%+v", p)
				}
			}
			for i, id := range r.Execution.Receipt.Made {
				a, err := deepbook.NewInventory(w.Pools, w.Node).Account(t.Context(), "SUI_USDC", id)
				if err != nil || c.made == 2 && (len(a.Orders) != 1 || a.Free.Base+a.Locked.Base != []sui.Raw{20_000_000_000,
					10_000_000_000}[i]) {
					t.Errorf("%v %+v", err, a)
				}
			}
			for _, m := range r.Execution.Receipt.Result.Moved {
				if m.Holder.IsObject() && !slices.Contains(r.Execution.Receipt.Made, m.Holder.ID) {
					t.Errorf("%+v is of no manager that was made", m)
				}
			}
			for _, term := range r.Execution.Receipt.Result.Holds {
				if strings.Contains(term.Value, "new one") {
					t.Errorf("%+v", term)
				}
			}
		})
	}
	t.Run("an account with a manager names which one", func(t *testing.T) {
		w := newWorld(t)
		managed(t, w)
		for name, c := range map[string]struct {
			steps []plan.Intent
			says  string
		}{
			"unnamed": {[]plan.Intent{create, into("10", "SUI"), place("sell", "9.5", "5")},
				"an earlier step creates another, and this step names none"},
			"named": {[]plan.Intent{create, of(1, into("10", "SUI")), of(1, place("sell", "9.5", "5"))}, ""},
		} {
			_, _, err := w.Reviews.PrepareLooking(t.Context(), plan.Intent{Type: plan.Bundle, Steps: c.steps})
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("several that are made have to be named", func(t *testing.T) {
		w := newWorld(t)
		_, _, err := w.Reviews.PrepareLooking(t.Context(), plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{create, create,
			into("10", "SUI")}})
		if err == nil || !strings.Contains(err.Error(), "create several balance managers") {
			t.Error(err)
		}
	})
	t.Run("what only works one by one is refused with that", func(t *testing.T) {
		w := newWorld(t)
		list := []plan.Intent{create, {Type: "cancel-all-orders"}}
		_, _, err := w.Reviews.PrepareLooking(t.Context(), plan.Intent{Type: plan.Bundle, Steps: list})
		if !fault.Is(err, fault.Blocked) || fault.As(err).Detail.Get("mode") != "steps" || !strings.Contains(err.Error(),
			"needs a balance manager that is on chain") {
			t.Errorf("%v", err)
		}
		b := w.ask(list...)
		if w.svc.Atomic(t.Context(), b) {
			t.Error("it is advised")
		}
		if why := w.svc.Apart(b.ID); !strings.Contains(why, "needs a balance manager that is on chain") {
			t.Errorf("the page says %q", why)
		}
		if _, err := w.choose(b.ID, request.Atomic); !fault.Is(err, fault.Blocked) {
			t.Errorf("the page switches: %v", err)
		}
	})
	both := of(1, into("10", "SUI"))
	both.Manager = bob
	for name, list := range map[string][]plan.Intent{
		"a step that makes none":      {pay("1", alice), of(1, into("10", "SUI"))},
		"a step that comes later":     {of(2, into("10", "SUI")), create},
		"the step itself":             {create, of(2, into("10", "SUI"))},
		"no step":                     {create, of(-1, into("10", "SUI"))},
		"two managers are named":      {create, both},
		"an action that takes no one": {create, of(1, pay("1", alice))},
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			w := newWorld(t)
			if _, err := w.svc.Ask(t.Context(), "", false, steps(list...)); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("one by one: %v", err)
			}
			if _, err := w.Reviews.Prepare(t.Context(), plan.Intent{Type: plan.Bundle, Steps: list}); !fault.Is(err,
				fault.InputInvalid) {
				t.Errorf("as one transaction: %v", err)
			}
		})
	}
	t.Run("refused: an action of its own uses none", func(t *testing.T) {
		w := newWorld(t)
		if _, err := w.Reviews.Prepare(t.Context(), of(1, into("10", "SUI"))); !fault.Is(err, fault.InputInvalid) {
			t.Error(err)
		}
	})
	t.Run("one by one, the manager is that of the receipt among others", func(t *testing.T) {
		w := newWorld(t)
		managed(t, w)
		b := w.ask(create, of(1, into("10", "SUI")), of(1, place("sell", "9.5", "5")))
		w.approve(b.ID)
		var made *record.Receipt
		for range b.Steps {
			r := w.sign(w.sweep(b.ID))
			if r.Status != record.Success {
				t.Fatalf("%s %+v", r.Status, r.State.Checks)
			}
			if made == nil {
				made = r.Execution.Receipt
			}
		}
		w.holds(t, made, 1)
	})
}
