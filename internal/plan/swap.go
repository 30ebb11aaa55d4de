package plan

import (
	"math/big"
	"time"

	"github.com/sayurintent/sayurintent/internal/fault"
	"github.com/sayurintent/sayurintent/internal/sui"
)

// Percent formats basis points exactly, as in "0.5%".
func Percent(bps int) string { return PercentOf(int64(bps)) }

// PercentOf formats basis points exactly. Negative numbers become zero.
func PercentOf(bps int64) string { return string(sui.Raw(max(bps, 0)).Decimal(2)) + "%" }

// CheckSlippage validates the slippage that an intent allows.
func CheckSlippage(bps int) error {
	if bps == 0 {
		return fault.New(fault.InputInvalid,
			"maxSlippageBps is missing. Ask the user how much worse than the current price it may be: "+
				"a whole number from %d to %d, where 100 is one percent.", LeastSlippageBps, MostSlippageBps).With("field",
			"intent.maxSlippageBps")
	}
	if bps < LeastSlippageBps || bps > MostSlippageBps {
		return fault.New(fault.InputInvalid, "maxSlippageBps is a whole number from %d to %d; 100 is one percent.",
			LeastSlippageBps, MostSlippageBps).With("field", "intent.maxSlippageBps")
	}
	return nil
}

const swapped = "swapped"

// SwapAsked returns the promise of a swap before there is a quote.
func SwapAsked(in Amount, to Asset) Promise {
	return Promise{[]Outcome{{Name: swapped, Bounds: []Bound{Leaves(RoleInput, in), {Role: RoleOutput, Coin: to}}}}}
}

// SwapPromise returns the promise of a swap: the maximum that leaves, with the fee's coin after the
// input if there is one, and the minimum that arrives; or all coins come back.
func SwapPromise(leaves []Amount, least Amount) Promise {
	asked, none := Outcome{Name: swapped}, Outcome{Name: "nothing is swapped",
		Why: "the pool returned all coins, and only gas would be spent. The amount is probably below the pool's least size.",
		Do:  "Choose a larger amount in a new review."}
	for i, a := range leaves {
		role := RoleInput
		if i > 0 {
			role = RoleFee
		}
		asked.Bounds = append(asked.Bounds, Leaves(role, a))
		none.Bounds = append(none.Bounds, Exact(role, Party{}, a.Asset, new(big.Int)))
	}
	asked.Bounds = append(asked.Bounds, Arrives(least))
	none.Bounds = append(none.Bounds, Exact(RoleOutput, Party{}, least.Asset, new(big.Int)))
	return Promise{[]Outcome{asked, none}}
}

// PriceOf returns the price in quote coins per base coin, rounded down to digits decimal places.
// base must not be zero.
func PriceOf(base, quote Amount, digits uint8) string {
	n := BigInt(quote.Raw)
	n.Mul(n, tenTo(base.Decimals+digits)).Quo(n, new(big.Int).Mul(BigInt(base.Raw), tenTo(quote.Decimals)))
	if n.IsUint64() {
		return string(sui.Raw(n.Uint64()).Decimal(digits))
	}
	return new(big.Rat).SetFrac(n, tenTo(digits)).FloatString(int(digits))
}

// Stamp formats a chain time in Unix milliseconds without losing precision. It returns false for
// times after the year 9999.
func Stamp(ms uint64) (string, bool) {
	const last = 253402300799999
	if ms > last {
		return "", false
	}
	return time.UnixMilli(int64(ms)).UTC().Format("2006-01-02 15:04:05.000 UTC"), true
}

// The bounds of Intent.MaxSlippageBps.
const (
	LeastSlippageBps = 1
	MostSlippageBps  = 1000
)
