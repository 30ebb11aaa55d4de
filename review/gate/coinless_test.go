package gate_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/gate"
)

// TestCoinless runs everything for an account with money only in address balances, which also pay
// for gas.
func TestCoinless(t *testing.T) {
	from := func(amount, symbol string) plan.IntentSource {
		return plan.IntentSource{Symbol: symbol, Amount: amount}
	}
	pay := func(amount, symbol string) plan.Intent {
		return plan.Intent{Type: "transfer", From: from(amount, symbol), Recipient: testkit.Friend.String()}
	}
	begin := func(t *testing.T) *testkit.Harness {
		h := testkit.Start(t, time.Now, nil)
		h.Use(append(h.Adapters(), h.FlowX())...)
		h.Sandbox.Deposit(sandbox.Account)
		return h
	}
	for name, in := range map[string]plan.Intent{
		"a payment of SUI":  pay("7", "SUI"),
		"a payment of USDC": pay("800", "USDC"),
		"a swap of SUI": {Type: "swap", Protocol: "deep", From: from("10", "SUI"),
			To: plan.IntentTarget{Symbol: "USDC"}, MaxSlippageBps: 500},
		"a swap of USDC": {Type: "swap", Protocol: "flowx", From: from("20", "USDC"),
			To: plan.IntentTarget{Symbol: "SUI"}, MaxSlippageBps: 1000},
		"a swap and its payment": {Type: plan.Bundle, Steps: []plan.Intent{{Type: "swap", Protocol: "deep", From: from("10",
			"SUI"), To: plan.IntentTarget{Symbol: "USDC"}, MaxSlippageBps: 500}, {Type: "transfer",
			From: plan.IntentSource{Symbol: "USDC", ResultOf: 1}, Recipient: testkit.Friend.String()}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := begin(t)
			s := h.Ready(in)
			if f := s.Facts; len(f.Gas.Payment) != 0 || f.LastEpoch == 0 {
				t.Errorf("gas is paid by %v until epoch %d", f.Gas.Payment, f.LastEpoch)
			}
			if s = h.Settle(s); s.Status != record.Success {
				t.Fatalf("%s %+v", s.Status, s.Execution)
			}
		})
	}
	t.Run("a manager, a deposit and an order", func(t *testing.T) {
		h := begin(t)
		if s := h.Settle(h.Ready(plan.Intent{Type: "manager-create"})); s.Status != record.Success {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
		manager, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []plan.Intent{
			{Type: "manager-deposit", From: from("20", "SUI"), Manager: manager.String()},
			{Type: "limit-order", Manager: manager.String(), Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9",
				Quantity: "10"}},
		} {
			s := h.Ready(in)
			if len(s.Facts.Gas.Payment) != 0 {
				t.Errorf("%s: gas is paid by %v", in.Type, s.Facts.Gas.Payment)
			}
			if s = h.Settle(s); s.Status != record.Success {
				t.Fatalf("%s: %s %+v", in.Type, s.Status, s.Execution)
			}
		}
	})
	t.Run("a coin is preferred", func(t *testing.T) {
		h := begin(t)
		h.Sandbox.Hold(sandbox.Account, sui.SUI, 1_000_000_000, 0)
		if s := h.Ready(pay("0.5", "SUI")); len(s.Facts.Gas.Payment) != 1 {
			t.Error("gas is paid without the coin that there is")
		}
	})
	t.Run("a coin that is too small is merged, and pays no gas", func(t *testing.T) {
		h := begin(t)
		h.Sandbox.Hold(sandbox.Account, sui.SUI, 1000, 0)
		s := h.Ready(pay("999.9", "SUI"))
		if len(s.Facts.Gas.Payment) != 0 || h.Settle(s).Status != record.Success {
			t.Errorf("%+v", s.Facts.Gas)
		}
	})
	t.Run("more than all there is, gas considered, is refused", func(t *testing.T) {
		h := begin(t)
		s := h.Compute(h.Open(pay("999.999", "SUI")))
		if s.Reason != plan.InsufficientGas || !strings.Contains(s.State.Checks[0].Message, "for gas") {
			t.Errorf("%s %+v", s.Reason, s.State.Checks[0])
		}
	})
	t.Run("nothing is built beside one that is open", func(t *testing.T) {
		h := begin(t)
		first := h.Ready(pay("3", "USDC"))
		h.HandOff(first)
		s := h.Compute(h.Open(pay("4", "USDC")))
		if s.Status != record.Blocked && s.Status != record.RefreshRequired || s.State.Checks[0].ID != "open_release_bars" {
			t.Fatalf("%s %+v", s.Status, s.State.Checks[0])
		}
		present, err := h.Reviews.Get(t.Context(), first.ID)
		if err != nil {
			t.Fatal(err)
		}
		if again := h.Compute(present); again.Status == record.Ready ||
			again.State.Checks[0].ID != "released_transaction_may_execute" {
			t.Errorf("%s %+v", again.Status, again.State.Checks[0])
		}
	})
	t.Run("the same again is another transaction", func(t *testing.T) {
		h := begin(t)
		a := h.Settle(h.Ready(pay("3", "USDC")))
		b := h.Settle(h.Ready(pay("3", "USDC")))
		if a.Status != record.Success || b.Status != record.Success || a.Execution.TxDigest == b.Execution.TxDigest {
			t.Errorf("%+v %+v", a.Execution, b.Execution)
		}
	})
	t.Run("a coin that another open transaction uses is shared, not replaced by the address balance", func(t *testing.T) {
		h := begin(t)
		h.Sandbox.Hold(sandbox.Account, sui.SUI, 5_000_000_000, 0)
		h.HandOff(h.Ready(pay("0.5", "SUI")))
		s := h.Ready(pay("0.7", "SUI"))
		if c, _ := testkit.Check(s, "open_release"); len(s.Facts.Gas.Payment) != 1 || !strings.Contains(c.Message,
			"only one of them can execute") {
			t.Errorf("%+v %+v", s.Facts.Gas, c)
		}
	})
	t.Run("late word that it was signed bars again", func(t *testing.T) {
		h := begin(t)
		first := h.Ready(pay("3", "SUI"))
		o := h.HandOff(first)
		if _, err := h.Reviews.Outcome(t.Context(), first.ID, o.Nonce, record.OutcomeRejected); err != nil {
			t.Fatal(err)
		}
		second := h.Ready(pay("4", "SUI"))
		h.Inject(sandbox.Fault{Kind: sandbox.Refuse, Method: "ExecuteTransaction"})
		raw, signature := h.Sign(o)
		if _, err := h.Reviews.Signed(t.Context(), first.ID, o.Nonce, raw, signature); err != nil {
			t.Fatal(err)
		}
		_, err := h.Reviews.Handoff(t.Context(), second.ID, second.Revision, second.Commitment, testkit.Ticks(second)...)
		if !fault.Is(err, fault.OtherReleaseOpen) {
			t.Errorf("%v", err)
		}
	})
}

