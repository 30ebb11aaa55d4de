package managed_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// started returns a harness with every action on managers, and one manager with orders.
func started(t *testing.T, orders ...sandbox.RestingOrder) (*testkit.Harness, sui.ObjectID) {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	h.Use(slices.Collect(maps.Values(adapters(h)))...)
	return h, open(t, h, orders...)
}

// holds fails unless the manager has exactly the balances stated in a review.
func holds(t *testing.T, h *testkit.Harness, id sui.ObjectID, rows []plan.HolderBalance) {
	t.Helper()
	source := deepbook.NewInventory(h.Pools, h.Node)
	holder, err := source.Holder(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if free, err := source.Free(t.Context(), holder, row.CoinType); err != nil || free != row.After {
			t.Errorf("%s: %d is free, %d before, %d was said: %v", row.Symbol, free, row.Before, row.After, err)
		}
	}
}

func sent(t *testing.T, h *testkit.Harness, s record.Session) {
	t.Helper()
	h.Send(s)
	if s = h.Until(s.ID, "final", func(s record.Session) bool { return s.Status.Terminal() }); s.Status != record.Success {
		t.Fatalf("%s %+v", s.Status, s.Execution)
	}
}

// An order's result matches its estimate exactly.
func TestOutlookOfOrders(t *testing.T) {
	buy := func(quantity, price string) plan.Intent {
		in := sell(quantity, price)
		in.Order.Side = "buy"
		return in
	}
	postOnly := func(in plan.Intent) plan.Intent { in.Order.PostOnly = true; return in }
	inDeep := func(in plan.Intent) plan.Intent { in.FeeMode = "deep"; return in }
	for _, c := range []struct {
		name     string
		in       plan.Intent
		distance int64
		fills    string // "" if nothing trades immediately
		average  sui.Decimal
		class    plan.CheckClass // class of the price that trades immediately
	}{
		{"a sale far above the market", sell("10.1", far), 63478, "", "", ""},
		{"a sale in the spread", sell("10", "1.2929"), 0, "", "", ""},
		{"a sale at the best bid", sell("10", "1.2926"), -3, "10 SUI", "1.2926", plan.ClassPass},
		{"a sale a little under the market", sell("10", "1.26"), -255, "10 SUI", "1.2926", plan.ClassPass},
		{"a sale seven per cent under the market", sell("10", "1.2024"), -700, "10 SUI", "1.2926", plan.ClassCaution},
		{"a sale twelve per cent under the market", inDeep(sell("10", "1.1377")), -1201, "10 SUI", "1.2926",
			plan.ClassCaution},
		{"a purchase far under the market", postOnly(buy("10", "0.5")), 6132, "", "", ""},
		{"a purchase at the best ask", buy("10", "1.2932"), -3, "10 SUI", "1.2932", plan.ClassPass},
		{"a purchase with the fee in DEEP", inDeep(buy("10", "0.9")), 3038, "", "", ""},
		{"a purchase of more than the best level", buy("600", "1.3"), -55, "600 SUI", "", plan.ClassPass},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, id := started(t)
			s := h.Ready(c.in)
			look := s.State.Outlook[0]
			o, m := look.Order, look.Market
			if m.Venue != "DeepBook" || m.Middle != "1.2929" || m.Bid != "1.2926" || m.Ask != "1.2932" ||
				m.Base.Symbol != "SUI" || o.Buys != (c.in.Order.Side == "buy") {
				t.Fatalf("%+v %+v", m, o)
			}
			if o.DistanceBps != c.distance || o.Incomplete {
				t.Errorf("%+v", o)
			}
			price, judged := testkit.Check(s, "price_against_middle")
			if c.fills == "" {
				if o.Fills.Raw != 0 || o.Average != "" || o.Rests.Display != sui.Decimal(c.in.Order.Quantity) ||
					look.Trade != nil || judged {
					t.Errorf("%+v %+v", o, look.Trade)
				}
			} else if o.Fills.String() != c.fills || o.Rests.Raw != 0 || c.average != "" && o.Average != c.average ||
				look.Trade == nil || price.Class() != c.class ||
				(price.Accept != "") != (look.Trade.Guaranteed.Bps >= 1000) {
				t.Errorf("%+v %+v %+v", o, look.Trade, price)
			}
			if len(look.Holder) < 2 {
				t.Errorf("%+v", look.Holder)
			}
			if slices.ContainsFunc(s.State.Checks,
				func(k plan.Check) bool { return k.Class() == plan.ClassCaution }) != (c.class == plan.ClassCaution) {
				t.Errorf("%+v", s.State.Checks[0])
			}
			if price.Accept != "" {
				if _, err := h.Reviews.Handoff(t.Context(), s.ID, s.Revision, s.Commitment); err == nil {
					t.Error("it was handed out without consent")
				}
				return
			}
			if sent(t, h, s); c.in.FeeMode != "deep" {
				holds(t, h, id, look.Holder)
			} else {
				holds(t, h, id, look.Holder[:2]) // the DEEP fee is stated as a maximum
			}
		})
	}
}

