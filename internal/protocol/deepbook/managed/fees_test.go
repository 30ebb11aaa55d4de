package managed_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// Fees in DEEP must be chosen explicitly. They are read, displayed, set aside and returned. If they
// cannot be taken, the order is rejected and never placed with another fee.
func TestFeesInDeep(t *testing.T) {
	begin := func(t *testing.T) (*testkit.Harness, sui.ObjectID) {
		h := testkit.Start(t, time.Now, nil)
		return h, open(t, h)
	}
	asked := func(side, price string) plan.Intent {
		in := sell("10", price)
		in.Order.Side, in.FeeMode = side, "deep"
		return in
	}
	free := func(h *testkit.Harness, id sui.ObjectID) sui.Raw {
		t.Helper()
		source := deepbook.NewInventory(h.Pools, h.Node)
		holder, err := source.Holder(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		n, err := source.Free(t.Context(), holder, coins.DEEP)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	term := func(s record.Session, name string) string {
		for _, one := range s.Facts.Terms() {
			if one.Name == name {
				return one.Value
			}
		}
		return ""
	}
	t.Run("what is not asked for is not done, and both say which fee it is", func(t *testing.T) {
		h, _ := begin(t)
		plain := sell("10", far)
		s := h.Ready(plain)
		if s.Intent.FeeMode != "input" || term(s, "Fee") != "In SUI" || !strings.Contains(s.State.HumanReview.Guarantee,
			"fee included") {
			t.Errorf("%s %+v", s.Intent.FeeMode, s.State.HumanReview)
		}
		s = h.Ready(asked("sell", far))
		if s.Intent.FeeMode != "deep" || term(s, "Fee") != "In DEEP" || strings.Contains(s.State.HumanReview.Guarantee,
			"fee included") ||
			!strings.Contains(s.State.HumanReview.Guarantee, "from the DEEP there") ||
			!strings.HasPrefix(s.State.HumanReview.Locks[0], "Up to 10 SUI, and for its fee up to ") {
			t.Errorf("%s %+v", s.Intent.FeeMode, s.State.HumanReview)
		}
	})
	for side, price := range map[string]string{"sell": far, "buy": "0.5"} {
		t.Run("a "+side+" order locks no more DEEP than is shown, and its cancellation gives that back", func(t *testing.T) {
			h, id := begin(t)
			h.Inject(sandbox.Fault{Kind: sandbox.MakerFee, Pool: "SUI_USDC", Number: 50_000})
			before := free(h, id)
			s := h.Ready(asked(side, price))
			c, ok := testkit.Check(s, "deepbook_order_fee")
			if !ok || c.Status != plan.CheckPass {
				t.Fatalf("%+v", s.State.Checks)
			}
			most, err := sui.Decimal(strings.Fields(strings.TrimPrefix(c.Message, "The fee is taken in DEEP: up to "))[0]).Raw(6)
			if err != nil {
				t.Fatal(err)
			}
			if s = h.Settle(s); s.Status != record.Success {
				t.Fatalf("%s %+v", s.Status, s.Execution)
			}
			locked := before - free(h, id)
			if locked == 0 || locked > most {
				t.Errorf("%d is locked, at most %d was shown", locked, most)
			}
			resting := orders(t, h, id)
			if len(resting) != 1 || !resting[0].FeeInDeep {
				t.Fatalf("%+v", resting)
			}
			h.Settle(h.Ready(plan.Intent{Type: "cancel-order", Order: &plan.Order{Pool: "SUI_USDC"},
				Own: plan.Own{"orderId": resting[0].ID}}))
			if after := free(h, id); after != before {
				t.Errorf("%d before, %d after", before, after)
			}
		})
	}
	t.Run("an order that trades at once pays no more DEEP than is shown, and nothing else", func(t *testing.T) {
		h, id := begin(t)
		before := free(h, id)
		s := h.Ready(asked("sell", "1.2"))
		c, _ := testkit.Check(s, "deepbook_order_fee")
		most, err := sui.Decimal(strings.Fields(strings.TrimPrefix(c.Message, "The fee is taken in DEEP: up to "))[0]).Raw(6)
		if err != nil {
			t.Fatal(err)
		}
		h.Settle(s)
		source := deepbook.NewInventory(h.Pools, h.Node)
		a, err := source.Account(t.Context(), "SUI_USDC", id)
		if paid := before - free(h, id); err != nil || paid == 0 || paid > most || a.Free.Base != 490_000_000_000 {
			t.Errorf("%v, %d paid of at most %d, %d SUI left", err, paid, most, a.Free.Base)
		}
	})
	t.Run("a manager without enough DEEP", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		if _, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
			Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 500_000_000_000}}}); err != nil {
			t.Fatal(err)
		}
		s := h.Compute(h.Open(asked("sell", far)))
		if c := s.State.Checks[0]; s.Reason != plan.InsufficientBalance || !strings.Contains(c.Message,
			"the balance manager has 0 DEEP") || !strings.Contains(c.Do, "feeMode input") {
			t.Errorf("%s %+v", s.Reason, c)
		}
	})
	t.Run("a market without a price of DEEP", func(t *testing.T) {
		h, _ := begin(t)
		h.Inject(sandbox.Fault{Kind: sandbox.DeepPoints, Pool: "SUI_USDC", Number: 0})
		s := h.Compute(h.Open(asked("sell", far)))
		if c := s.State.Checks[0]; s.Reason != plan.QuoteUnavailable || !strings.Contains(c.Message, "no price of DEEP") ||
			!strings.Contains(c.Do, "feeMode input") {
			t.Errorf("%s %+v", s.Reason, c)
		}
	})
	t.Run("a market whose price of DEEP is zero would take the fee in another coin", func(t *testing.T) {
		h, _ := begin(t)
		h.Use(orderAction("limit-order", worthless{h.Pools}, deepbook.NewInventory(h.Pools, h.Node)))
		s := h.Compute(h.Open(asked("sell", far)))
		if c := s.State.Checks[0]; s.Reason != plan.QuoteUnavailable || c.ID != "deepbook_order_refused" ||
			!strings.Contains(c.Message, "no price of DEEP") {
			t.Errorf("%s %+v", s.Reason, c)
		}
	})
	t.Run("a market without fees takes none", func(t *testing.T) {
		h, id := begin(t)
		in := plan.Intent{Type: "limit-order", FeeMode: "deep", Order: &plan.Order{Pool: "DEEP_SUI", Side: "sell", Price: "5",
			Quantity: "20"}}
		s := h.Settle(h.Ready(in))
		if got := free(h, id); s.Status != record.Success || got != 80_000_000 {
			t.Errorf("%s, %d DEEP left", s.Status, got)
		}
	})
}

// worthless reports a DEEP price of zero.
type worthless struct{ *deepbook.Reader }

func (w worthless) DeepPrice(ctx context.Context, pool string) (deepbook.DeepPrice, error) {
	p, err := w.Reader.DeepPrice(ctx, pool)
	p.PerAsset = 0
	return p, err
}