// TestGasless pays from an address balance without gas.
func TestGasless(t *testing.T) {
	pay := func(amount, symbol string) plan.Intent {
		return plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: symbol, Amount: amount},
			Recipient: testkit.Friend.String()}
	}
	usdc, _ := coins.BySymbol("USDC")
	begin := func(t *testing.T, inAddress uint64) *testkit.Harness {
		h := testkit.Start(t, time.Now, nil)
		h.Sandbox.Hold(sandbox.Account, usdc.Type, 0, inAddress)
		return h
	}
	free := func(s record.Session) bool {
		return s.Facts.Gas.Budget == 0 && s.Facts.Gas.Price == 0 && len(s.Facts.Gas.Payment) == 0
	}
	t.Run("a payment of all of it", func(t *testing.T) {
		h := begin(t, 5_000_000)
		before, err := h.Node.Balance(t.Context(), sandbox.Account, sui.SUI)
		if err != nil {
			t.Fatal(err)
		}
		s := h.Ready(pay("5", "USDC"))
		if c, _ := testkit.Check(s, "gas_budget_proportion"); !free(s) || !strings.Contains(c.Message, "No gas is paid") {
			t.Fatalf("%+v %+v", s.Facts.Gas, c)
		}
		if s = h.Settle(s); s.Status != record.Success {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
		got, err := h.Node.Balance(t.Context(), testkit.Friend, usdc.Type)
		after, err2 := h.Node.Balance(t.Context(), sandbox.Account, sui.SUI)
		if err != nil || err2 != nil || got.Address != 5_000_000 || before.Total != after.Total {
			t.Errorf("%+v %v, SUI %d to %d", got, err, before.Total, after.Total)
		}
	})
	// poor leaves the account only USDC coins, so nothing pays for gas.
	poor := func(t *testing.T, inAddress uint64, held ...uint64) *testkit.Harness {
		h := testkit.Start(t, time.Now, nil)
		h.Sandbox.Empty(sandbox.Account)
		for _, n := range held {
			h.Sandbox.Hold(sandbox.Account, usdc.Type, n, 0)
		}
		h.Sandbox.Hold(sandbox.Account, usdc.Type, 0, inAddress)
		return h
	}
	t.Run("out of coins, where nothing pays for gas", func(t *testing.T) {
		for name, c := range map[string]struct {
			amount    string
			inAddress uint64
			held      []uint64
		}{
			"of one coin":                         {"5", 0, []uint64{8_000_000}},
			"of several":                          {"5", 0, []uint64{2_000_000, 3_000_000, 1_000_000}},
			"of coins and the address balance":    {"5", 2_000_000, []uint64{4_000_000}},
			"so that no less than a cent is left": {"5", 1_000_000, []uint64{5_000_000}},
		} {
			h := poor(t, c.inAddress, c.held...)
			s := h.Ready(pay(c.amount, "USDC"))
			note, told := testkit.Check(s, "gasless_rest")
			if !free(s) || !told || note.Class() != plan.ClassNote {
				t.Fatalf("%s: %+v %+v", name, s.Facts.Gas, note)
			}
			before, _ := h.Node.Balance(t.Context(), sandbox.Account, usdc.Type)
			if s = h.Settle(s); s.Status != record.Success {
				t.Fatalf("%s: %s %+v", name, s.Status, s.Execution)
			}
			got, err := h.Node.Balance(t.Context(), testkit.Friend, usdc.Type)
			after, err2 := h.Node.Balance(t.Context(), sandbox.Account, usdc.Type)
			if err != nil || err2 != nil || got.Total != 5_000_000 || after.Total != before.Total-5_000_000 ||
				after.Address != after.Total {
				t.Errorf("%s: %+v %+v %+v", name, got, before, after)
			}
		}
	})
	t.Run("not where nothing would be left of the coins, and a look ahead knows it", func(t *testing.T) {
		h := poor(t, 0, 5_000_000)
		if s := h.Compute(h.Open(pay("5", "USDC"))); s.Status == record.Ready || s.Reason != plan.InsufficientGas {
			t.Errorf("%s %s", s.Status, s.Reason)
		}
	})
	t.Run("gas is paid where it does not fit", func(t *testing.T) {
		for name, c := range map[string]struct {
			in  plan.Intent
			has uint64
		}{
			"less than a cent":     {pay("0.009", "USDC"), 5_000_000},
			"a coin is needed too": {pay("6", "USDC"), 5_000_000},
			"another coin":         {pay("0.5", "SUI"), 5_000_000},
			"a swap":               {testkit.Swap("3", "USDC", "SUI"), 5_000_000},
		} {
			if s := begin(t, c.has).Ready(c.in); free(s) {
				t.Errorf("%s: no gas", name)
			}
		}
	})
	t.Run("with a gas coin while another one is open, and not beside a free one", func(t *testing.T) {
		h := begin(t, 50_000_000)
		h.HandOff(h.Ready(pay("0.5", "SUI")))
		s := h.Ready(pay("5", "USDC"))
		if free(s) {
			t.Fatal("free beside an open one")
		}
		h = begin(t, 50_000_000)
		h.HandOff(h.Ready(pay("5", "USDC")))
		if s = h.Compute(h.Open(pay("0.5", "SUI"))); s.Status == record.Ready || s.State.Checks[0].ID != "open_release_bars" {
			t.Errorf("%s %+v", s.Status, s.State.Checks[0])
		}
	})
	t.Run("another call, coin or amount is found", func(t *testing.T) {
		for name, edit := range map[string]func(*sui.Kind){
			"to somebody else": func(k *sui.Kind) {
				for i, in := range k.Inputs {
					if p, ok := in.(sui.PureInput); ok && len(p.Bytes) == 32 {
						k.Inputs[i] = sui.PureAddress(sui.MustAddress("0x" + strings.Repeat("ee", 32)))
					}
				}
			},
			"more": func(k *sui.Kind) {
				for i, in := range k.Inputs {
					if w, ok := in.(sui.WithdrawalInput); ok {
						w.MaxAmount++
						k.Inputs[i] = w
					}
				}
			},
			"another function": func(k *sui.Kind) {
				c := k.Commands[1].(sui.MoveCall)
				c.Function = "join"
				k.Commands[1] = c
			},
		} {
			h := begin(t, 50_000_000)
			h.Use(forger{Adapter: h.For("transfer"), forge: edit})
			if s := h.Compute(h.Open(pay("5", "USDC"))); s.Status == record.Ready {
				t.Errorf("%s: ready", name)
			}
		}
	})
	t.Run("a payment with gas that puts money elsewhere is found", func(t *testing.T) {
		h := begin(t, 0)
		h.Use(forger{Adapter: h.For("transfer"), forge: func(k *sui.Kind) {
			last := k.Commands[len(k.Commands)-1].(sui.MoveCall)
			last.Module, last.Function, last.TypeArgs = "balance", "send_funds", []sui.TypeTag{usdc.Type.Tag()}
			k.Commands[len(k.Commands)-1] = last
		}})
		if s := h.Compute(h.Open(pay("5", "USDC"))); s.Status == record.Ready {
			t.Error("ready")
		}
	})
}

