package request_test

import (
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/request"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// managed gives the account a balance manager with 50 SUI, 12 of them locked in two orders, and
// returns the order numbers.
func managed(t *testing.T, w *world) (numbers []string) {
	t.Helper()
	usdc, _ := coins.BySymbol("USDC")
	id, err := w.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
		Orders: []sandbox.RestingOrder{{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000}, {Pool: "SUI_USDC",
			Price: 9_600_000, Quantity: 7_000_000_000}},
		Deposits: []sandbox.Deposit{
			{Coin: sui.SUI, Amount: 50_000_000_000}, {Coin: usdc.Type, Amount: 90_000_000}, {Coin: coins.DEEP,
				Amount: 100_000_000}}})
	if err != nil {
		t.Fatal(err)
	}
	a, err := deepbook.NewInventory(w.Pools, w.Node).Account(t.Context(), "SUI_USDC", id)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range a.Orders {
		numbers = append(numbers, o.ID)
	}
	return numbers
}

func into(amount, symbol string) plan.Intent {
	return plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: symbol, Amount: amount}}
}

func outOf(amount, symbol string) plan.Intent {
	return plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: symbol, Amount: amount}}
}

func place(side, price, quantity string) plan.Intent {
	return plan.Intent{Type: "limit-order", Order: &plan.Order{Pool: "SUI_USDC", Side: side, Price: price,
		Quantity: quantity}}
}

// halfOf deposits half of the first step's result into the manager.
func halfOf(symbol string) plan.Intent {
	return plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: symbol, ResultOf: 1, Share: "1/2"}}
}

// TestTogether checks that trial, advice and switch agree on what can be one transaction, and that
// it can be executed.
func TestTogether(t *testing.T) {
	cancel := func(number string) plan.Intent {
		return plan.Intent{Type: "cancel-order", Own: plan.Own{"orderId": number}, Order: &plan.Order{Pool: "SUI_USDC"}}
	}
	change := func(number, quantity string) plan.Intent {
		return plan.Intent{Type: "modify-order",
			Own: plan.Own{"orderId": number}, Order: &plan.Order{Pool: "SUI_USDC", Price: "9.7",
				Quantity: quantity}}
	}
	for name, c := range map[string]struct {
		steps func(numbers []string) []plan.Intent
		did   []string
	}{
		"deposit, then change an order": {func(n []string) []plan.Intent {
			return []plan.Intent{into("10", "SUI"),
				change(n[0], "50")}
		}, []string{"Put 10 SUI into your balance manager",
			"Order changed: order placed: 50 SUI waits to be sold at 9.7 USDC per SUI"}},
		"cancel all, then withdraw": {func([]string) []plan.Intent {
			return []plan.Intent{{Type: "cancel-all-orders"},
				outOf("49", "SUI")}
		}, []string{"Cancelled 2 orders in SUI_USDC", "Took 49 SUI out of your balance manager"}},
		"cancel, then withdraw everything": {func(n []string) []plan.Intent {
			return []plan.Intent{cancel(n[0]), {Type: "manager-withdraw-all", To: plan.IntentTarget{Symbol: "SUI"}}}
		}, []string{"Order cancelled: 5 SUI will not be sold", "Took 43 SUI out of your balance manager"}},
		"cancel all, then withdraw every coin": {func([]string) []plan.Intent {
			return []plan.Intent{{Type: "cancel-all-orders"}, {Type: "manager-withdraw-all"}}
		}, []string{"Cancelled 2 orders in SUI_USDC", "Took 100 DEEP, 50 SUI and 90 USDC out of your balance manager"}},
		"cancel one, change the other, place a third": {func(n []string) []plan.Intent {
			return []plan.Intent{cancel(n[0]), change(n[1], "7"), place("sell", "9.9", "3")}
		}, []string{"Order cancelled: 5 SUI will not be sold",
			"Order changed: order placed: 7 SUI waits to be sold at 9.7 USDC per SUI",
			"Order placed: 3 SUI waits to be sold at 9.9 USDC per SUI"}},
		"swap, then an order with half of the result": {func([]string) []plan.Intent {
			return []plan.Intent{testkit.Swap("10", "SUI", "USDC"), halfOf("USDC"), place("buy", "0.5", "180")}
		}, []string{"Swapped 9.9012375 SUI for 12.79674 USDC", "Put 6.366378 USDC into your balance manager",
			"Order placed: 180 SUI waits to be bought at 0.5 USDC per SUI"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			b := w.ask(c.steps(managed(t, w))...)
			if !w.svc.Atomic(t.Context(), b) {
				t.Error("it is not advised")
			}
			if _, err := w.choose(b.ID, request.Atomic); err != nil {
				t.Fatal(err)
			}
			w.approve(b.ID)
			r := w.sign(w.sweep(b.ID))
			if r.Status != record.Success || r.Execution.Receipt.Result.Title != strings.Join(c.did, "; ") {
				t.Errorf("%s: %+v", r.Status, r.Execution.Receipt.Result)
			}
			for _, p := range r.Execution.Receipt.Promises {
				if !p.Kept {
					t.Errorf("%+v", p)
				}
			}
			if b = w.sweep(b.ID); b.State != request.Completed {
				t.Errorf("%s (%s)", b.State, b.Reason)
			}
			steps := b.Data().Steps
			if len(steps) != len(b.Steps) {
				t.Fatalf("%+v", steps)
			}
			for i, s := range steps {
				if s.What != c.did[i] || s.Where == "" || len(s.Amounts) == 0 || s.TxHash != r.Execution.TxDigest ||
					s.Status != "confirmed" {
					t.Errorf("%+v", s)
				}
				if orders := strings.Contains(s.What, "Order"); orders != (s.Order != "") {
					t.Errorf("%+v", s)
				}
			}
		})
	}
	t.Run("what works in neither way names none", func(t *testing.T) {
		w := newWorld(t)
		_, _, err := w.Reviews.PrepareLooking(t.Context(), plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{pay("70000000",
			alice), pay("1", bob)}})
		if !fault.Is(err, fault.Blocked) || fault.As(err).Detail.Get("mode") != "" {
			t.Errorf("%v", err)
		}
	})
	t.Run("an order takes no result, and the refusal names the step that does", func(t *testing.T) {
		w := newWorld(t)
		managed(t, w)
		order := place("buy", "0.5", "5")
		order.From = plan.IntentSource{Symbol: "USDC", ResultOf: 1, Share: "1/2"}
		if _, err := w.svc.Ask(t.Context(), "", false, steps(testkit.Swap("10", "SUI", "USDC"), order)); err == nil ||
			!strings.Contains(err.Error(), "manager-deposit") {
			t.Errorf("%v", err)
		}
	})
}
