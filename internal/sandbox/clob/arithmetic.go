package clob

import "math/bits"

// scaling is the fixed-point scale of prices and rates.
const scaling uint64 = 1_000_000_000

// checked does arithmetic like the Move code: products have 128 bits, and an overflow of 64 bits or a
// division by zero breaks it permanently. A broken value computes zeros and ends in an arithmetic
// abort.
type checked struct{ broken bool }

// mul returns floor(a*b / 10^9).
func (c *checked) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return c.quotient(hi, lo, scaling)
}

// div returns floor(a * 10^9 / b).
func (c *checked) div(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, scaling)
	return c.quotient(hi, lo, b)
}

// divUp returns a * 10^9 / b, rounded up.
func (c *checked) divUp(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, scaling)
	q := c.quotient(hi, lo, b)
	if c.broken || q*b == lo { // equal low words mean a remainder of zero
		return q
	}
	return c.add(q, 1)
}

func (c *checked) quotient(hi, lo, by uint64) uint64 {
	if c.broken || hi >= by {
		c.broken = true
		return 0
	}
	q, _ := bits.Div64(hi, lo, by)
	return q
}

func (c *checked) add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if c.broken || carry != 0 {
		c.broken = true
		return 0
	}
	return sum
}

func (c *checked) sub(a, b uint64) uint64 {
	if c.broken || b > a {
		c.broken = true
		return 0
	}
	return a - b
}

// ceil rounds up to a multiple of lot.
func (c *checked) ceil(a, lot uint64) uint64 {
	if over := a % lot; over != 0 {
		return c.add(a, lot-over)
	}
	return a
}

func (c *checked) abort() *Abort {
	if c.broken {
		return &Abort{Module: "math", Arithmetic: true}
	}
	return nil
}

// inputFeeRate returns the rate of a fee taken from the input coin.
func (c *checked) inputFeeRate(takerFee uint64) uint64 { return c.mul(feePenalty, takerFee) }

// inDeep converts a traded pair of quantities to DEEP, rounded down.
func (c *checked) inDeep(d DeepPrice, base, quote uint64) uint64 {
	if d.AssetIsBase {
		return c.mul(base, d.PerAsset)
	}
	return c.mul(quote, d.PerAsset)
}
