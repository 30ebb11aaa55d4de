package managed_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/balancemanager"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	deeporders "github.com/sayurintent/sayurintent/internal/protocol/deepbook/orders"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/swap"
	"github.com/sayurintent/sayurintent/internal/record"
	"github.com/sayurintent/sayurintent/internal/sandbox"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/testkit"
)

// resting returns an order to sell SUI that does not trade.
func resting(price, quantity uint64) sandbox.RestingOrder {
	return sandbox.RestingOrder{Pool: "SUI_USDC", Price: price, Quantity: quantity}
}

// elsewhere is an order to buy DEEP that does not trade.
var elsewhere = sandbox.RestingOrder{Pool: "DEEP_USDC", IsBid: true, Price: 10_000, Quantity: 10_000_000}

// everyday sets up the product with every action on a manager, and a manager.
func everyday(t *testing.T, orders ...sandbox.RestingOrder) (*testkit.Harness, sui.ObjectID) {
	t.Helper()
	h := testkit.Start(t, time.Now, nil)
	id := open(t, h, orders...)
	var all []plan.Adapter
	for _, a := range adapters(h) {
		all = append(all, a)
	}
	h.Use(all...)
	return h, id
}

// kept executes an intent and returns its review. It fails the test unless the result keeps the
// promise.
func kept(t *testing.T, h *testkit.Harness, in plan.Intent) record.Session {
	t.Helper()
	s := h.Settle(h.Ready(in))
	if s.Status != record.Success {
		t.Fatalf("%s: %s %+v", in.Type, s.Status, s.Execution)
	}
	for _, p := range s.Execution.Receipt.Promises {
		if !p.Kept {
			t.Errorf("%s: %+v", in.Type, p)
		}
	}
	if s.Execution.Receipt.Result == nil || !s.Execution.Receipt.Result.Whole && in.Type != "manager-withdraw-all" {
		t.Errorf("%s: the result has no words of its own: %+v", in.Type, s.Execution.Receipt.Result)
	}
	return s
}

