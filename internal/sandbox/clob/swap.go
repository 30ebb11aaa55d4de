package clob

import "github.com/sayurintent/sayurintent/internal/coins"

// Swap is the result of swap_exact_quantity. BaseOut, QuoteOut and DeepOut are the values of the
// three returned coins, including unspent input.
type Swap struct {
	BaseOut, QuoteOut, DeepOut uint64

	Traded       bool   // false if nothing was traded, and every coin was returned
	IsBid        bool   // the taker buys base
	Ordered      uint64 // base quantity of the order
	Limit        uint64 // worst accepted price; 0 means any
	Base, Quote  uint64 // amounts traded
	Fee          uint64 // in DEEP if FeeIsDeep, else in the input coin
	FeeIsDeep    bool
	Deep         DeepPrice // the price at which the fee in DEEP was charged
	LimitReached bool      // the maximum number of orders was visited
	Fills        []Fill    // all visited orders, including expired ones
}

// Fill is one resting order that a swap visited. Base and Quote are the amounts taken, or refunded
// if the order had expired. The maker's fee uses the pool's current DEEP price.
type Fill struct {
	Order     Order // before the swap
	Price     uint64
	Base      uint64
	Quote     uint64
	TakerFee  uint64
	MakerFee  uint64
	Expired   bool
	Completed bool
}

// SwapExact implements swap_exact_base_for_quote (base > 0) and swap_exact_quote_for_base (quote > 0).
// It changes the book unless it aborts. A positive deepIn pays the fee in DEEP; otherwise the input
// coin does. Below the pool's minimum it does nothing and does not check minOut.
func (p *Pool) SwapExact(base, quote, deepIn, minOut, nowMs uint64) (Swap, *Abort) {
	if (base > 0) == (quote > 0) {
		return Swap{}, abortQuantityIn()
	}
	s := Swap{BaseOut: base, QuoteOut: quote, DeepOut: deepIn, IsBid: quote > 0}
	payWithDeep := deepIn > 0
	ordered, err := p.marketQuantity(base, quote, payWithDeep, nowMs)
	if err != nil || ordered < p.Min {
		return s, err
	}
	s.Deep, err = p.quoteDeepPrice(payWithDeep)
	if err != nil {
		return Swap{}, err
	}
	s.Ordered, s.Traded = ordered, true
	var c checked
	p.match(&c, &s, nowMs)
	p.charge(&c, &s)
	covered := p.settle(&c, &s)
	if err := c.abort(); err != nil {
		return Swap{}, err
	}
	if !covered {
		return Swap{}, abortBalance()
	}
	out := s.QuoteOut
	if s.IsBid {
		out = s.BaseOut
	}
	if out < minOut {
		return Swap{}, abortMinimumOut()
	}
	p.apply(s)
	return s, nil
}

// marketQuantity returns the base quantity of the market order that a swap places.
func (p *Pool) marketQuantity(base, quote uint64, payWithDeep bool, nowMs uint64) (uint64, *Abort) {
	var c checked
	if quote > 0 {
		bought, _, _, err := p.QuantityOut(0, quote, payWithDeep, nowMs)
		if err != nil {
			return 0, err
		}
		base = bought
	} else if !payWithDeep {
		base = c.div(base, c.add(scaling, c.inputFeeRate(p.TakerFee)))
	}
	return base - base%p.Lot, c.abort()
}

// match fills the market order from the book. Unlike a quote, it also takes the rest of a resting
// order that is smaller than a lot.
func (p *Pool) match(c *checked, s *Swap, nowMs uint64) {
	left := s.Ordered
	for i, o := range p.side(s.IsBid) {
		if left == 0 || i == maxVisits || s.beyond(o.Price()) {
			break
		}
		f := Fill{Order: o, Price: o.Price(), Base: o.Remaining(), Expired: !o.Live(nowMs)}
		if !f.Expired {
			f.Base = min(left, f.Base)
			f.Completed = f.Base == o.Remaining()
			left -= f.Base
		}
		f.Quote = c.mul(f.Base, f.Price)
		if !f.Expired {
			s.Base, s.Quote = c.add(s.Base, f.Base), c.add(s.Quote, f.Quote)
		}
		s.Fills = append(s.Fills, f)
	}
	s.LimitReached = len(s.Fills) == maxVisits
}

// beyond reports whether a price is worse than the taker accepts.
func (s *Swap) beyond(price uint64) bool {
	return s.Limit > 0 && (s.IsBid && price > s.Limit || !s.IsBid && price < s.Limit)
}

// charge computes the fee on the totals and, separately, each fill's share, so the shares may sum up to
// a few units less.
func (p *Pool) charge(c *checked, s *Swap) {
	s.FeeIsDeep = s.Deep.PerAsset > 0
	fee := func(base, quote, rate uint64) uint64 {
		switch {
		case s.FeeIsDeep:
			return c.mul(c.inDeep(s.Deep, base, quote), rate)
		case s.IsBid:
			return c.mul(c.mul(quote, feePenalty), rate)
		}
		return c.mul(c.mul(base, feePenalty), rate)
	}
	s.Fee = fee(s.Base, s.Quote, p.TakerFee)
	var maker DeepPrice
	if p.DeepPrice != nil && !p.Whitelisted {
		maker = *p.DeepPrice
	}
	for i := range s.Fills {
		f := &s.Fills[i]
		if !f.Expired {
			f.TakerFee = fee(f.Base, f.Quote, p.TakerFee)
			f.MakerFee = c.mul(c.inDeep(maker, f.Base, f.Quote), p.MakerFee)
		}
	}
}

// settle moves the traded amounts and the fee between the taker's temporary manager and the vault.
// It reports whether the manager can pay. The manager has one balance per coin type. In a DEEP
// pool, the fee coin and that side are therefore one balance, which is returned in that side's
// coin.
func (p *Pool) settle(c *checked, s *Swap) bool {
	base, quote, deep := &s.BaseOut, &s.QuoteOut, &s.DeepOut
	switch coins.DEEP {
	case p.Base.Type:
		s.BaseOut, s.DeepOut, deep = c.add(s.BaseOut, s.DeepOut), 0, base
	case p.Quote.Type:
		s.QuoteOut, s.DeepOut, deep = c.add(s.QuoteOut, s.DeepOut), 0, quote
	}
	paid, got, owed, gained := base, quote, s.Base, s.Quote
	if s.IsBid {
		paid, got, owed, gained = quote, base, s.Quote, s.Base
	}
	feeFrom := paid
	if s.FeeIsDeep {
		feeFrom = deep
	}
	*got = c.add(*got, gained)
	if *paid < owed {
		return false
	}
	*paid -= owed
	if *feeFrom < s.Fee {
		return false
	}
	*feeFrom -= s.Fee
	return true
}

// apply updates the book: it reduces quantities and removes completed and expired orders.
func (p *Pool) apply(s Swap) {
	side := p.ownSide(!s.IsBid)
	rest := (*side)[len(s.Fills):]
	kept := make([]Order, 0, len(rest)+1)
	for _, f := range s.Fills {
		p.credit(f)
		if !f.Expired && !f.Completed {
			f.Order.Filled += f.Base
			kept = append(kept, f.Order)
		}
	}
	*side = append(kept, rest...)
}
