package managed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/policy"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// An order can trade away a balance manager's coins, so the user's limits apply to orders as they do to
// payments from the wallet.
func TestOrdersKeepToLimits(t *testing.T) {
	h := testkit.Start(t, time.Now, nil)
	var all []plan.Adapter
	for _, a := range adapters(h) {
		all = append(all, a)
	}
	h.Use(all...)
	open(t, h)
	one := sui.Raw(1_000_000_000)
	most := func(t sui.CoinType, raw sui.Raw) []policy.CoinLimit {
		return []policy.CoinLimit{{CoinType: t, Most: raw}}
	}
	buy := sell("10", "0.5")
	buy.Order.Side = "buy" // an order worth 5 USDC
	usdc := coin("USDC").Type
	for _, c := range []struct {
		name  string
		in    plan.Intent
		limit policy.Allowance
		says  string // "" if it is allowed
	}{
		{"a sale of more than one transaction may take", sell("10", far), policy.Allowance{PerTransaction: most(sui.SUI,
			10*one-1)}, "Up to 10 SUI would be offered by the order. Your limit of one transaction is 9.999999999 SUI."},
		{"a sale of exactly as much", sell("10", far), policy.Allowance{PerTransaction: most(sui.SUI, 10*one),
			PerDay: most(sui.SUI, 10*one)}, ""},
		{"a sale gives away no quote coin", sell("10", far), policy.Allowance{PerTransaction: most(usdc, 0)}, ""},
		{"a purchase gives away price times quantity", buy, policy.Allowance{PerTransaction: most(usdc, 4_999_999)},
			"Up to 5 USDC"},
		{"a purchase of exactly as much", buy, policy.Allowance{PerTransaction: most(usdc, 5_000_000)}, ""},
		{"a purchase gives away no base coin", buy, policy.Allowance{PerTransaction: most(sui.SUI, 0)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.Allow(c.limit)
			s := h.Compute(h.Open(c.in))
			if c.says == "" && s.Status != record.Ready ||
				c.says != "" && (s.Reason != plan.AllowlistViolation || !strings.Contains(s.State.Checks[0].Message, c.says)) {
				t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
			}
		})
	}
	t.Run("orders of a day add up", func(t *testing.T) {
		h.Allow(policy.Allowance{PerDay: most(sui.SUI, 15*one)})
		h.HandOff(h.Ready(sell("10", far)))
		s := h.Compute(h.Open(sell("6", far)))
		if s.Reason != plan.AllowlistViolation || !strings.Contains(s.State.Checks[0].Message,
			"Up to 6 SUI would be offered by the order, and") {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
	t.Run("a deposit and the order that it pays for count once", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		open(t, h)
		h.Allow(policy.Allowance{PerDay: most(sui.SUI, 10*one)})
		h.HandOff(h.Ready(plan.Intent{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "8"}}))
		if s := h.Compute(h.Open(sell("10", far))); s.Status != record.Ready {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
		s := h.Compute(h.Open(sell("11", far)))
		if s.Reason != plan.AllowlistViolation || !strings.Contains(s.State.Checks[0].Message, "together 11 SUI") {
			t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
		}
	})
}

// A market with impossible values is rejected. Nothing is divided by them, and they are not shown.
func TestImpossibleMarket(t *testing.T) {
	for _, c := range []struct {
		name, says string
		fault      sandbox.Fault
	}{
		{"a least size of nothing", "least size is 0", sandbox.Fault{Kind: sandbox.LeastSize}},
		{"a fee over a tenth", "more than a tenth", sandbox.Fault{Kind: sandbox.TakerFee, Number: 100_000_001}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := testkit.Start(t, time.Now, nil)
			open(t, h)
			c.fault.Pool = "SUI_USDC"
			h.Inject(c.fault)
			for _, in := range []plan.Intent{sell("10", far), testkit.Swap("10", "SUI", "USDC")} {
				s := h.Compute(h.Open(in))
				if s.Status != record.Blocked || s.State.Quote != nil || s.Commitment != "" ||
					!strings.Contains(s.State.Checks[0].Message, c.says) {
					t.Errorf("%s: %s %+v", in.Type, s.Status, s.State.Checks[0])
				}
			}
		})
	}
}