// TestOtherKeysOfTheSecondNode blocks if one of two nodes omits a key.
func TestOtherKeysOfTheSecondNode(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	key := sui.MustAddress("0xa9e47")
	h.Sandbox.Alias(sandbox.Account, key)
	say := func(keys ...sui.Address) func(context.Context, sui.Address) ([]sui.Address, error) {
		return func(context.Context, sui.Address) ([]sui.Address, error) { return keys, nil }
	}
	for name, c := range map[string]struct {
		keys  func(context.Context, sui.Address) ([]sui.Address, error)
		wants string // "": it is ready
	}{
		"both tell the same":    {say(key), ""},
		"the second tells none": {say(), "does not report the key " + key.String()},
		"the second tells others": {say(key, sui.MustAddress("0xbad")),
			"reports another key that may sign for your account"},
	} {
		t.Run(name, func(t *testing.T) {
			h.Compare(func(s *gate.Second) { s.Keys = c.keys })
			s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC")))
			if said := s.State.Checks[0].Message; c.wants == "" && s.Status != record.Ready || c.wants != "" &&
				(s.Status != record.Blocked || !strings.Contains(said, c.wants)) {
				t.Errorf("%s: %q", s.Status, said)
			}
		})
	}
	t.Run("the second node is asked", func(t *testing.T) {
		h.Compare(nil)
		if s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status != record.Ready {
			t.Errorf("%s: %+v", s.Status, s.State.Checks[0])
		}
	})
}

// Other keys that may sign for the account are shown on every review.
func TestOtherKeys(t *testing.T) {
	const id = "account_aliases"
	h := testkit.Start(t, time.Now, nil)
	if c, told := testkit.Check(h.Ready(testkit.Swap("10", "SUI", "USDC")), id); told {
		t.Errorf("%+v", c)
	}
	key := sui.MustAddress("0xa9e47")
	h.Sandbox.Alias(sandbox.Account, key)
	c, told := testkit.Check(h.Ready(testkit.Swap("10", "SUI", "USDC")), id)
	if !told || c.Class() != plan.ClassCaution || !strings.Contains(c.Message, key.String()) || strings.Contains(c.Message,
		sandbox.Account.String()) {
		t.Errorf("%v %+v", told, c)
	}
	h.Inject(sandbox.Fault{Kind: sandbox.Fail, Method: "ListOwnedObjects"})
	if s := h.Compute(h.Open(testkit.Swap("10", "SUI", "USDC"))); s.Status == record.Ready {
		t.Error("ready, though nobody said who may sign")
	}
}
