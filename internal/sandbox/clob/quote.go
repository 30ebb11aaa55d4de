package clob

// QuantityOut implements get_quantity_out (payWithDeep) and get_quantity_out_input_fee (not
// payWithDeep): the output for an exact input of base (a sale) or quote (a purchase). On the paid side,
// it returns the unspent input. A result equal to the input means that this size cannot trade. Exactly
// one of base and quote must be positive.
func (p *Pool) QuantityOut(base, quote uint64, payWithDeep bool, nowMs uint64) (baseOut, quoteOut, deep uint64,
	err *Abort) {
	price, err := p.quoteDeepPrice(payWithDeep)
	if err != nil {
		return 0, 0, 0, err
	}
	if (base > 0) == (quote > 0) {
		return 0, 0, 0, abortAmountIn()
	}
	w := walk{pool: p, isBid: quote > 0, payWithDeep: payWithDeep, left: base + quote}
	w.rate = w.c.inputFeeRate(p.TakerFee)
	if !w.isBid && w.tradable() < p.Min {
		return base, 0, 0, w.c.abort()
	}
	w.spend(nowMs)
	if w.isBid {
		deep = w.deepFee(price, w.out, w.c.sub(quote, w.left))
		if w.out < p.Min {
			return 0, quote, 0, w.c.abort()
		}
		return w.out, w.left, deep, w.c.abort()
	}
	executed := w.c.sub(base, w.left)
	deep = w.deepFee(price, executed, w.out)
	if executed > 0 && executed < p.Min {
		return base, 0, 0, w.c.abort()
	}
	return w.left, w.out, deep, w.c.abort()
}

// BaseQuantityIn implements get_base_quantity_in: the base to sell for at least targetQuote. Zeros mean
// that the book cannot pay it.
func (p *Pool) BaseQuantityIn(targetQuote uint64, payWithDeep bool, nowMs uint64) (baseIn, quoteOut, deep uint64,
	err *Abort) {
	in, out, deep, err := p.quantityIn(targetQuote, false, payWithDeep, nowMs)
	return in, out, deep, err
}

// QuoteQuantityIn implements get_quote_quantity_in: the quote to pay for at least targetBase. Zeros
// mean that the book cannot pay it.
func (p *Pool) QuoteQuantityIn(targetBase uint64, payWithDeep bool, nowMs uint64) (baseOut, quoteIn, deep uint64,
	err *Abort) {
	in, out, deep, err := p.quantityIn(targetBase, true, payWithDeep, nowMs)
	return out, in, deep, err
}

func (p *Pool) quantityIn(target uint64, isBid, payWithDeep bool, nowMs uint64) (in, out, deep uint64, err *Abort) {
	price, err := p.quoteDeepPrice(payWithDeep)
	if err != nil {
		return 0, 0, 0, err
	}
	if target == 0 {
		return 0, 0, 0, abortAmountIn()
	}
	w := walk{pool: p, isBid: isBid, payWithDeep: payWithDeep}
	w.rate = w.c.inputFeeRate(p.TakerFee)
	w.reach(target, nowMs)
	traded := w.in
	if isBid {
		traded = w.out
	}
	if w.out < target || traded < p.Min {
		return 0, 0, 0, w.c.abort()
	}
	base, quote := w.in, w.out
	if isBid {
		base, quote = w.out, w.in
	}
	deep = w.deepFee(price, base, quote)
	return w.in, w.out, deep, w.c.abort()
}

// quoteDeepPrice returns the DEEP price of a quote, or none if the fee comes from the input.
func (p *Pool) quoteDeepPrice(payWithDeep bool) (DeepPrice, *Abort) {
	if !payWithDeep {
		return DeepPrice{}, nil
	}
	return p.OrderDeepPrice()
}

// walk is one pass over the orders that a taker trades with.
type walk struct {
	c                  checked
	pool               *Pool
	isBid, payWithDeep bool
	rate               uint64
	left               uint64 // unspent part of an exact input
	in, out            uint64
}

// tradable returns the part of the remaining input that is not reserved for a fee.
func (w *walk) tradable() uint64 {
	if w.payWithDeep {
		return w.left
	}
	return w.c.div(w.left, w.c.add(scaling, w.rate))
}

// withFee adds the fee to an input if the fee is paid in that coin.
func (w *walk) withFee(amount uint64) uint64 {
	if w.payWithDeep {
		return amount
	}
	return w.c.add(amount, w.c.mul(amount, w.rate))
}

func (w *walk) deepFee(d DeepPrice, base, quote uint64) uint64 {
	if !w.payWithDeep {
		return 0
	}
	return w.c.mul(w.pool.TakerFee, w.c.inDeep(d, base, quote))
}

// spend uses up an exact input. It stops at an order that cannot fill even one lot, although a
// deeper order might.
func (w *walk) spend(nowMs uint64) {
	for i, o := range w.pool.side(w.isBid) {
		if i == maxVisits || w.left == 0 || w.c.broken {
			return
		}
		if !o.Live(nowMs) {
			continue
		}
		most := w.tradable()
		if w.isBid {
			most = w.c.div(most, o.Price())
		}
		base := min(most, o.Remaining())
		base -= base % w.pool.Lot
		if base == 0 {
			return
		}
		quote := w.c.mul(base, o.Price())
		if w.isBid {
			w.out = w.c.add(w.out, base)
			w.left = w.c.sub(w.left, w.withFee(quote))
		} else {
			w.out = w.c.add(w.out, quote)
			w.left = w.c.sub(w.left, w.withFee(base))
		}
	}
}

// reach takes orders until the output is at least target, rounding up.
func (w *walk) reach(target, nowMs uint64) {
	for i, o := range w.pool.side(w.isBid) {
		if i == maxVisits || w.out >= target || w.c.broken {
			return
		}
		if !o.Live(nowMs) {
			continue
		}
		need := w.c.sub(target, w.out)
		if !w.isBid {
			need = w.c.divUp(need, o.Price())
		}
		base := min(w.c.ceil(need, w.pool.Lot), o.Remaining())
		quote := w.c.mul(base, o.Price())
		if w.isBid {
			w.out, w.in = w.c.add(w.out, base), w.c.add(w.in, w.grossInput(quote))
		} else {
			w.out, w.in = w.c.add(w.out, quote), w.c.add(w.in, w.grossInput(base))
		}
	}
}

// grossInput returns the input plus its fee for a requested output. Unlike withFee, it is one
// product, rounded once.
func (w *walk) grossInput(amount uint64) uint64 {
	if w.payWithDeep {
		return amount
	}
	return w.c.mul(amount, w.c.add(scaling, w.rate))
}
