package deepbook

import (
	"math"
	"math/big"

	"github.com/sayurintent/sayurintent/internal/protocol/deepbook/registry"
	"github.com/sayurintent/sayurintent/internal/sui"
)

const (
	// billion is the unit of rates.
	billion = 1_000_000_000
	// FeeUnits is the maximum error, in raw units, of a fee that is computed from a rate. A quote
	// visits at most this many orders, and each can round the fee by one.
	FeeUnits = 100
)

// InputFee returns the part of a quote's spent input that is the pool's fee, raw, for fees that are
// taken from the input. A quote reports only the sum, so the fee is computed from the pool's rate. It
// is exact to a few raw units, and fully exact for a sale in lots of more than FeeUnits.
func (p Parameters) InputFee(used sui.Raw, d registry.Direction) sui.Raw {
	rate := MulDiv(uint64(p.TakerFee), 5, 4)
	traded := MulDiv(uint64(used), billion, billion+rate)
	if lot := uint64(p.Lot); d == registry.BaseToQuote && lot > 0 && traded <= math.MaxUint64-lot {
		if up := (traded + lot - 1) / lot * lot; up <= uint64(used) && up-traded <= FeeUnits {
			traded = up
		}
	}
	return used - sui.Raw(traded)
}

// MulDiv returns a × b / c, rounded down, or the largest number if the result does not fit.
func MulDiv(a, b, c uint64) uint64 {
	n := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
	n.Div(n, new(big.Int).SetUint64(c))
	if !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}
