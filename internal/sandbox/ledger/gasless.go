package ledger

import (
	"maps"
	"slices"

	"github.com/sayurintent/sayurintent/internal/sui"
)

// gaslessCent is 0.01 of a coin with 6 decimals.
const gaslessCent = 10_000

// mainnetGasless returns the coins that mainnet moves without gas, with the minimum amount of each: the
// protocol configuration of versions 124 (2026-05-20) to 140.
func mainnetGasless() map[sui.CoinType]sui.Raw {
	return map[sui.CoinType]sui.Raw{
		"0x2053d08c1e2bd02791056171aab0fd12bd7cd7efad2ab8f6b9c8902f14df2ff2::ausd::AUSD":         gaslessCent,
		"0x41d587e5336f1c86cad50d38a7136db99333bb9bda91cea4ba69115defeb1402::sui_usde::SUI_USDE": gaslessCent,
		"0x44f838219cf67b058f3b37907b655f226153c18e33dfcd0da559a844fea9b1c1::usdsui::USDSUI":     gaslessCent,
		"0x960b531667636f39e85867775f52f6b1f220a058c4de786905bdf761e06a56bb::usdy::USDY":         gaslessCent,
		"0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC":         gaslessCent,
		"0xe14726c336e81b32328e92afc37345d159f5b550b09fa92bd43640cfdd0a0cfd::usdb::USDB":         gaslessCent,
		"0xf16e6b723f242ec745dfd7634ad072c42d5c1d9ac9d62a39c381303eaa57693a::fdusd::FDUSD":       gaslessCent,
	}
}

// GaslessCoins returns the coins that this chain moves without gas, with the minimum amount of each.
func (l *Ledger) GaslessCoins() map[sui.CoinType]sui.Raw {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.gasless)
}

// Gasless replaces the list of coins that this chain moves without gas.
func (l *Ledger) Gasless(list map[sui.CoinType]sui.Raw) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gasless = maps.Clone(list)
}

// Limits of payments without gas, as on chain.
const (
	gaslessMost   = 16_384 // bytes of the transaction
	gaslessPure   = 32     // bytes of a pure input
	gaslessUnused = 1      // pure inputs that no command names
)

// gaslessCalls are the only functions that such a payment may call.
var gaslessCalls = map[string][]string{
	"balance":           {"send_funds", "redeem_funds", "split", "zero"},
	"coin":              {"into_balance", "redeem_funds", "send_funds", "put"},
	"funds_accumulator": {"withdrawal_split"},
}

// gasless reports whether the transaction asks to pay no gas at all.
func gasless(tx *sui.Transaction) bool {
	return len(tx.Gas.Payment) == 0 && tx.Gas.Price == 0 && tx.Gas.Budget == 0
}

// checkGasless rejects a transaction that is more than a payment of listed coins.
func checkGasless(l *Ledger, tx *sui.Transaction) error {
	if raw, err := tx.Encode(); err != nil || len(raw) > gaslessMost {
		return Refuse("Gasless transactions have at most %d bytes", gaslessMost)
	}
	used := map[int]bool{}
	use := func(list ...sui.Argument) {
		for _, a := range list {
			if a.Kind == sui.ArgInput {
				used[int(a.Index)] = true
			}
		}
	}
	for _, c := range tx.Commands {
		known := true
		switch c := c.(type) {
		case sui.MoveCall:
			if err := checkGaslessCall(l, c); err != nil {
				return err
			}
			use(c.Arguments...)
		case sui.SplitCoins:
			use(append(slices.Clone(c.Amounts), c.Coin)...)
		case sui.MergeCoins:
			use(append(slices.Clone(c.Sources), c.Into)...)
		default:
			known = false
		}
		//mutant:never ./internal/sandbox TestGasless/a command of another kind
		if !known {
			return Refuse("Gasless transactions only support MoveCall, MergeCoins, and SplitCoins commands")
		}
	}
	unused := 0
	for i, in := range tx.Inputs {
		pure, isPure := in.(sui.PureInput)
		switch {
		case isPure && len(pure.Bytes) > gaslessPure:
			return Refuse("Gasless transactions have pure inputs of at most %d bytes", gaslessPure)
		case isPure && !used[i]:
			unused++
		case !used[i]:
			return Refuse("Gasless transactions must use every object and withdrawal (input %d)", i)
		}
	}
	if unused > gaslessUnused {
		return Refuse("Gasless transactions have at most %d unused input", gaslessUnused)
	}
	return nil
}

// checkGaslessCall refuses a function or a coin that is not listed.
func checkGaslessCall(l *Ledger, c sui.MoveCall) error {
	//mutant:never ./internal/sandbox TestGasless/a function that is not listed
	if c.Package != frameworkID || !slices.Contains(gaslessCalls[c.Module], c.Function) {
		return Refuse("Function %s::%s::%s is not supported in gasless transactions", c.Package.Short(), c.Module, c.Function)
	}
	if len(c.TypeArgs) != 1 {
		return Refuse("Gasless transactions take one type argument")
	}
	listed := slices.ContainsFunc(slices.Collect(maps.Keys(l.gasless)), func(coin sui.CoinType) bool {
		text := c.TypeArgs[0].String()
		return text == coin.Tag().String() || text == balanceType(coin).String()
	})
	//mutant:never ./internal/sandbox TestGasless/a coin that is not listed
	if !listed {
		return Refuse("Type %s is not supported in gasless transactions", c.TypeArgs[0])
	}
	return nil
}

// gaslessResult rejects a payment that writes an object or pays too little to somebody.
func (r *run) gaslessResult(o *Outcome) error {
	if slices.ContainsFunc(o.Changes, func(c Change) bool { return c.After != nil }) {
		return Refuse("Gasless transactions cannot create or mutate objects")
	}
	for _, m := range r.moved {
		//mutant:never ./internal/sandbox TestGasless/less than a cent
		if least := uint64(r.ledger.gasless[m.coin]); m.delta.Sign() >= 0 &&
			(!m.delta.IsUint64() || m.delta.Uint64() < least) {
			return Refuse("Gasless transfers are of at least %d", least)
		}
	}
	return nil
}