func freeOf(t *testing.T, h *testkit.Harness, id sui.ObjectID, symbol string) sui.Raw {
	t.Helper()
	source := deepbook.NewInventory(h.Pools, h.Node)
	holder, err := source.Holder(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	n, err := source.Free(t.Context(), holder, coin(symbol).Type)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func says(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q does not say %q", text, part)
	}
}

func refusal(t *testing.T, h *testkit.Harness, in plan.Intent, reason plan.Reason, part string) {
	t.Helper()
	s := h.Compute(h.Open(in))
	if s.Reason != reason || !strings.Contains(s.State.Checks[0].Message, part) || s.State.Checks[0].Do == "" {
		t.Errorf("%s %s %+v", s.Status, s.Reason, s.State.Checks[0])
	}
}

// readKind builds a transaction and reads it back with an adapter.
func readKind(t *testing.T, a plan.Adapter, build func(*plan.Builder)) (plan.StepFacts, error) {
	t.Helper()
	k := testkit.Build(t, sandbox.Account, func(b *plan.Builder) error { build(b); return nil })
	return testkit.Read(a, &sui.Transaction{Sender: sandbox.Account, Inputs: k.Inputs, Commands: k.Commands})
}

func holder(id string) deepbook.Holder {
	return deepbook.Holder{ID: sui.MustAddress(id), Initial: 7, Package: registry.Packages()[0].ID}
}

func TestCancelAll(t *testing.T) {
	all := plan.Intent{Type: "cancel-all-orders"}
	one := plan.Intent{Type: "cancel-all-orders", Order: &plan.Order{Pool: "SUI_USDC"}}
	t.Run("of a market", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000), resting(9_600_000, 7_000_000_000), elsewhere)
		before := freeOf(t, h, id, "SUI")
		s := h.Ready(one)
		o := s.State.Outlook[0]
		if len(o.Frees) != 1 || o.Frees[0].String() != "12 SUI" || len(o.Holder) != 1 ||
			o.Holder[0].After-o.Holder[0].Before != 12_000_000_000 {
			t.Errorf("%+v", o)
		}
		check, _ := testkit.Check(s, "deepbook_open_order")
		says(t, check.Message, "2 orders in SUI_USDC.")
		s = kept(t, h, one)
		r := s.Execution.Receipt.Result
		says(t, r.Title, "Cancelled 2 orders in SUI_USDC")
		says(t, r.Where, "12 SUI, and what was set aside for fees, is free again in your balance manager.")
		if len(orders(t, h, id)) != 0 || freeOf(t, h, id, "SUI") < before+12_000_000_000 || len(r.Moved) != 1 {
			t.Errorf("%d orders are left, %+v", len(orders(t, h, id)), r)
		}
		refusal(t, h, one, plan.ObjectResolutionFailed, "no open order in SUI_USDC")
	})
	t.Run("of a manager", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000), elsewhere)
		s := kept(t, h, all)
		says(t, s.Execution.Receipt.Result.Title, "Cancelled 2 orders in ")
		if f := s.Facts.Steps[0]; f.RouteID != id || len(f.Commands) != 4 || !strings.Contains(f.Headline.What, "SUI_USDC") ||
			!strings.Contains(f.Headline.What, "DEEP_USDC") {
			t.Errorf("%+v", f)
		}
		refusal(t, h, all, plan.ObjectResolutionFailed, "no open order in any pinned market")
	})
	pool, _ := registry.PoolByKey("SUI_USDC")
	other, _ := registry.PoolByKey("DEEP_USDC")
	cancel := func(b *plan.Builder, p registry.Pool, h deepbook.Holder) {
		managed.AppendTrade(b, h.Package, "cancel_all_orders", p, p.InitialSharedVersion, h, sui.ClockInput())
	}
	t.Run("of two managers", func(t *testing.T) {
		_, err := readKind(t, orderAction("cancel-all-orders", nil, nil), func(b *plan.Builder) {
			cancel(b, pool,
				holder("0xaa"))
			cancel(b, other, holder("0xbb"))
		})
		if err == nil || !strings.Contains(err.Error(), "more than one manager") {
			t.Error(err)
		}
	})
	t.Run("of one market twice", func(t *testing.T) {
		_, err := readKind(t, orderAction("cancel-all-orders", nil, nil), func(b *plan.Builder) {
			cancel(b, pool,
				holder("0xaa"))
			cancel(b, pool, holder("0xaa"))
		})
		if err == nil || !strings.Contains(err.Error(), "twice") {
			t.Error(err)
		}
	})
}

// owing is a source that reports the pools' debts that a test sets.
type owing struct {
	*deepbook.Inventory
	change func([]deepbook.PoolAccount)
}

func (o owing) AccountsAfter(ctx context.Context, after *sui.Transaction, manager sui.ObjectID) ([]deepbook.PoolAccount,
	time.Time, error) {
	all, at, err := o.Inventory.AccountsAfter(ctx, after, manager)
	o.change(all)
	return all, at, err
}

// earned gives the account a manager whose order was filled and settled in the pool.
func earned(t *testing.T, h *testkit.Harness) sui.ObjectID {
	t.Helper()
	book, err := h.Pools.Depth(t.Context(), "SUI_USDC", 1)
	if err != nil {
		t.Fatal(err)
	}
	id := open(t, h, resting(uint64(book.Bids[0].Price+book.Parameters.Tick), 5_000_000_000))
	var all []plan.Adapter
	for _, a := range adapters(h) {
		all = append(all, a)
	}
	h.Use(append(all, swap.New(h.Pools))...)
	if s := h.Settle(h.Ready(testkit.Swap("20", "USDC", "SUI"))); s.Status != record.Success {
		t.Fatalf("%+v", s.Execution)
	}
	return id
}

