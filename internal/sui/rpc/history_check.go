package rpc

import (
	"math/big"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// check leaves balance changes out that cannot be, by what else was reported or by the
// transaction's own bytes, where these are at hand. What it cannot judge stays:
// it is the service's word.
//
//   - A failed transaction changes the payer's SUI by the gas, and nothing else.
//   - One that only splits, joins and hands coins on makes none and loses none: the
//     changes of each coin together are nothing, and those of SUI the gas.
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

// onlyHandsOn reports whether bytes are of a transaction that moves coins and
// does nothing with them.
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
