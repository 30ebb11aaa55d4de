package gate_test

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// result returns what a step pays with: all that an earlier step results in.
func result(of int, symbol string) plan.IntentSource {
	return plan.IntentSource{Symbol: symbol, ResultOf: of}
}

func traded(amount, a, b, protocol string) plan.Intent {
	in := testkit.Swap(amount, a, b)
	in.Protocol = protocol
	return in
}

func tradedOn(of int, a, b, protocol string) plan.Intent {
	in := traded("", a, b, protocol)
	in.From = result(of, a)
	return in
}

// managedBy names another product's manager in steps.
func managedBy(id string, steps []plan.Intent) []plan.Intent {
	steps = slices.Clone(steps)
	for i := range steps {
		if steps[i].Manager != "" {
			steps[i].Manager = id
		}
	}
	return steps
}

func TestFedSteps(t *testing.T) {
	h, all := stepped(t)
	manager := all[10].Manager
	pay := func(of int, symbol string) plan.Intent {
		return plan.Intent{Type: "transfer", From: result(of, symbol), Recipient: testkit.Friend.String()}
	}
	deposit := func(of int, symbol string) plan.Intent {
		return plan.Intent{Type: "manager-deposit", From: result(of, symbol), Manager: manager}
	}
	swap := traded("10", "SUI", "USDC", "deep")
	withdraw := plan.Intent{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "USDC", Amount: "2.5"},
		Manager: manager}
	half := func(in plan.Intent, part string) plan.Intent { in.From.Share = part; return in }
	for name, steps := range map[string][]plan.Intent{
		"swap, deposit half, keep the rest":    {swap, half(deposit(1, "USDC"), "1/2")},
		"swap on flowx, send a quarter":        {traded("10", "SUI", "USDC", "flowx"), half(pay(1, "USDC"), "25%")},
		"swap, send a third, deposit the rest": {swap, half(pay(1, "USDC"), "1/3"), half(deposit(1, "USDC"), "2/3")},
		"swap, three take parts": {swap, half(pay(1, "USDC"), "1/4"), half(deposit(1, "USDC"), "1/4"),
			half(tradedOn(1, "USDC", "SUI", "flowx"), "25%")},
		"withdraw, send half, deposit half": {withdraw, half(pay(1, "USDC"), "1/2"), half(deposit(1, "USDC"),
			"50%")},
		"withdraw, send half": {withdraw, half(pay(1, "USDC"), "1/2")},
		"a share of a share": {swap, half(tradedOn(1, "USDC", "SUI", "deep"), "1/2"),
			half(pay(2, "SUI"), "1/2")},
		"swap, swap half back, deposit what is left": {swap, half(tradedOn(1, "USDC", "SUI", "flowx"), "1/2"),
			half(deposit(1, "USDC"), "1/2")},
		"swap and send all of it":          {swap, pay(1, "USDC")},
		"swap and deposit all of it":       {swap, deposit(1, "USDC")},
		"swap on flowx and send all of it": {traded("10", "SUI", "USDC", "flowx"), pay(1, "USDC")},
		"swap there and back":              {swap, tradedOn(1, "USDC", "SUI", "deep")},
		"swap on one, back on the other": {traded("10", "SUI", "USDC", "flowx"), tradedOn(1, "USDC", "SUI",
			"deep")},
		"swap on the other, back on the one": {swap, tradedOn(1, "USDC", "SUI", "flowx")},
		"withdraw and send it":               {withdraw, pay(1, "USDC")},
		"buy SUI, send all of it":            {traded("20", "USDC", "SUI", "deep"), pay(1, "SUI")},
		"buy SUI, sell SUI besides": {traded("20", "USDC", "SUI", "deep"), traded("5", "SUI", "USDC", "deep"),
			deposit(2, "USDC"), pay(1, "SUI")},
		"three in a row": {swap, tradedOn(1, "USDC", "SUI", "deep"), deposit(2, "SUI")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, all := stepped(t)
			settled(t, h, bundle(managedBy(all[10].Manager, steps)...))
		})
	}
	t.Run("what is promised of a result", func(t *testing.T) {
		s := h.Ready(bundle(swap, pay(1, "USDC")))
		p := s.Facts.Promise()
		if len(p.Outcomes) != 2 || len(p.Bounds()) != 2 || p.Bounds()[0].Coin.Symbol != "SUI" {
			t.Fatalf("%+v", p)
		}
		b := p.Bounds()[1]
		if b.Party != plan.AddressParty(testkit.Friend) || b.Most != nil ||
			b.Least.Int64() != int64(s.Facts.Steps[0].Promise.Amount(plan.RoleOutput).Raw) {
			t.Errorf("%+v", b)
		}
		if text := strings.Join(s.Facts.Commands(), "\n"); !strings.Contains(text, "all USDC that step 1 results in") {
			t.Error(text)
		}
	})
	t.Run("bad wiring is refused before anything is stored", func(t *testing.T) {
		amount := pay(1, "USDC")
		amount.From.Amount = "1"
		unknown, more := half(pay(1, "USDC"), "much"), half(pay(1, "USDC"), "101%")
		for name, in := range map[string]plan.Intent{
			"of a later step": bundle(pay(2, "USDC"), swap), "of itself": bundle(swap, pay(2, "USDC")), "twice": bundle(swap,
				pay(1, "USDC"), pay(1, "USDC")),
			"another coin": bundle(swap, pay(1, "SUI")), "of a payment": bundle(all[4], pay(1, "SUI")),
			"with an amount": bundle(swap, amount),
			"no share":       bundle(swap, unknown), "more than all": bundle(swap, more), "more than all together": bundle(swap,
				half(pay(1, "USDC"), "2/3"), half(deposit(1, "USDC"), "34%")),
			"alone": pay(1, "USDC"), "below zero": bundle(swap, pay(-1, "USDC")),
			"an action without an amount": bundle(swap, plan.Intent{Type: "manager-create", From: result(1, "USDC")}),
		} {
			if _, err := h.Reviews.Prepare(t.Context(), in); !fault.Is(err, fault.InputInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("a part that is another share than was asked for blocks", func(t *testing.T) {
		h, _ := stepped(t)
		h.Use(forger{Adapter: h.For("transfer"), draft: func(d *plan.Step) { d.Intent.From.Share = "1/4" }}, h.For("swap"))
		s := h.Compute(h.Open(bundle(swap, half(pay(1, "USDC"), "1/2"))))
		if c := s.State.Checks[0]; s.Status != record.Blocked || !strings.Contains(c.Message, "where the coins come from") {
			t.Errorf("%s %+v", s.Status, c)
		}
	})
	t.Run("a result below the least size of the next venue blocks", func(t *testing.T) {
		s := h.Compute(h.Open(bundle(traded("1.1", "SUI", "USDC", "deep"), tradedOn(1, "USDC", "SUI", "deep"))))
		if c := s.State.Checks[0]; s.Status == record.Ready || c.Status != plan.CheckFail || !strings.HasPrefix(c.Message,
			"Step 2: The pool SUI_USDC would trade nothing") {
			t.Errorf("%s %+v", s.Status, s.State.Checks)
		}
	})
}

// TestQuotedBehind quotes later steps behind earlier ones.
func TestQuotedBehind(t *testing.T) {
	for _, protocol := range []string{"deep", "flowx"} {
		t.Run("a second swap in the same pool on "+protocol, func(t *testing.T) {
			h, _ := stepped(t)
			one := traded("1200", "USDC", "SUI", protocol)
			s := h.Ready(bundle(one, one))
			first, second := s.Facts.Steps[0].Expected, s.Facts.Steps[1].Expected
			if second.Raw >= first.Raw {
				t.Fatalf("%s, then %s", first, second)
			}
			want := first.Of(first.Raw + second.Raw).String()
			for _, p := range h.Settle(s).Execution.Receipt.Promises {
				if p.ID == "minimum_arrived" && p.Actual != want {
					t.Errorf("%+v; quoted %s and %s", p, first, second)
				}
			}
		})
	}
	t.Run("a result that the account does not hold yet", func(t *testing.T) {
		h, _ := stepped(t)
		all := plan.Intent{Type: "transfer", From: plan.IntentSource{Symbol: "USDC", Share: "all"},
			Recipient: testkit.Friend.String()}
		if s := h.Settle(h.Ready(all)); s.Status != record.Success {
			t.Fatalf("%s %+v", s.Status, s.Execution)
		}
		settled(t, h, bundle(traded("10", "SUI", "USDC", "deep"), tradedOn(1, "USDC", "SUI", "flowx")))
	})
}

// TestTooMuchForOne refuses what one review cannot show or limit.
func TestTooMuchForOne(t *testing.T) {
	h, all := stepped(t)
	t.Run("more steps than one transaction has", func(t *testing.T) {
		_, err := h.Reviews.Prepare(t.Context(), bundle(append(all[:8:8], all[9])...))
		if !fault.Is(err, fault.InputInvalid) || !strings.Contains(err.Error(), "use steps") {
			t.Error(err)
		}
	})
	t.Run("more ends than one review shows", func(t *testing.T) {
		var steps []plan.Intent
		for _, amount := range []string{"10", "11", "12", "13", "14"} {
			steps = append(steps, traded(amount, "SUI", "USDC", "flowx"))
		}
		s := h.Compute(h.Open(bundle(steps...)))
		if c := s.State.Checks[0]; s.Status != record.Blocked || !strings.Contains(c.Message, "use steps") {
			t.Errorf("%s %+v", s.Status, c)
		}
	})
	t.Run("a sum without a bound", func(t *testing.T) {
		h, all := stepped(t)
		h.Use(forger{Adapter: h.For("transfer"), draft: func(d *plan.Step) {
			o := d.Promise.Outcomes[0]
			o.Bounds = append(slices.Clone(o.Bounds), plan.Bound{Role: plan.RoleNet, Coin: plan.SUI, Most: new(big.Int)})
			d.Promise = plan.Promise{Outcomes: []plan.Outcome{o}}
		}}, h.For("manager-create"))
		s := h.Compute(h.Open(bundle(all[9], all[5])))
		if c := s.State.Checks[0]; s.Status != record.Blocked || !strings.Contains(c.Message, "how much can leave") {
			t.Errorf("%s %+v", s.Status, c)
		}
	})
}
