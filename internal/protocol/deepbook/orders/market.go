package orders

import (
	"fmt"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// This file places orders at the market price. The chain's own market orders accept any price, so they
// are never built. Instead, the order trades immediately or not at all, and its bytes contain the
// worst price. That price is the last price that the quantity reaches in the current book, worsened by
// the slippage that the user allows.

func planMarket(in plan.Intent, manager sui.ObjectID) (plan.Plan, error) {
	o, err := readMarket(in)
	if err != nil {
		return plan.Plan{}, err
	}
	quantity, p := o.Amount().String(), o.plan(manager)
	p.MaxSlippageBps, p.Same = in.MaxSlippageBps, fmt.Sprintf("%s %t %d", o.Pool.Key, o.IsBid, o.Quantity)
	p.Asked = o.Verb() + " " + quantity + " at the market price in " + o.Pool.Key
	p.Title = upper(o.Verb()) + " " + quantity + " now"
	p.Summary = p.Title + " in the DeepBook market " + o.Pool.Key + ", at prices at most " +
		plan.Percent(in.MaxSlippageBps) +
		" worse than this quantity needs in its book when the review is computed. It is paid from your balance manager, " +
		"and its fee is taken there in " + o.FeeCoin().Symbol + "."
	return p, nil
}

// readMarket reads the order from an intent, except its price.
func readMarket(in plan.Intent) (Order, error) {
	w := in.Order
	if w == nil {
		return Order{}, missing("pool, side and quantity.")
	}
	o := Order{Kind: Immediate, Expire: Never}
	var err error
	if o.Pool, err = registry.FindPool(w.Pool); err != nil {
		return o, plan.AtField("intent.order.pool", err)
	}
	for _, extra := range []struct {
		field string
		set   bool
	}{{"price", w.Price != ""}, {"expiresAt", w.ExpiresAt != ""}, {"postOnly", w.PostOnly}} {
		if extra.set {
			return o, fault.New(fault.InputInvalid,
				"An order at the market price has no %s. Leave it out, or prepare a limit-order.", extra.field).
				With("field", "intent.order."+extra.field)
		}
	}
	if o.InDeep, err = readFeeMode(in.FeeMode); err != nil {
		return o, err
	}
	if err := o.ReadSide(w.Side); err != nil {
		return o, err
	}
	if err := o.ReadQuantity(w.Quantity); err != nil {
		return o, err
	}
	return o, plan.CheckSlippage(in.MaxSlippageBps)
}

func market(a *Adapter, p plan.Plan) work {
	return a.placing(p, readMarket, func(w *Placing) error { return price(w, p.MaxSlippageBps) })
}

// price sets the worst price of the order: the last price that its quantity reaches in the book,
// worsened by bps basis points. It rounds to the market's steps, so that the limit is never worse than
// that.
func price(w *Placing, bps int) error {
	o, side, who := &w.Order, w.Book.Bids, "buyers"
	if o.IsBid {
		side, who = w.Book.Asks, "sellers"
	}
	last, found := reach(side, sui.Raw(o.Quantity))
	if found < sui.Raw(o.Quantity) {
		base := managed.Asset(o.Pool.Base)
		message := "The book of " + o.Pool.Key + " has " + who + " of " + base.Of(found).String() +
			" only, as the node reports."
		if len(side) == deepbook.MostLevels {
			message = fmt.Sprintf("The best %d prices of %s have %s of %s only, as the node reports.",
				deepbook.MostLevels, o.Pool.Key, who, base.Of(found))
		}
		return unpriced(message, "Prepare a new review of a smaller order.")
	}
	tick := uint64(w.Market.Tick)
	limit, ok := worsened(uint64(last), tick, o.IsBid, bps)
	if !ok {
		return unpriced("The market has no price that such an order could name.",
			"Prepare a new review with less slippage, or a limit-order.")
	}
	o.Price = limit
	return nil
}

func unpriced(message, do string) error {
	return &plan.Stop{Reason: plan.QuoteUnavailable,
		Check: plan.Fail(plan.SourceAdapter, managed.Prefix+"_order_refused", "Order", message, do)}
}

// reach returns the last price that a quantity reaches in a side of the book, and the quantity
// available up to that price.
func reach(side []deepbook.Level, quantity sui.Raw) (last, found sui.Raw) {
	for _, l := range side {
		last, found = l.Price, found+min(l.Quantity, quantity-found)
		if found == quantity {
			break
		}
	}
	return last, found
}

// worsened returns a price that is worse for the user by at most bps basis points, in steps of tick:
// lower for a sale, higher for a purchase. It returns false if rounding to a step leaves no such
// price.
func worsened(price, tick uint64, buys bool, bps int) (uint64, bool) {
	part, unit := int64(10_000-bps), new(big.Int).Mul(big.NewInt(10_000), new(big.Int).SetUint64(tick))
	n := new(big.Int).SetUint64(price)
	if buys {
		part = int64(10_000 + bps)
	}
	n.Mul(n, big.NewInt(part))
	//mutant:never ./internal/protocol/deepbook/orders TestWorsened
	if !buys { // round up, because a sale must not accept less
		n.Add(n, unit).Sub(n, big.NewInt(1))
	}
	n.Div(n, unit).Mul(n, new(big.Int).SetUint64(tick))
	if !n.IsUint64() || n.Uint64() == 0 || n.Uint64() >= 1<<63 {
		return 0, false
	}
	limit := n.Uint64()
	return limit, buys && limit >= price || !buys && limit <= price
}