// If the book ends before the order is filled, the estimate is incomplete only if the book may be
// longer.
func TestOrderAboveTheBook(t *testing.T) {
	h, id := started(t)
	h.Inject(sandbox.Fault{Kind: sandbox.ThinBook, Pool: "SUI_USDC", Number: 1})
	buy := func(quantity, price string) plan.Intent {
		in := sell(quantity, price)
		in.Order.Side = "buy"
		return in
	}
	s := h.Ready(buy("680", "1.2932"))
	o := s.State.Outlook[0].Order
	if o.Incomplete || o.Fills.String() != "672.3 SUI" || o.Rests.String() != "7.7 SUI" ||
		o.FillsFor.String() != "869.41836 USDC" {
		t.Fatalf("%+v", o)
	}
	sent(t, h, s)
	holds(t, h, id, s.State.Outlook[0].Holder)
	// No asks remain.
	s = h.Compute(h.Open(buy("5", "1.1")))
	look := s.State.Outlook[0]
	price, _ := testkit.Check(s, "price_second_source")
	if s.Status != record.Ready || look.Market.Middle != "" || look.Market.Bid != "1.2932" || look.Market.Ask != "" ||
		look.Order.Fills.Raw != 0 || look.Trade != nil ||
		price.Class() != plan.ClassCaution || !strings.Contains(price.Message, "no mid price") {
		t.Errorf("%s %+v %+v", s.Status, look, price)
	}
}

// A cancellation frees the stated amount, plus the maker's fee.
func TestCancelFrees(t *testing.T) {
	for _, side := range []sandbox.RestingOrder{
		{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000}, {Pool: "SUI_USDC", Price: 500_000,
			Quantity: 7_000_000_000, IsBid: true},
	} {
		h, id := started(t, side)
		h.Inject(sandbox.Fault{Kind: sandbox.MakerFee, Pool: "SUI_USDC"}) // so that no fee is tied up
		cancel := plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
			Own: plan.Own{"orderId": orders(t, h, id)[0].ID}}
		s := h.Ready(cancel)
		look, want := s.State.Outlook[0], "5 SUI"
		if side.IsBid {
			want = "3.5 USDC"
		}
		if len(look.Frees) != 1 || look.Frees[0].String() != want || len(look.Holder) != 1 {
			t.Fatalf("%+v", look)
		}
		sent(t, h, s)
		holds(t, h, id, look.Holder)
	}
	// If the manager lacks the coins that the order would lock, no balances are stated.
	h, id := started(t, sandbox.RestingOrder{Pool: "SUI_USDC", Price: 9_500_000, Quantity: 5_000_000_000})
	h.Use(orderAction("cancel-order", h.Pools, poorer{deepbook.NewInventory(h.Pools, h.Node)}))
	if s := h.Ready(plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
		Own: plan.Own{"orderId": orders(t, h,
			id)[0].ID}}); s.State.Outlook != nil {
		t.Errorf("%+v", s.State.Outlook)
	}
}

// poorer reports a pool account that holds less than its order ties up.
type poorer struct{ *deepbook.Inventory }

func (p poorer) Account(ctx context.Context, key string, id sui.ObjectID) (deepbook.PoolAccount, error) {
	a, err := p.Inventory.Account(ctx, key, id)
	a.Locked.Base = 4_999_999_999
	return a, err
}

// Deposits and withdrawals show the manager's balance before and after.
func TestOutlookOfMoves(t *testing.T) {
	h, id := started(t)
	for _, in := range []plan.Intent{
		{Type: "manager-deposit", From: plan.IntentSource{Symbol: "SUI", Amount: "10"}},
		{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "USDC", Amount: "12.5"}},
		{Type: "manager-withdraw", To: plan.IntentTarget{Symbol: "DEEP", Amount: "100"}},
	} {
		s := h.Ready(in)
		rows := s.State.Outlook[0].Holder
		if len(rows) != 1 || rows[0].Before == rows[0].After {
			t.Fatalf("%+v", rows)
		}
		sent(t, h, s)
		holds(t, h, id, rows)
	}
}
