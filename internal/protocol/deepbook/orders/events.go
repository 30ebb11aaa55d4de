package orders

import (
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
)

// placedEvents reads the orders of these kinds that DeepBook's events report as placed.
func placedEvents(account sui.Address, events []sui.Event, kinds ...Kind) (plan.Reported, error) {
	return managed.FromEvents(events, account, deepbook.Actions.Orders, func(p deepbook.PlacedOrder) (plan.Action, error) {
		o, err := FromEvent(p, kinds...)
		return plan.Action{Terms: o.Terms(p.Manager), Events: []int{p.At}}, err
	})
}

// FromEvent reads an order of one of the kinds from its events.
func FromEvent(p deepbook.PlacedOrder, kinds ...Kind) (Order, error) {
	pool, err := managed.EventPool(p.Pool)
	if err != nil {
		return Order{}, err
	}
	o := Order{Pool: pool, IsBid: p.IsBid, Kind: Kind(p.Kind), InDeep: p.FeeInDeep,
		Price: uint64(p.Price), Quantity: uint64(p.Quantity), Expire: p.Expire}
	_, written := plan.Stamp(p.Expire)
	switch {
	case !oneOf(o.Kind, kinds) || p.SelfMatching != selfMatching || p.ClientID != 0:
		return o, readback.Unlike("DeepBook’s events report a kind of order that is not reviewed.")
	case !written && p.Expire != Never:
		return o, readback.Unlike("DeepBook’s events report an order whose end is out of range.")
	case o.Kind == PostOnly && p.Traded > 0:
		return o, readback.Unlike("DeepBook’s events report that the order traded immediately, which it must not.")
	//mutant:never ./internal/protocol/deepbook/managed TestMarketOrder/one that rests
	case o.Kind == Immediate && p.Rests > 0:
		return o, readback.Unlike("DeepBook’s events report that a part of the order rests, which it must not.")
	}
	return o, nil
}

// placeReport reports what part of an order traded immediately, what rests, and the order's number.
func placeReport(e sui.Executed, s plan.StepFacts) []plan.Term {
	p, pool, ok := placed(e, s)
	if !ok {
		return nil
	}
	base, quote := managed.Asset(pool.Base), managed.Asset(pool.Quote)
	rests, now := plan.Term{Name: "Rests in the book", Value: "Nothing"}, plan.Term{Name: "Traded at once",
		Value: "Nothing"}
	if p.Traded > 0 {
		now.Value = base.Of(p.Traded).String() + " for " + quote.Of(p.TradedFor).String()
	}
	if p.Rests == 0 {
		return []plan.Term{now, rests}
	}
	rests.Value = base.Of(p.Rests).String()
	return []plan.Term{{Name: "Order number", Value: p.ID.String()}, rests, now}
}