func TestWithdrawAll(t *testing.T) {
	withdraw := func(symbol string) plan.Intent {
		return plan.Intent{Type: "manager-withdraw-all", To: plan.IntentTarget{Symbol: symbol}}
	}
	t.Run("everything that lies free", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000))
		had := freeOf(t, h, id, "SUI")
		s := kept(t, h, withdraw("SUI"))
		if out := s.Facts.Promise().Amount(plan.RoleOutput); out.Raw != had || freeOf(t, h, id, "SUI") != 0 {
			t.Errorf("%s of %s", out, had)
		}
		says(t, s.Execution.Receipt.Result.Title, "Took ")
		refusal(t, h, withdraw("SUI"), plan.InsufficientBalance, "Open orders tie up 5")
		refusal(t, h, withdraw("WAL"), plan.InsufficientBalance, "has no free WAL.")
	})
	t.Run("and what orders earned", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		id := earned(t, h)
		had := freeOf(t, h, id, "USDC")
		s := kept(t, h, withdraw("USDC"))
		f := s.Facts.Steps[0]
		if out := f.Promise.Amount(plan.RoleOutput); out.Raw <= had || len(f.Commands) != 4 {
			t.Errorf("%s of %s: %q", out, had, f.Commands)
		}
		if f.Terms[2] != (plan.Term{Name: "Collected first", Value: "What orders earned in SUI_USDC"}) {
			t.Errorf("%+v", f.Terms)
		}
		check, _ := testkit.Check(s, "deepbook_manager_balance")
		says(t, check.Message, "and orders earned ")
		refusal(t, h, withdraw("USDC"), plan.InsufficientBalance, "no free USDC")
	})
	t.Run("a market that owes more than it holds", func(t *testing.T) {
		h, _ := everyday(t, resting(9_500_000, 5_000_000_000))
		source := owing{deepbook.NewInventory(h.Pools, h.Node),
			func(all []deepbook.PoolAccount) { all[0].Settled.Base = all[0].Locked.Base + 1 }}
		h.Use(balancemanager.NewWithdrawAll(h.Pools, source))
		refusal(t, h, withdraw("SUI"), plan.ObjectResolutionFailed, "more than it holds")
	})
	pool, _ := registry.PoolByKey("SUI_USDC")
	usdc := managed.Asset(coin("USDC"))
	t.Run("of two managers", func(t *testing.T) {
		_, err := readKind(t, balancemanager.NewWithdrawAll(nil, nil), func(b *plan.Builder) {
			h := holder("0xaa")
			managed.AppendTrade(b, h.Package, "withdraw_settled_amounts", pool, pool.InitialSharedVersion, h)
			balancemanager.AppendWithdraw(b, holder("0xbb"), usdc.Of(5))
		})
		if err == nil || !strings.Contains(err.Error(), "different manager") {
			t.Error(err)
		}
	})
}

func TestMarketOrder(t *testing.T) {
	asked := func(side, quantity string) plan.Intent {
		return plan.Intent{Type: "market-order", MaxSlippageBps: 100, Order: &plan.Order{Pool: "SUI_USDC", Side: side,
			Quantity: quantity}}
	}
	for _, side := range []string{"sell", "buy"} {
		t.Run(side, func(t *testing.T) {
			h, id := everyday(t)
			sui0, usdc0 := freeOf(t, h, id, "SUI"), freeOf(t, h, id, "USDC")
			s := kept(t, h, asked(side, "20"))
			r := s.Execution.Receipt.Result
			says(t, r.Title, map[string]string{"sell": "Sold 20 SUI for ", "buy": "Bought 20 SUI for "}[side])
			says(t, r.Where, "is in your balance manager, not in your account.")
			if sui1, usdc1 := freeOf(t, h, id, "SUI"), freeOf(t, h, id, "USDC"); (sui1 < sui0) != (side == "sell") ||
				(usdc1 > usdc0) != (side == "sell") {
				t.Errorf("%s to %s, %s to %s", sui0, sui1, usdc0, usdc1)
			}
			if len(orders(t, h, id)) != 0 {
				t.Error("something rests")
			}
			says(t, s.State.HumanReview.Locks[0], "nothing of it rests")
		})
	}
	t.Run("the worst price is in the bytes and within the slippage", func(t *testing.T) {
		h, _ := everyday(t)
		s := h.Ready(asked("sell", "20"))
		o := s.State.Outlook[0].Order
		if o == nil || o.Fills.Raw != 20_000_000_000 || o.Rests.Raw != 0 {
			t.Fatalf("%+v", o)
		}
		var limit string
		for _, term := range s.Facts.Terms() {
			if term.Name == managed.TermPrice {
				limit = term.Value
			}
		}
		if limit == "" || !strings.Contains(s.State.HumanReview.Guarantee, limit) {
			t.Errorf("%s %s", limit, s.State.HumanReview.Guarantee)
		}
	})
	t.Run("a book that has too little", func(t *testing.T) {
		h, _ := everyday(t)
		refusal(t, h, asked("sell", "400000"), plan.QuoteUnavailable, "buyers of ")
	})
	t.Run("more than the manager has", func(t *testing.T) {
		h, _ := everyday(t)
		refusal(t, h, asked("sell", "600"), plan.InsufficientBalance,
			"SUI that no other order ties up.")
	})
	t.Run("one that rests", func(t *testing.T) {
		pool, _ := registry.PoolByKey("SUI_USDC")
		p := deepbook.PlacedOrder{Pool: pool.ID, Kind: byte(deeporders.Immediate), Price: 1_000_000, Quantity: 5,
			Expire: deeporders.Never, Rests: 1}
		if _, err := deeporders.FromEvent(p, deeporders.Immediate); err == nil {
			t.Error("it was taken for one that does not")
		}
		p.Rests = 0
		if _, err := deeporders.FromEvent(p, deeporders.Immediate); err != nil {
			t.Error(err)
		}
	})
}

