package orders

import (
	"context"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/coins"
	"github.com/sayurintent/sayurintent/internal/plan"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook"
	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/managed"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// priceScale is the scale of raw prices.
const priceScale = 1_000_000_000

// outlook records how the order would trade in the current book. free is the manager's free balance of
// the coin that the order pays.
func (p *Placing) outlook(ctx context.Context, d *plan.Step, free sui.Raw) {
	o, b := p.Order, p.Book
	market := plan.Market{Venue: managed.Label, Pool: o.Pool.Key, Base: managed.Asset(o.Pool.Base),
		Quote:  managed.Asset(o.Pool.Quote),
		ReadAt: b.At}.Priced(o.Pool.PriceDecimals(), b.Mid, best(b.Bids), best(b.Asks))
	d.Outlook.Market = &market
	now, ok := p.now()
	if !ok {
		return
	}
	base, quote := managed.Asset(o.Pool.Base), managed.Asset(o.Pool.Quote)
	out := &plan.OrderOutlook{Buys: o.IsBid, Fills: base.Of(now.base), FillsFor: quote.Of(now.quote),
		Rests: base.Of(now.rests), Incomplete: now.incomplete}
	if b.Mid > 0 {
		limit := plan.PriceLimit{Buys: o.IsBid, Price: sui.Raw(o.Price), Middle: b.Mid}
		if out.DistanceBps, ok = limit.Distance(); !ok {
			return
		}
	}
	if now.base > 0 {
		if out.Average, ok = plan.Average(out.Fills, out.FillsFor); !ok {
			return
		}
		guaranteed := now
		guaranteed.quote = sui.Raw(fixed(uint64(now.base), o.Price))
		if t, ok := market.Against(p.traded(guaranteed), p.traded(now)); ok {
			d.Outlook.Trade = t
		}
	}
	d.Outlook.Order = out
	p.holding(ctx, d, now, free)
}

// filled is the part of an order that trades immediately and the part that rests, in raw units.
type filled struct {
	base, quote, rests sui.Raw
	incomplete         bool
}

// now returns what the order would trade immediately, and what would rest. A post-only order that
// would trade fails, so nothing of it trades or rests. now returns false if the numbers do not fit.
func (p *Placing) now() (filled, bool) {
	o, side := p.Order, p.Book.Bids
	if o.IsBid {
		side = p.Book.Asks
	}
	ladder := plan.Ladder{Scale: priceScale, InPart: len(side) == deepbook.MostLevels}
	for _, l := range side {
		ladder.Levels = append(ladder.Levels, plan.Level(l))
	}
	var f filled
	var ok bool
	f.base, f.quote, f.incomplete, ok = ladder.Take(o.IsBid, sui.Raw(o.Price), sui.Raw(o.Quantity))
	if o.Kind == PostOnly {
		if f.base > 0 {
			return filled{}, true
		}
		f.incomplete = false
	}
	if o.Kind != Immediate {
		f.rests = sui.Raw(o.Quantity) - f.base
	}
	return f, ok
}

// traded returns the amounts that trade immediately, including the fee if it is taken from the coin
// that is paid.
func (p *Placing) traded(f filled) plan.Traded {
	base, quote := managed.Asset(p.Order.Pool.Base).Of(f.base), managed.Asset(p.Order.Pool.Quote).Of(f.quote)
	t := plan.Traded{Paid: base, Arrives: quote}
	if p.Order.IsBid {
		t = plan.Traded{Paid: quote, Arrives: base}
	}
	if p.Order.InDeep {
		return t
	}
	t.Fee = t.Paid.Of(inputFee(t.Paid.Raw, p.Market.TakerFee))
	t.Paid = t.Paid.Of(sui.Raw(plan.AddSaturating(uint64(t.Paid.Raw), uint64(t.Fee.Raw))))
	return t
}

// inputFee returns the fee on an amount in the same coin, at a rate in billionths. The pool charges
// five quarters of the rate.
func inputFee(of, rate sui.Raw) sui.Raw {
	return sui.Raw(fixed(fixed(uint64(of), priceScale*5/4), uint64(rate)))
}

// fixed multiplies fixed-point numbers as the pool does. It returns the largest number if the result
// does not fit.
func fixed(a, b uint64) uint64 {
	n := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
	n.Quo(n, big.NewInt(priceScale))
	if !n.IsUint64() {
		return 1<<64 - 1
	}
	return n.Uint64()
}

// best returns the first price of a side of the book, or 0 if it is empty.
func best(side []deepbook.Level) sui.Raw {
	if len(side) == 0 {
		return 0
	}
	return side[0].Price
}

// holding records the manager's free balance of every coin that the order moves, before and after it. A
// coin that the node does not report is omitted.
func (p *Placing) holding(ctx context.Context, d *plan.Step, f filled, free sui.Raw) {
	o := p.Order
	paid, resting, arrives, gets := uint64(f.base), uint64(f.rests), o.Pool.Quote, uint64(f.quote)
	if o.IsBid {
		paid, resting, arrives, gets = uint64(f.quote), fixed(resting, o.Price), o.Pool.Base, uint64(f.base)
	}
	paid = plan.AddSaturating(paid, resting)
	if !o.InDeep {
		paid = plan.AddSaturating(paid, uint64(p.traded(f).Fee.Raw))
		paid = plan.AddSaturating(paid, uint64(inputFee(sui.Raw(resting), p.Market.MakerFee)))
	}
	type row struct {
		coin        plan.Asset
		free        sui.Raw
		gives, gets uint64
	}
	rows := []row{{coin: managed.Asset(o.Pays()), free: free, gives: paid}}
	if n, err := p.source.FreeAfter(ctx, p.after, p.Holder, arrives.Type); err == nil {
		rows = append(rows, row{coin: managed.Asset(arrives), free: n, gets: gets})
	}
	if o.InDeep {
		i := 0
		for ; i < len(rows) && rows[i].coin.CoinType != coins.DEEP; i++ {
		}
		if i == len(rows) {
			rows = append(rows, row{coin: deep, free: p.deep})
		}
		rows[i].gives = plan.AddSaturating(rows[i].gives, uint64(p.Fee.Raw))
	}
	for _, r := range rows {
		gets := plan.AddSaturating(r.gets, p.Freed.Of(r.coin.CoinType))
		if h, ok := plan.Holds(r.coin, r.free, gets, r.gives); ok {
			d.Outlook.Holder = append(d.Outlook.Holder, h)
		}
	}
}
