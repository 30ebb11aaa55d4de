package limitorder

import (
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
	"github.com/sayurintent/sayurintent/internal/sui/readback"
	"github.com/sayurintent/sayurintent/review"
)

// Told implements review.Adapter: the order that DeepBook says it took.
func (*Adapter) Told(account sui.Address, events []sui.Event) ([]review.Term, error) {
	p, err := managed.Told(events, account, deepbook.Deeds.Order)
	if err != nil {
		return nil, err
	}
	pool, err := managed.ToldPool(p.Pool)
	if err != nil {
		return nil, err
	}
	o := Order{Pool: pool, IsBid: p.IsBid, PostOnly: p.Kind == kindPostOnly, InDeep: p.FeeInDeep,
		Price: uint64(p.Price), Quantity: uint64(p.Quantity), Expire: p.Expire}
	_, written := review.Stamp(p.Expire)
	switch {
	case p.Kind != o.kind() || p.SelfMatching != selfMatching || p.ClientID != 0:
		return nil, readback.Unlike("DeepBook’s events tell of an order of a kind that is not reviewed.")
	case !written && p.Expire != neverExpires:
		return nil, readback.Unlike("DeepBook’s events tell of an order whose end is beyond every calendar.")
	case o.PostOnly && p.Traded > 0:
		return nil, readback.Unlike("DeepBook’s events tell that the order traded at once, which it must not.")
	}
	return o.terms(p.Manager), nil
}

// Witness implements review.Witness: it says what traded at once, what rests, and
// under which number.
func (*Adapter) Witness(e sui.Executed, f review.Facts) []review.Term {
	p, err := managed.Told(e.Events, e.Sender, deepbook.Deeds.Order)
	pool, ok := registry.PoolByID(f.RouteID)
	if err != nil || !ok || p.Pool != pool.ID {
		return nil
	}
	base, quote := managed.Asset(pool.Base), managed.Asset(pool.Quote)
	rests, now := review.Term{Name: "Rests in the book", Value: "Nothing"}, review.Term{Name: "Traded at once", Value: "Nothing"}
	if p.Traded > 0 {
		now.Value = base.Of(p.Traded).String() + " for " + quote.Of(p.TradedFor).String()
	}
	if p.Rests == 0 {
		return []review.Term{now, rests}
	}
	rests.Value = base.Of(p.Rests).String()
	return []review.Term{{Name: "Order number", Value: p.ID.String()}, rests, now}
}
