package rpc

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// check removes balance changes that contradict other reported facts or, if available, the
// transaction's own bytes. It keeps changes that it cannot check. The rules are:
//
//   - A failed transaction changes only the payer's SUI, by the gas.
//   - A transaction that only splits, joins and transfers coins neither creates nor destroys any: the
//     changes of each coin sum to zero, and those of SUI to the gas.
func check(t *sui.PastTransaction) {
	if !t.Balances.Whole() || t.Gas == nil || t.Kind != "ProgrammableTransaction" {
		return
	}
	failed := t.Status == sui.PastFailed
	if !failed && (t.Status != sui.PastSuccess || !onlyHandsOn(t.Bytes)) {
		return
	}
	sums := map[sui.CoinType]*big.Int{sui.SUI: t.Gas.Net().Big()}
	whole := true
	for _, b := range t.Balances.Items {
		if sums[b.Coin] == nil {
			sums[b.Coin] = new(big.Int)
		}
		sums[b.Coin].Add(sums[b.Coin], b.Amount.Big())
		stranger := b.Owner != nil && t.GasPayer != nil && *b.Owner != *t.GasPayer
		whole = whole && !(failed && b.Amount.Amount != 0 && (stranger || b.Coin != sui.SUI))
	}
	for _, sum := range sums {
		whole = whole && sum.Sign() == 0
	}
	if !whole {
		t.Balances, t.BalancesRefused = sui.Listed[sui.PastBalance]{}, true
	}
}

// onlyHandsOn reports whether the bytes are a transaction that only moves coins.
func onlyHandsOn(raw []byte) bool {
	tx, err := sui.DecodeTransaction(raw)
	if err != nil || len(tx.Commands) == 0 {
		return false
	}
	for _, c := range tx.Commands {
		switch c.(type) {
		case sui.SplitCoins, sui.MergeCoins, sui.TransferObjects:
		default:
			return false
		}
	}
	return true
}
