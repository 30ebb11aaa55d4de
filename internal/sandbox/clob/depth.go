package clob

// Level2Range implements get_level2_range: prices and total open quantities of one side between low and
// high, inclusive, best first.
func (p *Pool) Level2Range(low, high uint64, isBid bool, nowMs uint64) (prices, quantities []uint64, err *Abort) {
	return p.levels(low, high, ^uint64(0), isBid, nowMs)
}

// Level2TicksFromMid implements get_level2_ticks_from_mid: the best price levels of each side.
func (p *Pool) Level2TicksFromMid(ticks, nowMs uint64) (bidPrices, bidQty, askPrices, askQty []uint64, err *Abort) {
	bidPrices, bidQty, err = p.levels(MinPrice, MaxPrice, ticks, true, nowMs)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	askPrices, askQty, err = p.levels(MinPrice, MaxPrice, ticks, false, nowMs)
	return bidPrices, bidQty, askPrices, askQty, err
}

func (p *Pool) levels(low, high, ticks uint64, isBid bool, nowMs uint64) (prices, quantities []uint64, err *Abort) {
	if low > high || low < MinPrice || high > MaxPrice {
		return nil, nil, abortPriceRange()
	}
	if ticks == 0 {
		return nil, nil, abortTicks()
	}
	var c checked
	prices, quantities = []uint64{}, []uint64{}
	for _, o := range p.side(!isBid) {
		price := o.Price()
		if !o.Live(nowMs) || price < low || price > high {
			continue
		}
		if n := len(prices); n > 0 && prices[n-1] == price {
			quantities[n-1] = c.add(quantities[n-1], o.Remaining())
			continue
		}
		if uint64(len(prices)) == ticks {
			break
		}
		prices, quantities = append(prices, price), append(quantities, o.Remaining())
	}
	if err := c.abort(); err != nil {
		return nil, nil, err
	}
	return prices, quantities, nil
}
