// Package clmm implements the arithmetic of FlowX's concentrated-liquidity pools, exact to the last
// raw unit: prices at ticks, and exact-input swaps as the Move code computes them.
//
// It holds pools in memory and does no I/O, checks no signatures and has no transactions. Amounts
// are raw units.
package clmm

import (
	"math/big"
	"slices"

	"github.com/sayurintent/sayurintent/internal/protocol/flowx/registry"
)

// Tick is a tick at which liquidity starts (positive Net) or ends, in the direction of rising
// prices.
type Tick struct {
	Index int32
	Net   *big.Int
}

// Pool is one pool. Price, Tick, Liquidity and the reserves are its state; Ticks are sorted and on
// the grid of the tick spacing. Only Swap, Shift and the constructors change a pool.
type Pool struct {
	registry.Pool
	Price     *big.Int
	Tick      int32
	Liquidity *big.Int
	Ticks     []Tick
	ReserveX  uint64
	ReserveY  uint64
}

// Clone copies the pool's state.
func (p *Pool) Clone() *Pool {
	c := *p
	c.Price, c.Liquidity, c.Ticks = new(big.Int).Set(p.Price), new(big.Int).Set(p.Liquidity), slices.Clone(p.Ticks)
	return &c
}

// Abort describes where the Move code would abort. Arithmetic means an overflow, which Move reports
// without a code.
type Abort struct {
	Module     string
	Code       uint64
	Arithmetic bool
}

// Aborts for a swap's price limit.
const (
	abortLimitExceeded = 4
	abortLimitOutside  = 5
)

// Swapped is the result of a swap. In is the input taken, including the fee. It is less than
// offered if liquidity or the price limit was exhausted.
type Swapped struct {
	In, Out, Fee  uint64
	Before, After *big.Int // prices
	Liquidity     *big.Int // after
	Tick          int32    // after
}

// Swap pays at most offered X (xForY) or Y and changes the pool. limit is the price that must not
// be passed; nil or zero means none.
func (p *Pool) Swap(xForY bool, offered uint64, limit *big.Int) (Swapped, *Abort) {
	limit, stopped := p.limit(xForY, limit)
	if stopped != nil {
		return Swapped{}, stopped
	}
	s := Swapped{Before: new(big.Int).Set(p.Price)}
	price, tick, liquidity := new(big.Int).Set(p.Price), p.Tick, new(big.Int).Set(p.Liquidity)
	remaining, out, fee := number(offered), new(big.Int), new(big.Int)
	for remaining.Sign() > 0 && price.Cmp(limit) != 0 {
		next, net := p.next(tick, xForY)
		edge := PriceAt(next)
		target := edge
		if (limit.Cmp(edge) > 0) == xForY {
			target = limit
		}
		done := stepTo(price, target, liquidity, remaining, p.Fee)
		moved := done.price.Cmp(price) != 0
		price = done.price
		remaining.Sub(remaining, done.in).Sub(remaining, done.fee)
		out.Add(out, done.out)
		fee.Add(fee, done.fee)
		switch {
		case remaining.Sign() < 0:
			return Swapped{}, &Abort{Module: "pool", Arithmetic: true}
		case price.Cmp(edge) == 0:
			if net != nil {
				if xForY {
					net = new(big.Int).Neg(net)
				}
				liquidity.Add(liquidity, net)
			}
			tick = next
			if xForY {
				tick--
			}
		case moved:
			tick = TickAt(price)
		}
	}
	s.In, s.Fee, s.After, s.Liquidity, s.Tick = offered-remaining.Uint64(), fee.Uint64(), price, liquidity, tick
	if out.Cmp(maxU64()) > 0 {
		return Swapped{}, &Abort{Module: "pool", Arithmetic: true}
	}
	s.Out = out.Uint64()
	if stopped := p.settle(xForY, s); stopped != nil {
		return Swapped{}, stopped
	}
	p.Price, p.Tick, p.Liquidity = price, tick, liquidity
	return s, nil
}

// settle adds the input to the reserves and takes the output from them.
func (p *Pool) settle(xForY bool, s Swapped) *Abort {
	in, out := &p.ReserveX, &p.ReserveY
	if !xForY {
		in, out = out, in
	}
	if *in+s.In < *in || s.Out > *out {
		return &Abort{Module: "balance", Arithmetic: true}
	}
	*in, *out = *in+s.In, *out-s.Out
	return nil
}

// limit returns the price at which a swap stops, or the abort for an invalid limit.
func (p *Pool) limit(xForY bool, limit *big.Int) (*big.Int, *Abort) {
	least, most := MinSqrtPrice(), MaxSqrtPrice()
	if limit == nil || limit.Sign() == 0 {
		if xForY {
			return least.Add(least, big.NewInt(1)), nil
		}
		return most.Sub(most, big.NewInt(1)), nil
	}
	passed, outside := limit.Cmp(p.Price) <= 0, limit.Cmp(most) >= 0
	if xForY {
		passed, outside = limit.Cmp(p.Price) >= 0, limit.Cmp(least) <= 0
	}
	switch {
	case passed:
		return nil, &Abort{Module: "pool", Code: abortLimitExceeded}
	case outside:
		return nil, &Abort{Module: "pool", Code: abortLimitOutside}
	}
	return new(big.Int).Set(limit), nil
}

// next returns where the next step may end: the next tick with liquidity (its net is not nil), or
// the end of a 256-point word, where the chain's search stops and rounds fees.
func (p *Pool) next(tick int32, down bool) (int32, *big.Int) {
	spacing := int32(p.TickSpacing)
	point := floorDiv(tick, spacing)
	if down {
		end := point &^ 255
		for i := len(p.Ticks) - 1; i >= 0; i-- {
			if t := p.Ticks[i]; t.Index <= point*spacing && t.Index >= end*spacing {
				return t.Index, t.Net
			}
		}
		return max(end*spacing, MinTick), nil
	}
	point++
	end := point | 255
	for _, t := range p.Ticks {
		if t.Index >= point*spacing && t.Index <= end*spacing {
			return t.Index, t.Net
		}
	}
	return min(end*spacing, MaxTick), nil
}

func floorDiv(n, d int32) int32 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}
