package plan_test

import (
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
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
			plan.Moves(plan.RoleInput, plan.Party{}, usdc.Of(n), true), plan.Moves(plan.RolePayment, alice, usdc.Of(n),
				false)}}}}}
	}
	first, second := swap(), pay(30)
	least, exact, ok := first.Result()
	if !ok || exact || least != usdc.Of(30) {
		t.Fatalf("%v %v %v", least, exact, ok)
	}
	second.Takes(plan.Fed{Step: 1, Least: least})
	first.Gives(1, []plan.Fed{{Step: 1, Taker: 2}})
	t.Run("what one step hands to another cancels out", func(t *testing.T) {
		p, err := plan.Sum(first.Promise, second.Promise)
		if err != nil || len(p.Outcomes) != 2 || len(p.Bounds()) != 2 {
			t.Fatalf("%v %+v", err, p)
		}
		paid := p.Bounds()[1]
		if paid.Party != alice || paid.Least.Int64() != 30 || paid.Most != nil {
			t.Errorf("%+v", paid)
		}
		// If the swap returns nothing, nothing is paid.
		if none := p.Outcomes[1].Bounds; !none[0].Exact() || !none[1].Exact() || none[0].Least.Sign() != 0 ||
			none[1].Least.Sign() != 0 {
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
	t.Run("no outcome in which the later step can happen", func(t *testing.T) {
		withdrawn := &plan.Step{Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "withdrawn", Bounds: []plan.Bound{
			plan.Moves(plan.RoleOutput, plan.Party{}, usdc.Of(30), false)}}}}}
		withdrawn.Gives(1, []plan.Fed{{Step: 1, Taker: 2}})
		more := pay(31)
		more.Takes(plan.Fed{Step: 1, Least: usdc.Of(31), Exact: true})
		if p, err := plan.Sum(withdrawn.Promise, more.Promise); !fault.Is(err, fault.InputInvalid) {
			t.Errorf("%+v %v", p, err)
		}
	})
	t.Run("the step of a party", func(t *testing.T) {
		if p := plan.ResultParty(7, 2); p.Step() != 7 || p.Part() != 2 || !p.IsResult() || p.IsAccount() || p.IsObject() {
			t.Errorf("%+v", p)
		}
	})
}

// stepReader is an adapter that reads one step with a function.
type stepReader struct {
	plan.Adapter
	read func(*readback.Reader) (plan.StepFacts, error)
}

func (s stepReader) Read(r *readback.Reader) (plan.StepFacts, error) { return s.read(r) }

// Results in the bytes must match what the adapters of both steps read.
func TestReadFactsOfResults(t *testing.T) {
	c, _ := coins.BySymbol("USDC")
	usdc := plan.Asset{Symbol: c.Symbol, CoinType: c.Type, Decimals: c.Decimals}
	moves := func(role plan.Role, a plan.Amount, out bool) plan.StepFacts {
		return plan.StepFacts{Promise: plan.Promise{Outcomes: []plan.Outcome{{Name: "done", Bounds: []plan.Bound{
			plan.Moves(role, plan.Party{}, a, out)}}}}}
	}
	call := sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin", Function: "f",
		Arguments: []sui.Argument{sui.ResultArg(0)}}
	tx := &sui.Transaction{Commands: []sui.Command{sui.MoveCall{Package: call.Package, Module: "coin", Function: "zero"},
		call}}
	read := func(got, paid plan.Amount) error {
		_, err := plan.ReadFacts(tx, []plan.Adapter{
			stepReader{read: func(r *readback.Reader) (plan.StepFacts, error) {
				r.Next()
				kept := readback.Result{Value: sui.ResultArg(0), Coin: c.Type, Least: 30, Exact: true}
				_, err := r.SentOrKept(kept, kept.Value)
				return moves(plan.RoleOutput, got, false), err
			}},
			stepReader{read: func(r *readback.Reader) (plan.StepFacts, error) {
				_, err := r.Funded()
				r.Next()
				return moves(plan.RoleInput, paid, true), err
			}},
		})
		return err
	}
	if err := read(usdc.Of(30), usdc.Of(30)); err != nil {
		t.Fatal(err)
	}
	for name, amounts := range map[string][2]plan.Amount{
		"the later step reads less": {usdc.Of(30), usdc.Of(29)}, "the later step reads another coin": {usdc.Of(30),
			plan.SUI.Of(30)},
		"the earlier step reads more": {usdc.Of(31), usdc.Of(30)}, "the earlier step reads another coin": {plan.SUI.Of(30),
			usdc.Of(30)},
	} {
		if read(amounts[0], amounts[1]) == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}
