package coins

import (
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// GaslessLeast is the minimum amount, in raw units, that the chain moves without gas: 0.01 of each
// eligible coin. All of them have 6 decimals.
const GaslessLeast = 10_000

// gasless are the symbols of pinned coins that the chain lists for payments without gas, on
// mainnet since protocol version 124. The list is a part of the protocol configuration that the
// node's API in use does not return: its ProtocolConfig has flags and numbers only. A coin that
// the chain no longer lists fails in the simulation, so nothing is signed.
var gasless = []string{"AUSD", "SUIUSDE", "USDC", "USDSUI"}

// gaslessTypes are the listed coins that are not pinned. No protocol here trades them.
var gaslessTypes = []sui.CoinType{
	"0x960b531667636f39e85867775f52f6b1f220a058c4de786905bdf761e06a56bb::usdy::USDY",
	"0xe14726c336e81b32328e92afc37345d159f5b550b09fa92bd43640cfdd0a0cfd::usdb::USDB",
	"0xf16e6b723f242ec745dfd7634ad072c42d5c1d9ac9d62a39c381303eaa57693a::fdusd::FDUSD",
}

// Gasless reports whether the chain moves the coin from one address balance to another
// without gas.
func Gasless(t sui.CoinType) bool {
	coin, ok := ByType(t)
	return ok && slices.Contains(gasless, coin.Symbol) || slices.Contains(gaslessTypes, t)
}

// GaslessTypes returns every coin that the chain moves without gas.
func GaslessTypes() []sui.CoinType {
	list := slices.Clone(gaslessTypes)
	for _, symbol := range gasless {
		if coin, ok := BySymbol(symbol); ok {
			list = append(list, coin.Type)
		}
	}
	return list
}
