package gate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
	"github.com/sayurintent/sayurintent/review/gate"
)

// ventures are steps that the sandbox account can take, in any number and order.
func ventures(manager sui.ObjectID) []plan.Intent {
	from := func(amount, symbol string) plan.IntentSource {
		return plan.IntentSource{Symbol: symbol, Amount: amount}
	}
	trade := func(amount, a, b, protocol, fee string) plan.Intent {
		in := testkit.Swap(amount, a, b)
		in.Protocol, in.FeeMode = protocol, fee
		return in
	}
	id, friend := manager.String(), testkit.Friend.String()
	return []plan.Intent{
		trade("10", "SUI", "USDC", "deep", ""), trade("20", "USDC", "SUI", "deep", ""), trade("11", "SUI", "USDC", "flowx",
			""),
		trade("3", "SUI", "USDC", "deep", "deep"),
		{Type: "transfer", From: from("1.25", "SUI"), Recipient: friend},
		{Type: "transfer", From: from("7", "USDC"), Recipient: friend},
		{Type: "transfer", From: from("2600", "USDC"), Recipient: thief.String()},
		{Type: "halves", From: from("4", "USDC"), Recipient: friend},
		{Type: "halves", From: from("4", "SUI"), Recipient: friend},
		{Type: "manager-create"},
		{Type: "manager-deposit", From: from("5", "SUI"), Manager: id}, {Type: "manager-deposit", From: from("6", "USDC"),
			Manager: id},
		{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "USDC", Amount: "2.5"}, Manager: id},
		{Type: "limit-order", Manager: id, Order: &plan.Order{Pool: "SUI_USDC", Side: "sell", Price: "9.5", Quantity: "10"}},
		{Type: "limit-order", Manager: id, Order: &plan.Order{Pool: "SUI_USDC", Side: "buy", Price: "0.5", Quantity: "20",
			PostOnly: true}},
	}
}

// stepped starts a product with every adapter and the toy one, and an account that
// has a balance manager.
func stepped(t *testing.T) (*testkit.Harness, []plan.Intent) {
	h := testkit.Start(t, time.Now, nil)
	acts, _ := testkit.Stage(t, h)
	h.Use(append(h.Adapters(), h.FlowX(), testkit.Toy{})...)
	return h, ventures(sui.MustAddress(testkit.Named(t, acts, "withdrawal").Intent.Manager))
}

func bundle(steps ...plan.Intent) plan.Intent {
	return plan.Intent{Type: plan.Bundle, Steps: steps}
}

// settled executes a bundle and checks the receipt.
func settled(t *testing.T, h *testkit.Harness, in plan.Intent) {
	t.Helper()
	s := h.Ready(in)
	if len(s.Facts.Steps) != len(in.Steps) {
		t.Fatalf("%d steps read back of %d", len(s.Facts.Steps), len(in.Steps))
	}
	s = h.Settle(s)
	if s.Status != record.Success {
		t.Fatalf("%s %+v", s.Status, s.Execution)
	}
	if p := s.Execution.Proof(); p.State != record.Proved || !p.Amounts {
		t.Errorf("%+v", p) // every kind of step, and each address's gains and losses
	}
	for _, p := range s.Execution.Receipt.Promises {
		if !p.Kept {
			t.Errorf("%+v", p)
		}
	}
}

func TestStepsInOneTransaction(t *testing.T) {
	h, all := stepped(t)
	t.Run("a new kind of action is carried out, alone and among others", func(t *testing.T) {
		if s := h.Settle(h.Ready(all[7])); s.Status != record.Success {
			t.Errorf("%s %+v", s.Status, s.Execution)
		}
		settled(t, h, bundle(all[8], all[0], all[7]))
	})
	t.Run("two steps that give and take the same coin are summed", func(t *testing.T) {
		s := h.Ready(bundle(all[0], all[1]))
		p := s.Facts.Promise()
		if len(p.Outcomes) != 4 || len(p.Bounds()) != 2 {
			t.Fatalf("%d outcomes, %+v", len(p.Outcomes), p.Bounds())
		}
		for i, b := range p.Bounds() {
			first, second := s.Facts.Steps[0].Promise.Bounds()[i], s.Facts.Steps[1].Promise.Bounds()[1-i]
			if want := first.Least.Int64() + second.Least.Int64(); b.Least.Int64() != want {
				t.Errorf("%s: at least %s, want %d", b.Coin.Symbol, b.Least, want)
			}
		}
		settled(t, h, bundle(all[0], all[1]))
	})
	t.Run("a second node agrees", func(t *testing.T) {
		h, all := stepped(t)
		h.Compare(func(s *gate.Second) { s.Adapters = append(s.Adapters, testkit.Toy{}) })
		s := h.Ready(bundle(all[0], all[5], all[10], all[13]))
		if c, ok := testkit.Check(s, "second_provider"); !ok || c.Status != plan.CheckPass {
			t.Errorf("%+v", c)
		}
	})
	t.Run("one step that lies blocks all", func(t *testing.T) {
		h, all := stepped(t)
		h.Use(forger{Adapter: h.For("transfer"), forge: func(k *sui.Kind) {
			for i, in := range k.Inputs {
				if p, ok := in.(sui.PureInput); ok && string(p.Bytes) == string(testkit.Friend[:]) {
					k.Inputs[i] = sui.PureAddress(thief)
				}
			}
		}}, h.For("manager-create"))
		s := h.Compute(h.Open(bundle(all[9], all[5])))
		if s.Status != record.Blocked || s.State.Checks[0].ID != "cross_check_bytes" || s.State.Checks[0].Rule != "C01" {
			t.Errorf("%s %+v", s.Status, s.State.Checks[0])
		}
	})
	t.Run("what is no bundle is refused", func(t *testing.T) {
		nested := bundle(all[0], bundle(all[0], all[1]))
		for name, in := range map[string]plan.Intent{"one step": bundle(all[0]), "nine steps": bundle(append(all[:8:8],
			all[9])...),
			"a bundle in a bundle": nested, "steps of something else": {Type: "swap", Steps: all[:2]},
			"an amount besides": {Type: plan.Bundle, Steps: all[:2], From: plan.IntentSource{Symbol: "SUI", Amount: "1"}}} {
			if _, err := h.Reviews.Prepare(t.Context(), in); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := h.Reviews.Prepare(t.Context(), bundle(all[0], plan.Intent{Type: "fly"}))
		if _, err := h.Reviews.Prepare(t.Context(), bundle()); !fault.Is(err, fault.UnsupportedAction) {
			t.Errorf("no step: %v", err)
		}
		if !fault.Is(err, fault.UnsupportedAction) || !strings.Contains(err.Error(), "fly") {
			t.Error(err)
		}
	})
}

// TestRandomSteps builds, decodes, compares, simulates and executes transactions of
// two to eight real steps, in any combination.
func TestRandomSteps(t *testing.T) {
	for round := range 12 {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(7, uint64(round)))
			h, all := stepped(t)
			var steps []plan.Intent
			swaps := 0
			for n := 2 + round%7; len(steps) < n; {
				in := all[r.IntN(len(all))]
				if in.Type == "swap" {
					if swaps++; swaps > 3 {
						continue // too many outcomes to show
					}
				}
				steps = append(steps, in)
			}
			settled(t, h, bundle(steps...))
		})
	}
}
