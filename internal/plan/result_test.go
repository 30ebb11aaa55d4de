package plan

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// The text of a result follows from the promise and the observed changes.
func TestResult(t *testing.T) {
	friend, thing := sui.MustAddress("0xb0b"), sui.MustAddress("0x77")
	usdc := Asset{Symbol: "USDC", CoinType: "0x5::usdc::USDC", Decimals: 6}
	deep := Asset{Symbol: "DEEP", CoinType: "0x6::deep::DEEP", Decimals: 6}
	change := func(owner sui.Address, coin sui.CoinType, n int64) sui.BalanceChange {
		return sui.BalanceChange{Owner: owner, Coin: coin, Amount: sui.Delta{Amount: sui.Raw(max(n, -n)), Negative: n < 0}}
	}
	const ten, gas = 10_000_000_000, 100
	holder := &Holder{ID: thing, Term: "Balance manager"}
	facts := func(h *Holder, p Promise) Facts {
		return Facts{Sender: payer, Steps: []StepFacts{{Sends: payer, Promise: p, Holder: h}}}
	}
	swap := facts(nil, SwapPromise([]Amount{SUI.Of(ten)}, usdc.Of(30)))
	withFee := facts(nil, SwapPromise([]Amount{SUI.Of(ten), deep.Of(5)}, usdc.Of(30)))
	pays := facts(nil, Promise{[]Outcome{{Name: "sent", Bounds: []Bound{
		Moves(RoleInput, Party{}, usdc.Of(5), true), Moves(RolePayment, AddressParty(friend), usdc.Of(5), false)}}}})
	move := func(gives bool) Facts {
		role := RoleInput
		if !gives {
			role = RoleOutput
		}
		return facts(holder, Promise{[]Outcome{{Name: "moved", Bounds: []Bound{
			Moves(role, Party{}, usdc.Of(5), gives), Moves(RoleHolding, ObjectParty(thing), usdc.Of(5), !gives)}}}})
	}
	order := facts(holder, Promise{[]Outcome{{Name: "done"}}})
	spent := change(payer, sui.SUI, -ten-gas)
	for _, c := range []struct {
		name    string
		f       Facts
		changes []sui.BalanceChange
		objects []Change
		told    []Result
		want    Result
	}{
		{"a swap", swap, []sui.BalanceChange{spent, change(payer, usdc.CoinType, 31)}, nil, nil,
			Result{Title: "Swapped 10 SUI for 0.000031 USDC", Where: "The 0.000031 USDC arrived in your own account."}},
		{"a swap whose fee is another coin", withFee, []sui.BalanceChange{spent, change(payer, deep.CoinType, -4),
			change(payer, usdc.CoinType, 31)},
			nil, nil, Result{Title: "Swapped 10 SUI for 0.000031 USDC",
				Where: "The 0.000031 USDC arrived in your own account. The fee took 0.000004 DEEP."}},
		{"all coins came back", swap, []sui.BalanceChange{change(payer, sui.SUI, -gas)}, nil, nil,
			Result{Title: "Executed, and nothing is swapped", Where: "Nothing but gas left your account."}},
		{"not as promised", swap, []sui.BalanceChange{spent, change(payer, usdc.CoinType, 29)}, nil, nil,
			Result{Title: "Executed, and not as it was promised",
				Where: "Compare what happened with what was promised before you go on."}},
		{"a payment", pays, []sui.BalanceChange{change(payer, sui.SUI, -gas), change(payer, usdc.CoinType, -5), change(friend,
			usdc.CoinType, 5)},
			nil, nil, Result{Title: "Sent 0.000005 USDC",
				Where: "It is at the address " + friend.String() + " now, which is not yours. Only its owner can send it back."}},
		{"a deposit", move(true), []sui.BalanceChange{change(payer, sui.SUI, -gas), change(payer, usdc.CoinType, -5)},
			[]Change{{ObjectParty(thing), usdc.CoinType, big.NewInt(5)}}, nil,
			Result{Title: "Put 0.000005 USDC into your balance manager",
				Where: "It is in your balance manager now, not in your account.",
				Next:  "To have it back, ask your AI client to withdraw it from your balance manager.",
				Moved: []Moved{{ObjectParty(thing), usdc, sui.Delta{Amount: 5}, ForMove}}}},
		{"a withdrawal that no event reports", move(false), []sui.BalanceChange{change(payer, sui.SUI, -gas),
			change(payer, usdc.CoinType, 5)},
			nil, nil, Result{Title: "Took 0.000005 USDC out of your balance manager", Where: "It is in your own account."}},
		{"an order that nobody told of", order, []sui.BalanceChange{change(payer, sui.SUI, -gas)}, nil, []Result{{}},
			Result{Title: "The chain executed it",
				Where: "What changed in your balance manager was not reported. Look there before you go on."}},
		{"an order in its adapter's words", order, []sui.BalanceChange{change(payer, sui.SUI, -gas)}, nil,
			[]Result{{Title: "Sold", Next: "Withdraw."}},
			Result{Title: "Sold", Next: "Withdraw.", Whole: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := sui.Effects{Gas: sui.GasCost{Computation: gas}, Balances: c.changes}
			got := ResultOf(c.f, c.f.Promise().Happened(Observe(payer, e, c.objects...)), c.told, nil)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
