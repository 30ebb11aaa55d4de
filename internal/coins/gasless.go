package coins

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// GaslessLeast is the least amount, in raw units, that the chain moves without gas: 0.01
// of each coin that it lists for that.
const GaslessLeast = 10_000

// gasless are the pinned coins that the chain lists for payments without gas, on mainnet
// since protocol version 124.
var gasless = []string{"AUSD", "SUIUSDE", "USDC", "USDSUI"}

// Gasless reports whether the chain moves the coin from one address balance to another
// without gas.
func Gasless(t sui.CoinType) bool {
	coin, ok := ByType(t)
	return ok && slices.Contains(gasless, coin.Symbol)
}
