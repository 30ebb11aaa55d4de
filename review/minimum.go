package review

import (
	"math"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// MinimumOut gives floor(out × (10000 − bps) / 10000): the least that may
// arrive when out is expected and bps basis points of slippage are allowed.
// bps outside 0..10000 gives 0.
func MinimumOut(out sui.Raw, bps int) sui.Raw {
	if bps < 0 || bps > 10000 {
		return 0
	}
	n := new(big.Int).SetUint64(uint64(out))
	n.Mul(n, big.NewInt(int64(10000-bps)))
	return sui.Raw(n.Div(n, big.NewInt(10000)).Uint64())
}

// GasBudget gives 1.2 times the larger of computation and the net cost, rounded
// up, within the limits.
func GasBudget(g sui.GasCost, l Limits) uint64 {
	n := func(r sui.Raw) *big.Int { return new(big.Int).SetUint64(uint64(r)) }
	most := n(g.Computation)
	net := new(big.Int).Add(most, n(g.Storage))
	net.Sub(net, n(g.Rebate))
	if net.Cmp(most) > 0 {
		most = net
	}
	most = new(big.Int).Mul(most, big.NewInt(12))
	most.Add(most, big.NewInt(9)).Div(most, big.NewInt(10))
	budget := uint64(math.MaxUint64)
	if most.IsUint64() {
		budget = most.Uint64()
	}
	return min(max(budget, l.LeastGasBudget), l.MostGasBudget)
}

// plus adds without wrapping around: the largest number stands for any larger.
func plus(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// times multiplies without wrapping around: the largest number stands for any larger.
func times(a, b uint64) uint64 {
	if b != 0 && a > math.MaxUint64/b {
		return math.MaxUint64
	}
	return a * b
}
