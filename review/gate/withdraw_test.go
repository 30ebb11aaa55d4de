package gate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// TestAddressBalance spends from an address balance in every action that pays.
func TestAddressBalance(t *testing.T) {
	usdc, _ := coins.BySymbol("USDC")
	from := func(amount, symbol string) plan.IntentSource {
		return plan.IntentSource{Symbol: symbol, Amount: amount}
	}
	pay := func(amount, symbol string) plan.Intent {
		return plan.Intent{Type: "transfer", From: from(amount, symbol), Recipient: testkit.Friend.String()}
	}
	for name, c := range map[string]struct {
		in     plan.Intent
		coin   sui.CoinType
		lies   uint64 // in the address balance
		leaves uint64 // of it
		words  string
	}{
		"a payment that the coins do not cover": {pay("5000", "USDC"), usdc.Type, 2_000_000_000, 1_000_000_000,
			"Take 1000 USDC out of your address balance"},
		"a payment of a coin that lies nowhere else": {pay("2.5", string(testkit.GemType)), testkit.GemType, 50_000, 25_000, "out of that."},
		"a payment of SUI": {pay("1200", "SUI"), sui.SUI, 500_000_000_000, 0,
			"out of your address balance"},
		"a swap": {plan.Intent{Type: "swap", Protocol: "deep", From: from("4200", "USDC"),
			To: plan.IntentTarget{Symbol: "SUI"}, MaxSlippageBps: 500}, usdc.Type, 1_000_000_000, 200_000_000,
			"Take 200 USDC out of your address balance"},
		"a swap on FlowX": {plan.Intent{Type: "swap", Protocol: "flowx", From: from("4001", "USDC"),
			To: plan.IntentTarget{Symbol: "SUI"}, MaxSlippageBps: 1000}, usdc.Type, 1_000_000_000, 1_000_000,
			"Take 1 USDC out of your address balance"},
		"two payments of a coin that lies nowhere else": {plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{pay("1",
			string(testkit.GemType)), pay("1.5", string(testkit.GemType))}}, testkit.GemType, 50_000, 25_000,
			"out of your address balance"},
		"two steps of one coin": {plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{pay("3000", "USDC"),
			pay("1500", "USDC")}}, usdc.Type, 500_000_000, 500_000_000,
			"Take 500 USDC out of your address balance"},
	} {
		t.Run(name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			h.Use(append(h.Adapters(), h.FlowX())...)
			h.Sandbox.Describe(sui.Metadata{Type: testkit.GemType, Decimals: 4, Symbol: "GEM", Name: "A gem"})
			h.Sandbox.Hold(sandbox.Account, c.coin, 0, c.lies)
			s := h.Ready(c.in)
			var said []string
			for _, step := range s.Facts.Steps {
				said = append(said, step.Commands...)
			}
			if !slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, c.words) }) {
				t.Errorf("%q is not said: %q", c.words, said)
			}
			if s = h.Settle(s); s.Status != record.Success {
				t.Fatalf("%s %+v", s.Status, s.Execution)
			}
			left, err := h.Node.Balance(t.Context(), sandbox.Account, c.coin)
			if err != nil || c.leaves > 0 && uint64(left.Address) != c.lies-c.leaves {
				t.Errorf("%+v %v", left, err)
			}
		})
	}
	t.Run("a deposit into a balance manager", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		_, manager := testkit.Stage(t, h)
		h.Sandbox.Hold(sandbox.Account, usdc.Type, 0, 1_000_000_000)
		in := plan.Intent{Type: "manager-deposit", From: from("4500", "USDC"), Manager: manager.String()}
		if s := h.Settle(h.Ready(in)); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
	})
	t.Run("a balance that shrank meanwhile is a failure that moved nothing", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Sandbox.Describe(sui.Metadata{Type: testkit.GemType, Decimals: 4, Symbol: "GEM", Name: "A gem"})
		h.Sandbox.Hold(sandbox.Account, testkit.GemType, 0, 50_000)
		first := h.Ready(pay("3", string(testkit.GemType)))
		offered := h.HandOff(first)
		if s := h.Settle(h.Ready(pay("4", string(testkit.GemType)))); s.Status != record.Success {
			t.Fatal(s.Status)
		}
		raw, signature := h.Sign(offered)
		if _, err := h.Reviews.Signed(t.Context(), first.ID, offered.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		s := h.Until(first.ID, "it is over", func(s record.Session) bool { return s.Status.Terminal() })
		if s.Execution.FailureReason != record.FailureChainExecution || !strings.Contains(s.Headline().Text,
			"Your address balance no longer covered the payment") {
			t.Errorf("%s %+v %+v", s.Status, s.Headline(), s.Execution)
		}
	})
	t.Run("more than all there is is refused, and says so", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		h.Sandbox.Hold(sandbox.Account, usdc.Type, 0, 1_000_000_000)
		s := h.Compute(h.Open(pay("5001", "USDC")))
		if c := s.State.Checks[0]; s.Reason != plan.InsufficientBalance || !strings.Contains(c.Message,
			"the account holds 5000 USDC") {
			t.Errorf("%s %+v", s.Reason, c)
		}
	})
	t.Run("gas is not paid with what is merged into its coin", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		poor := sui.MustAddress("0x" + strings.Repeat("d0", 32))
		h.Connect(poor)
		h.Sandbox.Hold(poor, sui.SUI, 4_000_000, 4_500_000)
		s, err := h.Reviews.Prepare(t.Context(), pay("0.000001", "SUI"))
		if err != nil {
			t.Fatal(err)
		}
		if s, err = h.Reviews.Opened(t.Context(), s.ID); err != nil {
			t.Fatal(err)
		}
		if s = h.Compute(s); s.Reason != plan.InsufficientGas {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
	t.Run("other withdrawals than the chosen one are found", func(t *testing.T) {
		withdraw := func(edit func(*sui.WithdrawalInput)) func(*sui.Kind) {
			return func(k *sui.Kind) {
				for i, in := range k.Inputs {
					if w, ok := in.(sui.WithdrawalInput); ok {
						edit(&w)
						k.Inputs[i] = w
					}
				}
			}
		}
		for name, edit := range map[string]func(*sui.Kind){
			"more":            withdraw(func(w *sui.WithdrawalInput) { w.MaxAmount++ }),
			"of another coin": withdraw(func(w *sui.WithdrawalInput) { w.Coin = sui.SUI.Tag() }),
			"of a sponsor":    withdraw(func(w *sui.WithdrawalInput) { w.From = sui.WithdrawSponsor }),
			"of an allowance": withdraw(func(w *sui.WithdrawalInput) {
				w.From, w.Funder = sui.WithdrawSenderAllowance, testkit.Friend
			}),
			"the same twice": func(k *sui.Kind) {
				for _, in := range k.Inputs {
					if w, ok := in.(sui.WithdrawalInput); ok {
						k.Inputs = append(k.Inputs, w)
						k.Commands = append(k.Commands, sui.MoveCall{Package: sui.MustAddress("0x2"), Module: "coin",
							Function: "redeem_funds",
							TypeArgs: []sui.TypeTag{w.Coin}, Arguments: []sui.Argument{sui.InputArg(len(k.Inputs) - 1)}})
						break
					}
				}
			},
		} {
			h := testkit.Start(t, time.Now, nil)
			h.Sandbox.Hold(sandbox.Account, usdc.Type, 0, 1_000_000_000)
			h.Use(forger{Adapter: h.For("transfer"), forge: edit})
			if s := h.Compute(h.Open(pay("4500", "USDC"))); s.Status == record.Ready {
				t.Errorf("%s: ready", name)
			}
		}
	})
}
