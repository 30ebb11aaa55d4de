package request_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox/faults"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestFeeOfItsOwn tests steps with a fee in DEEP, which the approval covers.
func TestFeeOfItsOwn(t *testing.T) {
	deep := testkit.Swap("10", "SUI", "USDC")
	deep.FeeMode = "deep"
	t.Run("the limits have the fee of a quote and a quarter more, and the step stays within them", func(t *testing.T) {
		w := newWorld(t)
		b := w.ask(deep, pay("1", alice))
		limits := b.Limits()
		if len(limits) != 2 || limits[0].Symbol+limits[1].Symbol != "SUIDEEP" || limits[0].Display() != "11" ||
			limits[1].Raw == "0" {
			t.Fatalf("%+v", limits)
		}
		b = w.sweep(w.approve(b.ID).ID)
		r := w.sign(b)
		attached := r.Facts.Promise().Amounts(plan.RoleFee)
		most := plan.BigInt(b.Steps[0].Most[1].Raw)
		if len(attached) != 1 || plan.BigInt(attached[0].Raw).Cmp(most) > 0 {
			t.Errorf("%v of at most %s", attached, most)
		}
		if b = w.sweep(b.ID); b.Steps[0].State != request.Confirmed || b.Steps[1].State != request.Open {
			t.Errorf("%s %v %s", b.State, words(b), b.Reason)
		}
	})
	t.Run("a fee that is larger at its turn ends the bundle", func(t *testing.T) {
		w := newWorld(t)
		b := w.approve(w.ask(deep).ID)
		if err := w.Sandbox.Inject(faults.Fault{Kind: faults.ShiftPrice, Pool: "SUI_USDC", BasisPoints: 5000}); err != nil {
			t.Fatal(err)
		}
		b = w.sweep(b.ID)
		if r := w.ready(b.Steps[0]); w.hand(r) == nil {
			t.Errorf("%s was handed out: %v of %v", r.Status, r.Facts.Promise().Amounts(plan.RoleFee), b.Steps[0].Most)
		}
		if b = w.sweep(b.ID); b.Reason != request.Outside {
			t.Errorf("%s %s", b.State, b.Reason)
		}
	})
	t.Run("without a quote, or of an amount that nobody knows, none can be approved", func(t *testing.T) {
		w := newWorld(t)
		fed := plan.Intent{Type: "swap", Protocol: "deep", FeeMode: "deep",
			From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, To: plan.IntentTarget{Symbol: "SUI"}, MaxSlippageBps: 50}
		if _, err := w.svc.Ask(t.Context(), "", false, steps(testkit.Swap("10", "SUI", "USDC"), fed)); err == nil ||
			!strings.Contains(fault.As(err).Text, "DEEP for the fee") {
			t.Error(err)
		}
		quoted := plan.Intent{Type: "swap", Protocol: "deep", FeeMode: "deep",
			From: plan.IntentSource{Symbol: "SUI", ResultOf: 1}, To: plan.IntentTarget{Symbol: "USDC"}, MaxSlippageBps: 50}
		if _, err := w.svc.Ask(t.Context(), "", false, steps(testkit.Swap("100", "USDC", "SUI"), quoted)); err == nil ||
			!strings.Contains(fault.As(err).Text, "DEEP for the fee") {
			t.Errorf("of one coin the fee is known: %v", err)
		}
		if err := w.Sandbox.Inject(faults.Fault{Kind: faults.Fail, Method: "SimulateTransaction"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.svc.Ask(t.Context(), "", false, steps(deep)); err == nil ||
			!strings.Contains(fault.As(err).Text, "DEEP for the fee") {
			t.Error(err)
		}
	})
}
