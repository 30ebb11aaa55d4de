package bundle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/bundle"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/review/plan"
	"github.com/sayurintent/sayurintent/review/record"
)

// of names the manager that a step makes.
func of(step int, in plan.Intent) plan.Intent {
	in.ManagerOf = step
	return in
}

// TestFirstOrder makes a balance manager, fills it and places an order with it.
func TestFirstOrder(t *testing.T) {
	did := []string{"Made a balance manager", "Put 10 SUI into your balance manager", "Order placed: 5 SUI waits to be sold at 9.5 USDC per SUI"}
	named := []plan.Intent{{Type: "manager-create"}, of(1, into("10", "SUI")), of(1, place("sell", "9.5", "5"))}
	unnamed := []plan.Intent{{Type: "manager-create"}, into("10", "SUI"), place("sell", "9.5", "5")}
	for name, list := range map[string][]plan.Intent{"named": named, "the only one": unnamed} {
		t.Run(name+" as one transaction", func(t *testing.T) {
			w := newWorld(t)
			b := w.ask(list...)
			if !w.svc.Atomic(t.Context(), b) {
				t.Errorf("it is not advised: %s", w.svc.Apart(b.ID))
			}
			if _, err := w.choose(b.ID, bundle.Atomic); err != nil {
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
			if b = w.sweep(b.ID); b.State != bundle.Completed {
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
			if b = w.sweep(b.ID); b.State != bundle.Completed {
				t.Errorf("%s (%s)", b.State, b.Reason)
			}
			w.holds(t, done, 1)
			d := b.Data()
			for i, s := range d.Steps {
				if s.What != did[i] {
					t.Errorf("%+v", s)
				}
			}
			if d.Fees == nil || d.Fees.Gas != "0.007418724 SUI" || len(d.Fees.Market) != 0 || d.Steps[0].TxHash == d.Steps[1].TxHash {
				t.Errorf("%+v %+v", d.Fees, d.Steps)
			}
		})
	}
}

// holds checks the manager that a receipt names: what it holds, and how many orders it has.
func (w *world) holds(t *testing.T, made *record.Receipt, orders int) {
	t.Helper()
	a, err := deepbook.NewInventory(w.Pools, w.Node).Account(t.Context(), "SUI_USDC", made.Made[0])
	if err != nil || len(a.Orders) != orders || a.Owner != made.Sender || a.Free.Base+a.Locked.Base != 10_000_000_000 {
		t.Errorf("%v %+v", err, a)
	}
}
