package orders

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// placed finds the order that a step placed in the events of a transaction.
func placed(e sui.Executed, s plan.StepFacts) (deepbook.PlacedOrder, registry.Pool, bool) {
	all, pool, ok := reported(e, s)
	orders, err := all.Orders()
	if !ok || err != nil {
		return deepbook.PlacedOrder{}, pool, false
	}
	for _, p := range orders {
		o, err := FromEvent(p, Plain, Immediate, PostOnly)
		if p.Pool == pool.ID && (err != nil || len(orders) == 1 || sameTerms(s.Terms, o.Terms(p.Manager))) {
			return p, pool, true
		}
	}
	return deepbook.PlacedOrder{}, pool, false
}

// sameTerms reports whether a step's terms end with all terms of an order. A step that first cancels
// another order has further terms before them.
func sameTerms(step, order []plan.Term) bool {
	return len(step) >= len(order) && slices.Equal(step[len(step)-len(order):], order)
}

// fill is the outcome of an order in the transaction that placed it.
type fill struct {
	deepbook.PlacedOrder
	pool              registry.Pool
	traded, paid      plan.Amount // base and quote coins
	rests, aside, fee plan.Amount // aside is the amount set aside for the resting part, without fees
	price             string
}

func fillOf(p deepbook.PlacedOrder, pool registry.Pool) fill {
	base, quote := managed.Asset(pool.Base), managed.Asset(pool.Quote)
	f := fill{PlacedOrder: p, pool: pool, traded: base.Of(p.Traded), paid: quote.Of(p.TradedFor), rests: base.Of(p.Rests),
		aside: base.Of(p.Rests), fee: base.Of(p.Fee), price: managed.Price(p.Price, pool)}
	if p.IsBid {
		f.aside, f.fee = quote.Of(managed.Worth(p.Price, p.Rests)), quote.Of(p.Fee)
	}
	if p.FeeInDeep {
		f.fee = deep.Of(p.Fee)
	}
	return f
}

// placeResult describes how much of a step's order was filled, how much rests, and where the coins
// are.
func placeResult(e sui.Executed, s plan.StepFacts) plan.Result {
	p, pool, ok := placed(e, s)
	if !ok {
		return plan.Result{}
	}
	f := fillOf(p, pool)
	r := plan.Result{Moved: f.moved(), Holds: f.holds()}
	switch {
	case p.Traded == 0 && p.Rests == 0 && Kind(p.Kind) == Immediate:
		r.Title = "Nothing " + past(p.IsBid) + ": nobody traded at " + f.price + " or better"
		r.Where = "Everything that the order could have used is still free in your balance manager."
	case p.Traded == 0 && p.Rests == 0:
		r.Title = "Order placed, and nothing traded or waits"
	case p.Traded == 0:
		r.Title, r.Where, r.Next = "Order placed: "+f.waits(), f.set(), f.undo()
	default:
		got := f.paid
		r.Title = "Sold " + f.traded.String() + " for " + f.paid.String()
		if p.IsBid {
			got, r.Title = f.traded, "Bought "+f.traded.String()+" for "+f.paid.String()
		}
		r.Where = "The " + got.String() + " is in your balance manager, not in your account."
		r.Next = managed.Withdraw(got)
		if p.Rests > 0 {
			r.Title = "Partly filled: " + lower(r.Title) + ", and " + f.waits()
			r.Where += " " + f.set()
			r.Next += " " + f.undo()
		} else if p.Traded < p.Quantity && Kind(p.Kind) == Immediate {
			r.Title += ", of " + managed.Asset(pool.Base).Of(p.Quantity).String() + " asked for"
			r.Where += " The rest found nobody at " + f.price + " or better, and was not placed."
		} else if p.Traded < p.Quantity {
			r.Title += "; the rest was not placed"
		}
	}
	return r
}

// past returns the past participle for a trade: bought or sold.
func past(isBid bool) string {
	if isBid {
		return "bought"
	}
	return "sold"
}

// upper capitalizes the first letter of an ASCII word.
func upper(s string) string { return string(s[0]&^0x20) + s[1:] }

// lower changes an ASCII text's first letter to lowercase. A leading digit stays.
func lower(s string) string { return string(s[0]|0x20) + s[1:] }

// waits describes the part that rests in the book.
func (f fill) waits() string {
	return f.rests.String() + " waits to be " + past(f.IsBid) + " at " + f.price
}

// set describes the amount that is set aside for the resting part.
func (f fill) set() string {
	return f.aside.String() + " stays in your balance manager, set aside for this order."
}

func (f fill) undo() string {
	text := "It waits until it is filled or you cancel it"
	if f.Expire != Never {
		text = "It waits until " + moment(f.Expire) + ", or until you cancel it"
	}
	return text + ". To cancel it, use your Holdings page or ask your AI client."
}

// holds returns the facts that still apply after the transaction: those of a resting order, and its
// market.
func (f fill) holds() (terms []plan.Term) {
	if f.Rests > 0 {
		ends := "You cancel it"
		if f.Expire != Never {
			ends = moment(f.Expire)
		}
		terms = append(terms, plan.Term{Name: termNumber, Value: f.ID.String()},
			plan.Term{Name: "Waits at", Value: f.price + " or better"}, plan.Term{Name: "Waits until", Value: ends})
	}
	return append(terms, plan.Term{Name: managed.TermPool, Value: f.pool.Key}, managed.Term(f.Manager))
}

// moved returns the changes of the manager's coins by the trade and its fee.
func (f fill) moved() (list []plan.Moved) {
	add := func(a plan.Amount, leaves bool, why plan.Why) {
		if a.Raw > 0 {
			list = append(list, plan.Moved{Holder: managed.Party(f.Manager), Asset: a.Asset,
				Change: sui.Delta{Negative: leaves, Amount: a.Raw}, Why: why})
		}
	}
	if f.IsBid {
		add(f.paid, true, plan.ForTrade)
		add(f.traded, false, plan.ForTrade)
	} else {
		add(f.traded, true, plan.ForTrade)
		add(f.paid, false, plan.ForTrade)
	}
	add(f.fee, true, plan.ForFee)
	return list
}
