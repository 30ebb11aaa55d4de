package plan_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/review/plan"
)

func TestFedSum(t *testing.T) {
	c, _ := coins.BySymbol("USDC")
	usdc := plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	alice := plan.AddressParty(sui.MustAddress("0xa11ce"))
	swap := func() *plan.Step {
		return &plan.Step{Promise: plan.SwapPromise([]plan.Amount{plan.SUI.Of(10)}, usdc.Of(30))}
	}
	pay := func(n sui.Raw) *plan.Step {
		return &plan.Step{Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "sent", Bounds: []plan.Bound{
			plan.Moves(plan.RoleInput, plan.Party{}, usdc.Of(n), true), plan.Moves(plan.RolePayment, alice, usdc.Of(n), false)}}}}}
	}
	first, second := swap(), pay(30)
	least, exact, ok := first.Result()
	if !ok || exact || least != usdc.Of(30) {
		t.Fatalf("%v %v %v", least, exact, ok)
	}
	second.Takes(plan.Fed{Step: 1, Least: least})
	first.Gives(1)
	t.Run("what one step hands to another cancels out", func(t *testing.T) {
		p, err := plan.Sum(first.Promise, second.Promise)
		if err != nil || len(p.Outcomes) != 2 || len(p.Bounds()) != 2 {
			t.Fatalf("%v %+v", err, p)
		}
		paid := p.Bounds()[1]
		if paid.Party != alice || paid.Least.Int64() != 30 || paid.Most != nil {
			t.Errorf("%+v", paid)
		}
		// Where the swap gives nothing, nothing is paid.
		if none := p.Outcomes[1].Bounds; !none[0].Exact() || !none[1].Exact() || none[0].Least.Sign() != 0 || none[1].Least.Sign() != 0 {
			t.Errorf("%+v", none)
		}
	})
	t.Run("a result that nobody takes", func(t *testing.T) {
		if _, err := plan.Sum(first.Promise, pay(30).Promise); !fault.Is(err, fault.InputInvalid) {
			t.Error(err)
		}
	})
	t.Run("more than the result", func(t *testing.T) {
		more := pay(31)
		more.Takes(plan.Fed{Step: 1, Least: usdc.Of(31)})
		p, err := plan.Sum(first.Promise, more.Promise)
		if err == nil && p.Bounds()[1].Least.Sign() != 0 {
			t.Errorf("%+v", p)
		}
	})
	t.Run("the step of a party", func(t *testing.T) {
		if p := plan.ResultParty(7); p.Step() != 7 || !p.IsResult() || p.IsAccount() || p.IsObject() {
			t.Errorf("%+v", p)
		}
	})
}
