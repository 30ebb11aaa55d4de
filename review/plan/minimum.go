package plan

import (
	"math"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// MinimumOut returns floor(out × (10000 − bps) / 10000): the least that may
// arrive when out is expected and bps basis points of slippage are allowed.
// bps outside 0..10000 returns 0.
func MinimumOut(out sui.Raw, bps int) sui.Raw {
	if bps < 0 || bps > 10000 {
		return 0
	}
	n := new(big.Int).SetUint64(uint64(out))
	n.Mul(n, big.NewInt(int64(10000-bps)))
	return sui.Raw(n.Div(n, big.NewInt(10000)).Uint64())
}

// AddSaturating adds without overflow: a larger sum becomes the largest number.
func AddSaturating(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// MultiplySaturating multiplies without overflow: a larger product becomes the largest
// number.
func MultiplySaturating(a, b uint64) uint64 {
	if b != 0 && a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}

// PriceLimit is the worst price that an order may trade at, and the market's middle
// price as a node reported it, both raw in the same units of quote coins per base
// coin. Middle is 0 where the node reports none; Text is the form for people.
type PriceLimit struct {
	Buys          bool // the base coin
	Price, Middle sui.Raw
	Text          string
}

// BigInt returns raw units as a number without bounds.
func BigInt(r sui.Raw) *big.Int { return new(big.Int).SetUint64(uint64(r)) }

// Worse returns by how many basis points, rounded up, the limit is worse than the
// middle price for whoever places the order; a negative result is better.
func (l PriceLimit) Worse() *big.Int {
	lost := new(big.Int).Sub(BigInt(l.Middle), BigInt(l.Price))
	if l.Buys {
		lost.Neg(lost)
	}
	middle := BigInt(l.Middle)
	lost.Mul(lost, big.NewInt(10_000)).Add(lost, middle).Sub(lost, big.NewInt(1))
	return lost.Div(lost, middle)
}