// An adapter reads only the kinds of orders that it builds.
func TestKindsKeepApart(t *testing.T) {
	pool, _ := registry.PoolByKey("SUI_USDC")
	h := holder("0xaa")
	for kind, by := range map[deeporders.Kind][]plan.Adapter{
		deeporders.Plain: {orderAction("limit-order", nil, nil)}, deeporders.PostOnly: {orderAction("limit-order", nil, nil)},
		deeporders.Immediate: {orderAction("market-order", nil, nil)}, 2: nil,
	} {
		o := deeporders.Order{Pool: pool, Kind: kind, Price: 1_000_000, Quantity: 5_000_000_000, Expire: deeporders.Never}
		for _, a := range []plan.Adapter{orderAction("limit-order", nil, nil), orderAction("market-order", nil, nil)} {
			_, err := readKind(t, a, func(b *plan.Builder) { deeporders.Append(b, h.Package, pool.InitialSharedVersion, h, o) })
			right := slices.ContainsFunc(by, func(r plan.Adapter) bool { return r.Meta().Action == a.Meta().Action })
			if (err == nil) != right {
				t.Errorf("kind %d by %s: %v", kind, a.Meta().Action, err)
			}
		}
	}
}

func TestModifyOrder(t *testing.T) {
	changed := func(t *testing.T, h *testkit.Harness, id sui.ObjectID, edit func(*plan.Intent)) plan.Intent {
		in := plan.Intent{Type: "modify-order", Order: &plan.Order{Pool: "SUI_USDC"},
			Own: plan.Own{"orderId": orders(t, h, id)[0].ID}}
		edit(&in)
		return in
	}
	price := func(text string) func(*plan.Intent) { return func(i *plan.Intent) { i.Order.Price = text } }
	t.Run("a new price for what is left", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000))
		in := changed(t, h, id, price("9.7"))
		s := kept(t, h, in)
		left := orders(t, h, id)
		if len(left) != 1 || left[0].Price != 9_700_000 || left[0].Quantity != 5_000_000_000 {
			t.Errorf("%+v", left)
		}
		r := s.Execution.Receipt.Result
		says(t, r.Title, "Order changed: order placed: 5 SUI waits to be sold at 9.7 USDC per SUI")
		says(t, r.Where, "The old order is out of the book: 5 SUI")
		if len(s.Facts.Steps[0].Commands) != 4 {
			t.Errorf("%q", s.Facts.Steps[0].Commands)
		}
		refusal(t, h, in, plan.ObjectResolutionFailed, "no such open order")
	})
	t.Run("a manager that has nothing but the order", func(t *testing.T) {
		h := testkit.Start(t, time.Now, nil)
		id, err := h.Sandbox.OpenManager(sandbox.Manager{Owner: sandbox.Account, Registered: true,
			Orders:   []sandbox.RestingOrder{resting(9_500_000, 5_000_000_000)},
			Deposits: []sandbox.Deposit{{Coin: sui.SUI, Amount: 5_001_000_000}}})
		if err != nil {
			t.Fatal(err)
		}
		h.Use(adapters(h)["modify-order"])
		kept(t, h, changed(t, h, id, price("9.7")))
		refusal(t, h, changed(t, h, id, func(i *plan.Intent) { i.Order.Quantity = "50" }), plan.InsufficientBalance,
			"SUI that no other order ties up, with what the cancelled order gives back.")
	})
	t.Run("quantity, end and kind", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000))
		kept(t, h, changed(t, h, id, func(i *plan.Intent) {
			i.Order.Quantity, i.Order.ExpiresAt, i.Order.PostOnly, i.FeeMode = "3", "2199-01-01T00:00:00Z", true, "deep"
		}))
		left := orders(t, h, id)
		if len(left) != 1 || left[0].Quantity != 3_000_000_000 || !left[0].FeeInDeep || left[0].ExpireMs == deeporders.Never {
			t.Errorf("%+v", left)
		}
		kept(t, h, changed(t, h, id, price("9.9"))) // the expiry and the fee mode are unchanged
		if now := orders(t, h, id); now[0].ExpireMs != left[0].ExpireMs || !now[0].FeeInDeep {
			t.Errorf("%+v", now)
		}
	})
	t.Run("nothing new", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000))
		refusal(t, h, changed(t, h, id, price("9.5")), plan.UnsupportedAction, "already has these values")
	})
	t.Run("another side", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000))
		_, err := orderAction("modify-order", nil, nil).Plan(changed(t, h, id, func(i *plan.Intent) {
			i.Order.Side,
				i.Order.Price = "buy", "0.5"
		}), time.Now())
		if err == nil {
			t.Error("a sale became a purchase")
		}
	})
	t.Run("events of two managers", func(t *testing.T) {
		h, id := everyday(t, resting(9_500_000, 5_000_000_000))
		other, cancel, place := open(t, h), plan.Intent{Type: "cancel-order", Manager: id.String(),
			Order: &plan.Order{Pool: "SUI_USDC"}}, sell("5", "9.7")
		cancel.Own = plan.Own{"orderId": orders(t, h, id)[0].ID}
		place.Manager, cancel.Protocol, place.Protocol = other.String(), "deep", "deep"
		s := h.Settle(h.Ready(plan.Intent{Type: plan.Bundle, Steps: []plan.Intent{cancel, place}}))
		digest, err := sui.ParseDigest(s.Execution.Receipt.TxDigest)
		if err != nil {
			t.Fatal(err)
		}
		e, _, err := h.Node.Transaction(t.Context(), digest)
		if err != nil || len(e.Events) == 0 {
			t.Fatalf("%v %+v", err, e)
		}
		if _, err := orderAction("modify-order", nil, nil).FromEvents(sandbox.Account, e.Events); err == nil ||
			!strings.Contains(err.Error(), "another market or manager") {
			t.Error(err)
		}
	})
	t.Run("read back", func(t *testing.T) {
		pool, _ := registry.PoolByKey("SUI_USDC")
		a, ask := holder("0xaa"), deepbook.OrderID{Hi: 1<<63 | 9_500_000, Lo: 1}
		for name, c := range map[string]struct {
			isBid  bool
			placer deepbook.Holder
			good   bool
		}{"the same": {false, a, true}, "another manager": {false, holder("0xbb"), false}, "another side": {true, a, false}} {
			o := deeporders.Order{Pool: pool, IsBid: c.isBid, Price: 1_000_000, Quantity: 5_000_000_000,
				Expire: deeporders.Never}
			_, err := readKind(t, orderAction("modify-order", nil, nil), func(b *plan.Builder) {
				deeporders.AppendCancel(b, a.Package, pool, pool.InitialSharedVersion, a, ask)
				deeporders.Append(b, a.Package, pool.InitialSharedVersion, c.placer, o)
			})
			if (err == nil) != c.good {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
